// DESCRIBE and SHOW CREATE.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/secret_option.h"
#include "base/text.h"
#include "sql/statement_internal.h"
#include "sql/table_columns.h"
#include "syntax/printer.h"

namespace braid {

namespace {

// What DESCRIBE says of a table or view.
struct Description {
  TableColumns columns;
  std::vector<std::string> primary_key;
};

Result<Description> DescriptionOf(const FullName& name, const StatementContext& context) {
  Description description;
  if (const TemporaryView* view = context.session.FindView(name)) {
    for (const QueryColumn& column : view->columns)
      description.columns.columns.push_back({.name = column.name, .type = StorageType(column.type)});
    return description;
  }
  if (const TemporaryTable* table = context.session.FindTemporaryTable(name)) {
    description.columns = ColumnsOf(table->definition.fields, table->column_options);
    description.primary_key = table->definition.primary_key;
    return description;
  }
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(name.catalog));
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::FromParts(name.database, name.table));
  BRAID_TRY_ASSIGN(const Relation relation, catalog->Open(identifier));
  if (const auto* table = std::get_if<Table>(&relation)) {
    description.columns = ColumnsOf(table->schema().fields, table->schema().options);
    description.primary_key = table->schema().primary_keys;
  } else {
    description.columns = ColumnsOf(FieldsOf(relation), {});
  }
  return description;
}

std::string QuotedList(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  return text;
}

std::string QuoteAlways(std::string_view name) {
  std::string quoted = "`";
  for (const char c : name) quoted += c == '`' ? "``" : std::string(1, c);
  return quoted + "`";
}

std::string Properties(const Options& options) {
  std::string text;
  for (const auto& [key, value] : options.values()) {
    text += fmt::format("{}  {} = {}", text.empty() ? "" : ",\n", syntax::QuoteString(key), syntax::QuoteString(value));
  }
  return text;
}

std::string ColumnLine(const TableColumn& column) {
  const std::string kind = column.expression ? "AS " + *column.expression : SerializableTypeText(column.type);
  return fmt::format("  {} {}{}", QuoteAlways(column.name), kind,
                     column.comment ? " COMMENT " + syntax::QuoteString(*column.comment) : "");
}

Result<StatementResult> ShowCreateTable(const syntax::QualifiedName& qualified, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const FullName name, context.session.Qualify(qualified));
  if (const TemporaryTable* temporary = context.session.FindTemporaryTable(name))
    return TextResult("result", {temporary->statement});
  BRAID_TRY_ASSIGN(const StoredTable table, OpenStored(qualified, context));
  const TableSchema& schema = table.table.schema();
  const TableColumns columns = ColumnsOf(schema.fields, schema.options);
  std::vector<std::string> lines;
  for (const TableColumn& column : columns.columns) lines.push_back(ColumnLine(column));
  if (columns.watermark)
    lines.push_back(
        fmt::format("  WATERMARK FOR {} AS {}", QuoteAlways(columns.watermark->column), columns.watermark->expression));
  if (schema.has_primary_key()) {
    lines.push_back(fmt::format("  CONSTRAINT {} PRIMARY KEY ({}) NOT ENFORCED",
                                QuoteAlways("PK_" + Join(schema.primary_keys, "_")), QuotedList(schema.primary_keys)));
  }
  std::string text = fmt::format("CREATE TABLE {}.{}.{} (\n{}\n)\n", QuoteAlways(table.name.catalog),
                                 QuoteAlways(table.name.database), QuoteAlways(table.name.table), Join(lines, ",\n"));
  if (schema.comment) text += fmt::format("COMMENT {}\n", syntax::QuoteString(*schema.comment));
  if (schema.is_partitioned()) text += fmt::format("PARTITIONED BY ({})\n", QuotedList(schema.partition_keys));
  Options options = columns.options;
  // As Flink shows it: below the warehouse as the user wrote it.
  const std::string& root = table.table.paths().root();
  const std::string& warehouse = table.catalog->warehouse();
  std::string written = table.catalog->options().Get("warehouse", warehouse);
  while (written.size() > 1 && written.back() == '/') written.pop_back();
  options.Set("path", root.starts_with(warehouse) ? written + root.substr(warehouse.size()) : root);
  text += fmt::format("WITH (\n{}\n)\n", Properties(options));
  return TextResult("result", {text});
}

Result<StatementResult> ShowCreateView(const syntax::QualifiedName& qualified, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const FullName name, context.session.Qualify(qualified));
  const TemporaryView* view = context.session.FindView(name);
  if (view == nullptr) {
    return PlaceError(Error(ErrorCode::kNotFound, fmt::format("view {} does not exist", name.ToString())), context.text,
                      qualified.position());
  }
  std::vector<std::string> columns;
  for (const QueryColumn& column : view->columns) columns.push_back("  " + QuoteAlways(column.name));
  std::string text = fmt::format("CREATE TEMPORARY VIEW {}.{}.{} (\n{}\n)\n", QuoteAlways(name.catalog),
                                 QuoteAlways(name.database), QuoteAlways(name.table), Join(columns, ",\n"));
  if (view->comment) text += fmt::format("COMMENT {}\n", syntax::QuoteString(*view->comment));
  return TextResult("result", {text + fmt::format("AS {}\n", syntax::ToSql(*view->query))});
}

