// Evaluates predicates over batches: a list of positions shrinks from test to test, and each test runs over one column.
//
// Values of most types are mapped to integers of the same order, so that every comparison is a test of a range.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/util/bit_util.h>
#include <fmt/format.h>

#include "types/like_pattern.h"
#include "types/predicate.h"

namespace braid {

namespace {

using Op = Predicate::Op;
using Positions = std::vector<std::int32_t>;

/// Keeps the positions at which the column is not NULL and the value passes.
template <typename Get, typename Pass>
void Keep(const arrow::Array& column, Positions& positions, Get get, Pass pass) {
  std::int32_t* const at = positions.data();
  std::size_t kept = 0;
  const std::uint8_t* const validity = column.null_count() == 0 ? nullptr : column.null_bitmap_data();
  const std::int64_t offset = column.offset();
  if (validity == nullptr) {
    for (const std::int32_t row : positions) {
      at[kept] = row;
      kept += pass(get(row)) ? 1U : 0U;
    }
  } else {
    // What lies under a NULL is readable, so that there is no need to branch.
    for (const std::int32_t row : positions) {
      const bool valid = arrow::bit_util::GetBit(validity, static_cast<std::uint64_t>(offset + row));
      at[kept] = row;
      kept += (valid & pass(get(row))) ? 1U : 0U;
    }
  }
  positions.resize(kept);
}

/// Doubles in Java's order as integers: -0.0 before 0.0, every NaN last and equal.
std::int64_t OrderedKey(double value) {
  if (std::isnan(value)) return std::bit_cast<std::int64_t>(std::numeric_limits<double>::quiet_NaN());
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits ^ ((bits >> 63) & std::numeric_limits<std::int64_t>::max());
}

Int128 NanosKey(const Timestamp& timestamp) { return Int128{timestamp.millis} * 1'000'000 + timestamp.nanos_of_milli; }

/// A literal as the integer that stands for it among the column's values.
Int128 LiteralKey(const Datum& literal, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return literal.as_bool() ? 1 : 0;
    case TypeKind::kFloat: return OrderedKey(static_cast<double>(literal.as_float()));
    case TypeKind::kDouble: return OrderedKey(literal.as_double());
    case TypeKind::kDecimal: return literal.as_decimal().unscaled;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return NanosKey(literal.as_timestamp());
    default: return literal.as_int();
  }
}

/// Keys low … high pass, or all others if `negated`; none lies between if low > high.
template <typename Key>
struct KeyRange {
  Key low = 1;
  Key high = 0;
  bool negated = false;

  bool operator()(Key key) const { return ((key >= low) & (key <= high)) != negated; }
};

template <typename Key>
struct KeySet {
  std::vector<Key> keys;  // ascending
  bool negated = false;

