#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/job_folder.h"

namespace braid {

/// Starts a supervisor for the job of a folder as a process in a session of its own, which goes on when this one ends:
/// `<program> job supervise <folder>`, with the folder's log as output. Returns when the worker works, or has failed
/// for good, or has not begun after a minute. Errors: kConflict (`job.running`) if a worker is at work; what ended the
/// worker; kUnavailable if it does not come up.
Status StartJob(const JobFolder& folder, const std::string& program);

/// The supervisor: runs `<program> job work <folder>` as a child and starts it again with growing pauses when it dies
/// or fails with what may pass; ends when it ends by itself or fails for good, which it writes into the job's status.
/// SIGTERM goes to the child.
Status SuperviseJob(const JobFolder& folder, const std::string& program);

/// The path of this program.
Result<std::string> ThisProgram();

}  // namespace braid
