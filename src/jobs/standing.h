#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/epoch_sink.h"
#include "jobs/job_program.h"
#include "jobs/state_file.h"

namespace braid {

/// Whether a job's state still fits its tables when it is opened again: main of one may have been replaced meanwhile
/// (spec branches.md §8.2, §11.2).
struct Standing {
  std::vector<std::size_t> moved_sources;  ///< read beyond what former and present line have in common
  std::vector<std::size_t> moved_sinks;    ///< the present line does not hold what the job had written
  bool can_rebuild = true;                 ///< every source can be read again from its start
  bool sinks_only_grow = true;             ///< of the moved ones: what comes does not depend on what they hold

  bool stands() const { return moved_sources.empty() && moved_sinks.empty(); }
};

/// `pending`: the barrier that was decided and may lack in sinks; 0: none.
Result<Standing> StandingOf(const JobProgram& program, const std::vector<std::unique_ptr<EpochSink>>& sinks,
                            const JobIdentity& identity, const std::vector<SourcePosition>& positions,
                            std::int64_t pending);

/// What has become of the tables, as a sentence begins: "main of a.b was replaced".
std::string MovedText(const Standing& standing, const JobProgram& program,
                      const std::vector<std::unique_ptr<EpochSink>>& sinks);

/// What a user can do about it.
std::string ChoicesHint(const Standing& standing, const std::string& job);

}  // namespace braid
