#pragma once

#include <map>
#include <string>

#include "sql/job_plan.h"
#include "sql/statement_internal.h"

namespace braid {

/// An INSERT planned, and what it replaces.
struct InsertPlan {
  PlannedInsert insert;
  bool overwrite = false;
  std::map<std::string, std::string> partition;  ///< PARTITION (k = 'v'), as text
};

/// Settles names, types and columns. Errors: kInvalidArgument, kNotFound, kUnsupported, placed.
Result<InsertPlan> PlanInsert(const syntax::Insert& insert, const StatementContext& context);

/// The table's name with the session's branch, if it has one: what is written goes there.
Result<syntax::QualifiedName> OnSessionBranch(const syntax::QualifiedName& written, const Options& hints,
                                              const StatementContext& context);

/// `pipeline.name`, with the session's branch; empty if it is not set.
std::string PipelineName(const SessionState& session);
/// The job's name: PipelineName, or Flink's default.
std::string JobName(const std::vector<InsertPlan>& plans, const SessionState& session);

}  // namespace braid
