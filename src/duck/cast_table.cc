#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/decimal_arithmetic.h"
#include "duck/flink_text.h"
#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"
#include "types/cast.h"
#include "types/number_text.h"

namespace braid {
namespace {

Error NoCast(const SqlType& from, const DataType& to) {
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("{} cannot be cast to {}", from.WithNullability(true).ToString(), to.ToString()));
}

std::string Call(std::string_view function, const std::string& sql) {
  return fmt::format("{}({})", function, sql);
}

std::string_view TypeSuffix(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBoolean: return "boolean";
    case TypeKind::kTinyInt: return "tinyint";
    case TypeKind::kSmallInt: return "smallint";
    case TypeKind::kInt: return "int";
    case TypeKind::kBigInt: return "bigint";
    case TypeKind::kFloat: return "float";
    case TypeKind::kDouble: return "double";
    case TypeKind::kDate: return "date";
    case TypeKind::kTime: return "time";
    default: return {};
  }
}

/// Cuts a TIMESTAMP or a local time of one precision to a lower one.
std::string CutTimestamp(std::string sql, int from, int to) {
  if (to >= from || to >= 6) return sql;
  return fmt::format("flink_cut_timestamp({}, {})", sql, to);
}

std::string LocalToInstant(const std::string& sql, const CallContext& context) {
  return fmt::format("flink_local_to_instant({}, {})", sql, QuoteDuckText(context.zone));
}
std::string InstantToLocal(const std::string& sql, const CallContext& context) {
  return fmt::format("flink_instant_to_local({}, {})", sql, QuoteDuckText(context.zone));
}

/// Enforces the length of CHAR, VARCHAR and VARBINARY on text or bytes of another length.
std::string FitLength(std::string sql, const DataType& from, const DataType& to) {
  switch (to.kind()) {
    case TypeKind::kChar:
      if (from.kind() == TypeKind::kChar && from.length() == to.length()) return sql;
      return fmt::format("flink_char({}, {})", sql, to.length());
    case TypeKind::kVarChar:
      if (to.length() == DataType::kMaxLength || (from.is_text() && from.length() <= to.length())) return sql;
      return fmt::format("flink_left({}, {})", sql, to.length());
    case TypeKind::kBinary:
      if (from.kind() == TypeKind::kBinary && from.length() == to.length()) return sql;
      return fmt::format("flink_binary({}, {})", sql, to.length());
    case TypeKind::kVarBinary:
      if (to.length() == DataType::kMaxLength || (from.is_bytes() && from.length() <= to.length())) return sql;
      return fmt::format("flink_varbinary({}, {})", sql, to.length());
    default: return sql;
  }
}

Result<std::string> TextTo(const std::string& sql, const DataType& from, const DataType& to, bool try_cast,
                           const CallContext& context) {
  const std::string_view prefix = try_cast ? "flink_try_" : "flink_cast_";
  switch (to.kind()) {
    case TypeKind::kChar:
    case TypeKind::kVarChar: return FitLength(sql, from, to);
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return FitLength(Call("encode", sql), DataType::Bytes(), to);
    case TypeKind::kDecimal: return fmt::format("{}decimal({}, {}, {})", prefix, sql, to.precision(), to.scale());
    case TypeKind::kTimestamp:
      if (to.precision() > 6) return fmt::format("{}timestamp_ns({})", prefix, sql);
      return CutTimestamp(fmt::format("{}timestamp({})", prefix, sql), 6, to.precision());
    case TypeKind::kTimestampLtz:
      return LocalToInstant(CutTimestamp(fmt::format("{}timestamp({})", prefix, sql), 6, to.precision()), context);
    default: break;
  }
  const std::string_view suffix = TypeSuffix(to.kind());
  if (suffix.empty()) return NoCast(SqlType(from), to);
  return fmt::format("{}{}({})", prefix, suffix, sql);
}

