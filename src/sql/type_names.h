#pragma once

#include "base/result.h"
#include "duck/function_table.h"
#include "syntax/type_name.h"

namespace braid {

/// The type that a column definition or a CAST names. Errors: kInvalidArgument for parameters out of range;
/// kUnsupported for what Flink has and Braid does not (RAW, INTERVAL as a column, user types), naming it.
Result<DataType> ToDataType(const syntax::TypeName& name);

}  // namespace braid
