#pragma once

#include <memory>
#include <span>

#include <parquet/schema.h>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// The Parquet schema that Java writes for these columns (spec data.md §2.3): names, physical and logical types, field
/// ids. Errors: kUnsupported for a type that Parquet files of Paimon cannot hold.
Result<std::shared_ptr<parquet::schema::GroupNode>> MakeParquetSchema(std::span<const DataField> fields);

/// Describes maps whose keys are marked optional, as Paimon 0.8 wrote them and Arrow refuses them, as lists of pairs:
/// levels and bytes are the same. Null if the schema has no such map. Otherwise the result takes over the nodes that
/// stay as they are; the given schema may only be destroyed afterwards.
parquet::schema::NodePtr DescribeOptionalKeyMapsAsLists(const parquet::schema::GroupNode& schema);

}  // namespace braid
