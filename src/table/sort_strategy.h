#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "table/table.h"

namespace braid {

/// How rows are sorted by several columns (spec data.md §8.4): by the first, then the second, …; or by their place on a
/// curve through all of them.
enum class SortStrategy : std::uint8_t { kOrder, kZOrder, kHilbert };

/// "order", "zorder" or "hilbert", in any case. Errors: kInvalidArgument.
Result<SortStrategy> ParseSortStrategy(std::string_view name);

/// Errors: kInvalidArgument if a column is not there, or there is none.
Status CheckSortColumns(const Table& table, std::span<const std::string> columns);

}  // namespace braid