Result<StatementResult> ShowCreateCatalog(const std::string& name, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const CatalogEntry* entry, context.session.FindCatalogEntry(name));
  std::string text = fmt::format("CREATE CATALOG {}\n", QuoteAlways(name));
  if (entry->comment) text += fmt::format("COMMENT {}\n", syntax::QuoteString(*entry->comment));
  Options shown = entry->options;
  for (const auto& [key, value] : entry->options.values()) {
    if (IsSecretOption(key)) shown.Set(key, "******");
  }
  return TextResult("result", {text + fmt::format("WITH (\n{}\n)\n", Properties(shown))});
}

Result<StatementResult> DescribeCatalog(const syntax::Describe& statement, const StatementContext& context) {
  const std::string& name = statement.name.last();
  BRAID_TRY_ASSIGN(const CatalogEntry* entry, context.session.FindCatalogEntry(name));
  std::vector<DatumList> rows = {{"name", name},
                                 {"type", entry->options.Get("type", "")},
                                 {"comment", entry->comment ? Datum(*entry->comment) : Datum()}};
  if (statement.extended) {
    for (const auto& [key, value] : entry->options.values()) rows.push_back({"option:" + key, IsSecretOption(key) ? std::string("******") : value});
  }
  return RowsResult({{"info name", DataType::String()}, {"info value", DataType::String()}}, rows);
}

Result<StatementResult> DescribeDatabase(const syntax::Describe& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const FullName name, context.session.QualifyDatabase(statement.name));
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(name.catalog));
  BRAID_TRY_ASSIGN(const bool exists, catalog->DatabaseExists(name.database));
  if (!exists)
    return PlaceError(Error(ErrorCode::kNotFound, fmt::format("database {} does not exist", name.database)),
                      context.text, statement.name.position());
  return RowsResult(
      {{"database description item", DataType::String()}, {"database description value", DataType::String()}},
      {{"Database Name", name.database}, {"Description", ""}});
}

}  // namespace

Result<StatementResult> DescribeTable(const FullName& name, const syntax::Show* filter,
                                      const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Description description, DescriptionOf(name, context));
  std::vector<std::string> names;
  for (const TableColumn& column : description.columns.columns) names.push_back(column.name);
  if (filter != nullptr) {
    BRAID_TRY_ASSIGN(names, MatchPattern(std::move(names), *filter));
  }
  const bool has_comments = std::any_of(description.columns.columns.begin(), description.columns.columns.end(),
                                        [](const TableColumn& column) { return column.comment.has_value(); });
  std::vector<DatumList> rows;
  for (const TableColumn& column : description.columns.columns) {
    if (std::find(names.begin(), names.end(), column.name) == names.end()) continue;
    const std::vector<std::string>& key = description.primary_key;
    const bool is_key = std::find(key.begin(), key.end(), column.name) != key.end();
    const auto& watermark = description.columns.watermark;
    DatumList row = {column.name, SummaryTypeText(column.type.Nullable()), column.type.nullable()};
    row.emplace_back(is_key ? Datum(fmt::format("PRI({})", Join(key, ", "))) : Datum());
    row.emplace_back(column.expression ? Datum("AS " + *column.expression) : Datum());
    row.emplace_back(watermark && watermark->column == column.name ? Datum(watermark->expression) : Datum());
    if (has_comments) row.emplace_back(column.comment ? Datum(*column.comment) : Datum());
    rows.push_back(std::move(row));
  }
  std::vector<QueryColumn> columns = {{"name", DataType::String()},   {"type", DataType::String()},
                                      {"null", DataType::Boolean()},  {"key", DataType::String()},
                                      {"extras", DataType::String()}, {"watermark", DataType::String()}};
  if (has_comments) columns.push_back({"comment", DataType::String()});
  return RowsResult(std::move(columns), rows);
}

Result<StatementResult> ShowCreate(const syntax::Show& statement, const StatementContext& context) {
  switch (statement.kind) {
    case syntax::ShowKind::kCreateView: return ShowCreateView(*statement.name, context);
    case syntax::ShowKind::kCreateCatalog: return ShowCreateCatalog(statement.name->last(), context);
    default: return ShowCreateTable(*statement.name, context);
  }
}

Result<StatementResult> Run(const syntax::Describe& statement, const StatementContext& context) {
  switch (statement.kind) {
    case syntax::DescribeKind::kTable: {
      BRAID_TRY_ASSIGN(const FullName name, context.session.Qualify(statement.name));
      Result<StatementResult> result = DescribeTable(name, nullptr, context);
      if (!result) return PlaceError(std::move(result).error(), context.text, statement.name.position());
      return result;
    }
    case syntax::DescribeKind::kCatalog: return DescribeCatalog(statement, context);
    case syntax::DescribeKind::kDatabase: return DescribeDatabase(statement, context);
    case syntax::DescribeKind::kFunction:
      return PlaceError(Error(ErrorCode::kUnsupported, "DESCRIBE FUNCTION is not supported")
                            .Hint("SHOW FUNCTIONS lists what there is"),
                        context.text, statement.name.position());
    case syntax::DescribeKind::kJob: return DescribeJob(statement, context);
  }
  return Error(ErrorCode::kInternal, "DESCRIBE of an unknown kind");
}

}  // namespace braid
