// Bitmaps kept as bytes (the aggregate function rbm32). The first byte says how long the first one is, in sixteen bytes.

#include "format/roaring_union.h"
#include "fuzz/fuzz_target.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t first_bytes = std::min(input.Choose(256) * 16, input.rest().size());
  const std::string_view a = input.rest().substr(0, first_bytes);
  const std::string_view b = input.rest().substr(first_bytes);
  const auto both = UnionRoaringBitmaps(a, b);
  if (!fuzz::IsRead(both)) return 0;
  const auto turned = UnionRoaringBitmaps(b, a);
  fuzz::Require(turned.has_value() && *turned == *both, "a union depends on the order");
  const auto again = UnionRoaringBitmaps(*both, a);
  fuzz::Require(again.has_value() && *again == *both, "a union lacks rows of its parts");
  return 0;
}
