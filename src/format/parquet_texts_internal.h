#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "format/parquet_values.h"

namespace braid {

/// Values of BYTE_ARRAY as `type`, utf8 or binary.
std::unique_ptr<ParquetValues> MakeParquetTexts(std::shared_ptr<arrow::DataType> type);

}  // namespace braid
