#include "table/row_range_check.h"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "table/file_scan.h"

namespace braid {

namespace {

// Names of the bucket's files with some of the rows.
std::set<std::string> FilesOf(const RowRangeOfBucket& range, const FilesByBucket& live) {
  std::set<std::string> names;
  const std::int64_t end = range.base.first_row_id + range.base.row_count;
  for (const BucketFiles& bucket : live.buckets) {
    if (bucket.partition != range.partition || bucket.bucket != range.bucket) continue;
    for (const ScannedFile& file : bucket.files) {
      const std::int64_t first = file.meta->first_row_id.value_or(end);
      if (first < end && first + file.meta->row_count > range.base.first_row_id) names.insert(file.meta->file_name);
    }
  }
  return names;
}

}  // namespace

Status CheckRowRanges(const Table& table, const std::optional<Snapshot>& latest,
                      const std::vector<RowRangeOfBucket>& ranges) {
  if (ranges.empty()) return Ok();
  FilesByBucket live;
  if (latest) {
    std::set<BinaryRow> partitions;
    for (const RowRangeOfBucket& range : ranges) partitions.insert(range.partition);
    BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, ScanScope{.partitions = std::move(partitions)}));
    BRAID_TRY_ASSIGN(live, scan->Files(*latest));
  }
  for (const RowRangeOfBucket& range : ranges) {
    if (FilesOf(range, live) == range.base.files) continue;
    return Error(ErrorCode::kConflict, fmt::format("another commit has changed or compacted rows {} to {} of {}", range.base.first_row_id,
                                                   range.base.first_row_id + range.base.row_count - 1, table.name()))
        .Hint("run it again on the new state");
  }
  return Ok();
}

}  // namespace braid
