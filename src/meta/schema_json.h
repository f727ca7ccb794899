#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "meta/table_schema.h"

namespace braid {

/// Reads a schema file, of any Paimon version (spec metadata.md §2.1, §14.2). What older versions took for granted is
/// made explicit: bucket 1 before version 2, file format ORC before version 3. Keys that we do not know are ignored.
/// Errors: kCorruption; kUnsupported for a document version above 3 and for types of later Paimon versions.
Result<TableSchema> ParseTableSchema(std::string_view text);
Result<TableSchema> TableSchemaFromJson(const Json& json);

/// The file's content, keys in Java's order.
std::string PrintTableSchema(const TableSchema& schema);
Json TableSchemaToJson(const TableSchema& schema);

}  // namespace braid
