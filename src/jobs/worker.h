#pragma once

#include <memory>

#include "base/result.h"
#include "jobs/job_folder.h"
#include "sql/session.h"

namespace braid {

/// What a worker needs that this layer does not make.
struct WorkerSettings {
  JobFolder folder;
  std::shared_ptr<JobObserver> observer;  ///< of the worker's session
  std::shared_ptr<const Connectors> connectors;
  const Clock* clock = &SystemClock();
};

/// Runs a job until it is stopped, has read all there will ever be, or fails; writes its status. To be called by a
/// process of its own: it takes the job's lock, listens at the control socket, and SIGTERM stops it.
Status RunWorker(const WorkerSettings& settings);

/// Whether starting the worker again can help.
bool IsWorthARestart(ErrorCode code);

}  // namespace braid
