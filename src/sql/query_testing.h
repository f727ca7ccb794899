#pragma once

// A resolver of names and a way to run queries, for tests; include only from tests.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/text.h"
#include "duck/engine.h"
#include "io/memory_file_system.h"
#include "meta/stores.h"
#include "sql/query.h"
#include "syntax/parser.h"
#include "table/commit.h"
#include "table/write.h"
#include "types/row_json.h"

namespace braid {

/// Tables in memory and temporary views of one database, "c.d".
class TestNames : public NameResolver {
 public:
  Result<ResolvedTable> ResolveTable(const syntax::QualifiedName& name, const Options& hints) const override {
    ResolvedTable resolved{
        .catalog = "c",
        .identifier = Identifier{.database = "d", .table = name.last(), .branch = {}, .system_table = {}},
        .relation = {},
        .view = {},
        .view_columns = {},
        .options = hints};
    if (const auto view = views_.find(name.last()); view != views_.end()) {
      resolved.view = view->second.query;
      for (const syntax::Identifier& column : view->second.columns) resolved.view_columns.push_back(column.name);
      return resolved;
    }
    if (const auto table = tables_.find(name.last()); table != tables_.end()) {
      BRAID_TRY_ASSIGN(Table opened, table->second.With(hints));
      resolved.relation = std::move(opened);
      return resolved;
    }
    std::vector<std::string> known;
    for (const auto& [view, unused] : views_) known.push_back(view);
    for (const auto& [table, unused] : tables_) known.push_back(table);
    Error error(ErrorCode::kNotFound, "Object '" + name.last() + "' not found");
    if (const auto nearest = NearestName(name.last(), known))
      return std::move(error).Hint("did you mean '" + *nearest + "'?");
    return error;
  }
  std::string current_catalog() const override { return "c"; }
  std::string current_database() const override { return "d"; }
  std::string time_zone() const override { return zone; }
  std::int64_t statement_time_ms() const override { return 1'577'880'000'000; }  // 2020-01-01 12:00 UTC

  void AddView(const syntax::CreateView& view) { views_.insert_or_assign(view.name.last(), view); }
  void AddView(const std::string& name, std::string_view query, const std::vector<std::string>& columns = {}) {
    syntax::CreateView view;
    view.name.parts = {syntax::Identifier{.position = {}, .name = name}};
    for (const std::string& column : columns)
      view.columns.push_back(syntax::Identifier{.position = {}, .name = column});
    view.query = syntax::QueryPtr::Make(syntax::ParseQuery(query).value());
    AddView(view);
  }
  Result<Table> AddTable(const std::string& name, std::vector<std::pair<std::string, DataType>> columns,
                         std::vector<std::string> primary_keys = {}, Options::Map options = {},
                         std::vector<std::string> partition_keys = {}) {
    TableDefinition definition;
    for (auto& [column, type] : columns) {
      definition.fields.push_back(
          {.id = FieldId(0), .name = column, .type = type, .description = {}, .default_value = {}});
    }
    definition.primary_keys = std::move(primary_keys);
    definition.partition_keys = std::move(partition_keys);
    definition.options = Options(std::move(options));
    BRAID_TRY_ASSIGN(const TableSchema schema, NewTableSchema(definition, 1'700'000'000'000));
    const std::string root = "/warehouse/d.db/" + name;
    BRAID_TRY(WriteSchema(*fs_, TablePaths(root, std::string(kMainBranch)), schema));
    BRAID_TRY_ASSIGN(Table table, Table::Open(fs_, root, "d." + name));
    tables_.insert_or_assign(name, table);
    return table;
  }

  std::string zone = "UTC";

 private:
  std::shared_ptr<FileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::map<std::string, syntax::CreateView> views_;
  std::map<std::string, Table> tables_;
};

inline Status InsertRows(const Table& table, const std::vector<DatumList>& rows,
                         const std::vector<RowKind>& kinds = {}) {
  BRAID_TRY_ASSIGN(
      const auto writer,
      TableWriter::Make(table, {.commit_user = "writer", .spill_directory = {}, .ignore_previous_files = false}));
  BRAID_TRY_ASSIGN(const Batch batch, MakeBatch(table.schema().fields, rows, kinds));
  BRAID_TRY(writer->Write(batch));
  Committable committable;
  BRAID_TRY_ASSIGN(committable.messages, writer->PrepareCommit(true, kBatchCommitIdentifier));
  Result<std::vector<Snapshot>> snapshots = TableCommit(table, "user").Commit(committable);
  if (!snapshots) return std::move(snapshots).error();
  return Ok();
}

/// Columns, types and rows of a query, as canonical JSON arrays.
struct Answer {
  std::vector<std::string> columns;  ///< "name TYPE"
  std::vector<std::string> rows;     ///< "[1,\"a\"]"
  bool ordered = false;
};

inline Result<AnalyzedQuery> Analyze(std::string_view sql, const NameResolver& names) {
  BRAID_TRY_ASSIGN(const syntax::Query query, syntax::ParseQuery(sql));
  return AnalyzeQuery(query, sql, names);
}

inline Result<Answer> RunQuery(const AnalyzedQuery& analyzed, DuckEngine& engine) {
  BRAID_TRY_ASSIGN(const DuckProgram program, EmitDuckSql(analyzed, engine));
  Answer answer{.columns = {}, .rows = {}, .ordered = analyzed.ordered};
  std::vector<DataType> types;
  for (const QueryColumn& column : analyzed.columns) {
    answer.columns.push_back(column.name + " " + column.type.ToString());
    types.push_back(column.type.is_value() ? column.type.data() : DataType::BigInt());
  }
  BRAID_TRY_ASSIGN(const auto connection, engine.Connect());
  Result<std::unique_ptr<QueryResult>> result = connection->Query(program.sql, types);
  if (!result) return std::move(result).error().Context(program.sql);
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(**result));
  for (const Batch& batch : batches) {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      std::string& text = answer.rows.emplace_back("[");
      for (std::size_t i = 0; i < types.size(); ++i) {
        if (i > 0) text += ',';
        AppendDatumJson(DatumAt(*batch.rows->column(static_cast<int>(i)), row, types[i]), types[i], text);
      }
      text += ']';
    }
  }
  return answer;
}

inline Result<Answer> RunQuery(std::string_view sql, const NameResolver& names, DuckEngine& engine) {
  BRAID_TRY_ASSIGN(const AnalyzedQuery analyzed, Analyze(sql, names));
  return RunQuery(analyzed, engine);
}

}  // namespace braid
