#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/file_format.h"
#include "meta/manifest.h"
#include "table/scan.h"
#include "table/table.h"
#include "types/batch.h"
#include "types/predicate.h"

namespace braid {

/// Where a data file lies: its external path, or its name in the bucket's folder (spec metadata.md §1.5).
Result<std::string> DataFilePath(const Table& table, const BinaryRow& partition, BucketId bucket, const DataFileMeta& file);
/// The same for a file that lies beside a data file (`_EXTRA_FILES`).
Result<std::string> ExtraFilePath(const Table& table, const BinaryRow& partition, BucketId bucket, const DataFileMeta& file,
                                  const std::string& name);
/// Deletes a data file that no snapshot names, and what stands beside it.
Status DeleteDataFile(const Table& table, const BinaryRow& partition, BucketId bucket, const DataFileMeta& file);

/// Reads data files of any schema as columns of the table's present one (spec data.md §11): columns are matched by field id,
/// absent ones are NULL, other types are cast, partition columns come from the manifest entry. Thread-safe.
class DataFileReader {
 public:
  explicit DataFileReader(const Table& table) : table_(table) {}

  /// The file's rows with these columns, in this order: columns of the table; of key tables `_SEQUENCE_NUMBER` and
  /// `_VALUE_KIND`; of tables that track rows RowIdField and RowSequenceField. `filter` is over columns of the table; rows
  /// that do not match may be left out, but need not be. Rows that the deletion vector names are left out, and with
  /// `drops_rows` single rows that the filter drops, also by the file's indexes (unless `file-index.read.enabled` is
  /// false). Kinds of the batches are null. Positions of rows are only told where neither is asked for.
  Result<std::unique_ptr<FileReader>> Open(const BinaryRow& partition, BucketId bucket, const DataFileMeta& file,
                                           const std::vector<DataField>& fields, const PredicatePtr& filter,
                                           const DeletionVectorRef& deletion_vector = {}, bool drops_rows = false);
  /// The file's row groups with their bounds of a column of the table; empty where the format does not tell them, or where
  /// the file holds the column in another type or not at all.
  Result<std::vector<RowGroup>> RowGroups(const BinaryRow& partition, BucketId bucket, const DataFileMeta& file,
                                          const DataField& field);

 private:
  Table table_;
};

}  // namespace braid
