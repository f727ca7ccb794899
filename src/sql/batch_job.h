#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "meta/snapshot.h"
#include "sql/session_internal.h"

namespace braid {

/// The snapshots that a job made: one list a sink, in the order of its description.
using SinkSnapshots = std::vector<std::vector<Snapshot>>;

/// Runs a job that ends, and tells the session's observer of its begin and end. `run` writes and commits as it is told.
/// Errors: the observer's, who may refuse the job; those of `run`; kUnavailable if everything is committed, but not recorded.
Result<SinkSnapshots> RunBatchJob(const JobDescription& job, SessionState& session,
                                  const std::function<Result<SinkSnapshots>(const StartedJob&)>& run);

}  // namespace braid
