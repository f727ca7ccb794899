#include "sql/table_columns.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/virtual_table.h"
#include "sql/session_internal.h"
#include "sql/type_names.h"
#include "syntax/parser.h"
#include "syntax/printer.h"
#include "syntax/source.h"
#include "types/cast.h"

namespace braid {

namespace {

constexpr std::string_view kPrefix = "schema.";
constexpr const char* kWatermarkColumn = "schema.watermark.0.rowtime";
constexpr const char* kWatermarkExpression = "schema.watermark.0.strategy.expr";
constexpr const char* kWatermarkType = "schema.watermark.0.strategy.data-type";

std::string ColumnKey(std::size_t position, std::string_view part) {
  return fmt::format("schema.{}.{}", position, part);
}

// A session in which every name is a table of these columns, to analyse expressions over them.
class ColumnScope : public NameResolver {
 public:
  ColumnScope(const SessionState& session, const TableColumns& columns) : session_(session) {
    std::vector<DataField> fields;
    for (const TableColumn& column : columns.columns) {
      if (column.expression) continue;
      const FieldId id(static_cast<std::int32_t>(fields.size()));
      fields.push_back({.id = id, .name = column.name, .type = column.type, .description = {}, .default_value = {}});
    }
    table_ = MakeRowsTable(std::move(fields), {});
  }
  Result<ResolvedTable> ResolveTable(const syntax::QualifiedName&, const Options&) const override {
    ResolvedTable resolved;
    resolved.identifier.table = "t";
    resolved.relation = Relation(table_);
    return resolved;
  }
  std::string current_catalog() const override { return session_.current_catalog(); }
  std::string current_database() const override { return session_.current_database(); }
  std::string time_zone() const override { return session_.time_zone(); }
  std::int64_t statement_time_ms() const override { return session_.statement_time_ms(); }

 private:
  const SessionState& session_;  // outlives this, which lives for one statement
  std::shared_ptr<const VirtualTable> table_;
};

// The expression with every column in back quotes, as Flink writes it into the options. Where that would change its
// meaning (a column named as a keyword), as it prints anyway.
std::string QuoteColumns(const syntax::Expression& expression, const TableColumns& columns) {
  const std::string plain = syntax::ToSql(expression);
  const auto is_word = [](char c) {
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string quoted;
  for (std::size_t i = 0; i < plain.size();) {
    const char c = plain[i];
    std::size_t end = i + 1;
    if (c == '\'' || c == '`') {
      while (end < plain.size() && plain[end] != c) ++end;
      end = std::min(end + 1, plain.size());
    } else if (is_word(c)) {
      while (end < plain.size() && is_word(plain[end])) ++end;
    }
    const std::string token = plain.substr(i, end - i);
    const bool is_column = std::any_of(columns.columns.begin(), columns.columns.end(),
                                       [&](const TableColumn& column) { return column.name == token; });
    quoted += is_column && (end == plain.size() || plain[end] != '(') ? "`" + token + "`" : token;
    i = end;
  }
  const Result<syntax::Expression> parsed = syntax::ParseExpression(quoted);
  return parsed && *parsed == expression ? quoted : plain;
}

// The type of an expression over the columns that are there already.
Result<DataType> TypeOf(const std::string& expression, const TableColumns& columns, const SessionState& session) {
  const std::string text = fmt::format("SELECT {} FROM t", expression);
  BRAID_TRY_ASSIGN(const syntax::Query query, syntax::ParseQuery(text));
  BRAID_TRY_ASSIGN(const AnalyzedQuery analyzed, AnalyzeQuery(query, text, ColumnScope(session, columns)));
  const SqlType& type = analyzed.columns.front().type;
  if (!type.is_value()) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("{} is of type {}, which no column can have", expression, SummaryTypeText(type)));
  }
  return type.data();
}

Result<TableColumn> Physical(const syntax::ColumnDefinition& definition, const syntax::PhysicalColumn& column,
                             std::string_view text, SessionState& session) {
  if (column.unique)
    return syntax::ErrorAt(ErrorCode::kUnsupported, text, definition.name.position,
                           "UNIQUE constraints are not supported");
  BRAID_TRY_ASSIGN(DataType type, ColumnType(column.type, text));
  TableColumn result{.name = definition.name.name, .type = std::move(type), .comment = definition.comment};
  if (column.default_value) {
    BRAID_TRY_ASSIGN(result.default_value, DefaultText(*column.default_value, result.type, text, session));
  }
  return result;
}

Result<TableWatermark> AnalyzeWatermark(const syntax::Watermark& watermark, const TableColumns& columns,
                                        std::string_view text, const SessionState& session) {
  const auto column = std::find_if(columns.columns.begin(), columns.columns.end(), [&](const TableColumn& candidate) {
    return candidate.name == watermark.column.last();
  });
  if (column == columns.columns.end() || watermark.column.parts.size() > 1) {
    return syntax::ErrorAt(ErrorCode::kNotFound, text, watermark.column.position(),
                           fmt::format("the watermark's column {} does not exist", syntax::ToSql(watermark.column)));
  }
  if (!column->type.is_timestamp() || column->type.precision() > 3) {
    return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, watermark.column.position(),
                           fmt::format("a watermark needs a TIMESTAMP(3) or TIMESTAMP_LTZ(3); {} is {}", column->name,
                                       SummaryTypeText(column->type)));
  }
  std::string expression = QuoteColumns(*watermark.value, columns);
  Result<DataType> type = TypeOf(expression, columns, session);
  if (!type) return syntax::ErrorAt(type.error().code(), text, watermark.value->position, type.error().message());
  return TableWatermark{.column = column->name, .expression = std::move(expression), .type = *std::move(type)};
}

}  // namespace

