#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "format/avro_cursor.h"
#include "format/avro_schema.h"
#include "types/data_type.h"

namespace braid {

/// Gathers Avro values of one writer's type into a column of a batch. One thread at a time.
class AvroDecoder {
 public:
  virtual ~AvroDecoder() = default;
  /// Reads one value, with the branch of its union if it has one. Damage shows as a failure of the cursor.
  virtual void Read(AvroCursor& cursor) = 0;
  virtual void AppendNull() = 0;
  /// The values since the last call, in the type's Arrow layout. Errors: kUnavailable if memory ran out.
  virtual Result<std::shared_ptr<arrow::Array>> Finish() = 0;

  /// Errors: kCorruption, naming the column, if the writer's type does not hold such values.
  static Result<std::unique_ptr<AvroDecoder>> Make(std::string_view column, const AvroSchema& schema, std::int32_t node,
                                                   const DataType& type);
};

}  // namespace braid
