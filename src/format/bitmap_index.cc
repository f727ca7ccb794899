// bitmap: the rows of each value (spec data.md §12.4).

#include <map>
#include <utility>
#include <vector>

#include "format/big_endian_internal.h"
#include "format/column_index_internal.h"
#include "format/index_key_internal.h"
#include "format/roaring_bytes_internal.h"

namespace braid {
namespace {

constexpr std::int64_t kDefaultBlockBytes = 16 << 10;

Error Damaged(const char* what) { return Error(ErrorCode::kCorruption, std::string("a bitmap index ") + what); }

class BitmapIndex : public KeyedIndex {
 public:
  BitmapIndex(DataType type, std::int64_t row_count) : KeyedIndex(std::move(type), row_count, false) {}

  Status Parse(std::string_view body) {
    BigEndianReader in(body);
    BRAID_TRY_ASSIGN(const auto version, in.Read<std::int8_t>());
    if (version != 1 && version != 2) return Damaged("has an unknown version");
    BRAID_TRY_ASSIGN(const auto rows, in.Read<std::int32_t>());
    if (rows != row_count()) return Damaged("counts other rows than its file has");
    BRAID_TRY_ASSIGN(const auto value_count, in.Read<std::int32_t>());
    BRAID_TRY_ASSIGN(const auto has_null, in.Read<std::int8_t>());
    if (has_null != 0) {
      BRAID_TRY_ASSIGN(null_offset_, in.Read<std::int32_t>());
      if (version == 2) BRAID_TRY(in.Read<std::int32_t>());  // length of the bitmap, which tells its end itself
    }
    return version == 1 ? ParseEntries(in, value_count) : ParseBlocks(in);
  }

 private:
  // Where the rows of a value are: from 0 on a position among the bitmaps, else -1 less its only row.
  using Offset = std::int32_t;

  Status ParseEntries(BigEndianReader& in, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) {
      BRAID_TRY_ASSIGN(Datum key, ReadIndexKey(in, type()));
      BRAID_TRY_ASSIGN(const auto offset, in.Read<Offset>());
      offsets_.emplace(std::move(key), offset);
    }
    bitmaps_ = in.rest();
    return Ok();
  }

  // A directory of blocks by their first value, then the blocks. Only the block that may have a value is looked into.
  Status ParseBlocks(BigEndianReader& in) {
    BRAID_TRY_ASSIGN(const auto count, in.Read<std::int32_t>());
    for (std::int32_t i = 0; i < count; ++i) {
      BRAID_TRY_ASSIGN(Datum key, ReadIndexKey(in, type()));
      BRAID_TRY_ASSIGN(const auto offset, in.Read<std::int32_t>());
      block_offsets_.emplace(std::move(key), offset);
    }
    BRAID_TRY_ASSIGN(const auto blocks_bytes, in.Read<std::int32_t>());
    BRAID_TRY_ASSIGN(blocks_, in.Take(blocks_bytes));
    bitmaps_ = in.rest();
    return Ok();
  }

  Result<std::optional<Offset>> FindOffset(const Datum& key) const {
    if (block_offsets_.empty()) {
      const auto it = offsets_.find(key);
      return it == offsets_.end() ? std::nullopt : std::optional(it->second);
    }
    auto block = block_offsets_.upper_bound(key);
    if (block == block_offsets_.begin()) return std::optional<Offset>();
    --block;
    BigEndianReader in(blocks_);
    BRAID_TRY(in.Take(block->second));
    BRAID_TRY_ASSIGN(const auto count, in.Read<std::int32_t>());
    for (std::int32_t i = 0; i < count; ++i) {
      BRAID_TRY_ASSIGN(const Datum found, ReadIndexKey(in, type()));
      BRAID_TRY_ASSIGN(const auto offset, in.Read<Offset>());
      BRAID_TRY(in.Read<std::int32_t>());  // length of the bitmap
      if (CompareDatums(found, key) == 0) return std::optional(offset);
    }
    return std::optional<Offset>();
  }

  Result<Roaring> RowsAt(Offset offset) const {
    if (offset >= 0) {
      BigEndianReader in(bitmaps_);
      BRAID_TRY(in.Take(offset));
      return TakeRows(in.rest());
    }
    const std::int64_t row = -1 - std::int64_t{offset};
    if (row >= row_count()) return Damaged("names rows that its file has not");
    Roaring rows;
    rows.add(static_cast<std::uint32_t>(row));
    return rows;
  }

  Result<Roaring> NotNull() const override {
    Roaring all = AllRows(static_cast<std::uint64_t>(row_count()));
    if (!null_offset_) return all;
    BRAID_TRY_ASSIGN(const Roaring nulls, RowsAt(*null_offset_));
    return all - nulls;
  }

  Result<Roaring> Equal(const Datum& key) const override {
    BRAID_TRY_ASSIGN(const std::optional<Offset> offset, FindOffset(key));
    return offset ? RowsAt(*offset) : Result<Roaring>(Roaring());
  }

  Result<Roaring> Above(const Datum& /*key*/, bool /*or_equal*/) const override { return Roaring(); }

  std::optional<Offset> null_offset_;
  std::map<Datum, Offset, IndexKeyLess> offsets_;              // version 1
  std::map<Datum, std::int32_t, IndexKeyLess> block_offsets_;  // version 2
  std::string_view blocks_;                                    // of the body, which outlives the index
  std::string_view bitmaps_;                                   // likewise
};

class BitmapBuilder : public ColumnIndexBuilder {
 public:
  BitmapBuilder(DataType type, int version, std::int64_t block_bytes)
      : type_(std::move(type)), version_(version), block_bytes_(block_bytes) {}

