#pragma once

// 32-bit Roaring bitmaps in the portable form that Java writes too.

#include <string>
#include <string_view>

#include <roaring/roaring.hh>

#include "base/result.h"

namespace braid {

/// One bitmap from the start of `bytes`, which it shortens by what it took. Every container is checked, since the library
/// takes counts and orders on trust and writes out of bounds where they lie. Errors: kCorruption.
Result<Roaring> TakeRoaring(std::string_view& bytes);

/// Appends it as Java does: runs where they take fewer bytes than the values, or the bits, of a container.
void AppendRoaring(const Roaring& bitmap, std::string& out);

/// The positions from 0 up to `count`.
Roaring AllRows(std::uint64_t count);

}  // namespace braid
