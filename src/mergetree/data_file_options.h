#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "format/file_format.h"

namespace braid {

/// How one kind of data file is written (spec data.md §2.1).
struct DataFileOptions {
  const FileFormat* format = nullptr;
  std::string compression;  ///< `file.compression` or what overrides it
  std::string stats_mode;   ///< `metadata.stats-mode` or what overrides it; ParseStatsMode reads it
  std::string prefix;     ///< of the file's name
  std::string extension;  ///< without the leading dot
  /// The table's options with this kind's format and compression, for FileFormat::OpenWriter.
  Options format_options;

  /// Files of a level; append tables only have level 0. Errors: kInvalidArgument, kUnsupported.
  static Result<DataFileOptions> ForLevel(const Options& options, int level);
  static Result<DataFileOptions> ForChangelog(const Options& options);
};

/// Names the files of one writer: "<prefix><uuid>-<n>.<extension>" (spec metadata.md §1.3). Thread-safe.
class DataFileNamer {
 public:
  DataFileNamer();
  std::string Next(const DataFileOptions& options);

 private:
  std::string uuid_;
  std::atomic<std::int64_t> next_ = 0;
};

/// The wall clock's local time encoded as if it were UTC, which creation times of files are (spec metadata.md §4.3).
std::int64_t LocalTimeMs(const Clock& clock);
/// The moment that such a local time was, in milliseconds since 1970-01-01 UTC.
std::int64_t UtcOfLocalTimeMs(std::int64_t local_ms);

}  // namespace braid