Result<std::string> NumberTo(const std::string& sql, const DataType& from, const DataType& to, bool try_cast) {
  const bool floating = from.kind() == TypeKind::kFloat || from.kind() == TypeKind::kDouble;
  if (to.kind() == TypeKind::kBoolean) return fmt::format("({} <> 0)", sql);
  if (to.kind() == TypeKind::kDecimal) {
    // TRY_CAST, since what does not fit is NULL in Flink, not an error.
    if (!floating) return fmt::format("TRY_CAST({} AS {})", sql, DuckTypeOf(to));
    return fmt::format(
        "CASE WHEN isfinite({0}) THEN flink_try_decimal(flink_double_text({0}), {1}, {2}) ELSE {3} END", sql,
        to.precision(), to.scale(),
        try_cast ? "NULL"
                 : fmt::format("flink_cast_decimal(flink_double_text({}), {}, {})", sql, to.precision(), to.scale()));
  }
  if (to.is_integer()) {
    if (from.is_integer() && from.kind() <= to.kind()) return fmt::format("CAST({} AS {})", sql, DuckTypeOf(to));
    const std::string_view suffix = TypeSuffix(to.kind());
    if (floating) return fmt::format("flink_to_{}(CAST({} AS DOUBLE))", suffix, sql);
    if (from.kind() == TypeKind::kDecimal) return fmt::format("flink_to_{}(CAST(trunc({}) AS BIGINT))", suffix, sql);
    return fmt::format("flink_to_{}(CAST({} AS BIGINT))", suffix, sql);
  }
  return fmt::format("CAST({} AS {})", sql, DuckTypeOf(to));
}

Result<std::string> TimeTo(const std::string& sql, const DataType& from, const DataType& to,
                           const CallContext& context) {
  const bool local = from.kind() == TypeKind::kTimestampLtz;
  switch (to.kind()) {
    case TypeKind::kDate:
      if (from.kind() == TypeKind::kTime) break;
      return fmt::format("CAST({} AS DATE)", local ? InstantToLocal(sql, context) : sql);
    case TypeKind::kTime:
      if (from.kind() == TypeKind::kDate) break;
      if (from.kind() == TypeKind::kTime) return sql;
      // The type's precision is 0, but a value keeps its milliseconds only in TIME literals.
      return fmt::format("flink_floor_time(CAST({} AS TIME), 'SECOND')", local ? InstantToLocal(sql, context) : sql);
    case TypeKind::kTimestamp: {
      if (from.kind() == TypeKind::kTime) return fmt::format("(DATE '1970-01-01' + {})", sql);
      if (from.kind() == TypeKind::kDate) return fmt::format("CAST({} AS {})", sql, DuckTypeOf(to));
      const std::string value = local ? InstantToLocal(sql, context) : sql;
      const int from_precision = from.precision();
      if (DuckTypeOf(to) == (local ? "TIMESTAMP" : DuckTypeOf(from)))
        return CutTimestamp(value, from_precision, to.precision());
      return CutTimestamp(fmt::format("CAST({} AS {})", value, DuckTypeOf(to)), from_precision, to.precision());
    }
    case TypeKind::kTimestampLtz: {
      if (local) {
        if (to.precision() >= from.precision()) return sql;
        return LocalToInstant(CutTimestamp(InstantToLocal(sql, {}), from.precision(), to.precision()), {});
      }
      BRAID_TRY_ASSIGN(const std::string value,
                       TimeTo(sql, from, DataType::Timestamp(std::min(6, to.precision())), context));
      return LocalToInstant(value, context);
    }
    default: break;
  }
  return NoCast(SqlType(from), to);
}

Result<std::string> CastSql(const std::string& sql, const DataType& from, const DataType& to, bool try_cast,
                            const CallContext& context);

/// Elements are cast by lambdas; TRY_CAST does not reach into them in Flink either.
Result<std::string> NestedTo(const std::string& sql, const DataType& from, const DataType& to,
                             const CallContext& context) {
  if (from.kind() == TypeKind::kArray && to.kind() == TypeKind::kArray) {
    BRAID_TRY_ASSIGN(const std::string element, CastSql("braid_x", from.element(), to.element(), false, context));
    return fmt::format("list_transform({}, lambda braid_x: {})", sql, element);
  }
  if (from.kind() == TypeKind::kMap && to.kind() == TypeKind::kMap) {
    BRAID_TRY_ASSIGN(const std::string key, CastSql("braid_x", from.key(), to.key(), false, context));
    BRAID_TRY_ASSIGN(const std::string value, CastSql("braid_x", from.element(), to.element(), false, context));
    return fmt::format(
        "flink_map_from_arrays(list_transform(map_keys({0}), lambda braid_x: {1}), list_transform(map_values({0}), "
        "lambda braid_x: {2}))",
        sql, key, value);
  }
  if (from.kind() == TypeKind::kRow && to.kind() == TypeKind::kRow && from.fields().size() == to.fields().size()) {
    std::string fields;
    for (std::size_t i = 0; i < to.fields().size(); ++i) {
      const std::string field = fmt::format("struct_extract({}, {})", sql, QuoteDuckText(from.fields()[i].name));
      BRAID_TRY_ASSIGN(const std::string value,
                       CastSql(field, from.fields()[i].type, to.fields()[i].type, false, context));
      fields += fmt::format("{}{} := {}", i > 0 ? ", " : "", QuoteDuckIdentifier(to.fields()[i].name), value);
    }
    if (!from.nullable()) return fmt::format("struct_pack({})", fields);
    return fmt::format("CASE WHEN {} IS NOT NULL THEN struct_pack({}) END", sql, fields);
  }
  return NoCast(SqlType(from), to);
}

