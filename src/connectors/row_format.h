#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "types/batch.h"
#include "types/data_type.h"

namespace braid {

/// Turns records, one after the other, into rows. One thread at a time.
class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  /// Adds a record; one that is left out ('ignore-parse-errors', comments, blank lines) adds nothing.
  /// Errors: kInvalidArgument saying what is wrong with it, without its place.
  virtual Status Add(std::string_view record) = 0;
  /// Rows added since the last Finish.
  virtual std::int64_t row_count() const = 0;
  virtual Result<Batch> Finish() = 0;
};

/// How rows are written as text: records, each ended by a line feed. Immutable; any thread.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  virtual std::string_view extension() const = 0;  ///< of files: "csv"
  /// The position behind the record that begins at `from`, its line feed included; npos if it does not end here.
  virtual std::size_t RecordEnd(std::string_view text, std::size_t from) const;
  virtual std::unique_ptr<RecordDecoder> MakeDecoder() const = 0;
  /// Appends the records of all rows. Errors: kInvalidArgument for a value that the format does not have.
  virtual Status Encode(const Batch& batch, std::string& out) const = 0;
};

/// What a format is made from.
struct RowFormatSettings {
  std::vector<DataField> fields;
  Options options;  ///< those of the table: "csv.…" are the format's own
};

/// The format named by the table's option 'format': csv, json, raw; its options are checked.
/// Errors: kUnsupported for another one; kInvalidArgument for options or columns that it does not take.
Result<std::shared_ptr<const RowFormat>> MakeRowFormat(const RowFormatSettings& settings);

}  // namespace braid
