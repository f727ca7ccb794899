#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "format/row_selection.h"
#include "io/file_system.h"
#include "types/batch.h"
#include "types/data_type.h"
#include "types/predicate.h"

namespace braid {

/// What to read of a data file.
struct FileReadRequest {
  /// The columns wanted, with the types that the file holds them in (its own schema's), in output order. They are found
  /// in the file by name (Java matches names, not ids). A column that the file lacks is read as all NULL.
  std::vector<DataField> columns;
  /// Lets the reader leave out row groups that cannot match; rows that do not match may still come. May be null.
  PredicatePtr filter;
  /// Lets the reader leave out row groups that hold none of these rows; others may still come. nullopt: all are wanted.
  std::optional<RowSelection> rows{};
  /// Lets the reader leave out single rows for which `filter` is not true or that are not among `rows`: then only
  /// FileReader::positions_of_last_batch tells where rows lie.
  bool drops_rows = false;
  std::int64_t batch_rows = 8192;
};

/// Consecutive rows of a file that its reader can leave out together, with the bounds of one of their columns.
struct RowGroup {
  std::int64_t row_count = 0;
  std::int64_t size_bytes = 0;  ///< in the file
  ColumnBounds bounds{};
};

/// A stream of a file's rows, in file order.
class FileReader : public BatchReader {
 public:
  /// Position in the file of the first row of the batch that Next last returned (row groups may have been left out).
  virtual std::int64_t first_row_of_last_batch() const = 0;
  /// Positions in the file of all rows of that batch, ascending; empty if they follow each other from that first one on, as
  /// they do unless rows may be dropped. Until Next is called again.
  virtual std::span<const std::int64_t> positions_of_last_batch() const { return {}; }
};

/// Bounds and null counts of one column of a written file, before any truncation.
struct ColumnStatistics {
  Datum min;  ///< NULL: no value, or a type without order
  Datum max;
  std::optional<std::int64_t> null_count;  ///< absent where Java has none: nested columns of Parquet files
};

struct WrittenFile {
  std::int64_t size_bytes = 0;
  std::int64_t row_count = 0;
  std::vector<ColumnStatistics> columns;  ///< in the order of the fields written
};

/// Writes one data file. One thread at a time.
class FileWriter {
 public:
  virtual ~FileWriter() = default;
  /// Appends rows; the batch's columns are the fields given to OpenWriter. Kinds are ignored.
  virtual Status Write(const Batch& batch) = 0;
  /// Size of the file if it were finished now, roughly; grows as rows come, so that callers can roll files.
  virtual std::int64_t estimated_bytes() const = 0;
  /// What of the rows is in memory, about; 0 where the format does not tell.
  virtual std::int64_t buffered_bytes() const { return 0; }
  /// Puts what is in memory into the file, where the format can do so in between.
  virtual Status Flush() { return Ok(); }
  /// Ends and closes the file, unsynced: the commit syncs it.
  virtual Result<WrittenFile> Finish() = 0;
};

/// One format of data files: a stateless, thread-safe object.
class FileFormat {
 public:
  virtual ~FileFormat() = default;
  /// The file name's extension and the value of `file.format`: "parquet", "orc", "avro".
  virtual std::string_view identifier() const = 0;

  /// Errors: kNotFound, kCorruption (naming the file and what is wrong), kUnsupported (naming the feature).
  virtual Result<std::unique_ptr<FileReader>> OpenReader(const FileSystem& file_system, std::string_view path,
                                                         const FileReadRequest& request) const = 0;
  /// The file's row groups, in its order, with the bounds of a top-level column in the type that the file holds it in.
  /// Empty where the format has none or does not tell. Errors: as those of OpenReader.
  virtual Result<std::vector<RowGroup>> RowGroups(const FileSystem& /*file_system*/, std::string_view /*path*/,
                                                  const DataField& /*column*/) const {
    return std::vector<RowGroup>();
  }
  /// Options read: `file.compression`, `file.compression.zstd-level`, `file.block-size` and the format's own
  /// ("parquet.…"), with Java's defaults (spec data.md §2).
  virtual Result<std::unique_ptr<FileWriter>> OpenWriter(FileSystem& file_system, std::string_view path,
                                                         std::span<const DataField> fields,
                                                         const Options& options) const = 0;
};

/// The format of that name, in any case. Errors: kUnsupported, naming the formats that can be read.
Result<const FileFormat*> FindFileFormat(std::string_view identifier);
/// The format that a data file's name tells (spec metadata.md §1.3: `x.parquet`, `x.zstd.parquet`, `x.json.gz`).
Result<const FileFormat*> FormatOfFileName(std::string_view file_name);

}  // namespace braid
