#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "format/deletion_vector.h"
#include "format/file_format.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/table.h"
#include "types/batch.h"
#include "types/predicate.h"

namespace braid {

/// The rows of one snapshot of an append table, each with its address: the number of its data file among files(), and
/// its position in the file, from 0. Statements that change rows find them so. In data-evolution tables a range of rows
/// stands for the several files that hold columns of them. Immutable; any thread.
class AddressedRows : public std::enable_shared_from_this<AddressedRows> {
 public:
  struct File {
    BinaryRow partition;
    BucketId bucket;
    std::int32_t total_buckets = 0;
    DataFileMeta meta;
    DeletionVector deleted;  ///< rows that are gone already
    /// Of a data-evolution table: all files with columns of the rows that `meta`, one of them, has. Else empty.
    std::vector<DataFileMeta> of_range = {};
  };

  /// Takes the newest snapshot. Errors: kUnsupported for a key table, whose rows go by their keys, and for a
  /// data-evolution table with deletion vectors. `partitions`, over partition columns, chooses partitions; may be null.
  static Result<std::shared_ptr<const AddressedRows>> Make(const Table& table, const PredicatePtr& partitions = nullptr);

  const Table& table() const { return table_; }
  /// nullopt: the table has none, and no rows.
  const std::optional<Snapshot>& snapshot() const { return snapshot_; }
  const std::vector<File>& files() const { return files_; }

  /// The rows: these columns of the table, then an INT column of file numbers and a BIGINT column of positions, both
  /// NOT NULL. `filter`, over columns of the table, is a help: rows that do not match may come. Null: none.
  Result<std::unique_ptr<BatchReader>> Read(std::vector<DataField> fields, const PredicatePtr& filter) const;
  /// All rows of one file, those that are gone too: these columns of the table, as the file holds them.
  Result<std::unique_ptr<FileReader>> ReadFile(const File& file, const std::vector<DataField>& fields,
                                               const PredicatePtr& filter = nullptr) const;

  /// The same with the values of BLOB columns in the place of their descriptors (WithBlobValues).
  Result<std::unique_ptr<FileReader>> ReadValues(const File& file, const std::vector<DataField>& fields,
                                                 const PredicatePtr& filter = nullptr) const;

 private:
  AddressedRows(Table table, std::optional<Snapshot> snapshot, std::vector<File> files)
      : table_(std::move(table)), snapshot_(std::move(snapshot)), files_(std::move(files)) {}

  Table table_;
  std::optional<Snapshot> snapshot_;
  std::vector<File> files_;
};

}  // namespace braid
