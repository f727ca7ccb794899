#include "format/roaring_union.h"

#include <exception>

#include <roaring/roaring.hh>

namespace braid {
namespace {

Result<Roaring> ParseBitmap(std::string_view bytes) {
  try {
    return Roaring::readSafe(bytes.data(), bytes.size());
  } catch (const std::exception&) {
    return Error(ErrorCode::kCorruption, "bytes that should be a 32-bit Roaring bitmap are not one");
  }
}

}  // namespace

Result<std::string> UnionRoaringBitmaps(std::string_view a, std::string_view b) {
  BRAID_TRY_ASSIGN(Roaring both, ParseBitmap(a));
  BRAID_TRY_ASSIGN(const Roaring other, ParseBitmap(b));
  both |= other;
  both.runOptimize();
  std::string bytes(both.getSizeInBytes(true), '\0');
  both.write(bytes.data(), true);
  return bytes;
}

}  // namespace braid
