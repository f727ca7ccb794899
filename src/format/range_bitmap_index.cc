// range-bitmap: the places of values in their order, by bits (spec data.md §12.6).

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "format/big_endian_internal.h"
#include "format/bit_slices_internal.h"
#include "format/column_index_internal.h"
#include "format/index_key_internal.h"
#include "format/range_dictionary_internal.h"
#include "format/roaring_bytes_internal.h"

namespace braid {
namespace {

constexpr std::int8_t kVersion = 1;
constexpr std::int64_t kDefaultChunkBytes = 16 << 10;
constexpr int kMaxSlices = 64;

Error Damaged() { return Error(ErrorCode::kCorruption, "a range-bitmap index is damaged"); }

class RangeBitmapIndex : public KeyedIndex {
 public:
  RangeBitmapIndex(DataType type, std::int64_t row_count) : KeyedIndex(std::move(type), row_count, true) {}

  Status Parse(std::string_view body) {
    BigEndianReader in(body);
    BRAID_TRY_ASSIGN(const auto header_bytes, in.Read<std::int32_t>());
    BRAID_TRY_ASSIGN(const std::string_view header_text, in.Take(header_bytes));
    BigEndianReader header(header_text);
    BRAID_TRY_ASSIGN(const auto version, header.Read<std::int8_t>());
    BRAID_TRY_ASSIGN(const auto rows, header.Read<std::int32_t>());
    BRAID_TRY_ASSIGN(const auto key_count, header.Read<std::int32_t>());
    if (version != kVersion || rows != row_count() || key_count < 0) return Damaged();
    // The least and the greatest key, which the dictionary has too.
    for (int bound = 0; bound < 2 && key_count > 0; ++bound) BRAID_TRY(ReadIndexKey(header, type()));
    BRAID_TRY_ASSIGN(const auto dictionary_bytes, header.Read<std::int32_t>());
    BRAID_TRY_ASSIGN(const std::string_view dictionary, in.Take(dictionary_bytes));
    BRAID_TRY_ASSIGN(dictionary_, RangeDictionary::Parse(dictionary, type()));
    return ParseCodes(in);
  }

 private:
  Status ParseCodes(BigEndianReader& in) {
    BRAID_TRY_ASSIGN(const auto header_bytes, in.Read<std::int32_t>());
    BRAID_TRY_ASSIGN(const std::string_view header_text, in.Take(header_bytes));
    BigEndianReader header(header_text);
    BRAID_TRY_ASSIGN(const auto version, header.Read<std::int8_t>());
    BRAID_TRY_ASSIGN(const auto slice_count, header.Read<std::int8_t>());
    BRAID_TRY_ASSIGN(const auto rows_bytes, header.Read<std::int32_t>());
    BRAID_TRY(header.Read<std::int32_t>());  // bytes of the offsets and lengths
    if (version != kVersion || slice_count < 0 || slice_count > kMaxSlices) return Damaged();
    BRAID_TRY_ASSIGN(std::string_view rows_text, in.Take(rows_bytes));
    BRAID_TRY_ASSIGN(Roaring rows, TakeRows(rows_text));
    std::vector<Roaring> slices;
    for (int i = 0; i < slice_count; ++i) {
      BRAID_TRY_ASSIGN(const auto offset, header.Read<std::int32_t>());
      BRAID_TRY(header.Read<std::int32_t>());  // the slice's bytes
      BigEndianReader slice(in.rest());
      BRAID_TRY(slice.Take(offset));
      BRAID_TRY_ASSIGN(Roaring bits, TakeRows(slice.rest()));
      slices.push_back(std::move(bits));
    }
    codes_ = BitSlices(std::move(rows), std::move(slices));
    return Ok();
  }

  Result<Roaring> NotNull() const override { return codes_.rows(); }

  Result<Roaring> Equal(const Datum& key) const override {
    BRAID_TRY_ASSIGN(const RangeDictionary::Place place, dictionary_->Find(key));
    return place.is_there ? codes_.Equal(static_cast<std::uint64_t>(place.code)) : Roaring();
  }

  Result<Roaring> Above(const Datum& key, bool or_equal) const override {
    BRAID_TRY_ASSIGN(const RangeDictionary::Place place, dictionary_->Find(key));
    const auto code = static_cast<std::uint64_t>(place.code);
    return place.is_there && !or_equal ? codes_.Above(code) : codes_.AtLeast(code);
  }

  std::optional<RangeDictionary> dictionary_;  // set by Parse
  BitSlices codes_;
};

class RangeBitmapBuilder : public ColumnIndexBuilder {
 public:
  RangeBitmapBuilder(DataType type, std::int64_t chunk_bytes) : type_(std::move(type)), chunk_bytes_(chunk_bytes) {}

