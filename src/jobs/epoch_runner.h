#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "jobs/job_folder.h"
#include "sql/job_plan.h"

namespace braid {

struct RunnerSettings {
  JobFolder folder;
  JobRecord record;
  JobPlan plan;
  int threads = 1;
  std::int64_t memory_limit_bytes = std::int64_t{512} << 20;
  const Clock* clock = &SystemClock();  ///< outlives the runner
};

/// What a job has read of a source.
struct SourceProgress {
  std::string name;
  std::string position;  ///< JSON
  std::int64_t lag = 0;  ///< snapshots that have not been read
};

/// A job at work, epoch by epoch, each with exactly-once effect: whatever kills the process, the sinks get what an
/// undisturbed run gives them (spec streaming.md §2.2). One thread at a time; the caller holds the job's lock.
class EpochRunner {
 public:
  /// Opens the state and finishes what a former process decided. Begins a new run if the record is another than the
  /// state's. Errors: those of StateFile, JobSource and EpochSink, kConflict if the plan is not the one that made the
  /// state.
  static Result<std::unique_ptr<EpochRunner>> Open(RunnerSettings settings);
  virtual ~EpochRunner() = default;

  enum class Outcome {
    kIdle,   ///< nothing was there to read
    kRan,    ///< an epoch was run
    kEnded,  ///< nothing will ever come: all sources have ended
  };
  /// Runs one epoch if there is something to read.
  virtual Result<Outcome> Run() = 0;

  /// The last barrier that a sink committed.
  virtual std::int64_t barrier() const = 0;
  virtual std::int64_t generation() const = 0;
  virtual Result<std::vector<SourceProgress>> Progress() = 0;
  virtual std::vector<std::string> WatchedFolders() const = 0;
  virtual std::int64_t poll_interval_ms() const = 0;

  /// Makes a savepoint below a folder: the state file, manifest.json, and tags on sources and sinks. Returns its path.
  /// Errors: kAlreadyExists if it is there.
  virtual Result<std::string> Savepoint(const std::string& directory) = 0;
  /// Ends the run: FINISHED, SUSPENDED or FAILED in the lineage.
  virtual Status End(JobState state, const std::string& error) = 0;
};

/// The delta programs of a plan, as EXPLAIN prints them. Errors: those of MakeDeltaProgram and OpenJobSource.
Result<std::string> ExplainJob(const JobPlan& plan);

/// Checks that the plan can run as a job, without running it.
Status CheckJob(const JobPlan& plan);

/// Puts a savepoint's state in the place of the folder's, for a restart. `job`: for errors.
/// Errors: kNotFound; kConflict (`job.sink-moved`) if a sink has other snapshots than the savepoint says.
Status RestoreSavepoint(const JobFolder& folder, const std::string& savepoint, const JobPlan& plan);

}  // namespace braid
