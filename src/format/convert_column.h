#pragma once

#include <memory>
#include <string_view>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// Turns a column as a file's library delivers it into the Arrow type that the Paimon type has in a Batch.
///
/// Takes what other writers store for the same values: other integer widths and time units, large and
/// dictionary-encoded text, shredded VARIANTs, any list layout, nested children in another order (they are found by name). Costs nothing
/// where the types agree. Timestamps may come in any unit, or as struct<millis, nanos> whatever their precision.
///
/// Errors: kCorruption, naming the column, if the file's type holds other values, a value does not fit, or a nested
/// child is missing; kUnsupported for a shredded VARIANT with values of a type that Paimon does not shred.
Result<std::shared_ptr<arrow::Array>> ConvertColumn(std::string_view name, const std::shared_ptr<arrow::Array>& column,
                                                    const DataType& type);

}  // namespace braid
