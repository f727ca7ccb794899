#include "meta/table_type.h"

#include <string>

#include <fmt/format.h>

namespace braid {

Status CheckTableType(const Options& options) {
  const std::string type = options.Get("type", "table");
  if (type == "table" || type == "materialized-table") return Ok();
  return Error(ErrorCode::kUnsupported, fmt::format("'type'='{}' is not supported", type))
      .Hint("tables of other types belong to REST and Hive catalogs; here a table's type is table or materialized-table");
}

}  // namespace braid
