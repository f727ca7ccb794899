#include "sql/type_names.h"

#include <fmt/format.h>

#include "syntax/printer.h"

namespace braid {

Result<DataType> ToDataType(const syntax::TypeName& name) {
  if (name.is_user_type) return Error(ErrorCode::kInvalidArgument, fmt::format("Unknown type '{}'", name.name));
  if (name.name == "RAW" || name.name == "INTERVAL" || name.name == "NULL") {
    return Error(ErrorCode::kUnsupported, fmt::format("the type {} cannot be used here", syntax::ToSql(name)));
  }
  // Both sides print and read the same text for every other type.
  return ParseDataType(syntax::ToSql(name));
}

}  // namespace braid
