#include "table/live_files.h"

#include "table/file_scan.h"

namespace braid {

Result<LiveFilesOfBuckets> ReadLiveFiles(const Table& table, const Snapshot& snapshot, const PredicatePtr& partition_filter) {
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, partition_filter));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, scan->LiveFiles(snapshot));
  LiveFilesOfBuckets files;
  for (ManifestEntry& entry : entries) files[{entry.partition, entry.bucket}].push_back(std::move(entry.file));
  return files;
}

}  // namespace braid
