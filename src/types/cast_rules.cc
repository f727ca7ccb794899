#include "types/cast.h"
#include "types/cast_internal.h"

namespace braid {

namespace {

bool IsPrimitiveNumber(const DataType& type) { return type.is_numeric() && type.kind() != TypeKind::kDecimal; }
bool IsIntOrBigInt(TypeKind kind) { return kind == TypeKind::kInt || kind == TypeKind::kBigInt; }

bool SameFields(std::span<const DataField> a, std::span<const DataField> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].id != b[i].id || !SameButNullability(a[i].type, b[i].type)) return false;
  }
  return true;
}

CastRule RuleToText(const DataType& from, const DataType& to) {
  switch (from.kind()) {
    case TypeKind::kBoolean: return CastRule::kAtomToText;
    case TypeKind::kChar:
    case TypeKind::kVarChar: return CastRule::kTextToText;
    case TypeKind::kBinary:
    case TypeKind::kVarBinary: return CastRule::kBytesToText;
    case TypeKind::kArray:
    case TypeKind::kMap:
    case TypeKind::kRow: return CastRule::kNestedToText;
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: {
      const bool is_string = to.kind() == TypeKind::kVarChar && to.length() == DataType::kMaxLength && to.nullable();
      return is_string ? CastRule::kAtomToText : CastRule::kNone;
    }
    default: return from.is_numeric() ? CastRule::kAtomToText : CastRule::kNone;
  }
}

CastRule RuleToNumber(const DataType& from, const DataType& to) {
  const bool to_decimal = to.kind() == TypeKind::kDecimal;
  if (from.is_text()) return CastRule::kTextToNumber;
  if (from.kind() == TypeKind::kBoolean) return CastRule::kBooleanToNumber;
  if (from.kind() == TypeKind::kDecimal) {
    return to_decimal ? CastRule::kDecimalToDecimal : CastRule::kDecimalToPrimitive;
  }
  if (IsPrimitiveNumber(from)) return to_decimal ? CastRule::kPrimitiveToDecimal : CastRule::kPrimitive;
  if (from.is_timestamp() && IsIntOrBigInt(to.kind())) return CastRule::kTimestampToInteger;
  return CastRule::kNone;
}

CastRule RuleToTimestamp(const DataType& from) {
  if (from.is_timestamp()) return CastRule::kTimestampToTimestamp;
  if (from.is_text()) return CastRule::kTextToTimestamp;
  if (from.kind() == TypeKind::kDate) return CastRule::kDateToTimestamp;
  if (from.kind() == TypeKind::kTime) return CastRule::kTimeToTimestamp;
  return IsIntOrBigInt(from.kind()) ? CastRule::kIntegerToTimestamp : CastRule::kNone;
}

/// Whether widening keeps every value, or Paimon counts it so (spec metadata.md §2.7, "implicit sources").
bool IsImplicit(const DataType& from, const DataType& to) {
  switch (to.kind()) {
    case TypeKind::kChar: return from.kind() == TypeKind::kChar;
    case TypeKind::kVarChar: return from.is_text();
    case TypeKind::kBinary: return from.kind() == TypeKind::kBinary;
    case TypeKind::kVarBinary: return from.kind() == TypeKind::kBinary || from.kind() == TypeKind::kVarBinary;
    case TypeKind::kDecimal:
    case TypeKind::kDouble: return from.is_numeric();
    case TypeKind::kFloat: return from.is_integer() || from.kind() == TypeKind::kDecimal;
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return from.is_integer() && from.kind() < to.kind();
    case TypeKind::kDate:
    case TypeKind::kTime: return from.kind() == TypeKind::kTimestamp;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return from.is_timestamp();
    default: return false;
  }
}

}  // namespace

bool SameButNullability(const DataType& a, const DataType& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case TypeKind::kRow: return SameFields(a.fields(), b.fields());
    case TypeKind::kMap: return SameButNullability(a.key(), b.key()) && SameButNullability(a.element(), b.element());
    case TypeKind::kArray:
    case TypeKind::kMultiset: return SameButNullability(a.element(), b.element());
    case TypeKind::kVector: return a.length() == b.length() && SameButNullability(a.element(), b.element());
    default: return a.SameShape(b);
  }
}

CastRule FindCastRule(const DataType& from, const DataType& to) {
  if (SameButNullability(from, to)) return CastRule::kSame;
  switch (to.kind()) {
    case TypeKind::kChar:
    case TypeKind::kVarChar: return RuleToText(from, to);
    case TypeKind::kBoolean:
      if (from.is_text()) return CastRule::kTextToBoolean;
      return from.is_integer() ? CastRule::kIntegerToBoolean : CastRule::kNone;
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
      if (from.is_text()) return CastRule::kTextToBytes;
      return from.is_bytes() && from.kind() != TypeKind::kBlob ? CastRule::kBytesToBytes : CastRule::kNone;
    case TypeKind::kDate:
      if (from.is_text()) return CastRule::kTextToDate;
      return from.is_timestamp() ? CastRule::kTimestampToDate : CastRule::kNone;
    case TypeKind::kTime:
      if (from.is_text()) return CastRule::kTextToTime;
      return from.is_timestamp() ? CastRule::kTimestampToTime : CastRule::kNone;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return RuleToTimestamp(from);
    case TypeKind::kArray:
    case TypeKind::kRow:
    case TypeKind::kMap: return from.kind() == to.kind() ? CastRule::kNested : CastRule::kNone;
    default: return to.is_numeric() ? RuleToNumber(from, to) : CastRule::kNone;
  }
}

bool CanCast(const DataType& from, const DataType& to, bool allow_explicit) {
  if (!allow_explicit && from.nullable() && !to.nullable()) return false;
  switch (FindCastRule(from, to)) {
    case CastRule::kSame: return true;
    case CastRule::kNone:
    case CastRule::kNested: return false;
    default: return allow_explicit || IsImplicit(from, to);
  }
}

}  // namespace braid
