#include <algorithm>
#include <array>
#include <utility>

#include "format/column_index_internal.h"
#include "format/index_key_internal.h"
#include "format/roaring_bytes_internal.h"

namespace braid {
namespace {

using Op = Predicate::Op;
using Rows = Result<std::optional<Roaring>>;

Rows None() { return std::optional(Roaring()); }
Rows Unknown() { return std::optional<Roaring>(); }

// Rows in both, or in either.
Rows Both(Rows a, Rows b) {
  if (!a || !b) return a ? std::move(b) : std::move(a);
  if (!*a || !*b) return *a ? std::move(a) : std::move(b);
  return std::optional(**a & **b);
}
Rows Either(Rows a, Rows b) {
  if (!a || !b) return a ? std::move(b) : std::move(a);
  if (!*a || !*b) return Unknown();
  return std::optional(**a | **b);
}

bool HasNull(std::span<const Datum> literals) {
  return std::any_of(literals.begin(), literals.end(), [](const Datum& literal) { return literal.is_null(); });
}

}  // namespace

std::span<const IndexKind* const> IndexKinds() {
  static const std::array kinds = {&BitmapKind(), &BloomFilterKind(), &BitSlicedKind(), &RangeBitmapKind()};
  return kinds;
}

const IndexKind* FindIndexKind(std::string_view name) {
  const auto kinds = IndexKinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const IndexKind* kind) { return kind->name == name; });
  return it == kinds.end() ? nullptr : *it;
}

Result<Roaring> KeyedIndex::TakeRows(std::string_view& bytes) const {
  BRAID_TRY_ASSIGN(Roaring rows, TakeRoaring(bytes));
  if (!rows.isEmpty() && rows.maximum() >= row_count_) {
    return Error(ErrorCode::kCorruption, "a file index names rows that its file has not");
  }
  return rows;
}

Rows KeyedIndex::Select(const Predicate& leaf) const {
  const std::vector<Datum>& literals = leaf.literals();
  switch (leaf.op()) {
    case Op::kIsNull: {
      BRAID_TRY_ASSIGN(const Roaring not_null, NotNull());
      return std::optional(AllRows(static_cast<std::uint64_t>(row_count_)) - not_null);
    }
    case Op::kIsNotNull: {
      BRAID_TRY_ASSIGN(Roaring not_null, NotNull());
      return std::optional(std::move(not_null));
    }
    case Op::kEqual:
    case Op::kIn: return In(leaf, false);
    case Op::kNotEqual:
    case Op::kNotIn: return In(leaf, true);
    case Op::kLess: return Less(literals[0], false);
    case Op::kLessOrEqual: return Less(literals[0], true);
    case Op::kGreater: return Greater(literals[0], false);
    case Op::kGreaterOrEqual: return Greater(literals[0], true);
    case Op::kBetween: return Both(Greater(literals[0], true), Less(literals[1], true));
    case Op::kNotBetween: return Either(Less(literals[0], false), Greater(literals[1], false));
    default: return Unknown();
  }
}

Rows KeyedIndex::In(const Predicate& leaf, bool negated) const {
  if (negated && HasNull(leaf.literals())) return None();
  Roaring found;
  for (const Datum& literal : leaf.literals()) {
    if (literal.is_null()) continue;
    const std::optional<IndexKey> key = IndexKeyOf(literal, type_);
    if (!key) return Unknown();
    if (negated && !key->is_exact) continue;  // rows of this key may hold another value
    BRAID_TRY_ASSIGN(const Roaring rows, Equal(key->key));
    found |= rows;
  }
  if (!negated) return std::optional(std::move(found));
  BRAID_TRY_ASSIGN(const Roaring not_null, NotNull());
  return std::optional(not_null - found);
}

Rows KeyedIndex::Less(const Datum& literal, bool or_equal) const {
  if (!ordered_) return Unknown();
  if (literal.is_null()) return None();
  const std::optional<IndexKey> key = IndexKeyOf(literal, type_);
  if (!key) return Unknown();
  BRAID_TRY_ASSIGN(const Roaring not_null, NotNull());
  // The literal may be greater than other values of its key.
  BRAID_TRY_ASSIGN(const Roaring above, Above(key->key, !or_equal && key->is_exact));
  return std::optional(not_null - above);
}

Rows KeyedIndex::Greater(const Datum& literal, bool or_equal) const {
  if (!ordered_) return Unknown();
  if (literal.is_null()) return None();
  const std::optional<IndexKey> key = IndexKeyOf(literal, type_);
  if (!key) return Unknown();
  BRAID_TRY_ASSIGN(Roaring above, Above(key->key, or_equal || !key->is_exact));
  return std::optional(std::move(above));
}

}  // namespace braid
