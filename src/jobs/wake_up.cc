#include "jobs/wake_up.h"

#include <array>
#include <utility>

#include <sys/inotify.h>
#include <unistd.h>

namespace braid {

WakeUp::WakeUp(std::vector<std::string> folders)
    : folders_(std::move(folders)), descriptor_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  Watch();
}

WakeUp::~WakeUp() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void WakeUp::Watch() {
  if (descriptor_ < 0) return;
  std::erase_if(folders_, [&](const std::string& folder) {
    return ::inotify_add_watch(descriptor_, folder.c_str(), IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE) >= 0;
  });
}

void WakeUp::Drain() {
  if (descriptor_ < 0) return;
  std::array<char, 4096> events;
  while (::read(descriptor_, events.data(), events.size()) > 0) continue;
  Watch();
}

}  // namespace braid
