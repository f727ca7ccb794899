#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/file_format.h"
#include "format/file_index_writer.h"
#include "mergetree/data_file_options.h"
#include "meta/column_stats.h"
#include "meta/manifest.h"
#include "meta/new_file_places.h"
#include "table/blob_source.h"
#include "table/table.h"
#include "types/batch.h"

namespace braid {

/// What the data files of an append table's bucket are to hold.
struct FileContents {
  std::vector<DataField> fields;  ///< in the order of the batches' columns
  /// Names the fields in the files' metadata, where they are not just the table's columns.
  bool names_fields = false;
  FileSource source = FileSource::kAppend;
  /// Number of the first row; nullopt: the commit numbers the rows, but for those that bring a `_SEQUENCE_NUMBER` (spec
  /// data.md §1.6).
  std::optional<std::int64_t> first_sequence_number = std::nullopt;
  /// Starts new files when one is full.
  bool rolls = true;

  /// The table's columns, for rows that it has not had yet. `first_sequence_number` is not heeded if it tracks rows.
  static Result<FileContents> NewRows(const Table& table, std::int64_t first_sequence_number);
  /// The table's columns and, if it tracks rows, their ids and sequence numbers, for rows that it has had before.
  static Result<FileContents> KnownRows(const Table& table, FileSource source, std::int64_t first_sequence_number);
  /// Some of the table's columns.
  static FileContents Columns(std::vector<DataField> fields);
};

/// Writes rows to as many files as `target-file-size` asks for, or `blob.target-file-size` for a single BLOB column, which
/// goes to `.blob` files, and whose values may be descriptors of them (InsertedBlob). One thread. Destroying it deletes the files that Finish has not returned.
class RollingFileWriter {
 public:
  static Result<std::unique_ptr<RollingFileWriter>> Make(const Table& table, const BinaryRow& partition, BucketId bucket,
                                                         FileContents contents);
  RollingFileWriter(const RollingFileWriter&) = delete;
  RollingFileWriter& operator=(const RollingFileWriter&) = delete;
  ~RollingFileWriter();

  Status Write(const Batch& batch);
  /// Whether the last row went into a file that can take more.
  bool has_open_file() const { return file_ != nullptr; }
  /// As those of FileWriter, of the open file.
  std::int64_t buffered_bytes() const { return file_ == nullptr ? 0 : file_->buffered_bytes(); }
  Status Flush() { return file_ == nullptr ? Ok() : file_->Flush(); }
  /// The files since the last call.
  Result<std::vector<DataFileMeta>> Finish();

 private:
  RollingFileWriter(const Table& table, FileContents contents) : table_(table), contents_(std::move(contents)) {}

  Status WriteRows(const Batch& batch);
  Status OpenFile();
  Status CloseFile();
  void CountSequenceNumbers(const Batch& batch);
  void NumberRows(DataFileMeta& meta);

  Table table_;
  FileContents contents_;
  std::shared_ptr<NewFilePlaces> places_;
  std::int64_t target_bytes_ = 0;
  DataFileOptions files_options_;
  DataFileNamer namer_;
  std::vector<StatsMode> modes_;
  bool dense_ = true;
  FileIndexOptions index_options_;
  std::optional<BlobSource> blobs_;  // of what is inserted, for a single BLOB column
  std::unique_ptr<FileWriter> file_;
  std::unique_ptr<FileIndexWriter> indexes_;  // of the open file; null if it is to have none
  std::string file_name_;
  std::optional<std::string> external_path_;  // of the open file
  std::int64_t next_sequence_number_ = 0;
  std::optional<std::int64_t> least_stored_;  // of the open file's sequence numbers
  std::int64_t greatest_stored_ = 0;
  bool lacks_stored_ = false;       // some row of the open file has none
  std::vector<std::string> paths_;  // written, but not handed out yet
  std::vector<DataFileMeta> files_;
};

}  // namespace braid
