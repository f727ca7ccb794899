#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "sql/job_plan.h"
#include "table/partition_done_trigger.h"

namespace braid {

/// Marks partitions of a job's sinks as done, once they are idle (table/partition_done_trigger.h). What is pending is
/// part of the job's state: it is kept with each barrier that is done, and a barrier that another process finishes is
/// noticed again. Marking comes after it: a crash between marks a partition once more. One thread.
class DonePartitions {
 public:
  /// Errors: those of PartitionDoneTrigger::Make.
  static Result<DonePartitions> Open(const JobPlan& plan, const Clock& clock);

  /// What a former process left, as `pending` gave it. Errors: kCorruption.
  Status Restore(const std::vector<Json>& pending);
  /// A sink has committed what EpochSink::Prepare gave. Errors: kCorruption.
  Status Notice(std::size_t sink, const Json& prepared);
  /// For the state: of each sink the folders of partitions that are not done, or null. Empty if no sink has any.
  std::vector<Json> pending() const;
  /// Marks those that are done now; whether there were some. Errors: those of writing.
  Result<bool> Mark(bool end_of_input);

 private:
  struct Sink {
    Table table;
    PartitionDoneTrigger trigger;
  };

  explicit DonePartitions(const Clock& clock) : clock_(&clock) {}

  const Clock* clock_;  // outlives this
  std::vector<std::optional<Sink>> sinks_;
};

}  // namespace braid
