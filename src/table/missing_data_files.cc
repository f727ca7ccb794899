#include "table/missing_data_files.h"

#include <map>
#include <utility>

#include "io/request_pool.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/data_file_reader.h"
#include "table/deletion_vectors.h"
#include "table/file_scan.h"

namespace braid {

Result<MissingDataFiles> RemoveMissingDataFiles(const Table& table, bool dry_run, const std::string& commit_user,
                                                const Clock& clock) {
  MissingDataFiles missing;
  const FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(fs, table.paths()));
  if (!snapshot) return missing;
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, ScanScope{.postponed_buckets = true}));
  BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> live, scan->LiveFiles(*snapshot));
  std::vector<std::string> paths(live.size());
  std::vector<std::uint8_t> is_missing(live.size());  // not bool: written by several threads
  BRAID_TRY(ParallelFor(PoolFor(fs), static_cast<std::int64_t>(live.size()), [&](std::int64_t index) -> Status {
    const auto i = static_cast<std::size_t>(index);
    BRAID_TRY_ASSIGN(paths[i], DataFilePath(table, live[i].partition, live[i].bucket, live[i].file));
    BRAID_TRY_ASSIGN(const bool exists, fs.Exists(paths[i]));
    is_missing[i] = exists ? 0 : 1;
    return Ok();
  }));
  std::map<std::pair<BinaryRow, BucketId>, CommitMessage> messages;
  for (std::size_t i = 0; i < live.size(); ++i) {
    if (is_missing[i] == 0) continue;
    missing.paths.push_back(std::move(paths[i]));
    missing.rows += live[i].file.row_count;
    CommitMessage& message = messages[{live[i].partition, live[i].bucket}];
    message.partition = live[i].partition;
    message.bucket = live[i].bucket;
    message.total_buckets = live[i].total_buckets;
    message.deleted_files.push_back(live[i].file);
  }
  if (dry_run || messages.empty()) return missing;
  BRAID_TRY_ASSIGN(const DeletionVectorIndex deletions, DeletionVectorIndex::Read(table, *snapshot));
  MetadataFileNames names;
  Committable committable;
  for (auto& [bucket, message] : messages) {
    BRAID_TRY_ASSIGN(DroppedVectors dropped,
                     DropDeletionVectors(table, *snapshot, deletions, message, message.deleted_files, names));
    message.deletion_base = std::move(dropped.base);
    message.new_index_files = std::move(dropped.indexes.added);
    message.deleted_index_files = std::move(dropped.indexes.removed);
    committable.messages.push_back(std::move(message));
  }
  BRAID_TRY_ASSIGN(const std::vector<Snapshot> made, TableCommit(table, commit_user, clock).Commit(committable));
  missing.snapshot = made.back().id;
  return missing;
}

}  // namespace braid
