#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "duck/late_values.h"
#include "duck/scan_function.h"
#include "jobs/job_program.h"
#include "jobs/state_file.h"

namespace braid {

/// Runs the delta programs of a job on the tables of its state file (spec streaming.md §1.4). Everything happens inside
/// of the caller's transaction, but for MakeSchemas. Borrows both; one thread at a time.
class ProgramRun {
 public:
  ProgramRun(const JobProgram& program, StateFile& state) : program_(program), state_(state) {}

  /// Each program's state tables lie in a schema of its own, since two may have the same names.
  Status MakeSchemas();
  /// The time that the programs see until it is set again, in milliseconds.
  Status SetTime(std::int64_t epoch_ms);

  /// Registers the content of each source at the start; SQL that scans it, or empty text for a source without rows.
  /// `late`: whether columns may be late; then outputs are to be read before EndEpoch.
  std::vector<std::string> ScanContent(const std::vector<std::optional<SourceStep>>& steps, bool late,
                                       std::vector<ScanRegistration>& registrations);
  /// Makes the tables of a program and fills them with what its sources hold; its output can be read until EndBootstrap.
  Status Bootstrap(std::size_t part, const std::vector<std::string>& content);
  Status EndBootstrap(std::size_t part);

  /// The changes of all sources as temp tables; empty text for those without any. What comes from outside can be read
  /// once, and several programs may need it. Errors: kConflict for rows taken back from a source that only grows.
  Result<std::vector<std::string>> ReadChanges(const std::vector<std::optional<SourceStep>>& steps);
  /// Brings a program's tables up to date with these; its output is what changed, and is to be read before EndEpoch.
  Status Run(std::size_t part, const std::vector<std::string>& changes);
  /// Lets go of values that were late.
  void EndEpoch() { late_values_.reset(); }

 private:
  DuckConnection& connection() { return state_.connection(); }
  Status UsePart(std::size_t part);
  Status ShowContent(const DeltaSource& source, std::size_t position, const std::string& scan);
  std::set<std::size_t> NeededColumns(std::size_t source) const;
  Status CheckGrowth(std::size_t source, const std::string& table);
  LateFields LateFieldsOf(std::size_t source);

  const JobProgram& program_;
  StateFile& state_;
  std::shared_ptr<LateValues> late_values_;  // of the epoch
  bool made_tables_ = false;           // the temp tables of the only program are there
  std::set<std::string> used_tables_;  // temp tables that may have rows
};

}  // namespace braid