Result<std::string> ToText(const std::string& sql, const DataType& from, const DataType& to,
                           const CallContext& context) {
  if (from.is_bytes()) return FitLength(fmt::format("flink_decode({}, 'UTF-8')", sql), DataType::String(), to);
  if (from.is_integer()) return FitLength(fmt::format("CAST({} AS VARCHAR)", sql), DataType::String(), to);
  const std::string text =
      fmt::format("flink_text({}, {}, {})", sql, QuoteDuckText(from.ToString()), QuoteDuckText(context.zone));
  return FitLength(text, DataType::String(), to);
}

Result<std::string> CastSql(const std::string& sql, const DataType& from, const DataType& to, bool try_cast,
                            const CallContext& context) {
  if (from.Nullable() == to.Nullable()) return sql;
  if (from.is_text()) return TextTo(sql, from, to, try_cast, context);
  if (to.is_text()) return ToText(sql, from, to, context);
  if (from.is_bytes() && to.is_bytes()) return FitLength(sql, from, to);
  if (from.kind() == TypeKind::kBoolean && to.is_numeric()) {
    return fmt::format("CAST(CAST({} AS INTEGER) AS {})", sql, DuckTypeOf(to));
  }
  if (from.is_numeric() && (to.is_numeric() || to.kind() == TypeKind::kBoolean))
    return NumberTo(sql, from, to, try_cast);
  if (from.kind() == TypeKind::kDate || from.kind() == TypeKind::kTime || from.is_timestamp())
    return TimeTo(sql, from, to, context);
  if (from.is_nested() && to.is_nested()) return NestedTo(sql, from, to, context);
  return NoCast(SqlType(from), to);
}

int IntegerDigits(TypeKind kind) {
  switch (kind) {
    case TypeKind::kTinyInt: return 3;
    case TypeKind::kSmallInt: return 5;
    case TypeKind::kInt: return 10;
    default: return 19;
  }
}

DecimalShape ShapeOf(const DataType& type) {
  return type.is_integer() ? DecimalShape{IntegerDigits(type.kind()), 0} : DecimalShape{type.precision(), type.scale()};
}

bool IsFloating(const DataType& type) {
  return type.kind() == TypeKind::kFloat || type.kind() == TypeKind::kDouble;
}

/// As Calcite's leastRestrictive: of two floating types the first one stays, and a decimal beside one gives DOUBLE.
DataType CommonNumber(const DataType& a, const DataType& b) {
  if (IsFloating(a) && IsFloating(b)) return a;
  if (IsFloating(a) || IsFloating(b)) {
    const DataType& floating = IsFloating(a) ? a : b;
    const DataType& exact = IsFloating(a) ? b : a;
    return exact.kind() == TypeKind::kDecimal ? DataType::Double() : floating;
  }
  if (a.is_integer() && b.is_integer()) return a.kind() >= b.kind() ? a : b;
  const DecimalShape shape = CommonShape(ShapeOf(a), ShapeOf(b));
  return DataType::Decimal(shape.precision, shape.scale);
}

std::optional<DataType> CommonValueType(const DataType& a, const DataType& b);

