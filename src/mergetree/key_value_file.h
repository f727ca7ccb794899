#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "format/file_format.h"
#include "io/file_system.h"
#include "mergetree/interval_partition.h"
#include "mergetree/key_value.h"
#include "mergetree/merge_function.h"
#include "mergetree/merge_reader.h"
#include "meta/manifest.h"
#include "meta/new_file_places.h"
#include "types/batch.h"

namespace braid {

/// Opens data files of one bucket as key-value batches of one KeyValueSchema: where deletion vectors, schema evolution
/// and partition values come in, which are the table's business. Thread-safe.
class KeyValueReaderFactory {
 public:
  virtual ~KeyValueReaderFactory() = default;
  /// `merged`: other runs overlap this file, so that only filters on the key may be pushed down (spec data.md §4.3).
  virtual Result<std::unique_ptr<BatchReader>> Open(const DataFileMeta& file, bool merged) = 0;
  /// Every row of a file, those that deletion vectors name too, with its position, as key-value batches of `schema`:
  /// this factory's own or one with fewer value fields.
  virtual Result<std::unique_ptr<FileReader>> OpenAllRows(const DataFileMeta& file, const KeyValueSchema& schema) = 0;
  /// The least value that a file's statistics tell of a column; NULL if they tell none.
  virtual Result<Datum> LeastValue(const DataFileMeta& /*file*/, const DataField& /*field*/) { return Datum(); }
};

/// Reads files as they are: of the schema's own columns, without deletion vectors and filters.
class PlainKeyValueReaderFactory : public KeyValueReaderFactory {
 public:
  PlainKeyValueReaderFactory(std::shared_ptr<const FileSystem> file_system, std::string bucket_directory,
                             KeyValueSchema schema);
  Result<std::unique_ptr<BatchReader>> Open(const DataFileMeta& file, bool merged) override;
  Result<std::unique_ptr<FileReader>> OpenAllRows(const DataFileMeta& file, const KeyValueSchema& schema) override;

 private:
  std::shared_ptr<const FileSystem> file_system_;
  std::string bucket_directory_;
  KeyValueSchema schema_;
};

/// A run of files, read one after the other through `readers`, which outlives the result. `merged` as in Open.
std::unique_ptr<RunReader> MakeFileRun(const SortedRun& run, KeyValueReaderFactory& readers, bool merged);

/// Reads sections one after the other, merging the runs of each (§4.2). `readers` must outlive the result.
Result<std::unique_ptr<BatchReader>> ReadSections(const KeyValueSchema& schema, std::vector<Section> sections,
                                                  KeyValueReaderFactory& readers,
                                                  std::shared_ptr<const MergeFunction> function,
                                                  const MergeOptions& options);

/// Writes key-value batches, ascending by key, to as many files as `target-file-size` asks for. One thread at a time.
/// Destroying it without Finish deletes what it wrote.
class KeyValueRollingWriter {
 public:
  virtual ~KeyValueRollingWriter() = default;
  virtual Status Write(const Batch& batch) = 0;
  /// As those of FileWriter, of the open file.
  virtual std::int64_t buffered_bytes() const { return 0; }
  virtual Status Flush() { return Ok(); }
  /// Closes the last file; all files, in key order, unsynced.
  virtual Result<std::vector<DataFileMeta>> Finish() = 0;
};

/// Makes the data files of one bucket. Thread-safe.
class KeyValueWriterFactory {
 public:
  virtual ~KeyValueWriterFactory() = default;
  virtual Result<std::unique_ptr<KeyValueRollingWriter>> OpenData(int level, FileSource source) = 0;
  /// Changelog files by the `changelog-file.…` options: of level 0, or of the level that a compaction writes to.
  virtual Result<std::unique_ptr<KeyValueRollingWriter>> OpenChangelog(int level) = 0;
  /// Deletes a file that no snapshot has named yet.
  virtual Status Delete(const DataFileMeta& file) = 0;
};

struct KeyValueWriterConfig {
  std::shared_ptr<FileSystem> file_system;
  std::string bucket_directory;  ///< absolute
  KeyValueSchema schema;         ///< of all the table's columns
  SchemaId schema_id;
  Options options;  ///< the table's: formats, compression, statistics, rolling (spec data.md §2)
  const Clock* clock = &SystemClock();
  std::shared_ptr<NewFilePlaces> places = nullptr;  ///< of new files; null: the bucket's folder
};

/// Writes through src/format. Errors: kInvalidArgument, kUnsupported for options that cannot be followed.
Result<std::shared_ptr<KeyValueWriterFactory>> MakeKeyValueWriterFactory(KeyValueWriterConfig config);

}  // namespace braid
