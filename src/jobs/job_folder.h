#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/job_plan.h"

namespace braid {

/// What a run does about its state.
enum class StateRoad : std::uint8_t {
  kContinue,  ///< goes on with it
  kNew,       ///< begins without any
  kRebuild,   ///< makes it anew from the sources as they are, and writes what the sinks lack
  kLineage,   ///< makes it anew from the snapshots that the sinks' lineage names; the sinks must hold that result
  kAsIs,      ///< goes on with it whatever has become of the sinks
};

/// What a job was started with; kept in its folder.
struct JobRecord {
  std::string id;    ///< of the run, 32 hexadecimal digits, as Flink shows it
  std::string name;  ///< `pipeline.name`
  std::string statement;
  SessionScript session;
  std::string working_directory;  ///< that relative paths in the statements are relative to
  std::int64_t start_ms = 0;      ///< when this run was started
  StateRoad road = StateRoad::kContinue;
  std::string restored_from;  ///< the savepoint that this run went on from; empty: none
  // Numbers of earlier runs, where the state does not say them any more: those of this run are above.
  std::int64_t generation_before = 0;
  std::int64_t barrier_before = 0;
};

enum class JobState {
  kStarting,
  kRunning,
  kRestarting,
  kFinished,
  kStopped,
  kFailed,
  kLost,  ///< it was at work and nobody is any more, as after a reboot; never written
};
/// As Flink spells it: INITIALIZING, RUNNING, RESTARTING, FINISHED, SUSPENDED, FAILED; and LOST.
std::string_view JobStateName(JobState state);
/// Whether a process is at work on it.
bool IsLive(JobState state);

/// What a job is doing, written by its worker and its supervisor.
struct JobStatus {
  JobState state = JobState::kStarting;
  std::int64_t since_ms = 0;
  std::int64_t restarts = 0;
  std::int64_t generation = 0;
  std::int64_t barrier = 0;     ///< the last that was committed
  std::string error = {};       ///< what ended the last worker or keeps it waiting, as people read it; empty: nothing
  std::string error_code = {};  ///< ErrorCodeName
  std::string error_id = {};    ///< Error::id
  std::string savepoint = {};   ///< made when it was stopped; empty: none
};

/// The error that a status tells. `folder`: where the log lies.
class JobFolder;
Error ErrorOf(const JobStatus& status, const JobFolder& folder);
/// The code of that name; kInternal for a name that is none.
ErrorCode ParseErrorCode(std::string_view name);

/// Holds a job's lock file for the life of the process or of the object.
class JobLock {
 public:
  ~JobLock();
  JobLock(const JobLock&) = delete;
  JobLock& operator=(const JobLock&) = delete;

 private:
  friend class JobFolder;
  explicit JobLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// Keeps a job from being started by others.
struct JobStartLock {
  std::unique_ptr<JobLock> worker;
  std::unique_ptr<JobLock> supervisor;
};

/// `<state-dir>/<catalog id>/<job>/`: everything that is kept of one job. A value; the files are shared by the worker,
/// its supervisor and whoever asks.
class JobFolder {
 public:
  explicit JobFolder(std::string path) : path_(std::move(path)) {}
  /// The folder that a job of this name has; characters that file names do not take are replaced.
  static JobFolder Of(const std::string& state_directory, const std::string& catalog_id, const std::string& job);
  /// Every job below a state directory, by path.
  static Result<std::vector<JobFolder>> List(const std::string& state_directory);

  const std::string& path() const { return path_; }
  std::string StateFile() const { return path_ + "/state.duckdb"; }
  /// Names of the files that a barrier is about to write (FileJournal).
  std::string JournalFile(std::int64_t barrier) const;
  /// Barriers that have such a file, ascending.
  Result<std::vector<std::int64_t>> Journals() const;
  std::string LogFile() const { return path_ + "/log"; }
  std::string TemporaryDirectory() const { return path_ + "/tmp"; }
  std::string SavepointDirectory() const { return path_ + "/savepoints"; }
  /// Short enough for a Unix socket, in the user's run-time folder.
  std::string SocketFile() const;

  /// Makes the folder, for its user alone. Errors: kUnsupported on a file system without locks that hold.
  Status Create() const;
  Status WriteRecord(const JobRecord& record) const;
  Result<JobRecord> ReadRecord() const;
  Status WriteStatus(const JobStatus& status) const;
  Result<JobStatus> ReadStatus() const;
  /// Moves a state that cannot be opened to `state.duckdb.damaged`.
  Status SetStateAside() const;
  /// Removes the state of earlier runs: the next one begins anew.
  Status RemoveState() const;

  /// Takes the worker's lock. Errors: kConflict (`job.running`) if a worker holds it.
  Result<std::unique_ptr<JobLock>> Lock(const std::string& job) const;
  /// For whoever changes what the job starts from, or starts it: neither a worker nor a supervisor is there. Waits for a
  /// supervisor whose worker has ended. Errors: kConflict if the job runs or is being started again.
  Result<std::unique_ptr<JobStartLock>> LockToStart(const std::string& job) const;
  /// Whether a worker holds it.
  bool IsLocked() const;
  /// The same for the supervisor, whose process id is kept beside.
  Result<std::unique_ptr<JobLock>> LockAsSupervisor() const;
  bool IsSupervised() const;
  /// Asks the supervisor to end, and its worker with it.
  void TerminateSupervisor() const;

 private:
  std::string path_;
};

/// `--state-dir`, else $XDG_STATE_HOME/braid, else ~/.local/state/braid. Errors: kInvalidArgument if there is no home.
Result<std::string> StateDirectory(std::string_view given);

}  // namespace braid
