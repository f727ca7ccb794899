#include "table/sort_strategy.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {

Result<SortStrategy> ParseSortStrategy(std::string_view name) {
  const std::string lower = ToLower(Trim(name));
  if (lower == "order") return SortStrategy::kOrder;
  if (lower == "zorder") return SortStrategy::kZOrder;
  if (lower == "hilbert") return SortStrategy::kHilbert;
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no way to sort rows", name))
      .Hint("it is 'order', 'zorder' or 'hilbert'");
}

Status CheckSortColumns(const Table& table, std::span<const std::string> columns) {
  if (columns.empty()) return Error(ErrorCode::kInvalidArgument, "it is not said which columns to sort by");
  for (const std::string& column : columns) {
    if (table.schema().FindColumn(column) != nullptr) continue;
    std::vector<std::string> names;
    for (const DataField& field : table.schema().fields) names.push_back(field.name);
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} has no column '{}' to sort by", table.name(), column))
        .Hint(fmt::format("its columns are {}", fmt::join(names, ", ")));
  }
  return Ok();
}

}  // namespace braid
