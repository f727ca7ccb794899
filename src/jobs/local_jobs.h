#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  StateRoad road = StateRoad::kContinue;
  std::string savepoint = {};   ///< go on from there; empty: from the state of the last run
  bool rollback_sinks = false;  ///< give sinks that moved on since the savepoint their content of then
  /// The session that a worker would make; plans the job to check the savepoint against its sinks.
  std::shared_ptr<JobObserver> observer = nullptr;
  std::shared_ptr<const Connectors> connectors = nullptr;
};

/// How a job's statement is run beside it, on a branch.
struct BranchSettings {
  std::string branch;
  std::string state = "lineage";  ///< `job.state`: "lineage", "rebuild" or "new"
  std::shared_ptr<JobObserver> observer = nullptr;
  std::shared_ptr<const Connectors> connectors = nullptr;
};

/// What to wait for.
struct WaitSettings {
  bool caught_up = false;  ///< everything that the sources have is read
  std::map<std::string, std::int64_t>
      consumed;  ///< these snapshots of these tables are read; empty: nothing of the kind
  std::optional<std::chrono::milliseconds> timeout;
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
  /// Waits until the job is where the settings say, or has ended. Errors: what ended it; kConflict if it ended before
  /// it had consumed that; kUnavailable when the time is over; kInvalidArgument for a table that it does not read.
  Status WaitUntil(const std::string& job, const WaitSettings& wait) const;
  Result<std::string> Savepoint(const KnownJob& job, const std::string& directory) const;
  /// Starts a job that does not run, as a new run. Errors: kConflict if it runs (`job.running`) or a sink has moved on
  /// since the savepoint (`job.sink-moved`).
  Result<JobInfo> Restart(const std::string& job, const RestartSettings& restart);
  /// Starts the job `<job>@<branch>`, which does the same with the branch of every sink, and of the sources that have
  /// it. Errors: those of Submit; kNotFound for a sink without that branch.
  Result<JobInfo> RunOnBranch(const std::string& job, const BranchSettings& start);

 private:
  LocalJobsSettings settings_;
};

}  // namespace braid
