#include "jobs/job_program.h"

#include <map>
#include <optional>
#include <utility>

#include "jobs/epoch_runner.h"

namespace braid {

namespace {

// Tells one table, read with the same options, from others.
std::string KeyOf(const ResolvedTable& table) {
  std::string key = table.catalog + "\n" + table.identifier.ToString();
  for (const auto& [name, value] : table.options.values()) key += "\n" + name + "=" + value;
  return key;
}

}  // namespace

Result<JobProgram> MakeJobProgram(const JobPlan& plan) {
  JobProgram job;
  std::map<std::string, std::size_t> positions;
  for (const PlannedInsert& insert : plan.inserts) {
    // Sources are opened when the program asks what they are like; what fails there is told afterwards.
    std::optional<Error> failed;
    const auto traits = [&](const ResolvedTable& table) -> SourceTraits {
      const auto [found, added] = positions.try_emplace(KeyOf(table), job.sources.size());
      if (!added) return job.sources[found->second]->traits();
      Result<std::unique_ptr<JobSource>> source = OpenJobSource(table);
      if (source) {
        job.sources.push_back(*std::move(source));
        return job.sources.back()->traits();
      }
      positions.erase(found);
      if (!failed) failed = std::move(source).error();
      return {};
    };
    Result<DeltaProgram> program = MakeDeltaProgram(insert.query, {.traits = traits, .fast_float_sums = false});
    if (failed) return *std::move(failed);
    if (!program) return std::move(program).error();
    JobProgram::Part part{.program = *std::move(program), .sources = {}, .append_only = false};
    for (const DeltaSource& source : part.program.sources) part.sources.push_back(positions.at(KeyOf(source.table)));
    part.append_only = !part.program.nodes.empty() && part.program.nodes.back().append_only;
    job.identity += (job.identity.empty() ? "" : "/") + part.program.identity;
    job.parts.push_back(std::move(part));
  }
  return job;
}

Result<std::string> ExplainJob(const JobPlan& plan) {
  BRAID_TRY_ASSIGN(const JobProgram job, MakeJobProgram(plan));
  std::string text;
  for (std::size_t i = 0; i < job.parts.size(); ++i)
    text += "Sink(table=[" + plan.inserts[i].name + "])\n" + ExplainDelta(job.parts[i].program);
  return text;
}

Status CheckJob(const JobPlan& plan) {
  BRAID_TRY(MakeJobProgram(plan));
  return Ok();
}

}  // namespace braid