std::optional<DataType> CommonNested(const DataType& a, const DataType& b) {
  if (a.kind() != b.kind()) return std::nullopt;
  if (a.kind() == TypeKind::kRow) {
    if (a.fields().size() != b.fields().size()) return std::nullopt;
    std::vector<DataField> fields(a.fields().begin(), a.fields().end());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::optional<DataType> field = CommonValueType(fields[i].type, b.fields()[i].type);
      if (!field) return std::nullopt;
      fields[i].type = *field;
    }
    return DataType::Row(std::move(fields));
  }
  const std::optional<DataType> element = CommonValueType(a.element(), b.element());
  if (!element) return std::nullopt;
  if (a.kind() == TypeKind::kArray) return DataType::Array(*element);
  if (a.kind() != TypeKind::kMap) return a.SameShape(b) ? std::optional(a) : std::nullopt;
  const std::optional<DataType> key = CommonValueType(a.key(), b.key());
  return key ? std::optional(DataType::Map(*key, *element)) : std::nullopt;
}

std::optional<DataType> CommonAtom(const DataType& a, const DataType& b) {
  if (a.is_numeric() && b.is_numeric()) return CommonNumber(a, b);
  if (a.is_text() && b.is_text()) {
    if (a.kind() == TypeKind::kChar && b.kind() == TypeKind::kChar && a.length() == b.length()) return a;
    return DataType::VarChar(std::max(a.length(), b.length()));
  }
  if (a.is_bytes() && b.is_bytes()) {
    if (a.kind() == TypeKind::kBinary && b.kind() == TypeKind::kBinary && a.length() == b.length()) return a;
    return DataType::VarBinary(std::max(a.length(), b.length()));
  }
  if (a.is_timestamp() && b.is_timestamp()) {
    const int precision = std::max(a.precision(), b.precision());
    return a.kind() == TypeKind::kTimestamp && b.kind() == TypeKind::kTimestamp ? DataType::Timestamp(precision)
                                                                                : DataType::TimestampLtz(precision);
  }
  if (a.kind() == TypeKind::kTime && b.kind() == TypeKind::kTime)
    return DataType::Time(std::max(a.precision(), b.precision()));
  if (a.kind() == b.kind() && !a.is_nested()) return a;
  return CommonNested(a, b);
}

std::optional<DataType> CommonValueType(const DataType& a, const DataType& b) {
  const std::optional<DataType> type = CommonAtom(a, b);
  if (!type) return std::nullopt;
  return type->WithNullability(a.nullable() || b.nullable());
}

/// The type with the field names of another one of its shape: a row is taken field by field, whatever they are called.
DataType WithNamesOf(const DataType& type, const DataType& other) {
  if (type.kind() != other.kind()) return type;
  DataType named = type;
  switch (type.kind()) {
    case TypeKind::kRow: {
      if (type.fields().size() != other.fields().size()) return type;
      std::vector<DataField> fields(type.fields().begin(), type.fields().end());
      for (std::size_t i = 0; i < fields.size(); ++i) {
        fields[i].name = other.fields()[i].name;
        fields[i].type = WithNamesOf(fields[i].type, other.fields()[i].type);
      }
      named = DataType::Row(std::move(fields));
      break;
    }
    case TypeKind::kArray: named = DataType::Array(WithNamesOf(type.element(), other.element())); break;
    case TypeKind::kMap:
      named = DataType::Map(WithNamesOf(type.key(), other.key()), WithNamesOf(type.element(), other.element()));
      break;
    default: return type;
  }
  return named.WithNullability(type.nullable());
}

/// Whether Flink widens silently: same family, and from temporal and boolean types nothing.
bool WidensTo(const DataType& from, const DataType& to) {
  const std::optional<DataType> common = CommonValueType(WithNamesOf(from, to).Nullable(), to.Nullable());
  return common && common->SameShape(to);
}

}  // namespace

Result<EmittedCall> ResolveCast(const CallArgument& value, const DataType& target, bool try_cast,
                                const CallContext& context) {
  const DataType type = target.WithNullability(try_cast || value.type.nullable());
  BRAID_TRY_ASSIGN(const std::string duck_type, ToDuckType(target));
  switch (value.type.kind()) {
    case SqlType::Kind::kNull: return EmittedCall{target.Nullable(), fmt::format("CAST(NULL AS {})", duck_type)};
    case SqlType::Kind::kMonths:
    case SqlType::Kind::kMillis: {
      if (!target.is_text()) return NoCast(value.type, target);
      const bool months = value.type.kind() == SqlType::Kind::kMonths;
      const std::string text = Call(months ? "flink_months_text" : "flink_millis_text", value.sql);
      return EmittedCall{type, FitLength(text, DataType::String(), target)};
    }
    case SqlType::Kind::kSymbol: return NoCast(value.type, target);
    case SqlType::Kind::kValue: break;
  }
  BRAID_TRY_ASSIGN(std::string sql, CastSql(value.sql, value.type.data(), target, try_cast, context));
  EmittedCall call{type, std::move(sql)};
  const DataType& from = value.type.data();
  if (call.sql == value.sql || (from.is_integer() && target.is_integer() && from.kind() < target.kind()))
    call.literal = value.literal;
  return call;
}

