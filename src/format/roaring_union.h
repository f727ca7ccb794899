#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// The union of two 32-bit Roaring bitmaps in the portable form, in that form, run containers where they are shorter.
/// Errors: kCorruption for bytes that are no such bitmap.
Result<std::string> UnionRoaringBitmaps(std::string_view a, std::string_view b);

/// The union of two 64-bit Roaring bitmaps in the form of Java's class Roaring64Bitmap, byte for byte what Java makes
/// of `a` when it adds `b` to it. Errors: kCorruption for bytes that are no such bitmap.
Result<std::string> UnionRoaring64Bitmaps(std::string_view a, std::string_view b);

}  // namespace braid
