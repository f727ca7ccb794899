#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/orc_column_writer.h"
#include "format/orc_dictionary.h"

namespace braid {
namespace {

/// The bytes of values from one place to another, which lie one after the other.
std::string_view BytesBetween(const arrow::ArrayData& data, std::int64_t start, std::int64_t end) {
  const auto* offsets = data.GetValues<std::int32_t>(1, 0);
  if (offsets[start] == offsets[end]) return {};
  return {reinterpret_cast<const char*>(data.buffers[2]->data()) + offsets[start],
          static_cast<std::size_t>(offsets[end] - offsets[start])};
}

/// Values one after the other, and their lengths.
class DirectTexts {
 public:
  explicit DirectTexts(const OrcCompressor& compressor) : bytes_(compressor), lengths_(compressor, false) {}

  void Write(std::string_view text) {
    bytes_.Append(text);
    lengths_.Write(static_cast<std::int64_t>(text.size()));
  }
  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) {
    bytes_.Append(BytesBetween(data, start, start + count));
    const auto* offsets = data.GetValues<std::int32_t>(1, 0);
    for (std::int64_t i = start; i < start + count; ++i) lengths_.Write(offsets[i + 1] - offsets[i]);
  }
  void AddPositions(OrcPositions& positions) const {
    bytes_.AddPosition(positions);
    lengths_.AddPositions(positions);
  }
  std::vector<std::pair<OrcStreamKind, OrcStreamBytes>> Finish() {
    return {{OrcStreamKind::kData, bytes_.Finish()}, {OrcStreamKind::kLength, lengths_.Finish()}};
  }
  std::vector<const OrcStreamWriter*> streams() const { return {&bytes_, &lengths_.stream()}; }

 private:
  OrcStreamWriter bytes_;
  OrcIntegerWriter lengths_;
};

class BinaryColumn : public OrcColumnWriter {
 public:
  BinaryColumn(std::uint32_t column, const OrcColumnSettings& settings)
      : OrcColumnWriter(column, settings, OrcByteCount(), OrcEncoding::kDirectV2), values_(settings.compressor) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    auto& total = bounds<OrcByteCount>();
    ForEachRange(data, start, count, [&](std::int64_t first, std::int64_t length) {
      values_.Write(data, first, length);
      total.byte_count += static_cast<std::int64_t>(BytesBetween(data, first, first + length).size());
    });
  }

 protected:
  void AddPositions(OrcPositions& positions) const override { values_.AddPositions(positions); }
  FinishedStreams FinishStreams() override { return values_.Finish(); }
  std::vector<const OrcStreamWriter*> streams() const override { return values_.streams(); }

 private:
  DirectTexts values_;
};

/// CHAR, VARCHAR and STRING: as numbers of a dictionary as long as that pays, which is asked at the end of every row
/// group and of every stripe, and directly from then on to the end of the file.
///
/// What a row group's position is in numbers of the dictionary is known only once the stripe ends.
class TextColumn : public OrcColumnWriter {
 public:
  TextColumn(std::uint32_t column, const OrcColumnSettings& settings)
      : OrcColumnWriter(column, settings, OrcTextBounds(), OrcEncoding::kDirectV2),
        has_dictionary_(settings.dictionary_threshold > 0),
        direct_(settings.compressor) {}

  void Write(const arrow::ArrayData& data, std::int64_t start, std::int64_t count) override {
    WritePresence(data, start, count);
    // A dictionary of one text never pays, and a long one need not be put into it to find that out.
    if (has_dictionary_ && numbers_.empty() && count == 1 && settings().dictionary_threshold < 1 &&
        BytesBetween(data, start, start + 1).size() > kLargeDictionary) {
      EndDictionary();
    }
    auto& range = bounds<OrcTextBounds>();
    OrcBloomFilter* filter = bloom_filter();
    ForEachValue(data, start, count, [&](std::int64_t i) {
      const std::string_view text = BytesBetween(data, i, i + 1);
      range.Add(text);
      if (filter != nullptr) filter->AddBytes(text);
      if (has_dictionary_) numbers_.push_back(dictionary_.Add(text));
    });
    if (has_dictionary_) {
      // Long texts take much memory before a row group ends.
      if (dictionary_.byte_count() > kLargeDictionary) CheckDictionary();
    } else {
      ForEachRange(data, start, count,
                   [&](std::int64_t first, std::int64_t length) { direct_.Write(data, first, length); });
    }
  }

