#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace braid {

/// What a row means for a table's content; the number is what files store (spec data.md §1.1).
enum class RowKind : std::int8_t { kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2, kDelete = 3 };

/// "+I", "-U", "+U", "-D".
std::string_view RowKindName(RowKind kind);
std::optional<RowKind> ParseRowKind(std::string_view name);

/// +I and +U add a row; -U and -D retract one.
constexpr bool IsAdd(RowKind kind) { return kind == RowKind::kInsert || kind == RowKind::kUpdateAfter; }

}  // namespace braid