  bool operator()(Key key) const { return std::binary_search(keys.begin(), keys.end(), key) != negated; }
};

struct KeyLimits {
  Int128 least;
  Int128 greatest;
};

template <typename Key>
constexpr KeyLimits LimitsOf() {
  if constexpr (sizeof(Key) == 16) {
    const Int128 greatest = ~(Int128{1} << 127);
    return {-greatest - 1, greatest};
  } else {
    return {std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max()};
  }
}

/// The range of keys that a comparison admits; `unit` keys of literals make one of the column's, which are whole units.
/// No literal is NULL.
template <typename Key>
KeyRange<Key> RangeOf(const Predicate& leaf, Int128 unit) {
  const auto [least, greatest] = LimitsOf<Key>();
  const auto floor = [unit](Int128 key) { return key / unit - (key % unit < 0 ? 1 : 0); };
  const auto ceiling = [unit](Int128 key) { return key / unit + (key % unit > 0 ? 1 : 0); };
  const Int128 literal = LiteralKey(leaf.literals()[0], leaf.type());
  Int128 low = least;
  Int128 high = greatest;
  bool negated = false;
  switch (leaf.op()) {
    case Op::kNotEqual: negated = true; [[fallthrough]];
    case Op::kEqual:
      low = ceiling(literal);
      high = floor(literal);
      break;
    case Op::kLess:
      if (literal == least) return {};
      high = ceiling(literal) - 1;
      break;
    case Op::kLessOrEqual: high = floor(literal); break;
    case Op::kGreater:
      if (literal == greatest) return {};
      low = floor(literal) + 1;
      break;
    case Op::kGreaterOrEqual: low = ceiling(literal); break;
    case Op::kNotBetween: negated = true; [[fallthrough]];
    default:
      low = ceiling(literal);
      high = floor(LiteralKey(leaf.literals()[1], leaf.type()));
      break;
  }
  if (low > high || low > greatest || high < least) return {1, 0, negated};
  return {static_cast<Key>(std::max(low, least)), static_cast<Key>(std::min(high, greatest)), negated};
}

template <typename Key>
KeySet<Key> SetOf(const Predicate& leaf, Int128 unit) {
  const auto [least, greatest] = LimitsOf<Key>();
  KeySet<Key> set;
  set.negated = leaf.op() == Op::kNotIn;
  for (const Datum& literal : leaf.literals()) {
    const Int128 key = LiteralKey(literal, leaf.type());
    const bool storable = key % unit == 0 && key / unit >= least && key / unit <= greatest;
    if (storable) set.keys.push_back(static_cast<Key>(key / unit));
  }
  std::sort(set.keys.begin(), set.keys.end());
  return set;
}

template <typename Key, typename Get>
void KeepKeys(const Predicate& leaf, const arrow::Array& column, Positions& positions, Int128 unit, Get get) {
  if (leaf.op() == Op::kIn || leaf.op() == Op::kNotIn) {
    Keep(column, positions, get, SetOf<Key>(leaf, unit));
  } else {
    Keep(column, positions, get, RangeOf<Key>(leaf, unit));
  }
}

/// Keys that are the stored values themselves.
template <typename Value>
void KeepIntegers(const Predicate& leaf, const arrow::Array& column, Positions& positions, Int128 unit = 1) {
  const Value* values = column.data()->GetValues<Value>(1);
  KeepKeys<std::int64_t>(leaf, column, positions, unit,
                         [values](std::int32_t row) { return std::int64_t{values[row]}; });
}

template <typename Value>
void KeepFloating(const Predicate& leaf, const arrow::Array& column, Positions& positions) {
  const Value* values = column.data()->GetValues<Value>(1);
  KeepKeys<std::int64_t>(leaf, column, positions, 1,
                         [values](std::int32_t row) { return OrderedKey(static_cast<double>(values[row])); });
}

void KeepTimestamps(const Predicate& leaf, const arrow::Array& column, Positions& positions) {
  const int precision = leaf.type().precision();
  if (precision <= 6) return KeepIntegers<std::int64_t>(leaf, column, positions, precision <= 3 ? 1'000'000 : 1'000);
  const auto& parts = static_cast<const arrow::StructArray&>(column);
  const auto millis_column = parts.field(0);
  const auto nanos_column = parts.field(1);
  const std::int64_t* millis = millis_column->data()->GetValues<std::int64_t>(1);
  const std::int32_t* nanos = nanos_column->data()->GetValues<std::int32_t>(1);
  KeepKeys<Int128>(leaf, column, positions, 1,
                   [millis, nanos](std::int32_t row) { return NanosKey({millis[row], nanos[row]}); });
}

void KeepDecimals(const Predicate& leaf, const arrow::Array& column, Positions& positions) {
  const auto& decimals = static_cast<const arrow::Decimal128Array&>(column);
  KeepKeys<Int128>(leaf, column, positions, 1, [&decimals](std::int32_t row) {
    Int128 unscaled = 0;
    std::memcpy(&unscaled, decimals.GetValue(row), sizeof(unscaled));
    return unscaled;
  });
}

void KeepBooleans(const Predicate& leaf, const arrow::Array& column, Positions& positions) {
  const auto& booleans = static_cast<const arrow::BooleanArray&>(column);
  KeepKeys<std::int64_t>(leaf, column, positions, 1,
                         [&booleans](std::int32_t row) { return std::int64_t{booleans.Value(row) ? 1 : 0}; });
}

void KeepTextsLike(const Predicate& leaf, const arrow::BinaryArray& column, Positions& positions) {
  const std::optional<LikePattern> pattern = LikePattern::Parse(leaf.literals()[0].as_string());
  if (!pattern) return positions.clear();
  const bool wanted = leaf.op() == Op::kLike;
  Keep(column, positions, [&column](std::int32_t row) { return column.GetView(row); },
       [&pattern, wanted](std::string_view text) { return pattern->Matches(text) == wanted; });
}

void KeepTexts(const Predicate& leaf, const arrow::BinaryArray& column, Positions& positions) {
  const auto get = [&column](std::int32_t row) { return column.GetView(row); };
  const auto keep = [&](auto pass) { Keep(column, positions, get, pass); };
  const std::string_view literal = leaf.literals()[0].as_string();
  switch (leaf.op()) {
    case Op::kEqual: return keep([literal](std::string_view text) { return text == literal; });
    case Op::kNotEqual: return keep([literal](std::string_view text) { return text != literal; });
    case Op::kLess: return keep([literal](std::string_view text) { return text < literal; });
    case Op::kLessOrEqual: return keep([literal](std::string_view text) { return text <= literal; });
    case Op::kGreater: return keep([literal](std::string_view text) { return text > literal; });
    case Op::kGreaterOrEqual: return keep([literal](std::string_view text) { return text >= literal; });
    case Op::kStartsWith: return keep([literal](std::string_view text) { return text.starts_with(literal); });
    case Op::kEndsWith: return keep([literal](std::string_view text) { return text.ends_with(literal); });
    case Op::kContains:
      return keep([literal](std::string_view text) { return text.find(literal) != std::string_view::npos; });
    case Op::kBetween:
    case Op::kNotBetween: {
      const std::string_view high = leaf.literals()[1].as_string();
      const bool wanted = leaf.op() == Op::kBetween;
      return keep([=](std::string_view text) { return (text >= literal && text <= high) == wanted; });
    }
    case Op::kIn:
    case Op::kNotIn: {
      std::unordered_set<std::string_view> set;
      for (const Datum& element : leaf.literals()) set.insert(element.as_string());
      const bool wanted = leaf.op() == Op::kIn;
      return keep([&set, wanted](std::string_view text) { return set.contains(text) == wanted; });
    }
    default: return KeepTextsLike(leaf, column, positions);
  }
}

/// NULL literals taken out where SQL lets them decide nothing; nullptr if no row can pass because of them.
PredicatePtr WithoutNullLiterals(const Predicate& leaf) {
  std::vector<Datum> literals;
  for (const Datum& literal : leaf.literals()) {
    if (!literal.is_null()) literals.push_back(literal);
  }
  if (literals.empty()) return nullptr;
  if (leaf.op() == Op::kIn) return Predicate::Leaf(Op::kIn, leaf.column(), leaf.type(), std::move(literals));
  if (leaf.op() != Op::kNotBetween) return nullptr;
  const Op op = leaf.literals()[0].is_null() ? Op::kGreater : Op::kLess;
  return Predicate::Leaf(op, leaf.column(), leaf.type(), std::move(literals));
}

Status KeepValues(const Predicate& leaf, const arrow::Array& column, Positions& positions) {
  switch (leaf.type().kind()) {
    case TypeKind::kBoolean: KeepBooleans(leaf, column, positions); break;
    case TypeKind::kTinyInt: KeepIntegers<std::int8_t>(leaf, column, positions); break;
    case TypeKind::kSmallInt: KeepIntegers<std::int16_t>(leaf, column, positions); break;
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime: KeepIntegers<std::int32_t>(leaf, column, positions); break;
    case TypeKind::kBigInt: KeepIntegers<std::int64_t>(leaf, column, positions); break;
    case TypeKind::kFloat: KeepFloating<float>(leaf, column, positions); break;
    case TypeKind::kDouble: KeepFloating<double>(leaf, column, positions); break;
    case TypeKind::kDecimal: KeepDecimals(leaf, column, positions); break;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: KeepTimestamps(leaf, column, positions); break;
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: KeepTexts(leaf, static_cast<const arrow::BinaryArray&>(column), positions); break;
    default:
      return Error(ErrorCode::kUnsupported,
                   fmt::format("column {} of type {} can be tested for NULL only", leaf.column(), leaf.type().ToString()));
  }
  return Ok();
}

void KeepByNull(const arrow::Array& column, Positions& positions, bool null_wanted) {
  std::erase_if(positions, [&](std::int32_t row) { return column.IsNull(row) != null_wanted; });
}

Status SelectLeaf(const Predicate& leaf, const Batch& batch, Positions& positions) {
  const std::shared_ptr<arrow::Array> column = batch.rows->GetColumnByName(leaf.column());
  if (column == nullptr) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("the rows to filter have no column {}", leaf.column()));
  }
  if (leaf.op() == Op::kIsNull || leaf.op() == Op::kIsNotNull) {
    KeepByNull(*column, positions, leaf.op() == Op::kIsNull);
    return Ok();
  }
  const std::shared_ptr<arrow::DataType> expected = ToArrowType(leaf.type());
  if (column->type_id() != expected->id()) {
    return Error(ErrorCode::kInternal, fmt::format("a filter on column {} expects {} but the rows hold {}", leaf.column(),
                                                   expected->ToString(), column->type()->ToString()));
  }
  const bool has_null = std::any_of(leaf.literals().begin(), leaf.literals().end(),
                                    [](const Datum& literal) { return literal.is_null(); });
  if (!has_null) return KeepValues(leaf, *column, positions);
  if (const PredicatePtr reduced = WithoutNullLiterals(leaf)) return KeepValues(*reduced, *column, positions);
  positions.clear();
  return Ok();
}

