#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// DuckDB's type of a column, as SQL text ("DECIMAL(10,2)", "STRUCT(\"a\" INTEGER)"). Nullability is not part of it.
///
/// CHAR and VARCHAR: VARCHAR (lengths are ours to enforce). BINARY, VARBINARY, BLOB: BLOB. TIME: TIME. TIMESTAMP(0–6):
/// TIMESTAMP; TIMESTAMP(7–9): TIMESTAMP_NS, which ends in 1677 and 2262; a value outside is an error that names it.
/// TIMESTAMP_LTZ: TIMESTAMPTZ, whose unit is the microsecond; a value with finer digits is an error that names it.
/// ARRAY, VECTOR: list. MULTISET: MAP to INTEGER. ROW: STRUCT, whose field names DuckDB compares without case.
/// VARIANT: STRUCT(value BLOB, metadata BLOB). Errors: kUnsupported for a ROW with names that differ in case only.
Result<std::string> ToDuckType(const DataType& type);

/// An identifier in double quotes.
std::string QuoteDuckIdentifier(std::string_view name);
/// A text literal in single quotes; works for any UTF-8 text without NUL characters.
std::string QuoteDuckText(std::string_view text);

}  // namespace braid
