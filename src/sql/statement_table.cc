// CREATE TABLE, also LIKE and AS, and DROP.

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/blob_columns.h"
#include "meta/stores.h"
#include "sql/statement_internal.h"
#include "sql/table_columns.h"
#include "syntax/printer.h"
#include "syntax/source.h"

namespace braid {

namespace {

using syntax::LikeFeature;
using syntax::LikeMerging;

// A table on its way to be created.
struct Draft {
  TableColumns columns;
  std::vector<std::string> primary_key;
  std::vector<std::string> partition_keys;
  Options options;
  std::optional<std::string> comment;
};

// How LIKE merges one feature; nothing said means that everything is taken and the statement's own options win.
LikeMerging MergingOf(const syntax::LikeClause& like, LikeFeature feature) {
  std::optional<LikeMerging> of_feature;
  std::optional<LikeMerging> of_all;
  for (const syntax::LikeOption& option : like.options) {
    if (option.feature == feature) of_feature = option.merging;
    if (option.feature == LikeFeature::kAll) of_all = option.merging;
  }
  if (of_feature) return *of_feature;
  if (of_all) return *of_all;
  return feature == LikeFeature::kOptions ? LikeMerging::kOverwriting : LikeMerging::kIncluding;
}

Result<Draft> StartFromLike(const syntax::CreateTable& statement, const StatementContext& context) {
  Draft draft;
  if (!statement.like) return draft;
  const syntax::LikeClause& like = *statement.like;
  const auto takes = [&](LikeFeature feature) { return MergingOf(like, feature) != LikeMerging::kExcluding; };
  BRAID_TRY_ASSIGN(const StoredTable source, OpenStored(like.table, context));
  const TableSchema& schema = source.table.schema();
  draft.columns = ColumnsOf(schema.fields, schema.options);
  if (!takes(LikeFeature::kGenerated))
    std::erase_if(draft.columns.columns, [](const TableColumn& column) { return column.expression.has_value(); });
  if (!takes(LikeFeature::kWatermarks)) draft.columns.watermark.reset();
  if (takes(LikeFeature::kConstraints)) draft.primary_key = schema.primary_keys;
  if (takes(LikeFeature::kPartitions)) draft.partition_keys = schema.partition_keys;
  if (takes(LikeFeature::kOptions)) {
    draft.options = draft.columns.options;
    // Where the other table lies is its own affair.
    draft.options.Remove("path");
  }
  return draft;
}

Status CheckOptions(const Options& own, const Draft& draft, const syntax::CreateTable& statement) {
  if (const auto connector = own.Find("connector"); connector && *connector != "paimon" && !statement.temporary) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("a Paimon catalog holds Paimon tables, and no table of the connector '{}'", *connector))
        .Hint("CREATE TEMPORARY TABLE makes it for this session and its jobs");
  }
  if (own.Has("path") && !statement.temporary) {
    return Error(ErrorCode::kUnsupported,
                 "a filesystem catalog chooses the place of its tables itself, so 'path' cannot be given")
        .Hint("leave it out");
  }
  if (statement.like && MergingOf(*statement.like, LikeFeature::kOptions) == LikeMerging::kIncluding) {
    for (const auto& [key, value] : own.values()) {
      if (draft.options.Has(key)) {
        return Error(ErrorCode::kInvalidArgument, fmt::format("option '{}' is in the other table too", key))
            .Hint("OVERWRITING OPTIONS lets the statement's own win");
      }
    }
  }
  return Ok();
}

Status AddPrimaryKey(const syntax::CreateTable& statement, std::string_view text, Draft& draft) {
  std::vector<syntax::KeyConstraint> keys = statement.constraints;
  for (const syntax::ColumnDefinition& definition : statement.columns) {
    const auto* physical = std::get_if<syntax::PhysicalColumn>(&definition.kind);
    if (physical == nullptr || !physical->primary_key) continue;
    keys.push_back(
        {.position = definition.name.position, .columns = {definition.name}, .enforced = physical->enforced});
  }
  for (const syntax::KeyConstraint& key : keys) {
    if (key.unique)
      return syntax::ErrorAt(ErrorCode::kUnsupported, text, key.position, "UNIQUE constraints are not supported");
    if (key.enforced.value_or(true)) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, key.position,
                             "a primary key must be declared NOT ENFORCED, as in Flink")
          .Hint("write PRIMARY KEY (…) NOT ENFORCED");
    }
    if (!draft.primary_key.empty())
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, text, key.position, "the table has a primary key already");
    for (const syntax::Identifier& column : key.columns) draft.primary_key.push_back(column.name);
  }
  return Ok();
}