  void Add(const Datum& value) override {
    const std::optional<IndexKey> key = value.is_null() ? IndexKey{} : IndexKeyOf(value, type_);
    if (!key) {
      holds_all_ = false;
    } else if (value.is_null()) {
      nulls_.add(rows_);
    } else {
      rows_of_[key->key].add(rows_);
    }
    ++rows_;
  }

  std::optional<std::string> Finish() override {
    if (!holds_all_) return std::nullopt;
    std::string bitmaps;
    const Place nulls = Put(nulls_, bitmaps);
    Places places;
    for (const auto& [key, rows] : rows_of_) places.emplace_back(&key, Put(rows, bitmaps));
    std::string body;
    AppendBigEndian(static_cast<std::int8_t>(version_), body);
    AppendBigEndian(rows_, body);
    AppendBigEndian(static_cast<std::int32_t>(places.size()), body);
    AppendBigEndian(static_cast<std::int8_t>(!nulls_.isEmpty()), body);
    if (!nulls_.isEmpty()) {
      AppendBigEndian(nulls.offset, body);
      if (version_ == 2) AppendBigEndian(nulls.stored_bytes, body);
    }
    if (version_ == 1) {
      AppendEntries(places, body);
    } else {
      AppendBlocks(places, body);
    }
    return body + bitmaps;
  }

 private:
  struct Place {
    std::int32_t offset = 0;
    std::int32_t stored_bytes = 0;  // also of a bitmap that is left out
  };
  using Places = std::vector<std::pair<const Datum*, Place>>;

  // A single row is said by the offset alone.
  static Place Put(const Roaring& rows, std::string& bitmaps) {
    std::string stored;
    AppendRoaring(rows, stored);
    Place place{.offset = static_cast<std::int32_t>(bitmaps.size()), .stored_bytes = static_cast<std::int32_t>(stored.size())};
    if (rows.cardinality() == 1) {
      place.offset = static_cast<std::int32_t>(-1 - static_cast<std::int64_t>(rows.minimum()));
    } else if (!rows.isEmpty()) {
      bitmaps += stored;
    }
    return place;
  }

  void AppendEntries(const Places& places, std::string& body) const {
    for (const auto& [key, place] : places) {
      AppendIndexKey(*key, type_, body);
      AppendBigEndian(place.offset, body);
    }
  }

  void AppendBlocks(const Places& places, std::string& body) const {
    std::string directory;
    std::string blocks;
    std::int32_t block_count = 0;
    for (std::size_t next = 0; next < places.size(); ++block_count) {
      AppendIndexKey(*places[next].first, type_, directory);
      AppendBigEndian(static_cast<std::int32_t>(blocks.size()), directory);
      std::string entries;
      std::int32_t entry_count = 0;
      for (; next < places.size(); ++next, ++entry_count) {
        const auto& [key, place] = places[next];
        std::string entry;
        AppendIndexKey(*key, type_, entry);
        AppendBigEndian(place.offset, entry);
        AppendBigEndian(place.offset < 0 ? -1 : place.stored_bytes, entry);
        const std::size_t bytes = sizeof(entry_count) + entries.size() + entry.size();
        if (entry_count > 0 && bytes > static_cast<std::size_t>(block_bytes_)) break;
        entries += entry;
      }
      AppendBigEndian(entry_count, blocks);
      blocks += entries;
    }
    AppendBigEndian(block_count, body);
    body += directory;
    AppendBigEndian(static_cast<std::int32_t>(blocks.size()), body);
    body += blocks;
  }

  DataType type_;
  int version_;
  std::int64_t block_bytes_;
  bool holds_all_ = true;
  std::uint32_t rows_ = 0;
  Roaring nulls_;
  std::map<Datum, Roaring, IndexKeyLess> rows_of_;
};

bool Takes(const DataType& type) { return HasStoredKeys(type) && type.kind() != TypeKind::kDecimal; }

Result<std::unique_ptr<ColumnIndex>> Open(std::string_view body, const DataType& type, std::int64_t row_count) {
  auto index = std::make_unique<BitmapIndex>(type, row_count);
  BRAID_TRY(index->Parse(body));
  return std::unique_ptr<ColumnIndex>(std::move(index));
}

Result<std::unique_ptr<ColumnIndexBuilder>> Build(const DataType& type, const Options& options) {
  BRAID_TRY_ASSIGN(const std::int64_t version, options.GetInt("version", 2));
  if (version != 1 && version != 2) {
    return Error(ErrorCode::kInvalidArgument, "a bitmap index has 'version' 1 or 2").Hint("Paimon 1.0 reads version 1 alone");
  }
  BRAID_TRY_ASSIGN(const std::int64_t block_bytes, options.GetMemorySize("index-block-size", kDefaultBlockBytes));
  return std::unique_ptr<ColumnIndexBuilder>(std::make_unique<BitmapBuilder>(type, static_cast<int>(version), block_bytes));
}

}  // namespace

const IndexKind& BitmapKind() {
  static constexpr IndexKind kKind = {.name = "bitmap", .takes = Takes, .open = Open, .build = Build};
  return kKind;
}

}  // namespace braid
