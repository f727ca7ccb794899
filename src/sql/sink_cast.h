#pragma once

#include <string>

#include "base/result.h"
#include "duck/function_table.h"
#include "types/data_type.h"

namespace braid {

/// What an INSERT may store without a CAST (Flink's implicit casts of sinks): the same family and no narrower integer;
/// DECIMAL takes every number and rounds; a text takes CHAR, and CHAR only a CHAR; nested types if their parts may.
bool CanStore(const SqlType& from, const DataType& to);

/// A query's column as a column of the sink. Precondition: CanStore. Texts keep their length unless `enforce_length`,
/// which cuts them, and pads CHAR and BINARY (`table.exec.sink.type-length-enforcer`).
Result<std::string> StoreAs(const CallArgument& value, const DataType& to, bool enforce_length,
                            const CallContext& context);

}  // namespace braid
