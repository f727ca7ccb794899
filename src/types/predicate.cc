#include "types/predicate.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "types/cast.h"
#include "types/like_pattern.h"

namespace braid {

namespace {

using Op = Predicate::Op;

bool Less(const Datum& a, const Datum& b) { return CompareDatums(a, b) == std::strong_ordering::less; }
bool Equal(const Datum& a, const Datum& b) { return CompareDatums(a, b) == std::strong_ordering::equal; }

bool HasNull(std::span<const Datum> literals) {
  return std::any_of(literals.begin(), literals.end(), [](const Datum& literal) { return literal.is_null(); });
}

bool Contains(std::span<const Datum> literals, const Datum& value) {
  return std::any_of(literals.begin(), literals.end(),
                     [&value](const Datum& literal) { return !literal.is_null() && Equal(literal, value); });
}

bool TestBetween(const Datum& value, const Datum& low, const Datum& high) {
  return !low.is_null() && !high.is_null() && !Less(value, low) && !Less(high, value);
}

/// One known bound may settle it though the other is NULL.
bool TestNotBetween(const Datum& value, const Datum& low, const Datum& high) {
  return (!low.is_null() && Less(value, low)) || (!high.is_null() && Less(high, value));
}

bool TestText(Op op, std::string_view value, const std::string& literal) {
  switch (op) {
    case Op::kStartsWith: return value.starts_with(literal);
    case Op::kEndsWith: return value.ends_with(literal);
    case Op::kContains: return value.find(literal) != std::string_view::npos;
    default: {
      const std::optional<LikePattern> pattern = LikePattern::Parse(literal);
      return pattern && pattern->Matches(value) == (op == Op::kLike);
    }
  }
}

bool TestValue(Op op, const Datum& value, std::span<const Datum> literals) {
  if (op == Op::kIsNull) return value.is_null();
  if (value.is_null()) return false;
  switch (op) {
    case Op::kIsNotNull: return true;
    case Op::kIn: return Contains(literals, value);
    case Op::kNotIn: return !HasNull(literals) && !Contains(literals, value);
    case Op::kBetween: return TestBetween(value, literals[0], literals[1]);
    case Op::kNotBetween: return TestNotBetween(value, literals[0], literals[1]);
    default: break;
  }
  const Datum& literal = literals[0];
  if (literal.is_null()) return false;
  switch (op) {
    case Op::kEqual: return Equal(value, literal);
    case Op::kNotEqual: return !Equal(value, literal);
    case Op::kLess: return Less(value, literal);
    case Op::kLessOrEqual: return !Less(literal, value);
    case Op::kGreater: return Less(literal, value);
    case Op::kGreaterOrEqual: return !Less(value, literal);
    default: return TestText(op, value.as_string(), literal.as_string());
  }
}

/// Joins conditions under AND or OR: nested ones of the same kind are flattened, `neutral` ones dropped, and one that
/// settles the whole replaces it.
PredicatePtr Combine(Op op, std::vector<PredicatePtr> children) {
  const Op neutral = op == Op::kAnd ? Op::kTrue : Op::kFalse;
  const Op settling = op == Op::kAnd ? Op::kFalse : Op::kTrue;
  std::vector<PredicatePtr> flat;
  for (PredicatePtr& child : children) {
    if (child->op() == settling) return child;
    if (child->op() == neutral) continue;
    if (child->op() == op) {
      flat.insert(flat.end(), child->children().begin(), child->children().end());
    } else {
      flat.push_back(std::move(child));
    }
  }
  if (flat.empty()) return Predicate::Constant(op == Op::kAnd);
  if (flat.size() == 1) return flat[0];
  return std::make_shared<const Predicate>(op, std::string(), std::nullopt, std::vector<Datum>(), std::move(flat));
}

bool IsPlainName(std::string_view name) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (name.empty() || !is_letter(name[0])) return false;
  const bool plain = std::all_of(name.begin(), name.end(), [&is_letter](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  return plain && !EqualsIgnoreCase(name, "NOT") && !EqualsIgnoreCase(name, "TRUE") && !EqualsIgnoreCase(name, "FALSE");
}

std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string LiteralText(const Datum& literal, const DataType& type) {
  if (literal.is_null()) return "NULL";
  if (type.is_bytes()) return "x" + Quoted(ToHex(literal.as_string()));
  const std::string text = FormatDatum(literal, type);
  const bool bare = type.is_integer() || type.kind() == TypeKind::kDecimal || type.kind() == TypeKind::kBoolean;
  return bare ? text : Quoted(text);
}

std::string_view OperatorText(Op op) {
  switch (op) {
    case Op::kEqual: return "=";
    case Op::kNotEqual: return "<>";
    case Op::kLess: return "<";
    case Op::kLessOrEqual: return "<=";
    case Op::kGreater: return ">";
    case Op::kGreaterOrEqual: return ">=";
    case Op::kIsNull: return "IS NULL";
    case Op::kIsNotNull: return "IS NOT NULL";
    case Op::kIn: return "IN";
    case Op::kNotIn: return "NOT IN";
    case Op::kBetween: return "BETWEEN";
    case Op::kNotBetween: return "NOT BETWEEN";
    case Op::kNotLike: return "NOT LIKE";
    case Op::kAnd: return " AND ";
    case Op::kOr: return " OR ";
    case Op::kTrue: return "TRUE";
    case Op::kFalse: return "FALSE";
    default: return "LIKE";
  }
}

std::string LeafText(const Predicate& leaf) {
  const std::string name = IsPlainName(leaf.column()) ? leaf.column() : "`" + leaf.column() + "`";
  std::vector<std::string> literals;
  for (const Datum& literal : leaf.literals()) literals.push_back(LiteralText(literal, leaf.type()));
  const std::string head = fmt::format("{} {}", name, OperatorText(leaf.op()));
  switch (leaf.op()) {
    case Op::kIsNull:
    case Op::kIsNotNull: return head;
    case Op::kIn:
    case Op::kNotIn: return fmt::format("{} ({})", head, Join(literals, ", "));
    case Op::kBetween:
    case Op::kNotBetween: return fmt::format("{} {} AND {}", head, literals[0], literals[1]);
    case Op::kStartsWith:
    case Op::kEndsWith:
    case Op::kContains: {
      if (leaf.literals()[0].is_null()) return head + " NULL";
      const std::string text = LikePattern::Quote(leaf.literals()[0].as_string());
      const bool before = leaf.op() != Op::kStartsWith;
      const bool after = leaf.op() != Op::kEndsWith;
      return fmt::format("{} {}", head, Quoted((before ? "%" : "") + text + (after ? "%" : "")));
    }
    default: return fmt::format("{} {}", head, literals[0]);
  }
}

void CollectColumns(const Predicate& predicate, std::vector<std::string>& out) {
  for (const PredicatePtr& child : predicate.children()) CollectColumns(*child, out);
  if (!predicate.column().empty() && std::find(out.begin(), out.end(), predicate.column()) == out.end()) {
    out.push_back(predicate.column());
  }
}

}  // namespace

Predicate::Predicate(Op op, std::string column, std::optional<DataType> type, std::vector<Datum> literals,
                     std::vector<PredicatePtr> children)
    : op_(op),
      column_(std::move(column)),
      type_(std::move(type)),
      literals_(std::move(literals)),
      children_(std::move(children)) {}

PredicatePtr Predicate::Leaf(Op op, std::string column, DataType type, std::vector<Datum> literals) {
  return std::make_shared<const Predicate>(op, std::move(column), std::move(type), std::move(literals),
                                           std::vector<PredicatePtr>());
}

PredicatePtr Predicate::And(std::vector<PredicatePtr> children) { return Combine(Op::kAnd, std::move(children)); }
PredicatePtr Predicate::Or(std::vector<PredicatePtr> children) { return Combine(Op::kOr, std::move(children)); }

PredicatePtr Predicate::Constant(bool value) {
  return std::make_shared<const Predicate>(value ? Op::kTrue : Op::kFalse, std::string(), std::nullopt,
                                           std::vector<Datum>(), std::vector<PredicatePtr>());
}

bool Predicate::Test(std::span<const DataField> fields, std::span<const Datum> row) const {
  const auto passes = [&](const PredicatePtr& child) { return child->Test(fields, row); };
  switch (op_) {
    case Op::kAnd: return std::all_of(children_.begin(), children_.end(), passes);
    case Op::kOr: return std::any_of(children_.begin(), children_.end(), passes);
    case Op::kTrue: return true;
    case Op::kFalse: return false;
    default: break;
  }
  const std::optional<std::size_t> at = FindField(fields, column_);
  return at && TestValue(op_, row[*at], literals_);
}

std::vector<std::string> Predicate::Columns() const {
  std::vector<std::string> out;
  CollectColumns(*this, out);
  return out;
}

PredicatePtr Predicate::Project(const PredicatePtr& predicate, std::span<const std::string> columns) {
  if (predicate->op() != Op::kAnd && predicate->op() != Op::kOr) {
    const std::string& column = predicate->column();
    const bool kept = column.empty() || std::find(columns.begin(), columns.end(), column) != columns.end();
    return kept ? predicate : nullptr;
  }
  std::vector<PredicatePtr> kept;
  for (const PredicatePtr& child : predicate->children()) {
    if (PredicatePtr projected = Project(child, columns)) {
      kept.push_back(std::move(projected));
    } else if (predicate->op() == Op::kOr) {
      return nullptr;
    }
  }
  if (kept.empty()) return nullptr;
  return predicate->op() == Op::kAnd ? And(std::move(kept)) : Or(std::move(kept));
}

std::string Predicate::ToString() const {
  if (op_ == Op::kTrue || op_ == Op::kFalse) return std::string(OperatorText(op_));
  if (op_ != Op::kAnd && op_ != Op::kOr) return LeafText(*this);
  std::vector<std::string> parts;
  for (const PredicatePtr& child : children_) {
    const bool grouped = child->op() == Op::kAnd || child->op() == Op::kOr;
    parts.push_back(grouped ? "(" + child->ToString() + ")" : child->ToString());
  }
  return Join(parts, OperatorText(op_));
}

}  // namespace braid
