#include "sql/sink_cast.h"

#include <fmt/format.h>

#include "base/text.h"
#include "syntax/printer.h"
#include "types/cast.h"

namespace braid {

namespace {

bool CanStoreData(const DataType& from, const DataType& to);

bool CanStoreRow(const DataType& from, const DataType& to) {
  if (from.fields().size() != to.fields().size()) return false;
  for (std::size_t i = 0; i < to.fields().size(); ++i) {
    if (!CanStoreData(from.fields()[i].type, to.fields()[i].type)) return false;
  }
  return true;
}

bool CanStoreData(const DataType& from, const DataType& to) {
  const auto is = [&](TypeKind kind) { return from.kind() == kind; };
  switch (to.kind()) {
    case TypeKind::kVarChar: return from.is_text();
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return from.is_bytes();
    case TypeKind::kDecimal: return from.is_numeric();
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return from.is_integer() && from.kind() <= to.kind();
    case TypeKind::kFloat: return from.is_numeric() && !is(TypeKind::kDouble);
    case TypeKind::kDouble: return from.is_numeric();
    case TypeKind::kDate: return is(TypeKind::kDate) || is(TypeKind::kTimestamp);
    case TypeKind::kTime: return is(TypeKind::kTime) || is(TypeKind::kTimestamp);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return from.is_timestamp();
    case TypeKind::kArray:
    case TypeKind::kMultiset: return from.kind() == to.kind() && CanStoreData(from.element(), to.element());
    case TypeKind::kMap:
      return is(TypeKind::kMap) && CanStoreData(from.key(), to.key()) && CanStoreData(from.element(), to.element());
    case TypeKind::kRow: return is(TypeKind::kRow) && CanStoreRow(from, to);
    case TypeKind::kVector:
      return is(TypeKind::kVector) && from.length() == to.length() && CanStoreData(from.element(), to.element());
    default: return from.kind() == to.kind();
  }
}

// DuckDB SQL that gives a text or bytes the length of the column.
std::string FitLength(const std::string& sql, const DataType& to) {
  switch (to.kind()) {
    case TypeKind::kChar: return fmt::format("flink_char({}, {})", sql, to.length());
    case TypeKind::kVarChar: return fmt::format("flink_left({}, {})", sql, to.length());
    case TypeKind::kBinary: return fmt::format("flink_binary({}, {})", sql, to.length());
    case TypeKind::kVarBinary: return fmt::format("flink_varbinary({}, {})", sql, to.length());
    default: return sql;
  }
}

// DuckDB SQL that fails for a text or bytes of a length that the column does not take.
std::string RefuseLength(const std::string& sql, const DataField& column) {
  const DataType& to = column.type;
  const bool fixed = to.kind() == TypeKind::kChar || to.kind() == TypeKind::kBinary;
  const std::string length = fmt::format("{}({})", to.is_text() ? "length" : "octet_length", sql);
  const std::string message =
      fmt::format("column '{}' is {}, but a value of length ", column.name, to.Nullable().ToString());
  return fmt::format(
      "CASE WHEN {} {} {} THEN error({} || {} || ' is written into it; CAST it, or SET "
      "''table.exec.sink.type-length-enforcer'' = ''TRIM_PAD''') ELSE {} END",
      length, fixed ? "<>" : ">", to.length(), syntax::QuoteString(message), length, sql);
}

}  // namespace

bool CanStore(const SqlType& from, const DataType& to) {
  if (from.kind() == SqlType::Kind::kNull) return true;
  return from.is_value() && CanStoreData(from.data(), to);
}

LengthRule LengthRuleOf(std::string_view option) {
  if (EqualsIgnoreCase(option, "TRIM_PAD")) return LengthRule::kTrimPad;
  return EqualsIgnoreCase(option, "ERROR") ? LengthRule::kError : LengthRule::kIgnore;
}

Result<std::string> StoreAs(const CallArgument& value, const DataField& column, LengthRule rule,
                            const CallContext& context) {
  const DataType& to = column.type;
  if (value.type.is_value()) {
    const DataType& from = value.type.data();
    const bool same_family = (from.is_text() && to.is_text()) || (from.is_bytes() && to.is_bytes());
    if (same_family) {
      if (rule == LengthRule::kIgnore || to.length() == DataType::kMaxLength) return value.sql;
      return rule == LengthRule::kTrimPad ? FitLength(value.sql, to) : RefuseLength(value.sql, column);
    }
    if (from.SameShape(to)) return value.sql;
  }
  BRAID_TRY_ASSIGN(EmittedCall cast, ResolveCast(value, to.Nullable(), false, context));
  return std::move(cast.sql);
}

Result<std::string> MissingValue(const DataField& field) {
  const DataType type = field.type.Nullable();
  if (!field.default_value) return EmitLiteral(Datum(), type);
  BRAID_TRY_ASSIGN(const Datum value,
                   ParseDatum(*field.default_value, type).Context("while reading the default of column " + field.name));
  return EmitLiteral(value, type);
}

}  // namespace braid
