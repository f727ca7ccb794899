#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "format/orc_column_reader.h"
#include "format/orc_value_buffers.h"
#include "types/batch.h"

namespace braid {
namespace {

/// Without the spaces that ORC fills CHAR values up with.
std::size_t TrimmedSize(std::string_view text) {
  return text.find_last_not_of(' ') + 1;
}

/// Reads so many bytes, of which the stream may not have as many.
template <typename Failure>
Result<OrcValueBuffer> ReadBytes(OrcStreamReader& stream, std::int64_t count, Failure failure) {
  return ReadOrcValues<char>(count, [&](char* to, std::int64_t step) -> Status {
    if (!stream.Read(to, static_cast<std::size_t>(step))) return failure();
    return Ok();
  });
}

std::shared_ptr<arrow::ArrayData> MakeTexts(const DataType& type, const OrcPresence& rows,
                                            std::shared_ptr<arrow::Buffer> offsets,
                                            std::shared_ptr<arrow::Buffer> bytes) {
  return arrow::ArrayData::Make(ToArrowType(type), rows.row_count, {rows.bits, std::move(offsets), std::move(bytes)},
                                rows.null_count());
}

/// Values one after the other, and their lengths.
class DirectColumn : public OrcColumnReader {
 public:
  DirectColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe)
      : OrcColumnReader(plan, stripe),
        bytes_(stripe.Stream(plan.column, OrcStreamKind::kData)),
        lengths_(stripe.Stream(plan.column, OrcStreamKind::kLength), stripe.HasVersionTwo(plan.column),
                 /*is_signed=*/false) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    BRAID_TRY_ASSIGN(Offsets offsets, ReadOffsets(lengths_, rows));
    BRAID_TRY_ASSIGN(const OrcValueBuffer bytes, ReadBytes(bytes_, offsets.total, [this] { return Broken(bytes_); }));
    if (type().kind() == TypeKind::kChar) Trim(rows, *offsets.buffer, *bytes);
    return MakeTexts(type(), rows, std::move(offsets.buffer), bytes);
  }

 private:
  /// Moves the texts together.
  static void Trim(const OrcPresence& rows, arrow::Buffer& offset_buffer, arrow::Buffer& bytes) {
    auto* offsets = offset_buffer.mutable_data_as<std::int32_t>();
    auto* text = bytes.mutable_data_as<char>();
    std::int32_t start = 0;
    std::int32_t end = 0;
    for (std::int64_t row = 0; row < rows.row_count; ++row) {
      const std::int32_t next_start = offsets[row + 1];
      const std::size_t size = TrimmedSize({text + start, static_cast<std::size_t>(next_start - start)});
      std::memmove(text + end, text + start, size);
      end += static_cast<std::int32_t>(size);
      offsets[row + 1] = end;
      start = next_start;
    }
  }

  OrcStreamReader bytes_;
  OrcIntegerReader lengths_;
};

