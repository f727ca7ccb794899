#include "types/row_kind.h"

#include <array>

namespace braid {

namespace {
constexpr std::array<std::string_view, 4> kNames = {"+I", "-U", "+U", "-D"};
}  // namespace

std::string_view RowKindName(RowKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<RowKind> ParseRowKind(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<RowKind>(i);
  }
  return std::nullopt;
}

}  // namespace braid
