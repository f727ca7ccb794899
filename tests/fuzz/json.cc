// JSON texts (base/json.h).

#include "base/json.h"
#include "fuzz/fuzz_target.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto json = ParseJson({reinterpret_cast<const char*>(data), size});
  if (!fuzz::IsRead(json)) return 0;
  const auto again = ParseJson(PrintJson(*json));
  fuzz::Require(again.has_value() && *again == *json, "JSON printed and read again is another value");
  const auto pretty = ParseJson(PrintJsonPretty(*json));
  fuzz::Require(pretty.has_value() && *pretty == *json, "JSON printed with indents and read again is another value");
  return 0;
}
