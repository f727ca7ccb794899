#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// The union of two 32-bit Roaring bitmaps in the portable form, in that form, run containers where they are shorter.
/// Errors: kCorruption for bytes that are no such bitmap.
Result<std::string> UnionRoaringBitmaps(std::string_view a, std::string_view b);

}  // namespace braid
