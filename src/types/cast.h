#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

/// Whether ALTER TABLE may change a column from one type to the other (spec metadata.md §2.7).
bool CanCast(const DataType& from, const DataType& to, bool allow_explicit);

/// Converts a column as Paimon's cast executors do when it reads old files under a newer schema (spec data.md §11.1).
/// Nested columns are matched by field id. Errors: kUnsupported if no executor exists; kInvalidArgument if a value cannot be
/// converted and Java fails there too.
Result<std::shared_ptr<arrow::Array>> CastColumn(const std::shared_ptr<arrow::Array>& column, const DataType& from, const DataType& to);
Result<Datum> CastDatum(const Datum& value, const DataType& from, const DataType& to);

/// Reads a value from SQL-like text ("2024-02-29", "1.50", "true"), e.g. a column default or a partition value.
/// Errors: kInvalidArgument quoting the text and the type.
Result<Datum> ParseDatum(std::string_view text, const DataType& type);
/// The value as CAST(value AS STRING) prints it: DATE 2024-05-14, TIMESTAMP 2024-05-14 10:15:30.123.
std::string FormatDatum(const Datum& value, const DataType& type);

}  // namespace braid