/// Numbers of entries of a dictionary, which the stripe has once.
class DictionaryColumn : public OrcColumnReader {
 public:
  DictionaryColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe)
      : OrcColumnReader(plan, stripe),
        numbers_(stripe.Stream(plan.column, OrcStreamKind::kData), stripe.HasVersionTwo(plan.column),
                 /*is_signed=*/false),
        entry_bytes_(stripe.Stream(plan.column, OrcStreamKind::kDictionaryData)),
        entry_lengths_(stripe.Stream(plan.column, OrcStreamKind::kLength), stripe.HasVersionTwo(plan.column),
                       /*is_signed=*/false),
        entry_count_(stripe.dictionary_size(plan.column)) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    if (entries_ == nullptr) BRAID_TRY(ReadDictionary());
    BRAID_TRY_ASSIGN(const OrcValueBuffer numbers,
                     ReadOrcValues<std::int64_t>(rows.value_count, [&](std::int64_t* to, std::int64_t count) -> Status {
                       if (numbers_.Read({to, static_cast<std::size_t>(count)})) return Ok();
                       return Broken(numbers_.stream());
                     }));
    BRAID_TRY_ASSIGN(const OrcValueBuffer offsets, MakeOffsets(rows, numbers->data_as<std::int64_t>()));
    const std::int64_t total = offsets->data_as<std::int32_t>()[rows.row_count];
    BRAID_TRY_ASSIGN(const OrcValueBuffer bytes, MakeOrcBuffer(total + kPadding));
    CopyEntries(rows.value_count, numbers->data_as<std::int64_t>(), bytes->mutable_data_as<char>());
    BRAID_TRY(ResizeOrcBuffer(*bytes, total));
    return MakeTexts(type(), rows, offsets, bytes);
  }

 private:
  /// What short entries are copied with at once; so many bytes can be read behind them and written behind copies.
  static constexpr std::int64_t kPadding = 16;

  Status ReadDictionary() {
    BRAID_TRY_ASSIGN(Offsets offsets,
                     ReadOffsets(entry_lengths_, {.row_count = entry_count_, .value_count = entry_count_}));
    BRAID_TRY_ASSIGN(entries_, ReadBytes(entry_bytes_, offsets.total, [this] { return Broken(entry_bytes_); }));
    BRAID_TRY(ResizeOrcBuffer(*entries_, offsets.total + kPadding));
    entry_offsets_ = std::move(offsets.buffer);
    const auto* offset = entry_offsets_->data_as<std::int32_t>();
    entry_sizes_.resize(static_cast<std::size_t>(entry_count_));
    for (std::size_t i = 0; i < entry_sizes_.size(); ++i) {
      const std::string_view entry(entries_->data_as<char>() + offset[i],
                                   static_cast<std::size_t>(offset[i + 1] - offset[i]));
      entry_sizes_[i] = static_cast<std::int32_t>(type().kind() == TypeKind::kChar ? TrimmedSize(entry) : entry.size());
    }
    return Ok();
  }

  /// Also checks the numbers.
  Result<OrcValueBuffer> MakeOffsets(const OrcPresence& rows, const std::int64_t* number) const {
    BRAID_TRY_ASSIGN(OrcValueBuffer offsets,
                     MakeOrcBuffer((rows.row_count + 1) * static_cast<std::int64_t>(sizeof(std::int32_t))));
    auto* out = offsets->mutable_data_as<std::int32_t>();
    std::int64_t total = 0;
    for (std::int64_t row = 0; row < rows.row_count; ++row) {
      out[row] = static_cast<std::int32_t>(total);
      if (!rows.Has(row)) continue;
      if (*number < 0 || *number >= entry_count_) return Damaged("a number that the dictionary does not have");
      total += entry_sizes_[static_cast<std::size_t>(*number++)];
      if (total > kMaxTotal) return TooLong(rows.row_count);
    }
    out[rows.row_count] = static_cast<std::int32_t>(total);
    return offsets;
  }

  void CopyEntries(std::int64_t count, const std::int64_t* numbers, char* to) const {
    const auto* offsets = entry_offsets_->data_as<std::int32_t>();
    const auto* entries = entries_->data_as<char>();
    for (std::int64_t i = 0; i < count; ++i) {
      const auto number = static_cast<std::size_t>(numbers[i]);
      const std::int32_t size = entry_sizes_[number];
      const char* entry = entries + offsets[number];
      if (size <= kPadding) {
        std::memcpy(to, entry, kPadding);
      } else {
        std::memcpy(to, entry, static_cast<std::size_t>(size));
      }
      to += size;
    }
  }

  OrcIntegerReader numbers_;
  OrcStreamReader entry_bytes_;
  OrcIntegerReader entry_lengths_;
  std::int64_t entry_count_;
  OrcValueBuffer entries_;  // null before the first rows
  std::shared_ptr<arrow::Buffer> entry_offsets_;
  std::vector<std::int32_t> entry_sizes_;  // as values have them
};

}  // namespace

std::unique_ptr<OrcColumnReader> MakeOrcTextReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe) {
  const OrcEncoding encoding = stripe.encoding(plan.column);
  if (encoding == OrcEncoding::kDictionary || encoding == OrcEncoding::kDictionaryV2)
    return std::make_unique<DictionaryColumn>(plan, stripe);
  return std::make_unique<DirectColumn>(plan, stripe);
}

}  // namespace braid