// The columns of AS query: all of them, or those that the statement lists by name, in its order.
Status AddQueryColumns(const syntax::CreateTable& statement, const StatementContext& context, Draft& draft) {
  BRAID_TRY_ASSIGN(const AnalyzedQuery query, AnalyzeQuery(*statement.query, context.text, context.session));
  for (const QueryColumn& column : query.columns) {
    if (!column.type.is_value()) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("column '{}' of the query is of type {}, which no column can have", column.name,
                               SummaryTypeText(column.type)))
          .Hint("CAST it in the query");
    }
    draft.columns.columns.push_back({.name = column.name, .type = column.type.data()});
  }
  return Ok();
}

Result<TableDefinition> ToDefinition(Draft draft, const Options& own) {
  TableDefinition definition{.fields = {},
                             .partition_keys = std::move(draft.partition_keys),
                             .primary_keys = std::move(draft.primary_key),
                             .options = draft.options.With(own).With(ColumnOptions(draft.columns)),
                             .comment = std::move(draft.comment)};
  definition.fields.reserve(draft.columns.columns.size());
  const std::set<std::string> blobs = BlobFields(definition.options);
  for (TableColumn& column : draft.columns.columns) {
    if (column.expression) continue;
    if (blobs.contains(column.name) && column.type.kind() != TypeKind::kBlob) {
      if (!column.type.is_bytes()) {
        return Error(ErrorCode::kInvalidArgument,
                     fmt::format("'blob-field' names column '{}' of type {}; only BYTES become a BLOB", column.name,
                                 column.type.ToString()));
      }
      column.type = DataType::Blob();
    }
    definition.fields.push_back({.id = FieldId(static_cast<std::int32_t>(definition.fields.size())),
                                 .name = std::move(column.name),
                                 .type = std::move(column.type),
                                 .description = std::move(column.comment),
                                 .default_value = std::move(column.default_value)});
  }
  return definition;
}

Result<TableDefinition> Define(const syntax::CreateTable& statement, const StatementContext& context) {
  if (statement.distribution) {
    return syntax::ErrorAt(ErrorCode::kUnsupported, context.text, statement.distribution->position,
                           "DISTRIBUTED is not supported")
        .Hint("WITH ('bucket' = '4', 'bucket-key' = 'a') says it for a Paimon table");
  }
  Options own = ToOptions(statement.options);
  BRAID_TRY_ASSIGN(Draft draft, StartFromLike(statement, context));
  BRAID_TRY(CheckOptions(own, draft, statement));
  if (!statement.temporary) own.Remove("connector");
  if (statement.query) {
    if (!statement.columns.empty()) {
      return syntax::ErrorAt(ErrorCode::kUnsupported, context.text, statement.columns.front().name.position,
                             "CREATE TABLE … AS takes its columns from the query")
          .Hint("name and cast them there");
    }
    BRAID_TRY(AddQueryColumns(statement, context, draft));
  }
  if (!statement.columns.empty() || !statement.watermarks.empty()) {
    BRAID_TRY_ASSIGN(draft.columns, AnalyzeColumns(statement, std::move(draft.columns), context.text, context.session));
  }
  BRAID_TRY(AddPrimaryKey(statement, context.text, draft));
  if (!statement.partitioned_by.empty()) draft.partition_keys.clear();
  for (const syntax::Identifier& column : statement.partitioned_by) draft.partition_keys.push_back(column.name);
  draft.comment = statement.comment;
  return ToDefinition(std::move(draft), own);
}

syntax::QualifiedName FullNameTree(const FullName& name, syntax::Position position) {
  return {.parts = {{.position = position, .name = name.catalog},
                    {.position = position, .name = name.database},
                    {.position = position, .name = name.table}}};
}

