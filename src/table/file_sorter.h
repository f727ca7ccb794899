#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/temporary_directory.h"
#include "meta/manifest.h"
#include "table/deletion_vectors.h"
#include "table/row_sorter.h"
#include "table/sort_strategy.h"
#include "table/table.h"

namespace braid {

/// Writes the rows of an append table's data files anew, sorted, as few new files. Rows keep their ids. It sorts one bucket
/// at a time, in `write-buffer-size` of memory and in local files of `write-buffer-spill.max-disk-size` at most. One thread.
class FileSorter {
 public:
  /// `source` is what the new files say of themselves. `spill_directory` is local; empty: a temporary folder of the
  /// process. Errors: kInvalidArgument for columns that are not there; kUnsupported for columns without an order.
  static Result<FileSorter> Make(const Table& table, std::span<const std::string> columns, SortStrategy strategy,
                                 FileSource source, const std::string& spill_directory = {});

  /// The new files of one bucket; the rows that `deletions` name are not among theirs. `counted` (may be null) is told the
  /// number of rows of each batch that was read. Errors: kUnavailable where the local files do not suffice.
  Result<std::vector<DataFileMeta>> Sort(const BinaryRow& partition, BucketId bucket,
                                         const std::vector<DataFileMeta>& files, const DeletionVectorIndex& deletions,
                                         const std::function<void(std::int64_t)>& counted = nullptr);

 private:
  FileSorter(Table table, FileSource source, TemporaryDirectory local)
      : table_(std::move(table)), source_(source), local_(std::move(local)) {}

  Status Collect(const BinaryRow& partition, BucketId bucket, const std::vector<DataFileMeta>& files,
                 const DeletionVectorIndex& deletions, const std::function<void(std::int64_t)>& counted);
  Result<std::vector<DataFileMeta>> Write(const BinaryRow& partition, BucketId bucket,
                                          std::int64_t first_sequence_number);

  Table table_;
  FileSource source_;
  TemporaryDirectory local_;  // outlives the rows
  std::vector<DataField> fields_;
  std::unique_ptr<RowSorter> rows_;
};

}  // namespace braid
