// Streaming jobs: SHOW, DESCRIBE and STOP JOB, and handing an INSERT over.

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/statement_internal.h"

namespace braid {

namespace {

Result<JobService*> FindJobs(const StatementContext& context) {
  if (context.session.jobs() != nullptr) return context.session.jobs();
  return Error(ErrorCode::kUnsupported, "this program keeps no streaming jobs")
      .Hint("`braid sql` does; SET 'execution.runtime-mode' = 'batch' runs an INSERT to its end");
}

Datum Instant(std::int64_t ms) {
  return Datum(Timestamp{.millis = ms, .nanos_of_milli = 0});
}

}  // namespace

Result<StatementResult> ShowJobs(const StatementContext& context) {
  std::vector<JobInfo> jobs;
  if (context.session.jobs() != nullptr) {
    BRAID_TRY_ASSIGN(jobs, context.session.jobs()->List());
  }
  std::vector<DatumList> rows;
  for (const JobInfo& job : jobs) rows.push_back({job.id, job.name, job.status, Instant(job.start_ms)});
  return RowsResult({{"job id", DataType::String()},
                     {"job name", DataType::String()},
                     {"status", DataType::String()},
                     {"start time", DataType::TimestampLtz(3)}},
                    rows);
}

Result<StatementResult> DescribeJob(const syntax::Describe& statement, const StatementContext& context) {
  if (context.session.jobs() == nullptr)
    return Error(ErrorCode::kNotFound, fmt::format("there is no job '{}'", statement.job_id));
  BRAID_TRY_ASSIGN(const JobInfo job, context.session.jobs()->Find(statement.job_id));
  return RowsResult({{"job id", DataType::String()},
                     {"job name", DataType::String()},
                     {"status", DataType::String()},
                     {"start time", DataType::TimestampLtz(3)},
                     {"statement", DataType::String()},
                     {"error", DataType::String()}},
                    {{job.id, job.name, job.status, Instant(job.start_ms), job.statement,
                      job.error.empty() ? Datum() : Datum(job.error)}});
}

Result<StatementResult> Run(const syntax::StopJob& statement, const StatementContext& context) {
  if (context.session.jobs() == nullptr)
    return Error(ErrorCode::kNotFound, fmt::format("there is no job '{}'", statement.job_id));
  if (statement.with_drain) {
    return Error(ErrorCode::kUnsupported,
                 "WITH DRAIN is not supported: every checkpoint is whole, and no window is left open")
        .Hint("STOP JOB … WITH SAVEPOINT ends behind a whole checkpoint");
  }
  BRAID_TRY_ASSIGN(const auto savepoint,
                   context.session.jobs()->Stop(statement.job_id, statement.with_savepoint,
                                                context.session.Option("execution.checkpointing.savepoint-dir")));
  if (!savepoint) return Done();
  return TextResult("savepoint path", {*savepoint});
}

Result<StatementResult> SubmitJob(const JobPlan& plan, const StatementContext& context) {
  BRAID_TRY_ASSIGN(JobService * jobs, FindJobs(context));
  BRAID_TRY_ASSIGN(const SessionScript script, context.session.Script());
  BRAID_TRY_ASSIGN(JobInfo job, jobs->Submit(plan, script));
  if (EqualsIgnoreCase(context.session.Option("table.dml-sync"), "true")) BRAID_TRY(jobs->Wait(job.id));
  StatementResult result{.kind = StatementResult::Kind::kSubmitted};
  result.job = {.id = std::move(job.id), .name = std::move(job.name)};
  return result;
}

}  // namespace braid
