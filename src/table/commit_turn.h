#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "io/file_system.h"

namespace braid {

/// The mutex by which the committers of this process take turns at one line of snapshots: whoever loses a race has
/// synced its files for nothing, so it is better not to race. Only an economy: it knows nothing of other processes,
/// between which the creation of the snapshot's file alone decides. Any thread.
std::shared_ptr<std::mutex> CommitTurnOf(const FileSystem& file_system, const std::string& snapshot_directory);

}  // namespace braid