Result<StatementResult> CreateTemporary(syntax::CreateTable statement, const StatementContext& context) {
  SessionState& session = context.session;
  const auto fail = [&](Error error) { return PlaceError(std::move(error), context.text, statement.name.position()); };
  if (statement.or_replace || statement.query) {
    return fail(Error(ErrorCode::kUnsupported, "a temporary table takes no rows when it is made")
                    .Hint("CREATE TEMPORARY TABLE, then INSERT INTO it"));
  }
  BRAID_TRY_ASSIGN(const FullName name, session.Qualify(statement.name));
  BRAID_TRY(session.FindCatalogEntry(name.catalog));
  if (session.FindTemporaryTable(name) != nullptr || session.FindView(name) != nullptr) {
    if (statement.if_not_exists) return Done();
    return fail(Error(ErrorCode::kAlreadyExists, fmt::format("temporary table {} exists already", name.ToString())));
  }
  BRAID_TRY_ASSIGN(TableDefinition table, Define(statement, context));
  TemporaryTable temporary;
  for (const auto& [key, value] : table.options.values()) {
    (IsColumnOption(key) ? temporary.column_options : temporary.definition.options).Set(key, value);
  }
  temporary.definition.name = name.ToString();
  temporary.definition.fields = std::move(table.fields);
  temporary.definition.primary_key = std::move(table.primary_keys);
  temporary.definition.partition_keys = std::move(table.partition_keys);
  temporary.comment = std::move(table.comment);
  if (!temporary.definition.options.Has("connector")) {
    return fail(Error(ErrorCode::kInvalidArgument, "a temporary table needs a 'connector'")
                    .Hint("CREATE TEMPORARY VIEW names a query; CREATE TABLE makes a Paimon table"));
  }
  BRAID_TRY_ASSIGN(const Connectors* connectors, session.FindConnectors());
  Result<std::shared_ptr<const ConnectorTable>> opened = connectors->Open(temporary.definition);
  if (!opened) return fail(std::move(opened).error());
  temporary.table = *std::move(opened);
  statement.temporary = true;
  statement.name = FullNameTree(name, statement.name.position());
  if (statement.like) {
    BRAID_TRY_ASSIGN(const FullName like, session.Qualify(statement.like->table));
    statement.like->table = FullNameTree(like, statement.like->table.position());
  }
  temporary.statement = syntax::ToSql(syntax::Statement{.position = {}, .node = std::move(statement)});
  session.temporary_tables().emplace(name, std::move(temporary));
  return Done();
}

// Catalogs of the session's own keep nothing, so that a table of a connector is as good there as a temporary one.
Result<bool> IsOfSessionCatalog(const syntax::CreateTable& statement, const StatementContext& context) {
  const std::string connector = ToOptions(statement.options).Get("connector", "paimon");
  if (connector == "paimon") return false;
  BRAID_TRY_ASSIGN(const FullName name, context.session.Qualify(statement.name));
  BRAID_TRY_ASSIGN(const CatalogEntry* entry, context.session.FindCatalogEntry(name.catalog));
  return entry->options.Get("type", "") == "generic_in_memory";
}

Status DropTable(const syntax::Drop& statement, const StatementContext& context) {
  const bool is_view = statement.kind == syntax::ObjectKind::kView;
  BRAID_TRY_ASSIGN(const FullName name, context.session.Qualify(statement.name));
  const TemporaryView* view = context.session.FindView(name);
  const bool is_temporary_table = !is_view && context.session.FindTemporaryTable(name) != nullptr;
  if (is_temporary_table) {
    BRAID_TRY_ASSIGN(const CatalogEntry* entry, context.session.FindCatalogEntry(name.catalog));
    if (!statement.temporary && entry->options.Get("type", "") != "generic_in_memory") {
      return PlaceError(Error(ErrorCode::kInvalidArgument, fmt::format("{} is a temporary table", name.ToString()))
                            .Hint("use DROP TEMPORARY TABLE"),
                        context.text, statement.name.position());
    }
    context.session.temporary_tables().erase(name);
    return Ok();
  }
  if (is_view || statement.temporary) {
    if (view != nullptr && is_view) {
      context.session.views().erase(name);
      return Ok();
    }
    if (statement.if_exists) return Ok();
    return PlaceError(Error(ErrorCode::kNotFound,
                            fmt::format("{} {} does not exist", is_view ? "view" : "temporary table", name.ToString())),
                      context.text, statement.name.position());
  }
  if (view != nullptr) {
    return PlaceError(Error(ErrorCode::kInvalidArgument, fmt::format("{} is a temporary view", name.ToString()))
                          .Hint("use DROP TEMPORARY VIEW"),
                      context.text, statement.name.position());
  }
  BRAID_TRY_ASSIGN(const NamedTable table, NameTable(statement.name, context));
  Status dropped = table.catalog->DropTable(table.identifier, {.ignore_if_not_exists = statement.if_exists});
  if (!dropped) return PlaceError(std::move(dropped).error(), context.text, statement.name.position());
  return Ok();
}

