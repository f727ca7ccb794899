#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "jobs/job_folder.h"
#include "sql/job_service.h"
#include "sql/session.h"

namespace braid {

struct LocalJobsSettings {
  std::string state_directory;  ///< StateDirectory
  std::string program;          ///< that runs supervisors and workers (ThisProgram)
  const Clock* clock = &SystemClock();
};

/// A job with all that its folder says.
struct KnownJob {
  JobFolder folder;
  JobRecord record;
  JobStatus status;  ///< kFailed instead of a live state if nobody is at work any more
};

/// How a job is started again.
struct RestartSettings {
  bool rebuild = false;        ///< make the state anew from the tables and write what the sinks lack
  std::string savepoint = {};  ///< go on from there; empty: from the state of the last run
  /// The session that a worker would make; plans the job to check the savepoint against its sinks.
  std::shared_ptr<JobObserver> observer = nullptr;
  std::shared_ptr<const Connectors> connectors = nullptr;
};

/// The jobs of one machine, each a folder below the state directory and a process. One thread at a time.
class LocalJobs : public JobService {
 public:
  explicit LocalJobs(LocalJobsSettings settings) : settings_(std::move(settings)) {}

  Result<JobInfo> Submit(const JobPlan& plan, const SessionScript& session) override;
  Result<std::string> Explain(const JobPlan& plan) override;
  Result<std::vector<JobInfo>> List() override;
  Result<JobInfo> Find(const std::string& job) override;
  Result<std::optional<std::string>> Stop(const std::string& job, bool with_savepoint,
                                          const std::string& savepoint_directory) override;
  Status Wait(const std::string& job) override;

  /// In the order of their start.
  Result<std::vector<KnownJob>> ListKnown() const;
  /// By id, by the beginning of an id, or by name.
  Result<KnownJob> FindKnown(const std::string& job) const;
  /// Barrier, position and lag of every source, and `caughtUp`. Errors: kConflict if the job does not run.
  Result<Json> Progress(const KnownJob& job) const;
  /// Waits until the job has read everything that its sources have, or has ended. Errors: what ended it.
  Status WaitCaughtUp(const std::string& job) const;
  Result<std::string> Savepoint(const KnownJob& job, const std::string& directory) const;
  /// Starts a job that does not run, as a new run. Errors: kConflict if it runs (`job.running`) or a sink has moved on
  /// since the savepoint (`job.sink-moved`).
  Result<JobInfo> Restart(const std::string& job, const RestartSettings& restart);

 private:
  LocalJobsSettings settings_;
};

}  // namespace braid
