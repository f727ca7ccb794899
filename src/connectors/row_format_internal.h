#pragma once

// A new format is a file with a function of the type MakeFormat and a line in row_format.cc.

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

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

std::string EncodeBase64(std::string_view bytes);
/// nullopt for text that is no Base64.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace braid
