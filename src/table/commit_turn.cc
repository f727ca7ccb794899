#include "table/commit_turn.h"

#include <map>
#include <utility>

namespace braid {

std::shared_ptr<std::mutex> CommitTurnOf(const FileSystem& file_system, const std::string& snapshot_directory) {
  static std::mutex mutex;  // guards turns
  static std::map<std::pair<const FileSystem*, std::string>, std::weak_ptr<std::mutex>> turns;
  const std::lock_guard lock(mutex);
  std::erase_if(turns, [](const auto& turn) { return turn.second.expired(); });
  std::weak_ptr<std::mutex>& known = turns[{&file_system, snapshot_directory}];
  std::shared_ptr<std::mutex> turn = known.lock();
  if (turn == nullptr) {
    turn = std::make_shared<std::mutex>();
    known = turn;
  }
  return turn;
}

}  // namespace braid
