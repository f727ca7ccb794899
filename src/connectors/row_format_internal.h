#pragma once

// A new format is a file with a function of the type MakeFormat and a line in row_format.cc.

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "connectors/row_format.h"
#include "types/datum.h"

namespace braid {

using MakeFormat = Result<std::shared_ptr<const RowFormat>> (*)(const RowFormatSettings& settings);
Result<std::shared_ptr<const RowFormat>> MakeCsvFormat(const RowFormatSettings& settings);
Result<std::shared_ptr<const RowFormat>> MakeJsonFormat(const RowFormatSettings& settings);
Result<std::shared_ptr<const RowFormat>> MakeRawFormat(const RowFormatSettings& settings);

/// Errors: kInvalidArgument for an option that begins with "<format>." and is not among `known` (without the prefix).
Status CheckFormatOptions(std::string_view format, const Options& options,
                          std::initializer_list<std::string_view> known);

/// Rows of values on their way into a batch.
class RowBuffer {
 public:
  explicit RowBuffer(std::vector<DataField> fields) : fields_(std::move(fields)) {}
  void Add(DatumList row) { rows_.push_back(std::move(row)); }
  std::int64_t row_count() const { return static_cast<std::int64_t>(rows_.size()); }
  Result<Batch> Finish();
  const std::vector<DataField>& fields() const { return fields_; }

 private:
  std::vector<DataField> fields_;
  std::vector<DatumList> rows_;
};

/// A row of a long record, in which its long texts lie until they are parked.
class LongRow {
 public:
  LongRow(const std::vector<DataField>& fields, std::shared_ptr<arrow::Buffer> record)
      : fields_(fields), record_(std::move(record)), columns_(fields.size()) {}
  std::span<char> record() const;
  /// Precondition: the bytes are a part of the record, and the field is of STRING or BYTES.
  void SetBytes(std::size_t field, std::string_view bytes);
  Status Set(std::size_t field, const Datum& value);
  /// Fields that were not set are NULL. Long values are parked (ParkLongValues), and the record is let go. To be called
  /// once.
  Result<Batch> Finish();

 private:
  const std::vector<DataField>& fields_;
  std::shared_ptr<arrow::Buffer> record_;
  std::vector<std::shared_ptr<arrow::Array>> columns_;
};

/// A record without what ends its line.
std::string_view WithoutLineEnd(std::span<char> record);

/// The bytes of a text of Base64 take its place and are returned; nullopt if it is none.
std::optional<std::string_view> DecodeBase64InPlace(std::span<char> text);
/// nullopt for text that is no Base64.
std::optional<std::string> DecodeBase64(std::string_view text);
void AppendBase64(std::string_view bytes, std::string& text);

/// A text or the bytes of a column of them, where they lie. Precondition: the row is not NULL.
std::string_view BytesAt(const arrow::Array& column, std::int64_t row);
/// A text for an error message: its beginning, if it is long.
std::string_view Excerpt(std::string_view text);

}  // namespace braid
