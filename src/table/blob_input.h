#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/blob_source.h"
#include "table/table.h"
#include "types/batch.h"

namespace braid {

/// Turns the BLOB values of rows that are written into what data files hold of them. A value that is a serialized
/// BlobDescriptor stands for the bytes it names, as in Java's connectors. Columns of `blob-descriptor-field` take nothing
/// else, unless `blob-external-storage-field` has them too: those values go to files below `blob-external-storage-path`.
/// One thread. Destroying it deletes the files that Finish has not completed.
class BlobInput {
 public:
  /// `fields`: of the batches. Errors: kUnsupported for an external path in another storage than the table.
  static Result<std::unique_ptr<BlobInput>> Make(const Table& table, const std::vector<DataField>& fields);
  BlobInput(const BlobInput&) = delete;
  BlobInput& operator=(const BlobInput&) = delete;
  ~BlobInput();

  /// The rows as they are to be stored; columns with files of their own are left as they are. Errors: kInvalidArgument
  /// for a value where a descriptor is asked for; those of BlobSource.
  Result<Batch> Convert(const Batch& batch);
  /// Completes and syncs the files of external columns.
  Status Finish();

 private:
  class ExternalFiles;
  struct Column {
    int index;
    std::string name;
    std::unique_ptr<ExternalFiles> files;  // null: takes descriptors
  };

  explicit BlobInput(const Table& table);

  Result<std::string> Stored(const Column& column, std::string_view value);

  std::string table_;
  BlobSource source_;
  std::vector<Column> columns_;
};

/// The value that bytes stand for which are inserted into a column with files of its own. Errors: those of BlobSource.
Result<std::string> InsertedBlob(BlobSource& source, std::string_view bytes);

}  // namespace braid
