#pragma once

#include <span>
#include <string>
#include <string_view>

#include "types/batch.h"

namespace braid {

/// Appends a value as canonical JSON: the form in which `braid read`, the Java oracle and the golden tables print rows
/// (docs/rows-as-json.md).
void AppendDatumJson(const Datum& value, const DataType& type, std::string& out);

/// Appends a text as a JSON string, with U+FFFD for what is no UTF-8.
void AppendTextJson(std::string_view text, std::string& out);
/// Appends bytes as a JSON string of their hexadecimal digits.
void AppendBytesJson(std::string_view bytes, std::string& out);

/// Appends one row as {"name":value,…} in column order.
void AppendRowJson(const Batch& batch, std::int64_t row, std::span<const DataField> fields, std::string& out);

}  // namespace braid
