#include "table/rerouted_rows.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include <arrow/api.h>

#include "table/key_scan.h"
#include "table/scan.h"
#include "table/write.h"

namespace braid {

namespace {

// The messages' new files, those of a bucket in the order in which they were written.
std::vector<DataSplit> SplitsOf(const std::vector<CommitMessage>& messages) {
  std::vector<DataSplit> splits;
  for (const CommitMessage& message : messages) {
    if (message.new_files.empty()) continue;
    std::vector<DataFileMeta> files = message.new_files;
    std::stable_sort(files.begin(), files.end(), [](const DataFileMeta& a, const DataFileMeta& b) {
      return a.max_sequence_number < b.max_sequence_number;
    });
    DataSplit& split = splits.emplace_back();
    split.partition = message.partition;
    split.bucket = message.bucket;
    split.total_buckets = message.total_buckets.value_or(-1);
    split.files = DataFileList(std::move(files));
  }
  return splits;
}

template <typename Use>
Status ForEachBatch(const Table& table, const std::vector<DataSplit>& splits, const ReadRequest& request, Use use) {
  for (const DataSplit& split : splits) {
    BRAID_TRY_ASSIGN(const auto reader, ReadSplit(table, split, request));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      BRAID_TRY(use(*batch));
    }
  }
  return Ok();
}

// The rows that take something back, or all others.
Result<Batch> Only(const Batch& batch, bool retractions) {
  std::vector<std::int32_t> positions;
  for (std::int64_t row = 0; row < batch.row_count(); ++row) {
    if (IsAdd(batch.kind(row)) != retractions) positions.push_back(static_cast<std::int32_t>(row));
  }
  return TakeRows(batch, positions);
}

// A row that moved from partition to partition was also deleted in the ones that it left. So the newest row of each key
// and bucket counts, and of those of a key the one that is no deletion: it comes last here, whatever the order of
// buckets.
Status WriteMoves(const Table& table, const std::vector<DataSplit>& splits, TableWriter& writer) {
  ReadRequest newest;
  newest.keep_retractions = true;
  for (const bool retractions : {true, false}) {
    BRAID_TRY(ForEachBatch(table, splits, newest, [&](const Batch& batch) -> Status {
      BRAID_TRY_ASSIGN(const Batch rows, Only(batch, retractions));
      return rows.row_count() == 0 ? Ok() : writer.Write(rows);
    }));
  }
  return Ok();
}

// Hashes of the keys of all rows.
template <typename Use>
Status ForEachHash(const Table& table, const std::vector<DataSplit>& splits, Use use) {
  return ForEachKey(table, splits, [&](const DataSplit&, std::string_view key) -> Status {
    use(std::hash<std::string_view>()(key));
    return Ok();
  });
}

std::vector<DataSplit> AsChanges(std::vector<DataSplit> splits) {
  for (DataSplit& split : splits) split.is_changes = true;
  return splits;
}

}  // namespace

Result<std::vector<CommitMessage>> WriteAgain(const Table& table, const std::vector<CommitMessage>& messages,
                                              const std::optional<Snapshot>& latest, const std::string& commit_user,
                                              std::int64_t identifier) {
  TableWriterOptions options{.commit_user = commit_user, .spill_directory = {}};
  options.ignore_previous_files = !latest;
  options.snapshot = latest;
  options.rows_were_written = true;
  BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, std::move(options)));
  const std::vector<DataSplit> splits = SplitsOf(messages);
  const bool moves =
      KeysCrossPartitions(table.schema()) && table.options().Get("merge-engine", "deduplicate") == "deduplicate";
  if (moves) {
    BRAID_TRY(WriteMoves(table, splits, *writer));
  } else {
    BRAID_TRY(ForEachBatch(table, AsChanges(splits), {}, [&](const Batch& batch) { return writer->Write(batch); }));
  }
  return writer->PrepareCommit(true, identifier);
}

Result<bool> ShareKeys(const Table& table, const std::vector<CommitMessage>& messages,
                       const std::vector<ManifestEntry>& others) {
  std::unordered_set<std::size_t> keys;
  BRAID_TRY(ForEachHash(table, AsChanges(SplitsOf(messages)), [&](std::size_t key) { keys.insert(key); }));
  std::vector<DataSplit> theirs;
  for (const ManifestEntry& entry : others) {
    DataSplit& split = theirs.emplace_back();
    split.partition = entry.partition;
    split.bucket = entry.bucket;
    split.total_buckets = entry.total_buckets;
    split.files = DataFileList(std::vector<DataFileMeta>{entry.file});
    split.is_changes = true;
  }
  bool shared = false;
  BRAID_TRY(ForEachHash(table, theirs, [&](std::size_t key) { shared = shared || keys.contains(key); }));
  return shared;
}

bool KeysCrossPartitions(const TableSchema& schema) {
  return std::any_of(schema.partition_keys.begin(), schema.partition_keys.end(), [&](const std::string& column) {
    return std::find(schema.primary_keys.begin(), schema.primary_keys.end(), column) == schema.primary_keys.end();
  });
}

}  // namespace braid
