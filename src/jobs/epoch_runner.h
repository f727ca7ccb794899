#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "jobs/job_folder.h"
#include "jobs/rebuild.h"
#include "sql/job_plan.h"

namespace braid {

struct RunnerSettings {
  JobFolder folder;
  JobRecord record;
  JobPlan plan;
  int threads = 1;
  std::int64_t memory_limit_bytes = std::int64_t{512} << 20;
  WhenReplaced when_replaced = WhenReplaced::kVerify;
  bool expects_state = false;           ///< an earlier process had one, so that without it something is lost
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
  /// state's. Where main of a table was replaced, the job goes on if its state fits the present one; else the state is
  /// made anew, if the sinks hold what the query then gives. Errors: those of StateFile, JobSource and EpochSink,
  /// kConflict if the plan is not the one that made the state.
  static Result<std::unique_ptr<EpochRunner>> Open(RunnerSettings settings);
  virtual ~EpochRunner() = default;

  enum class Outcome {
    kIdle,   ///< nothing was there to read
    kRan,    ///< an epoch was run
    kEnded,  ///< nothing will ever come: all sources have ended
  };
  /// Runs one epoch if there is something to read.
  virtual Result<Outcome> Run() = 0;

  /// Whether the name of a table means another line than when the job was opened, so that it is to be opened again.
  /// With `AwaitsTables`, also whether something else changed that may help.
  virtual bool HasMoved() const = 0;
  /// Whether Run failed because main of a table was replaced and the sinks do not hold what the query gives: another
  /// table may be about to be replaced, too.
  virtual bool AwaitsTables() const = 0;

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

/// Puts a savepoint's state in the place of the folder's, for a restart.
/// Errors: kNotFound; kConflict (`job.sink-moved`) with `check_sinks` if a sink has other snapshots than the savepoint
/// says.
Status RestoreSavepoint(const JobFolder& folder, const std::string& savepoint, const JobPlan& plan,
                        bool check_sinks = true);

/// Gives every sink that has moved on since the savepoint its content of then, by a new snapshot of kind OVERWRITE from
/// the savepoint's tag. Errors: kNotFound for the savepoint or a tag.
Status RollBackSinks(const std::string& savepoint, const JobPlan& plan, const Clock& clock);

}  // namespace braid
