#include "format/roaring_union.h"

#include "format/roaring_bytes_internal.h"

namespace braid {

Result<std::string> UnionRoaringBitmaps(std::string_view a, std::string_view b) {
  BRAID_TRY_ASSIGN(Roaring both, TakeRoaring(a));
  BRAID_TRY_ASSIGN(const Roaring other, TakeRoaring(b));
  both |= other;
  std::string bytes;
  AppendRoaring(both, bytes);
  return bytes;
}

}  // namespace braid
