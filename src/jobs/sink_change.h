#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "jobs/epoch_sink.h"
#include "jobs/rebuild.h"
#include "jobs/sink_rows.h"
#include "jobs/state_file.h"
#include "sql/job_plan.h"

namespace braid {

/// What an epoch changes in one sink: from the output of the delta program to the sink's writer. One thread at a time.
class SinkChange {
 public:
  /// All outlive it. `position` tells the sinks of one job apart.
  SinkChange(const PlannedInsert& insert, EpochSink& sink, StateFile& state, std::size_t position)
      : insert_(insert), sink_(sink), state_(state), table_("sink_" + std::to_string(position)) {}

  /// Computes it from a table of the query's columns c0, c1, … and w. `append_only`: no row of the query is ever taken
  /// back. With a rebuild the table has the whole result, and what the sink holds is taken away from it.
  /// Errors: kInvalidArgument for rows that the sink cannot take, naming one; those of ContentOf.
  Status Compute(const std::string& output, bool append_only, Rebuild rebuild);
  /// How many rows change.
  Result<std::int64_t> RowCount() { return state_.CountOf(rows_->CountSql()); }
  /// One of them, as people read it. Precondition: there is one.
  Result<std::string> Example() { return state_.TextOf(rows_->ExampleSql()); }
  /// Hands the rows to the sink, which has begun an epoch.
  Status Write();

 private:
  Status Check();

  const PlannedInsert& insert_;
  EpochSink& sink_;
  StateFile& state_;
  std::string table_;
  std::optional<SinkRows> rows_;  // from Compute on
};

}  // namespace braid
