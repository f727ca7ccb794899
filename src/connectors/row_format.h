#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/options.h"
#include "base/result.h"
#include "types/batch.h"
#include "types/data_type.h"

namespace braid {

/// Turns records, one after the other, into rows. One thread at a time.
class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  /// Adds a record, whose bytes it may change; one that is left out ('ignore-parse-errors', comments, blank lines) adds
  /// nothing. Errors: kInvalidArgument saying what is wrong with it, without its place.
  virtual Status Add(std::span<char> record) = 0;
  /// Decodes a long record by itself: nullopt if it is left out. The record is changed; long texts of the row stay where
  /// they are in it, or are parked, so that they are in memory once. Errors: as those of Add.
  virtual Result<std::optional<Batch>> DecodeLong(const std::shared_ptr<arrow::Buffer>& record) = 0;
  /// Rows added since the last Finish.
  virtual std::int64_t row_count() const = 0;
  virtual Result<Batch> Finish() = 0;
};

/// How far the end of a record was looked for, while more and more of it came.
struct RecordSearch {
  enum class Place { kFieldStart, kField, kQuotes, kQuotesEnd };
  std::size_t next = 0;  ///< where to go on, from the record's beginning
  Place place = Place::kFieldStart;
  std::int64_t line_feeds = 0;         ///< before `next`
  std::int64_t lines_before_quote = 0;  ///< from the record's beginning to the last quote that opened
};

/// How rows are written as text: records, each ended by a line feed. Immutable; any thread.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  virtual std::string_view extension() const = 0;  ///< of files: "csv"
  /// The position behind the record that `text` begins with, its line feed included; npos if it does not end here. Then
  /// it is to be called with more of the text and the same search, which looks at nothing twice.
  virtual std::size_t RecordEnd(std::string_view text, RecordSearch& search) const;
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