std::optional<EmittedCall> ImplicitCast(const CallArgument& value, const DataType& target, const CallContext& context) {
  if (value.type.kind() != SqlType::Kind::kNull && (!value.type.is_value() || !WidensTo(value.type.data(), target)))
    return std::nullopt;
  Result<EmittedCall> cast = ResolveCast(value, target, false, context);
  return cast ? std::optional(std::move(cast).value()) : std::nullopt;
}

std::optional<SqlType> CommonType(std::span<const SqlType> types) {
  std::optional<SqlType> common;
  bool nullable = false;
  for (const SqlType& type : types) {
    nullable = nullable || type.nullable();
    if (type.kind() == SqlType::Kind::kNull) continue;
    if (!common) {
      common = type;
    } else if (common->is_value() && type.is_value()) {
      const std::optional<DataType> merged = CommonValueType(common->data(), type.data());
      if (!merged) return std::nullopt;
      common = SqlType(*merged);
    } else if (common->kind() != type.kind()) {
      return std::nullopt;
    }
  }
  return common ? std::optional(common->WithNullability(nullable)) : std::nullopt;
}

Result<CallArgument> CastArgument(const CallArgument& value, const DataType& type, const CallContext& context) {
  return ResolveCast(value, type, false, context);
}

Result<SqlType> CastToCommonType(std::string_view what, std::span<CallArgument> values, const CallContext& context) {
  std::vector<SqlType> types;
  for (const CallArgument& value : values) types.push_back(value.type);
  const std::optional<SqlType> common = CommonType(types);
  if (!common) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("the values of {} have no type in common: {}", what, DescribeTypes(values)));
  }
  for (CallArgument& value : values) {
    if (!common->is_value()) {
      if (value.type.kind() == SqlType::Kind::kNull) value.sql = "CAST(NULL AS BIGINT)";
      continue;
    }
    BRAID_TRY_ASSIGN(value, CastArgument(value, common->data(), context));
  }
  return *common;
}

Result<std::string> EmitLiteral(const Datum& value, const DataType& type) {
  BRAID_TRY_ASSIGN(const std::string duck_type, ToDuckType(type));
  if (value.is_null()) return fmt::format("CAST(NULL AS {})", duck_type);
  switch (type.kind()) {
    case TypeKind::kBoolean: return std::string(value.as_bool() ? "true" : "false");
    case TypeKind::kChar:
    case TypeKind::kVarChar: {
      // A NUL would end the text for DuckDB's parser.
      std::string sql;
      const std::string& text = value.as_string();
      std::size_t at = 0;
      for (std::size_t nul = text.find('\0'); nul != std::string::npos; nul = text.find('\0', at)) {
        sql += QuoteDuckText(std::string_view(text).substr(at, nul - at)) + " || chr(0) || ";
        at = nul + 1;
      }
      if (sql.empty()) return QuoteDuckText(text);
      return "(" + sql + QuoteDuckText(std::string_view(text).substr(at)) + ")";
    }
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return fmt::format("unhex('{}')", ToHex(value.as_string()));
    case TypeKind::kTime: {
      // A value may hold milliseconds whatever the type's precision says.
      std::string text;
      AppendFlinkTime(value.as_int() * 1000, 3, text);
      return fmt::format("CAST('{}' AS TIME)", text);
    }
    case TypeKind::kArray:
    case TypeKind::kVector:
    case TypeKind::kMultiset:
    case TypeKind::kMap:
    case TypeKind::kRow:
      return Error(ErrorCode::kUnsupported, fmt::format("there are no literals of type {}", type.ToString()))
          .Hint("use a constructor: ARRAY[…], MAP[…], ROW(…)");
    default: break;
  }
  return fmt::format("CAST('{}' AS {})", FormatDatum(value, type), duck_type);
}

}  // namespace braid
