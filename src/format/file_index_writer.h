#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/options.h"
#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// An index that a table's data files shall have.
struct WantedFileIndex {
  std::string column;
  std::optional<std::string> map_key;  ///< of a MAP column: the key whose values are indexed
  std::string kind;
  Options options;  ///< the index's own: `items`, `version` …
};

/// What a table asks for with `file-index.<kind>.columns` and `file-index.<kind>.<column>.<option>` (spec data.md §12.1).
struct FileIndexOptions {
  std::vector<WantedFileIndex> indexes;      ///< in the order of the columns
  std::int64_t max_embedded_bytes = 500;     ///< larger ones get a file of their own
  /// Errors: kInvalidArgument, naming the option: unknown kinds and columns, types that a kind does not take.
  static Result<FileIndexOptions> Parse(const Options& options, std::span<const DataField> fields);
};

/// Builds the indexes of one data file. One thread at a time.
class FileIndexWriter {
 public:
  /// nullptr if the options ask for none. Errors: kInvalidArgument.
  static Result<std::unique_ptr<FileIndexWriter>> Make(const FileIndexOptions& options, std::span<const DataField> fields);
  virtual ~FileIndexWriter() = default;
  /// The next rows: columns in the order of the fields.
  virtual void Add(std::span<const std::shared_ptr<arrow::Array>> columns) = 0;
  /// The container's bytes (format/file_index.h); nullopt if no index can hold its values. An index that cannot is left
  /// out. Errors: kInvalidArgument for 2 GB and more.
  virtual Result<std::optional<std::string>> Finish() = 0;
};

}  // namespace braid
