#include "types/datum.h"

#include <cmath>
#include <type_traits>

#include "base/result.h"

namespace braid {

namespace {

/// Java's Float.compare and Double.compare.
template <typename Number>
std::strong_ordering CompareFloating(Number a, Number b) {
  if (a < b) return std::strong_ordering::less;
  if (a > b) return std::strong_ordering::greater;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) <=> std::isnan(b);
  // Equal numbers differ at most by the sign of zero; the negative one comes first.
  return std::signbit(b) <=> std::signbit(a);
}

}  // namespace

std::strong_ordering CompareDatums(const Datum& a, const Datum& b) {
  BRAID_CHECK(a.index() == b.index());
  return std::visit(
      [&b](const auto& left) -> std::strong_ordering {
        using Value = std::decay_t<decltype(left)>;
        if constexpr (std::is_same_v<Value, std::monostate> || std::is_same_v<Value, DatumList>) {
          constexpr bool kIsNullOrNested = true;
          BRAID_CHECK(!kIsNullOrNested);  // no values in an order are
          return std::strong_ordering::equal;
        } else if constexpr (std::is_floating_point_v<Value>) {
          return CompareFloating(left, std::get<Value>(b));
        } else if constexpr (std::is_same_v<Value, std::string>) {
          // char_traits<char> compares as unsigned bytes.
          return left <=> std::get<Value>(b);
        } else {
          return left <=> std::get<Value>(b);
        }
      },
      static_cast<const Datum::Base&>(a));
}

}  // namespace braid