  void EndRowGroup() override {
    OrcColumnWriter::EndRowGroup();
    if (!has_dictionary_) return;
    starts_.push_back(numbers_.size());
    CheckDictionary();
  }

  std::int64_t encoded_bytes() const override {
    const auto number_bits = static_cast<std::size_t>(std::bit_width(dictionary_.size()));
    return OrcColumnWriter::encoded_bytes() +
           static_cast<std::int64_t>(dictionary_.byte_count() / 2 + numbers_.size() * number_bits / 8);
  }
  std::int64_t memory_bytes() const override {
    return OrcColumnWriter::memory_bytes() +
           static_cast<std::int64_t>(dictionary_.memory_bytes() + numbers_.capacity() * sizeof(std::uint32_t));
  }

 protected:
  void AddPositions(OrcPositions& positions) const override {
    if (!has_dictionary_) direct_.AddPositions(positions);
  }

  FinishedStreams FinishStreams() override {
    if (!has_dictionary_) {
      dictionary_size_.reset();
      return direct_.Finish();
    }
    DirectTexts entries(settings().compressor);
    std::vector<std::uint32_t> ranks(dictionary_.size());
    std::uint32_t rank = 0;
    for (const std::uint32_t number : dictionary_.Sorted()) {
      entries.Write(dictionary_.text(number));
      ranks[number] = rank++;
    }
    OrcIntegerWriter numbers(settings().compressor, false);
    WriteNumbers([&](std::uint32_t number) { numbers.Write(ranks[number]); },
                 [&](OrcPositions& positions) { numbers.AddPositions(positions); });
    dictionary_size_ = dictionary_.size();
    dictionary_.Clear();
    FinishedStreams streams = entries.Finish();
    return {{OrcStreamKind::kData, numbers.Finish()},
            {OrcStreamKind::kLength, std::move(streams[1].second)},
            {OrcStreamKind::kDictionaryData, std::move(streams[0].second)}};
  }

  std::optional<std::size_t> dictionary_size() const override { return dictionary_size_; }

  std::vector<const OrcStreamWriter*> streams() const override { return direct_.streams(); }

 private:
  static constexpr std::size_t kLargeDictionary = std::size_t{1} << 20;

  void CheckDictionary() {
    // A stripe of one long row: its other values tell nothing of those that follow.
    if (numbers_.size() == 1 && dictionary_.byte_count() <= kLargeDictionary) return;
    const double most = settings().dictionary_threshold * static_cast<double>(numbers_.size());
    if (static_cast<double>(dictionary_.size()) > most) EndDictionary();
  }

  void EndDictionary() {
    WriteNumbers([&](std::uint32_t number) { direct_.Write(dictionary_.text(number)); },
                 [&](OrcPositions& positions) { direct_.AddPositions(positions); });
    dictionary_.Clear();
    has_dictionary_ = false;
  }

  /// Writes what has come as numbers, tells the row groups where they start, and forgets it.
  template <typename WriteNumber, typename Position>
  void WriteNumbers(WriteNumber write, Position add_positions) {
    std::size_t group = 0;
    for (std::size_t i = 0; i <= numbers_.size(); ++i) {
      for (; group < starts_.size() && starts_[group] == i; ++group) {
        if (group < row_groups().size()) add_positions(row_groups()[group].values);
      }
      if (i < numbers_.size()) write(numbers_[i]);
    }
    numbers_ = {};
    starts_ = {0};
  }

  bool has_dictionary_;
  OrcDictionary dictionary_;
  std::vector<std::uint32_t> numbers_;          // of the stripe's values
  std::vector<std::size_t> starts_ = {0};       // of the stripe's row groups among them
  std::optional<std::size_t> dictionary_size_;  // of the last stripe
  DirectTexts direct_;
};

}  // namespace

std::unique_ptr<OrcColumnWriter> MakeOrcBinaryWriter(const OrcColumnSettings& settings, std::uint32_t column) {
  return std::make_unique<BinaryColumn>(column, settings);
}

std::unique_ptr<OrcColumnWriter> MakeOrcTextWriter(const OrcColumnSettings& settings, std::uint32_t column) {
  return std::make_unique<TextColumn>(column, settings);
}

}  // namespace braid
