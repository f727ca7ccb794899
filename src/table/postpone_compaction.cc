#include "table/postpone_compaction.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "meta/stores.h"
#include "mergetree/key_value.h"
#include "table/data_file_reader.h"
#include "table/file_scan.h"
#include "table/partitions.h"
#include "table/write.h"

namespace braid {

namespace {

constexpr BucketId kPostponed(-2);

// What one partition holds.
struct PartitionFiles {
  std::vector<DataFileMeta> waiting;
  std::int32_t bucket_count = 0;  // of its real buckets; 0: it has none
};

Result<std::map<BinaryRow, PartitionFiles>> FilesByPartition(const Table& table, const Snapshot& snapshot) {
  std::vector<ManifestEntry> entries;
  for (const std::string* list : {&snapshot.base_manifest_list, &snapshot.delta_manifest_list}) {
    BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests, ReadManifestList(table.file_system(), table.paths(), *list));
    for (const ManifestFileMeta& manifest : manifests) {
      BRAID_TRY_ASSIGN(std::vector<ManifestEntry> read, ReadManifest(table.file_system(), table.paths(), manifest.file_name));
      std::move(read.begin(), read.end(), std::back_inserter(entries));
    }
  }
  std::map<BinaryRow, PartitionFiles> partitions;
  for (ManifestEntry& entry : MergeEntries(std::move(entries))) {
    PartitionFiles& partition = partitions[entry.partition];
    if (entry.bucket == kPostponed) {
      partition.waiting.push_back(std::move(entry.file));
    } else if (entry.total_buckets > 0) {
      partition.bucket_count = entry.total_buckets;
    }
  }
  return partitions;
}

// Files in the order in which they were written, those of one writer above all.
void SortByTime(std::vector<DataFileMeta>& files) {
  std::stable_sort(files.begin(), files.end(), [](const DataFileMeta& a, const DataFileMeta& b) {
    return a.creation_time_ms.value_or(0) < b.creation_time_ms.value_or(0);
  });
}

// Rows of a file as they were written, with their kinds.
Status CopyRows(const Table& table, const BinaryRow& partition, const DataFileMeta& file, TableWriter& writer) {
  BRAID_TRY_ASSIGN(const KeyValueSchema schema, KeyValueSchema::Make(table.schema(), table.options()));
  const auto arrow_schema = ToArrowSchema(schema.value_fields);
  DataFileReader files(table);
  BRAID_TRY_ASSIGN(const auto reader, files.Open(partition, kPostponed, file, KeyValueReadFields(schema), nullptr));
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> read, reader->Next());
    if (!read) return Ok();
    BRAID_TRY_ASSIGN(const Batch batch, ToKeyValueBatch(schema, *read->rows));
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (std::size_t value = 0; value < schema.value_fields.size(); ++value) columns.push_back(batch.rows->column(schema.value_column(value)));
    BRAID_TRY(writer.Write({arrow::RecordBatch::Make(arrow_schema, batch.row_count(), std::move(columns)), batch.kinds}));
  }
}

// Everything that was written and compacted counts as the compaction. A file that was both made and replaced is known to
// nobody: it goes.
Status TurnIntoCompaction(const Table& table, CommitMessage& message) {
  std::set<std::string> kept;
  for (const DataFileMeta& file : message.compact_after) kept.insert(file.file_name);
  std::set<std::string> made;
  for (const DataFileMeta& file : message.new_files) made.insert(file.file_name);
  std::set<std::string> replaced;
  std::vector<DataFileMeta> before;
  for (DataFileMeta& file : message.compact_before) {
    if (!made.contains(file.file_name)) {
      before.push_back(std::move(file));
      continue;
    }
    replaced.insert(file.file_name);
    if (kept.contains(file.file_name)) continue;
    BRAID_TRY(DeleteDataFile(table, message.partition, message.bucket, file));
  }
  message.compact_before = std::move(before);
  for (DataFileMeta& file : message.new_files) {
    if (!replaced.contains(file.file_name)) message.compact_after.push_back(std::move(file));
  }
  message.new_files.clear();
  message.compact_changelog_files.insert(message.compact_changelog_files.end(), message.changelog_files.begin(), message.changelog_files.end());
  message.changelog_files.clear();
  return Ok();
}

Result<std::vector<CommitMessage>> MovePartition(const Table& table, const BinaryRow& partition, PartitionFiles files, const std::string& commit_user) {
  BRAID_TRY_ASSIGN(const std::int64_t new_count, table.options().GetInt("postpone.default-bucket-num", 1));
  const std::int64_t count = files.bucket_count > 0 ? files.bucket_count : new_count;
  BRAID_TRY_ASSIGN(const Table real, table.With(Options(Options::Map{{"bucket", fmt::format("{}", count)}})));
  BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(real, {.commit_user = commit_user, .spill_directory = {}, .ignore_previous_files = false}));
  SortByTime(files.waiting);
  for (const DataFileMeta& file : files.waiting) BRAID_TRY(CopyRows(real, partition, file, *writer));
  BRAID_TRY_ASSIGN(std::vector<CommitMessage> messages, writer->PrepareCommit(true, kBatchCommitIdentifier));
  for (CommitMessage& message : messages) BRAID_TRY(TurnIntoCompaction(table, message));
  CommitMessage& moved = messages.emplace_back();
  moved.partition = partition;
  moved.bucket = kPostponed;
  moved.total_buckets = kPostponed.value();
  moved.compact_before = std::move(files.waiting);
  return messages;
}

}  // namespace

Result<std::vector<CommitMessage>> CompactPostponed(const Table& table, const Snapshot& snapshot, const PredicatePtr& partition_filter,
                                                    const std::string& commit_user) {
  const std::vector<DataField>& fields = table.layout().partition_fields;
  const std::vector<DataType> types = PartitionTypes(table.layout());
  BRAID_TRY_ASSIGN(auto partitions, FilesByPartition(table, snapshot));
  std::vector<CommitMessage> messages;
  for (auto& [partition, files] : partitions) {
    if (files.waiting.empty()) continue;
    if (partition_filter != nullptr) {
      BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(types));
      if (!partition_filter->Test(fields, values)) continue;
    }
    BRAID_TRY_ASSIGN(std::vector<CommitMessage> moved, MovePartition(table, partition, std::move(files), commit_user));
    std::move(moved.begin(), moved.end(), std::back_inserter(messages));
  }
  return messages;
}

}  // namespace braid
