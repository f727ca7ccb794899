#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/delta_program.h"
#include "jobs/job_source.h"
#include "sql/job_plan.h"

namespace braid {

/// The INSERTs of a job as delta programs over shared sources.
struct JobProgram {
  struct Part {
    DeltaProgram program;
    std::vector<std::size_t> sources;  ///< of each of the program's, its position below
    bool append_only = false;          ///< its result only ever gains rows
  };
  std::vector<Part> parts;  ///< one an INSERT
  std::vector<std::unique_ptr<JobSource>> sources;
  std::string identity;  ///< of all programs
};

/// Errors: those of MakeDeltaProgram and OpenJobSource.
Result<JobProgram> MakeJobProgram(const JobPlan& plan);

}  // namespace braid
