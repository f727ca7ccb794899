#include "jobs/fault_point.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>

#include "base/text.h"

namespace braid {

namespace {

struct ArmedPoint {
  std::string name;
  std::int64_t passes = 1;
};

ArmedPoint ReadEnvironment() {
  const char* text = std::getenv("BRAID_FAULT_POINT");
  if (text == nullptr) return {};
  const std::vector<std::string> parts = Split(text, ':');
  return {.name = parts.front(), .passes = parts.size() > 1 ? ParseInt64(parts[1]).value_or(1) : 1};
}

}  // namespace

void FaultPoint(std::string_view name) {
  static const ArmedPoint armed = ReadEnvironment();
  if (armed.name.empty() || armed.name != name) return;
  static std::atomic<std::int64_t> passed = 0;
  if (++passed == armed.passes) std::raise(SIGKILL);
}

}  // namespace braid
