// VARIANT values (types/variant_json.h). The first byte says how long the names are.

#include "base/json.h"
#include "fuzz/fuzz_target.h"
#include "types/variant_json.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::size_t names_bytes = std::min(input.Choose(256), input.rest().size());
  const auto json = VariantToJson(input.rest().substr(names_bytes), input.rest().substr(0, names_bytes));
  fuzz::IsRead(json);
  return 0;
}
