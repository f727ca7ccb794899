#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "duck/engine.h"

namespace braid {

/// What a job's state file says of the job itself.
struct JobIdentity {
  std::string record;       ///< JobRecord::id that the run belongs to
  std::string run;          ///< UUID
  std::string commit_user;  ///< of every sink
  std::int64_t generation = 0;
  std::int64_t attempt = 0;
  std::int64_t start_ms = 0;  ///< of the run
  std::string plan;           ///< identity of the delta programs
  bool bootstrapped = false;  ///< the first epoch has been decided
  bool rebuilding = false;    ///< the run makes the state anew, as its record says, and has not decided it yet
  std::int64_t barrier = 0;   ///< the last one used
  /// Where each sink stood behind the last barrier, LinePoint; null: it has no lines, or nobody knows.
  std::vector<Json> marks = {};
  /// Partitions of each sink that are not done yet (done_partitions.h); empty: of none.
  std::vector<Json> pending_partitions = {};
};

/// A source as the state file has it.
struct SourcePosition {
  Json position;  ///< the source's own; null: nothing was read
  /// Sources of the lineage since the last barrier that a sink committed.
  Json pending;
  Json last;  ///< the newest of them
};

/// An epoch that was decided.
struct EpochRecord {
  std::int64_t barrier = 0;
  bool done = false;  ///< else PENDING: sinks may lack it
  Json body;          ///< what committing it needs (epoch_runner.cc)
};

struct StateSettings {
  std::string path;
  std::string temporary_directory;
  int threads = 1;
  std::int64_t memory_limit_bytes = std::int64_t{512} << 20;
};

/// The DuckDB file of a job: state of the operators, positions and the pending commit, changed in one transaction
/// (spec streaming.md §1.7). One thread at a time.
class StateFile {
 public:
  /// Opens or makes it. Errors: kCorruption (`job.state-lost`) for a file that cannot be opened; kUnsupported for one
  /// of another version; kConflict if another process has it open.
  static Result<std::unique_ptr<StateFile>> Open(const StateSettings& settings);
  /// Checks that a file can be opened, without changing it.
  bool is_new() const { return is_new_; }

  DuckEngine& engine() { return *engine_; }
  DuckConnection& connection() { return *connection_; }

  // Outside of a transaction.
  Result<std::optional<JobIdentity>> ReadIdentity();
  Result<std::vector<SourcePosition>> ReadPositions();
  Result<std::optional<EpochRecord>> ReadEpoch();

  // Inside of one; the caller begins and commits it.
  Status WriteIdentity(const JobIdentity& identity);
  Status WritePositions(const std::vector<SourcePosition>& positions);
  /// Drops the state tables, the positions and the epoch: what is left is the identity.
  Status Clear();
  /// Replaces the epoch before it.
  Status WriteEpoch(const EpochRecord& epoch);

  /// Bytes of the write-ahead log.
  std::int64_t LogBytes() const;
  /// Moves the log into the file. Outside of a transaction.
  Status Checkpoint();
  /// One value of one row. Errors: kInternal if there is none.
  Result<std::int64_t> CountOf(const std::string& sql);
  Result<std::string> TextOf(const std::string& sql);

 private:
  StateFile() = default;
  Result<std::vector<std::vector<std::string>>> Texts(const std::string& sql);

  std::string path_;
  bool is_new_ = false;
  std::unique_ptr<DuckEngine> engine_;
  std::unique_ptr<DuckConnection> connection_;
};

}  // namespace braid
