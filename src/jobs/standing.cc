#include "jobs/standing.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {

Result<Standing> StandingOf(const JobProgram& program, const std::vector<std::unique_ptr<EpochSink>>& sinks,
                            const JobIdentity& identity, const std::vector<SourcePosition>& positions,
                            std::int64_t pending) {
  Standing standing;
  for (std::size_t i = 0; i < program.sources.size(); ++i) {
    standing.can_rebuild = standing.can_rebuild && program.sources[i]->CanStartAgain();
    BRAID_TRY_ASSIGN(const bool stands, program.sources[i]->Stands(positions[i].position));
    if (!stands) standing.moved_sources.push_back(i);
  }
  for (std::size_t i = 0; i < sinks.size() && i < identity.marks.size(); ++i) {
    if (identity.marks[i].is_null()) continue;
    BRAID_TRY_ASSIGN(const LinePoint mark, ParseLinePoint(identity.marks[i]));
    BRAID_TRY_ASSIGN(const bool stands, sinks[i]->Stands(mark, identity.commit_user, pending));
    if (stands) continue;
    standing.moved_sinks.push_back(i);
    standing.sinks_only_grow = standing.sinks_only_grow && program.parts[i].append_only;
  }
  return standing;
}

std::string MovedText(const Standing& standing, const JobProgram& program,
                      const std::vector<std::unique_ptr<EpochSink>>& sinks) {
  std::vector<std::string> names;
  for (const std::size_t i : standing.moved_sources) names.push_back(program.sources[i]->name());
  for (const std::size_t i : standing.moved_sinks) names.push_back(sinks[i]->name());
  return fmt::format("{} {} replaced by another line of snapshots", Join(names, " and "),
                     names.size() == 1 ? "was" : "were");
}

std::string ChoicesHint(const Standing& standing, const std::string& job) {
  std::string choices = fmt::format(
      "`braid job restart {} --rebuild-state` evaluates the query on what is there and writes the difference to the "
      "sink; ",
      job);
  // Without its position in a source the job cannot go on where it was.
  if (standing.moved_sources.empty())
    choices += fmt::format("`braid job restart {} --as-is` leaves the sink as it is; ", job);
  return choices + "`braid branch replace-main … --undo` brings the former main back";
}

}  // namespace braid
