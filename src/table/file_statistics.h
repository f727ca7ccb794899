#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/table_schema.h"
#include "types/predicate.h"

namespace braid {

/// Bounds of these columns of the table in one file, whatever schema the file was written with (spec data.md §11.2): a column
/// that the file lacks is all NULL; where a cast would not keep the order, nothing is known.
Result<std::vector<ColumnBounds>> ValueBounds(const DataFileMeta& file, const TableSchema& file_schema, std::span<const DataField> columns);

/// Bounds of the trimmed primary key's columns, in their order.
Result<std::vector<ColumnBounds>> KeyBounds(const DataFileMeta& file, std::span<const DataField> key_fields);

/// Bounds of columns stored as SimpleStats of these fields.
Result<std::vector<ColumnBounds>> BoundsOf(const SimpleStats& stats, std::span<const DataField> fields);

}  // namespace braid
