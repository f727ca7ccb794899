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

}  // namespace braid
