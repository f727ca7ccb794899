#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace braid {

/// Says that files appear in folders, as the system tells it. Where it does not (another host, an exchanged folder), a
/// poll has to stand behind it. One thread.
class WakeUp {
 public:
  /// Never fails: without notification there is only the poll.
  explicit WakeUp(std::vector<std::string> folders);
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  /// To be polled for reading; -1 without notification.
  int descriptor() const { return descriptor_; }
  /// Forgets what was told, and watches folders that have appeared meanwhile.
  void Drain();

 private:
  void Watch();

  std::vector<std::string> folders_;  // not watched yet
  int descriptor_ = -1;
};

}  // namespace braid
