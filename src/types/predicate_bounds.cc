// Whether rows of which only bounds are known may pass (Paimon's LeafPredicate and LeafFunction; spec data.md §12.7).

#include <algorithm>
#include <string_view>

#include "types/predicate.h"

namespace braid {

namespace {

using Op = Predicate::Op;

bool Less(const Datum& a, const Datum& b) { return CompareDatums(a, b) == std::strong_ordering::less; }
bool Within(const Datum& value, const Datum& min, const Datum& max) { return !Less(value, min) && !Less(max, value); }

/// Whether min and max leave no value but this one.
bool IsOnly(const Datum& value, const Datum& min, const Datum& max) {
  return CompareDatums(value, min) == 0 && CompareDatums(value, max) == 0;
}

bool MayHaveIn(std::span<const Datum> literals, const Datum& min, const Datum& max) {
  return std::any_of(literals.begin(), literals.end(),
                     [&](const Datum& literal) { return !literal.is_null() && Within(literal, min, max); });
}

bool MayHaveNotIn(std::span<const Datum> literals, const Datum& min, const Datum& max) {
  return std::none_of(literals.begin(), literals.end(),
                      [&](const Datum& literal) { return literal.is_null() || IsOnly(literal, min, max); });
}

bool MayStartWith(const std::string& prefix, const Datum& min, const Datum& max) {
  const std::string& low = min.as_string();
  const std::string& high = max.as_string();
  return (low.starts_with(prefix) || low <= prefix) && (high.starts_with(prefix) || high >= prefix);
}

bool MayHaveNotBetween(const Datum& from, const Datum& to, const Datum& min, const Datum& max) {
  return (!from.is_null() && Less(min, from)) || (!to.is_null() && Less(to, max));
}

/// Neither bound is NULL, and not every row is.
bool MayHaveValue(Op op, std::span<const Datum> literals, const Datum& min, const Datum& max) {
  switch (op) {
    case Op::kIn: return MayHaveIn(literals, min, max);
    case Op::kNotIn: return MayHaveNotIn(literals, min, max);
    case Op::kNotBetween: return MayHaveNotBetween(literals[0], literals[1], min, max);
    case Op::kBetween:
      return !literals[0].is_null() && !literals[1].is_null() && !Less(max, literals[0]) && !Less(literals[1], min);
    default: break;
  }
  const Datum& literal = literals[0];
  if (literal.is_null()) return false;
  switch (op) {
    case Op::kEqual: return Within(literal, min, max);
    case Op::kNotEqual: return !IsOnly(literal, min, max);
    case Op::kLess: return Less(min, literal);
    case Op::kLessOrEqual: return !Less(literal, min);
    case Op::kGreater: return Less(literal, max);
    case Op::kGreaterOrEqual: return !Less(max, literal);
    case Op::kStartsWith: return MayStartWith(literal.as_string(), min, max);
    default: return true;
  }
}

bool LeafMayMatch(const Predicate& leaf, const ColumnBounds& bounds, std::int64_t row_count) {
  const bool all_null = bounds.null_count == row_count;
  if ((bounds.min.is_null() || bounds.max.is_null()) && !all_null) return true;
  if (leaf.op() == Op::kIsNull) return !bounds.null_count || *bounds.null_count > 0;
  if (all_null) return false;
  return leaf.op() == Op::kIsNotNull || MayHaveValue(leaf.op(), leaf.literals(), bounds.min, bounds.max);
}

}  // namespace

bool Predicate::MayMatch(std::span<const DataField> fields, std::span<const ColumnBounds> bounds,
                         std::int64_t row_count) const {
  const auto may_match = [&](const PredicatePtr& child) { return child->MayMatch(fields, bounds, row_count); };
  switch (op_) {
    case Op::kAnd: return std::all_of(children_.begin(), children_.end(), may_match);
    case Op::kOr: return std::any_of(children_.begin(), children_.end(), may_match);
    case Op::kTrue: return true;
    case Op::kFalse: return false;
    default: break;
  }
  const std::optional<std::size_t> at = FindField(fields, column_);
  return !at || LeafMayMatch(*this, bounds[*at], row_count);
}

}  // namespace braid
