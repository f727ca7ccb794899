#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "jobs/file_journal.h"
#include "jobs/followed_line.h"
#include "sql/job_plan.h"
#include "types/batch.h"

namespace braid {

/// What every commit of a run carries.
struct SinkCommit {
  std::int64_t barrier = 0;
  std::map<std::string, std::string> properties;  ///< of the snapshot
};

/// How a sink takes a row that replaces another.
struct SinkTraits {
  std::vector<std::string> key;      ///< primary key; empty: none
  bool takes_deletions = true;       ///< false: a row that goes is an error
  bool wants_update_before = false;  ///< -U comes before +U; else +U alone
};

/// A table that a job writes, in two steps with the decision between them (spec streaming.md §2.2). One thread at a
/// time.
class EpochSink {
 public:
  virtual ~EpochSink() = default;
  virtual const std::string& name() const = 0;
  virtual SinkTraits traits() const = 0;
  /// The Paimon table; null for one of a connector.
  virtual const Table* table() const = 0;
  /// Before the first row of an epoch.
  virtual Status Begin(const std::string& commit_user) = 0;
  virtual Status Write(const Batch& batch) = 0;
  /// Ends the epoch: everything is in files that nobody sees. Returns what Commit needs.
  virtual Result<Json> Prepare(std::int64_t barrier) = 0;
  /// Makes it visible; once again changes nothing. `recovered`: by another process than the one that prepared it.
  /// Errors: kConflict (`job.files-lost`, `job.sink-expired`, and another writer's changes that contradict it).
  virtual Status Commit(const std::string& commit_user, const SinkCommit& commit, const Json& prepared,
                        bool recovered) = 0;
  /// Where the sink's content stands; nullopt for sinks without lines.
  virtual Result<std::optional<LinePoint>> Mark() const = 0;
  /// Whether the line that the sink's name means now holds what the mark's line held at the mark, and nothing more than
  /// the pending barrier (0: none), if that. True where the mark is of the present line: others may write there.
  virtual Result<bool> Stands(const LinePoint& mark, const std::string& commit_user, std::int64_t pending) const = 0;
  /// Whether a line of the sink's table has the barrier; false for one that is gone.
  virtual Result<bool> HasCommitted(const std::string& line, const std::string& commit_user,
                                    std::int64_t barrier) const = 0;
  /// Whether the table's name means another line than when the sink was opened.
  virtual bool HasMoved() const = 0;
};

/// `journal` notes the files before they are made and outlives the sink; `position` tells sinks of one job apart.
Result<std::unique_ptr<EpochSink>> OpenEpochSink(const PlannedInsert& insert, std::size_t position,
                                                 FileJournal& journal, const std::string& spill_directory,
                                                 const Clock& clock);

}  // namespace braid