Status SelectInto(const Predicate& predicate, const Batch& batch, Positions& positions);

Status SelectAny(const Predicate& predicate, const Batch& batch, Positions& positions) {
  Positions passed;
  for (const PredicatePtr& child : predicate.children()) {
    if (positions.empty()) break;
    Positions hits = positions;
    BRAID_TRY(SelectInto(*child, batch, hits));
    Positions merged;
    merged.reserve(passed.size() + hits.size());
    std::merge(passed.begin(), passed.end(), hits.begin(), hits.end(), std::back_inserter(merged));
    passed = std::move(merged);
    // The next test need not look at rows that pass already.
    auto hit = hits.begin();
    std::erase_if(positions, [&hit, &hits](std::int32_t row) {
      if (hit == hits.end() || *hit != row) return false;
      ++hit;
      return true;
    });
  }
  positions = std::move(passed);
  return Ok();
}

Status SelectInto(const Predicate& predicate, const Batch& batch, Positions& positions) {
  switch (predicate.op()) {
    case Op::kTrue: return Ok();
    case Op::kFalse: positions.clear(); return Ok();
    case Op::kOr: return SelectAny(predicate, batch, positions);
    case Op::kAnd:
      for (const PredicatePtr& child : predicate.children()) BRAID_TRY(SelectInto(*child, batch, positions));
      return Ok();
    default: return SelectLeaf(predicate, batch, positions);
  }
}

}  // namespace

Result<std::vector<std::int32_t>> Predicate::Select(const Batch& batch) const {
  Positions positions(static_cast<std::size_t>(batch.rows->num_rows()));
  std::iota(positions.begin(), positions.end(), 0);
  BRAID_TRY(SelectInto(*this, batch, positions));
  return positions;
}

}  // namespace braid
