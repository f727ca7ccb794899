#pragma once

#include <memory>
#include <string_view>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// Puts a VARIANT column together that a writer took apart: a group of `metadata`, `value` and `typed_value`, where
/// values of the shredding schema's types lie in columns of their own, on each level of objects and arrays, and `value`
/// holds what is left (parquet-format's variant shredding; spec/data.md 2.3). The bytes are those of Java Paimon's
/// reader: names in the order in which they come.
///
/// Returns the column in a Batch's layout of `type`, a VARIANT. Errors: kCorruption, naming the column, if a value is
/// missing or the bytes are no variant; kUnsupported if `typed_value` has a type that Paimon does not shred (TIME,
/// UUID, timestamps of more than six digits).
Result<std::shared_ptr<arrow::Array>> RebuildVariants(std::string_view name, const arrow::StructArray& column,
                                                      const DataType& type);

}  // namespace braid
