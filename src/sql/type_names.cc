#include "sql/type_names.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
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

Error UnknownType(const std::string& name) {
  static const std::vector<std::string> known = {
      "CHAR",      "VARCHAR",       "STRING", "BOOLEAN", "BINARY",   "VARBINARY", "BYTES",  "DECIMAL", "NUMERIC",
      "TINYINT",   "SMALLINT",      "INT",    "INTEGER", "BIGINT",   "FLOAT",     "DOUBLE", "DATE",    "TIME",
      "TIMESTAMP", "TIMESTAMP_LTZ", "ARRAY",  "MAP",     "MULTISET", "ROW",       "VARIANT"};
  Error error(ErrorCode::kInvalidArgument, fmt::format("Unknown type '{}'", name));
  const auto nearest = NearestName(name, known);
  return nearest ? std::move(error).Hint(fmt::format("did you mean {}?", *nearest)) : error;
}

}  // namespace

Result<DataType> ToDataType(const syntax::TypeName& name) {
  if (name.is_user_type) return UnknownType(name.name);
  if (name.name == "RAW" || name.name == "INTERVAL" || name.name == "NULL") {
    return Error(ErrorCode::kUnsupported, fmt::format("the type {} cannot be used here", syntax::ToSql(name)));
  }
  // Both sides print and read the same text for every other type.
  return ParseDataType(syntax::ToSql(WithoutTimePrecision(name)));
}

}  // namespace braid