  void Add(const Datum& value) override {
    const std::optional<IndexKey> key = value.is_null() ? std::nullopt : IndexKeyOf(value, type_);
    if (!key && !value.is_null()) holds_all_ = false;
    const std::int32_t next = static_cast<std::int32_t>(numbers_.size());
    keys_of_rows_.push_back(key ? numbers_.emplace(key->key, next).first->second : kNull);
  }

  std::optional<std::string> Finish() override {
    if (!holds_all_) return std::nullopt;
    std::vector<const Datum*> keys;
    std::vector<std::uint64_t> codes(numbers_.size());  // by the number that a key got when it came first
    for (const auto& [key, number] : numbers_) {
      codes[static_cast<std::size_t>(number)] = keys.size();
      keys.push_back(&key);
    }
    std::string header;
    AppendBigEndian(kVersion, header);
    AppendBigEndian(static_cast<std::int32_t>(keys_of_rows_.size()), header);
    AppendBigEndian(static_cast<std::int32_t>(keys.size()), header);
    if (!keys.empty()) {
      AppendIndexKey(*keys.front(), type_, header);
      AppendIndexKey(*keys.back(), type_, header);
    }
    const std::string dictionary = EncodeRangeDictionary(keys, type_, chunk_bytes_);
    AppendBigEndian(static_cast<std::int32_t>(dictionary.size()), header);
    std::string body;
    AppendBigEndian(static_cast<std::int32_t>(header.size()), body);
    body += header + dictionary;
    AppendCodes(codes, body);
    return body;
  }

 private:
  static constexpr std::int32_t kNull = -1;

  void AppendCodes(const std::vector<std::uint64_t>& codes, std::string& body) const {
    // Without keys Java counts the bits of -1.
    BitSlices slices(codes.empty() ? kMaxSlices : std::max(static_cast<int>(std::bit_width(codes.size() - 1)), 1));
    for (std::size_t row = 0; row < keys_of_rows_.size(); ++row) {
      const std::int32_t number = keys_of_rows_[row];
      if (number != kNull) slices.Add(static_cast<std::uint32_t>(row), codes[static_cast<std::size_t>(number)]);
    }
    std::string rows;
    AppendRoaring(slices.rows(), rows);
    std::string places;
    std::string bits;
    for (const Roaring& slice : slices.slices()) {
      const std::size_t at = bits.size();
      AppendRoaring(slice, bits);
      AppendBigEndian(static_cast<std::int32_t>(at), places);
      AppendBigEndian(static_cast<std::int32_t>(bits.size() - at), places);
    }
    std::string header;
    AppendBigEndian(kVersion, header);
    AppendBigEndian(static_cast<std::int8_t>(slices.slices().size()), header);
    AppendBigEndian(static_cast<std::int32_t>(rows.size()), header);
    AppendBigEndian(static_cast<std::int32_t>(places.size()), header);
    AppendBigEndian(static_cast<std::int32_t>(header.size() + places.size()), body);
    body += header + places + rows + bits;
  }

  DataType type_;
  std::int64_t chunk_bytes_;
  bool holds_all_ = true;
  std::map<Datum, std::int32_t, IndexKeyLess> numbers_;  // of the keys, in the order they came
  std::vector<std::int32_t> keys_of_rows_;
};

bool Takes(const DataType& type) {
  constexpr int kMaxDecimalPrecision = 18;
  constexpr int kMaxTimestampPrecision = 6;
  if (type.kind() == TypeKind::kDecimal) return type.precision() <= kMaxDecimalPrecision;
  if (type.is_timestamp()) return type.precision() <= kMaxTimestampPrecision;
  return HasStoredKeys(type);
}

Result<std::unique_ptr<ColumnIndex>> Open(std::string_view body, const DataType& type, std::int64_t row_count) {
  auto index = std::make_unique<RangeBitmapIndex>(type, row_count);
  BRAID_TRY(index->Parse(body));
  return std::unique_ptr<ColumnIndex>(std::move(index));
}

Result<std::unique_ptr<ColumnIndexBuilder>> Build(const DataType& type, const Options& options) {
  // Of the smallest keys each is a chunk of its own.
  const bool is_small = StoredKeyBytes(type) == 1 || StoredKeyBytes(type) == 2;
  BRAID_TRY_ASSIGN(const std::int64_t chunk_bytes, options.GetMemorySize("chunk-size", is_small ? 0 : kDefaultChunkBytes));
  return std::unique_ptr<ColumnIndexBuilder>(std::make_unique<RangeBitmapBuilder>(type, chunk_bytes));
}

}  // namespace

const IndexKind& RangeBitmapKind() {
  static constexpr IndexKind kKind = {.name = "range-bitmap", .takes = Takes, .open = Open, .build = Build};
  return kKind;
}

}  // namespace braid
