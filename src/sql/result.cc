#include "sql/result.h"

#include <utility>

#include <fmt/format.h>

namespace braid {

DataType StorageType(const SqlType& type) {
  switch (type.kind()) {
    case SqlType::Kind::kValue: return type.data();
    case SqlType::Kind::kMonths:
    case SqlType::Kind::kMillis: return DataType::BigInt();
    case SqlType::Kind::kNull:
    case SqlType::Kind::kSymbol: return DataType::Int();
  }
  return DataType::Int();
}

Result<StatementResult> RowsResult(std::vector<QueryColumn> columns, const std::vector<DatumList>& rows) {
  std::vector<DataField> fields;
  for (const QueryColumn& column : columns) {
    const FieldId id(static_cast<std::int32_t>(fields.size()));
    fields.push_back(
        {.id = id, .name = column.name, .type = StorageType(column.type), .description = {}, .default_value = {}});
  }
  std::vector<Batch> batches;
  if (!rows.empty()) {
    BRAID_TRY_ASSIGN(Batch batch, MakeBatch(fields, rows));
    batches.push_back(std::move(batch));
  }
  return StatementResult{
      .kind = StatementResult::Kind::kRows, .columns = std::move(columns), .rows = MakeBatchReader(std::move(batches))};
}

Result<StatementResult> TextResult(std::string column, const std::vector<std::string>& texts) {
  std::vector<DatumList> rows;
  rows.reserve(texts.size());
  for (const std::string& text : texts) rows.push_back({text});
  return RowsResult({{.name = std::move(column), .type = DataType::String()}}, rows);
}

namespace {

enum class TypeStyle { kSummary, kSerializable };

std::string TypeText(const DataType& type, TypeStyle style);

std::string RowTypeText(const DataType& type, TypeStyle style) {
  std::string text = "ROW<";
  for (const DataField& field : type.fields()) {
    if (&field != &type.fields().front()) text += ", ";
    std::string name;
    for (const char c : field.name) name += c == '`' ? "``" : std::string(1, c);
    text += fmt::format("`{}` {}", name, TypeText(field.type, style));
    if (field.description) {
      std::string comment;
      for (const char c : *field.description) comment += c == '\'' ? "''" : std::string(1, c);
      text += fmt::format(" '{}'", comment);
    }
  }
  return text + ">";
}

std::string NullableTypeText(const DataType& type, TypeStyle style) {
  switch (type.kind()) {
    case TypeKind::kArray: return fmt::format("ARRAY<{}>", TypeText(type.element(), style));
    case TypeKind::kMultiset: return fmt::format("MULTISET<{}>", TypeText(type.element(), style));
    case TypeKind::kMap:
      return fmt::format("MAP<{}, {}>", TypeText(type.key(), style), TypeText(type.element(), style));
    case TypeKind::kRow: return RowTypeText(type, style);
    case TypeKind::kVarChar:
      if (style == TypeStyle::kSerializable) return fmt::format("VARCHAR({})", type.length());
      break;
    case TypeKind::kVarBinary:
      if (style == TypeStyle::kSerializable) return fmt::format("VARBINARY({})", type.length());
      break;
    case TypeKind::kTimestampLtz:
      if (style == TypeStyle::kSummary) return fmt::format("TIMESTAMP_LTZ({})", type.precision());
      break;
    default: break;
  }
  return type.Nullable().ToString();
}

std::string TypeText(const DataType& type, TypeStyle style) {
  return NullableTypeText(type, style) + (type.nullable() ? "" : " NOT NULL");
}

}  // namespace

std::string SummaryTypeText(const SqlType& type) {
  const std::string suffix = type.nullable() ? "" : " NOT NULL";
  switch (type.kind()) {
    case SqlType::Kind::kValue: return TypeText(type.data(), TypeStyle::kSummary);
    case SqlType::Kind::kMonths: return "INTERVAL MONTH" + suffix;
    case SqlType::Kind::kMillis: return "INTERVAL SECOND(3)" + suffix;
    case SqlType::Kind::kNull:
    case SqlType::Kind::kSymbol: return "NULL";
  }
  return "NULL";
}

std::string SerializableTypeText(const DataType& type) {
  return TypeText(type, TypeStyle::kSerializable);
}

}  // namespace braid
