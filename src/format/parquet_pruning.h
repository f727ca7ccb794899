#pragma once

#include <span>

#include <parquet/metadata.h>

#include "types/data_type.h"
#include "types/predicate.h"

namespace braid {

/// Whether some row of the row group may pass the filter, by the footer's statistics. `fields` are columns of the file
/// with the types that the file's own schema gives them; the filter is in these types.
bool RowGroupMayMatch(const parquet::FileMetaData& file, int row_group, std::span<const DataField> fields,
                      const Predicate& filter);

/// What the footer tells of a leaf that is the column as it is; nothing where it tells nothing that can be trusted.
ColumnBounds RowGroupBoundsOf(const parquet::RowGroupMetaData& group, int leaf, const DataType& type);

}  // namespace braid
