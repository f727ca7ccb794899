// bsi: numbers by their bits, negative ones apart (spec data.md §12.5).

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "format/big_endian_internal.h"
#include "format/bit_slices_internal.h"
#include "format/column_index_internal.h"
#include "format/index_key_internal.h"
#include "format/roaring_bytes_internal.h"

namespace braid {
namespace {

constexpr std::int8_t kVersion = 1;
constexpr std::int32_t kMaxSlices = 64;

std::uint64_t MagnitudeOf(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? ~bits + 1 : bits;
}

// Numbers of one sign by their magnitude, from `least` on.
struct Half {
  std::uint64_t least = 0;
  BitSlices slices;

  Roaring Equal(std::uint64_t magnitude) const { return magnitude < least ? Roaring() : slices.Equal(magnitude - least); }
  Roaring Above(std::uint64_t magnitude, bool or_equal) const {
    if (magnitude < least) return slices.rows();
    return or_equal ? slices.AtLeast(magnitude - least) : slices.Above(magnitude - least);
  }
};

class BitSlicedIndex : public KeyedIndex {
 public:
  BitSlicedIndex(DataType type, std::int64_t row_count) : KeyedIndex(std::move(type), row_count, true) {}

  Status Parse(std::string_view body) {
    BigEndianReader in(body);
    BRAID_TRY_ASSIGN(const auto version, in.Read<std::int8_t>());
    BRAID_TRY_ASSIGN(const auto rows, in.Read<std::int32_t>());
    if (version != kVersion || rows != row_count()) {
      return Error(ErrorCode::kCorruption, "a bit-sliced index has an unknown version, or counts other rows than its file has");
    }
    BRAID_TRY_ASSIGN(positive_, ParseHalf(in));
    BRAID_TRY_ASSIGN(negative_, ParseHalf(in));
    return Ok();
  }

 private:
  Result<Half> ParseHalf(BigEndianReader& in) const {
    BRAID_TRY_ASSIGN(const auto is_there, in.Read<std::int8_t>());
    if (is_there == 0) return Half();
    BRAID_TRY_ASSIGN(const auto version, in.Read<std::int8_t>());
    BRAID_TRY_ASSIGN(const auto least, in.Read<std::int64_t>());
    BRAID_TRY(in.Read<std::int64_t>());  // the greatest, which the slices tell too
    BRAID_TRY_ASSIGN(Roaring rows, TakeRows(in.rest()));
    BRAID_TRY_ASSIGN(const auto count, in.Read<std::int32_t>());
    if (version != kVersion || least < 0 || count < 0 || count > kMaxSlices) {
      return Error(ErrorCode::kCorruption, "a bit-sliced index has an impossible header");
    }
    std::vector<Roaring> slices;
    for (std::int32_t i = 0; i < count; ++i) {
      BRAID_TRY_ASSIGN(Roaring slice, TakeRows(in.rest()));
      slices.push_back(std::move(slice));
    }
    return Half{.least = static_cast<std::uint64_t>(least), .slices = BitSlices(std::move(rows), std::move(slices))};
  }

  Result<Roaring> NotNull() const override { return positive_.slices.rows() | negative_.slices.rows(); }

  Result<Roaring> Equal(const Datum& key) const override {
    return (key.as_int() < 0 ? negative_ : positive_).Equal(MagnitudeOf(key.as_int()));
  }

  Result<Roaring> Above(const Datum& key, bool or_equal) const override {
    const std::uint64_t magnitude = MagnitudeOf(key.as_int());
    if (key.as_int() >= 0) return positive_.Above(magnitude, or_equal);
    // Of negative numbers those with less magnitude are greater.
    const Roaring& negative = negative_.slices.rows();
    return positive_.slices.rows() | (negative - negative_.Above(magnitude, !or_equal));
  }

  Half positive_;
  Half negative_;
};

class BitSlicedBuilder : public ColumnIndexBuilder {
 public:
  explicit BitSlicedBuilder(DataType type) : type_(std::move(type)) {}

  void Add(const Datum& value) override {
    const std::optional<IndexKey> key = value.is_null() ? IndexKey{std::int64_t{0}} : IndexKeyOf(value, type_);
    const std::int64_t number = key ? key->key.as_int() : 0;
    // The magnitude of the least number of all does not fit Java's.
    if (!key || number == std::numeric_limits<std::int64_t>::min()) holds_all_ = false;
    if (value.is_null()) nulls_.add(static_cast<std::uint32_t>(numbers_.size()));
    numbers_.push_back(number);
  }

  std::optional<std::string> Finish() override {
    if (!holds_all_) return std::nullopt;
    std::string body;
    AppendBigEndian(kVersion, body);
    AppendBigEndian(static_cast<std::int32_t>(numbers_.size()), body);
    AppendHalf(false, body);
    AppendHalf(true, body);
    return body;
  }

 private:
  void AppendHalf(bool negative, std::string& body) const {
    std::uint64_t greatest = 0;
    for (const std::int64_t number : numbers_) {
      if (negative == (number < 0)) greatest = std::max(greatest, MagnitudeOf(number));
    }
    BitSlices slices(static_cast<int>(std::bit_width(greatest)));
    for (std::uint32_t row = 0; row < numbers_.size(); ++row) {
      if (negative == (numbers_[row] < 0) && !nulls_.contains(row)) slices.Add(row, MagnitudeOf(numbers_[row]));
    }
    AppendBigEndian(static_cast<std::int8_t>(!slices.rows().isEmpty()), body);
    if (slices.rows().isEmpty()) return;
    AppendBigEndian(kVersion, body);
    AppendBigEndian(std::int64_t{0}, body);  // as Java has it, whatever the least is
    AppendBigEndian(greatest, body);
    AppendRoaring(slices.rows(), body);
    AppendBigEndian(static_cast<std::int32_t>(slices.slices().size()), body);
    for (const Roaring& slice : slices.slices()) AppendRoaring(slice, body);
  }

  DataType type_;
  bool holds_all_ = true;
  std::vector<std::int64_t> numbers_;  // by row; 0 for NULL
  Roaring nulls_;
};

bool Takes(const DataType& type) {
  const TypeKind kind = type.kind();
  return type.is_integer() || kind == TypeKind::kDecimal || kind == TypeKind::kDate || kind == TypeKind::kTime || type.is_timestamp();
}

Result<std::unique_ptr<ColumnIndex>> Open(std::string_view body, const DataType& type, std::int64_t row_count) {
  auto index = std::make_unique<BitSlicedIndex>(type, row_count);
  BRAID_TRY(index->Parse(body));
  return std::unique_ptr<ColumnIndex>(std::move(index));
}

Result<std::unique_ptr<ColumnIndexBuilder>> Build(const DataType& type, const Options& /*options*/) {
  return std::unique_ptr<ColumnIndexBuilder>(std::make_unique<BitSlicedBuilder>(type));
}

}  // namespace

const IndexKind& BitSlicedKind() {
  static constexpr IndexKind kKind = {.name = "bsi", .takes = Takes, .open = Open, .build = Build};
  return kKind;
}

}  // namespace braid
