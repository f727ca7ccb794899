#include <bit>

#include "format/bit_slices_internal.h"

namespace braid {

void BitSlices::Add(std::uint32_t row, std::uint64_t number) {
  rows_.add(row);
  for (; number != 0; number &= number - 1) slices_[static_cast<std::size_t>(std::countr_zero(number))].add(row);
}

BitSlices::Comparison BitSlices::Compare(std::uint64_t number) const {
  // No row has a number of more bits than there are slices.
  if (slices_.size() < 64 && number >> slices_.size() != 0) return {};
  Comparison found{.equal = rows_, .greater = {}};
  for (std::size_t i = slices_.size(); i-- > 0;) {
    if ((number >> i & 1) != 0) {
      found.equal &= slices_[i];
    } else {
      found.greater |= found.equal & slices_[i];
      found.equal -= slices_[i];
    }
  }
  return found;
}

}  // namespace braid
