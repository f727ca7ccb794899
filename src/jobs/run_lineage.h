#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "jobs/epoch_sink.h"
#include "jobs/job_folder.h"
#include "jobs/state_file.h"
#include "lineage/lineage.h"
#include "sql/job_plan.h"

namespace braid {

/// What a run writes into snapshots, and the index beside them (spec lineage.md §7.2). Works without lineage too: then
/// runs are numbered by the state file alone and snapshots carry nothing. One thread at a time.
class RunLineage {
 public:
  /// The lineage of the catalog that the first stored sink lies in. `clock` outlives it.
  static Result<std::unique_ptr<RunLineage>> Open(const JobPlan& plan, const Clock& clock);

  /// Starts a run after `before`, which is the job's earlier one in this state file, if it had one.
  Result<JobIdentity> Begin(const JobPlan& plan, const std::vector<Table>& sources, const JobIdentity& before);
  /// What a barrier's snapshots carry, of what the state file holds about the sources. Errors: kCorruption.
  Result<EncodedLineage> Encode(const JobPlan& plan, const JobIdentity& identity, std::int64_t barrier,
                                std::int64_t sinks, const std::vector<Json>& sources) const;
  /// Brings the index up to date with the sinks.
  Status Index();
  Status End(const JobIdentity& identity, JobState state, const std::string& error);

 private:
  std::shared_ptr<Lineage> lineage_;  // null: none is kept
  std::vector<Table> sinks_;  // of the catalog
  const Clock* clock_ = nullptr;
};

/// A source of a barrier as the state file keeps it until a sink commits.
Json ToJson(const LineageSource& source);
/// Two ranges of one source, one after the other, as one.
Json JoinRanges(const Json& before, const Json& after);
/// What a barrier says of a source that gave it nothing new; null if nothing was ever read.
Json NothingNew(const Json& last);

}  // namespace braid
