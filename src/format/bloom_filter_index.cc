// bloom-filter: whether a value may occur at all (spec data.md §12.3).

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#define XXH_INLINE_ALL
#include <arrow/vendored/xxhash.h>
#include <fmt/format.h>

#include "format/big_endian_internal.h"
#include "format/column_index_internal.h"
#include "format/index_key_internal.h"
#include "types/number_text.h"

namespace braid {
namespace {

constexpr std::int64_t kDefaultItems = 1'000'000;
constexpr double kDefaultFalsePositives = 0.1;

// Thomas Wang's hash of integers, with the arithmetic shifts of Java's `>>`.
std::uint64_t HashInteger(std::int64_t number) {
  auto key = static_cast<std::uint64_t>(number);
  const auto shifted = [&key](int bits) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(key) >> bits); };
  key = ~key + (key << 21);
  key ^= shifted(24);
  key = key + (key << 3) + (key << 8);
  key ^= shifted(14);
  key = key + (key << 2) + (key << 4);
  key ^= shifted(28);
  return key + (key << 31);
}

// The bits of a floating-point number; all NaN are one.
template <typename Integer, typename Float>
std::int64_t BitsOf(Float number) {
  return std::bit_cast<Integer>(std::isnan(number) ? std::numeric_limits<Float>::quiet_NaN() : number);
}

// nullopt for a value that has no key.
std::optional<std::uint64_t> HashOf(const Datum& value, const DataType& type) {
  if (type.is_text() || type.is_bytes()) {
    return XXH64(value.as_string().data(), value.as_string().size(), 0);
  }
  if (type.kind() == TypeKind::kFloat) return HashInteger(BitsOf<std::int32_t>(value.as_float()));
  if (type.kind() == TypeKind::kDouble) return HashInteger(BitsOf<std::int64_t>(value.as_double()));
  const std::optional<IndexKey> key = IndexKeyOf(value, type);
  if (!key) return std::nullopt;
  return HashInteger(key->key.as_int());
}

// Calls `visit` with the position of each of the hash's bits until it says no; whether it never did.
template <typename Visit>
bool ForEachBit(std::uint64_t hash, std::int32_t hash_count, std::int64_t bit_count, const Visit& visit) {
  const auto first = static_cast<std::uint32_t>(hash);
  const auto step = static_cast<std::uint32_t>(hash >> 32);
  std::uint32_t combined = first;
  for (std::int32_t i = 0; i < hash_count; ++i) {
    combined += step;
    const std::uint32_t positive = (combined >> 31) != 0 ? ~combined : combined;
    if (!visit(static_cast<std::size_t>(positive % bit_count))) return false;
  }
  return true;
}

class BloomFilterIndex : public ColumnIndex {
 public:
  BloomFilterIndex(DataType type, std::int32_t hash_count, std::string_view bits)
      : type_(std::move(type)), hash_count_(hash_count), bits_(bits) {}

  Result<std::optional<Roaring>> Select(const Predicate& leaf) const override {
    const bool is_answered = leaf.op() == Predicate::Op::kEqual || leaf.op() == Predicate::Op::kIn;
    const bool may_match = !is_answered || std::any_of(leaf.literals().begin(), leaf.literals().end(),
                                                       [this](const Datum& literal) { return MayHold(literal); });
    return may_match ? std::nullopt : std::optional(Roaring());
  }

 private:
  bool MayHold(const Datum& literal) const {
    if (literal.is_null()) return false;  // equal to nothing
    const std::optional<std::uint64_t> hash = HashOf(literal, type_);
    return !hash || ForEachBit(*hash, hash_count_, static_cast<std::int64_t>(bits_.size()) * 8, [this](std::size_t bit) {
             return ((static_cast<unsigned char>(bits_[bit / 8]) >> bit % 8) & 1) != 0;
           });
  }

  DataType type_;
  std::int32_t hash_count_;
  std::string_view bits_;  // of the body, which outlives the index
};

class BloomFilterBuilder : public ColumnIndexBuilder {
 public:
  BloomFilterBuilder(DataType type, std::int32_t hash_count, std::int64_t bit_count)
      : type_(std::move(type)), hash_count_(hash_count), bits_(static_cast<std::size_t>(bit_count / 8), '\0') {}

  void Add(const Datum& value) override {
    if (value.is_null()) return;
    const std::optional<std::uint64_t> hash = HashOf(value, type_);
    if (!hash) {
      holds_all_ = false;
      return;
    }
    ForEachBit(*hash, hash_count_, static_cast<std::int64_t>(bits_.size()) * 8, [this](std::size_t bit) {
      bits_[bit / 8] = static_cast<char>(static_cast<unsigned char>(bits_[bit / 8]) | 1U << bit % 8);
      return true;
    });
  }

  std::optional<std::string> Finish() override {
    if (!holds_all_) return std::nullopt;
    std::string body;
    AppendBigEndian(hash_count_, body);
    return body + bits_;
  }

 private:
  DataType type_;
  std::int32_t hash_count_;
  std::string bits_;
  bool holds_all_ = true;
};

bool Takes(const DataType& type) {
  if (type.kind() == TypeKind::kBlob) return false;
  const bool has_integer = StoredKeyBytes(type) > 0 && type.kind() != TypeKind::kBoolean && type.kind() != TypeKind::kDecimal;
  return has_integer || type.is_text() || type.is_bytes();
}

Result<std::unique_ptr<ColumnIndex>> Open(std::string_view body, const DataType& type, std::int64_t /*row_count*/) {
  BigEndianReader in(body);
  BRAID_TRY_ASSIGN(const auto hash_count, in.Read<std::int32_t>());
  if (hash_count < 1 || hash_count > 1000 || in.rest().empty() || in.rest().size() > std::numeric_limits<std::int32_t>::max() / 8) {
    return Error(ErrorCode::kCorruption, "a bloom filter has impossible sizes");
  }
  return std::unique_ptr<ColumnIndex>(std::make_unique<BloomFilterIndex>(type, hash_count, in.rest()));
}

Result<std::unique_ptr<ColumnIndexBuilder>> Build(const DataType& type, const Options& options) {
  BRAID_TRY_ASSIGN(const std::int64_t items, options.GetInt("items", kDefaultItems));
  double false_positives = kDefaultFalsePositives;
  if (const auto text = options.Find("fpp")) false_positives = ParseJavaFloating<double>(*text).value_or(0);
  if (items < 1 || !(false_positives > 0 && false_positives < 1)) {
    return Error(ErrorCode::kInvalidArgument, "a bloom filter needs at least one of 'items' and an 'fpp' between 0 and 1");
  }
  const double ln2 = std::log(2);
  const double ideal_bits = -static_cast<double>(items) * std::log(false_positives) / (ln2 * ln2);
  if (ideal_bits > std::numeric_limits<std::int32_t>::max() - 8) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("a bloom filter of {} items with fpp {} is larger than 256 MB", items, false_positives))
        .Hint("lower 'items' to the number of different values that a file has");
  }
  const auto ideal = static_cast<std::int64_t>(ideal_bits);
  const std::int64_t bits = ideal + (8 - ideal % 8);
  const auto hashes = static_cast<std::int32_t>(std::round(static_cast<double>(bits) / static_cast<double>(items) * ln2));
  return std::unique_ptr<ColumnIndexBuilder>(std::make_unique<BloomFilterBuilder>(type, std::max(hashes, 1), bits));
}

}  // namespace

const IndexKind& BloomFilterKind() {
  static constexpr IndexKind kKind = {.name = "bloom-filter", .takes = Takes, .open = Open, .build = Build};
  return kKind;
}

}  // namespace braid
