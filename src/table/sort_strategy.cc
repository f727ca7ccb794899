#include "table/sort_strategy.h"

#include <string>

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

}  // namespace braid
