#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "duck/function_table.h"
#include "types/data_type.h"

namespace braid {

/// What an INSERT may store without a CAST (Flink's implicit casts of sinks): the same family and no narrower integer;
/// DECIMAL takes every number and rounds; a text takes CHAR, and CHAR only a CHAR; nested types if their parts may.
bool CanStore(const SqlType& from, const DataType& to);

/// What becomes of texts and bytes of another length than their column's (`table.exec.sink.type-length-enforcer`).
enum class LengthRule : std::uint8_t {
  kIgnore,
  kTrimPad,  ///< longer ones are cut, CHAR and BINARY padded
  kError,    ///< longer ones, and shorter ones for CHAR and BINARY, fail the statement
};

/// The rule that a value of the option means; kIgnore for unknown ones.
LengthRule LengthRuleOf(std::string_view option);

/// A query's column as a column of the sink. Precondition: CanStore. `value.sql` is used more than once.
Result<std::string> StoreAs(const CallArgument& value, const DataField& column, LengthRule rule,
                            const CallContext& context);

/// What a column gets to which an INSERT gives no value: its default, else NULL. Errors: kInvalidArgument for a default
/// that is no value of the column's type.
Result<std::string> MissingValue(const DataField& field);

}  // namespace braid