bool TableColumns::has_computed() const {
  return std::any_of(columns.begin(), columns.end(),
                     [](const TableColumn& column) { return column.expression.has_value(); });
}

bool IsColumnOption(std::string_view key) {
  if (!key.starts_with(kPrefix)) return false;
  key.remove_prefix(kPrefix.size());
  return key.starts_with("watermark.") || (!key.empty() && key.front() >= '0' && key.front() <= '9');
}

TableColumns ColumnsOf(const std::vector<DataField>& fields, const Options& options) {
  TableColumns result;
  std::size_t next_field = 0;
  for (std::size_t position = 0;; ++position) {
    const auto name = options.Find(ColumnKey(position, "name"));
    const auto expression = options.Find(ColumnKey(position, "expr"));
    const auto type_text = options.Find(ColumnKey(position, "data-type"));
    if (name && expression && type_text) {
      if (Result<DataType> type = ParseDataType(*type_text)) {
        result.columns.push_back({.name = *name,
                                  .type = *std::move(type),
                                  .expression = expression,
                                  .comment = options.Find(ColumnKey(position, "comment"))});
        continue;
      }
    }
    if (next_field == fields.size()) break;
    const DataField& field = fields[next_field++];
    result.columns.push_back(
        {.name = field.name, .type = field.type, .comment = field.description, .default_value = field.default_value});
  }
  const auto column = options.Find(kWatermarkColumn);
  const auto expression = options.Find(kWatermarkExpression);
  if (column && expression) {
    Result<DataType> type = ParseDataType(options.Get(kWatermarkType, "TIMESTAMP(3)"));
    result.watermark = {
        .column = *column, .expression = *expression, .type = type ? *std::move(type) : DataType::Timestamp(3)};
  }
  for (const auto& [key, value] : options.values()) {
    if (!IsColumnOption(key)) result.options.Set(key, value);
  }
  return result;
}

