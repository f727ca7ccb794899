#pragma once

// Tables for tests, in memory unless said otherwise; include only from tests.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/scan.h"
#include "table/table.h"
#include "table/write.h"
#include "types/row_json.h"

namespace braid {

inline constexpr const char* kTestTableRoot = "/warehouse/d.db/t";

/// Creates a table and opens it.
inline Result<Table> CreateTestTable(std::shared_ptr<FileSystem> fs, const TableDefinition& definition, const std::string& root = kTestTableRoot) {
  BRAID_TRY_ASSIGN(const TableSchema schema, NewTableSchema(definition, 1'700'000'000'000));
  BRAID_TRY(WriteSchema(*fs, TablePaths(root, std::string(kMainBranch)), schema));
  return Table::Open(std::move(fs), root, "d.t");
}

inline TableDefinition TestDefinition(std::vector<std::pair<std::string, DataType>> columns, std::vector<std::string> primary_keys = {},
                                      Options::Map options = {}, std::vector<std::string> partition_keys = {}) {
  TableDefinition definition;
  for (auto& [name, type] : columns) definition.fields.push_back({.id = FieldId(0), .name = name, .type = type, .description = {}, .default_value = {}});
  definition.primary_keys = std::move(primary_keys);
  definition.partition_keys = std::move(partition_keys);
  definition.options = Options(std::move(options));
  return definition;
}

/// Writes rows and returns what to commit.
inline Result<std::vector<CommitMessage>> WriteRows(const Table& table, const std::vector<DatumList>& rows, const std::vector<RowKind>& kinds = {}) {
  BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = "writer", .spill_directory = {}, .ignore_previous_files = false}));
  BRAID_TRY_ASSIGN(const Batch batch, MakeBatch(table.schema().fields, rows, kinds));
  BRAID_TRY(writer->Write(batch));
  return writer->PrepareCommit(true, kBatchCommitIdentifier);
}

/// Writes rows and commits them as a batch job would.
inline Result<std::vector<Snapshot>> Insert(const Table& table, const std::vector<DatumList>& rows, const std::vector<RowKind>& kinds = {}) {
  Committable committable;
  BRAID_TRY_ASSIGN(committable.messages, WriteRows(table, rows, kinds));
  return TableCommit(table, "user").Commit(committable);
}

/// Rows of a batch read as JSON objects, sorted.
inline Result<std::vector<std::string>> SortedRows(const Table& table, const ReadRequest& request = {}) {
  BRAID_TRY_ASSIGN(const std::vector<DataField> fields, OutputFields(table, request));
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, request));
  BRAID_TRY_ASSIGN(const auto reader, ReadPlan(table, plan, request));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  std::vector<std::string> rows;
  for (const Batch& batch : batches) {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) AppendRowJson(batch, row, fields, rows.emplace_back());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace braid
