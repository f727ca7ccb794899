#include "sql/type_names.h"

#include <utility>

#include <fmt/format.h>

#include "syntax/printer.h"

namespace braid {

namespace {

// Flink reads the precision of a TIME and forgets it: TIME(3) is TIME(0).
syntax::TypeName WithoutTimePrecision(syntax::TypeName name) {
  if (name.name == "TIME") name.parameters = {0};
  for (syntax::TypeName& argument : name.arguments) argument = WithoutTimePrecision(std::move(argument));
  for (syntax::TypeField& field : name.fields) field.type = WithoutTimePrecision(std::move(field.type));
  return name;
}

}  // namespace

Result<DataType> ToDataType(const syntax::TypeName& name) {
  if (name.is_user_type) return Error(ErrorCode::kInvalidArgument, fmt::format("Unknown type '{}'", name.name));
  if (name.name == "RAW" || name.name == "INTERVAL" || name.name == "NULL") {
    return Error(ErrorCode::kUnsupported, fmt::format("the type {} cannot be used here", syntax::ToSql(name)));
  }
  // Both sides print and read the same text for every other type.
  return ParseDataType(syntax::ToSql(WithoutTimePrecision(name)));
}

}  // namespace braid
