#pragma once

#include <cstdint>

namespace braid {

/// Ids of the unnamed parts of nested columns in Parquet and ORC files (spec data.md §1.2).
///
/// `field_id` is the id of the nearest enclosing column or ROW field, `depth` counts from 1 below it.
/// Java computes in 32 bits and wraps, so ids of fields beyond half a million do too.
constexpr std::int32_t ElementFieldId(std::int32_t field_id, int depth) {
  return static_cast<std::int32_t>(536870911U + 1024U * static_cast<std::uint32_t>(field_id) +
                                   static_cast<std::uint32_t>(depth));
}
/// Likewise of a map's key or a multiset's element.
constexpr std::int32_t KeyFieldId(std::int32_t field_id, int depth) {
  return static_cast<std::int32_t>(536870911U - 1024U * static_cast<std::uint32_t>(field_id) -
                                   static_cast<std::uint32_t>(depth));
}

}  // namespace braid