Options ColumnOptions(const TableColumns& columns) {
  Options options;
  for (std::size_t i = 0; i < columns.columns.size(); ++i) {
    const TableColumn& column = columns.columns[i];
    if (!column.expression) continue;
    options.Set(ColumnKey(i, "name"), column.name);
    options.Set(ColumnKey(i, "data-type"), SerializableTypeText(column.type));
    options.Set(ColumnKey(i, "expr"), *column.expression);
    if (column.comment) options.Set(ColumnKey(i, "comment"), *column.comment);
  }
  if (columns.watermark) {
    options.Set(kWatermarkColumn, columns.watermark->column);
    options.Set(kWatermarkExpression, columns.watermark->expression);
    options.Set(kWatermarkType, SerializableTypeText(columns.watermark->type));
  }
  return options;
}

Result<DataType> ColumnType(const syntax::TypeName& type, std::string_view text) {
  Result<DataType> result = ToDataType(type);
  if (result) return result;
  const Error& error = result.error();
  return syntax::ErrorAt(error.code(), text, type.position, error.message()).Hint(error.hint());
}

Result<std::string> DefaultText(const syntax::Expression& value, const DataType& type, std::string_view text,
                                SessionState& session) {
  BRAID_TRY_ASSIGN(const Datum datum, session.EvaluateConstant(value, text, type.Nullable()));
  if (datum.is_null())
    return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, value.position, "NULL is the default without saying so");
  return FormatDatum(datum, type);
}

Result<TableColumns> AnalyzeColumns(const syntax::CreateTable& statement, TableColumns before, std::string_view text,
                                    SessionState& session) {
  TableColumns result = std::move(before);
  std::vector<std::pair<const syntax::ColumnDefinition*, std::size_t>> computed;
  for (const syntax::ColumnDefinition& definition : statement.columns) {
    const bool known = std::any_of(result.columns.begin(), result.columns.end(),
                                   [&](const TableColumn& column) { return column.name == definition.name.name; });
    if (known) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, definition.name.position,
                             fmt::format("column '{}' is there already", definition.name.name));
    }
    if (const auto* physical = std::get_if<syntax::PhysicalColumn>(&definition.kind)) {
      BRAID_TRY_ASSIGN(TableColumn column, Physical(definition, *physical, text, session));
      result.columns.push_back(std::move(column));
    } else if (std::holds_alternative<syntax::ComputedColumn>(definition.kind)) {
      computed.emplace_back(&definition, result.columns.size());
      // Its type is known once all stored columns are.
      result.columns.push_back(
          {.name = definition.name.name, .type = DataType::Int(), .expression = "", .comment = definition.comment});
    } else if (std::holds_alternative<syntax::MetadataColumn>(definition.kind)) {
      return syntax::ErrorAt(ErrorCode::kUnsupported, text, definition.name.position,
                             "metadata columns are not supported: Paimon tables have none");
    } else {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, definition.name.position,
                             fmt::format("column '{}' has no type", definition.name.name));
    }
  }
  for (const auto& [definition, position] : computed) {
    const syntax::Expression& value = *std::get<syntax::ComputedColumn>(definition->kind).value;
    std::string expression = QuoteColumns(value, result);
    Result<DataType> type = TypeOf(expression, result, session);
    if (!type) return syntax::ErrorAt(type.error().code(), text, value.position, type.error().message());
    result.columns[position].type = *std::move(type);
    result.columns[position].expression = std::move(expression);
  }
  if (statement.watermarks.size() > 1) {
    return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, statement.watermarks[1].position,
                           "a table has one watermark at most");
  }
  for (const syntax::Watermark& watermark : statement.watermarks) {
    BRAID_TRY_ASSIGN(result.watermark, AnalyzeWatermark(watermark, result, text, session));
  }
  return result;
}

std::string SelectColumns(const TableColumns& columns, std::string_view table) {
  std::string items;
  for (const TableColumn& column : columns.columns) {
    if (!items.empty()) items += ", ";
    const std::string name = syntax::QuoteIdentifier(column.name);
    items += column.expression ? fmt::format("{} AS {}", *column.expression, name) : name;
  }
  return fmt::format("SELECT {} FROM {}", items, table);
}

}  // namespace braid