Result<bool> HasSnapshot(const NamedTable& named) {
  BRAID_TRY_ASSIGN(const Table table, named.catalog->OpenTable(named.identifier));
  BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(table.file_system(), table.paths()));
  return latest.has_value();
}

}  // namespace

Result<StatementResult> Run(const syntax::CreateTable& statement, const StatementContext& context) {
  if (statement.temporary) return CreateTemporary(statement, context);
  BRAID_TRY_ASSIGN(const bool of_session, IsOfSessionCatalog(statement, context));
  if (of_session) {
    syntax::CreateTable temporary = statement;
    temporary.temporary = true;
    return CreateTemporary(std::move(temporary), context);
  }
  if (statement.or_replace) {
    return PlaceError(Error(ErrorCode::kUnsupported, "REPLACE TABLE is not supported")
                          .Hint("DROP TABLE IF EXISTS, then CREATE TABLE"),
                      context.text, statement.name.position());
  }
  BRAID_TRY_ASSIGN(const NamedTable table, NameTable(statement.name, context));
  if (context.session.FindView(table.name) != nullptr && !statement.if_not_exists) {
    return PlaceError(Error(ErrorCode::kAlreadyExists, fmt::format("{} is a temporary view", table.name.ToString())),
                      context.text, statement.name.position());
  }
  BRAID_TRY_ASSIGN(const bool exists, table.catalog->TableExists(table.identifier));
  if (exists && statement.if_not_exists) return Done();
  BRAID_TRY_ASSIGN(const TableDefinition definition, Define(statement, context));
  context.session.NoteMisspelt(ToOptions(statement.options), OptionOwner::kTable);
  Status created = table.catalog->CreateTable(table.identifier, definition, statement.if_not_exists);
  if (!created) return PlaceError(std::move(created).error(), context.text, statement.name.position());
  StatementResult result;
  if (statement.query) {
    Result<StatementResult> inserted = InsertQuery(statement.name, statement.query, context);
    if (!inserted) {
      // The table was made for these rows alone; where they are committed, or may be, it stays.
      const Result<bool> has_rows = HasSnapshot(table);
      if (inserted.error().code() != ErrorCode::kCommitUnknown && has_rows && !*has_rows)
        static_cast<void>(table.catalog->DropTable(table.identifier, {.ignore_if_not_exists = true}));
      return inserted;
    }
    result = *std::move(inserted);
  }
  BRAID_TRY_ASSIGN(const CatalogEntry* entry, context.session.FindCatalogEntry(table.name.catalog));
  if (entry->options.Get("type", "") == "generic_in_memory") {
    result.notices.push_back(fmt::format(
        "{} ends with this session; CREATE CATALOG … WITH ('type' = 'paimon', 'warehouse' = '/path') keeps tables",
        table.name.ToString()));
  }
  return result;
}

Result<StatementResult> Run(const syntax::Drop& statement, const StatementContext& context) {
  switch (statement.kind) {
    case syntax::ObjectKind::kTable:
    case syntax::ObjectKind::kView: BRAID_TRY(DropTable(statement, context)); break;
    case syntax::ObjectKind::kDatabase: BRAID_TRY(DropDatabase(statement, context)); break;
    case syntax::ObjectKind::kCatalog: BRAID_TRY(DropCatalog(statement, context)); break;
    case syntax::ObjectKind::kFunction:
      if (statement.if_exists) break;
      return Error(ErrorCode::kNotFound,
                   fmt::format("there is no function {} of a user", syntax::ToSql(statement.name)));
  }
  return Done();
}

}  // namespace braid
