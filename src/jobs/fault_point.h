#pragma once

#include <string_view>

namespace braid {

/// A place where a test can kill the process: inert unless the environment variable BRAID_FAULT_POINT names it, as
/// "<name>" or "<name>:<n>" for the n-th time that it is passed (1 is the first). Then the process ends at once, as by
/// `kill -9`. Any thread.
///
/// Names, in the order of an epoch (spec streaming.md §2.2): epoch.planned, epoch.read, epoch.begun, epoch.computed,
/// epoch.named (names of files are on disk, no file is), epoch.written, epoch.synced, epoch.persisting (all in the
/// transaction but its COMMIT), epoch.decided, sink.committing, sink.committed (once a sink), epoch.committed,
/// epoch.indexed, epoch.pinned (consumers moved), epoch.done, partitions.marked. Of a checkpoint: checkpoint.begun,
/// checkpoint.done. Of a savepoint: savepoint.begun, savepoint.copied, savepoint.described, savepoint.named,
/// savepoint.tagged. Of a restart: restart.recovering, restart.recovered, restart.restored, restart.begun.
void FaultPoint(std::string_view name);

}  // namespace braid
