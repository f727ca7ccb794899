// braid branch pick: single snapshots of a branch into another line.

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/branch_arguments.h"
#include "cli/branch_command.h"
#include "table/branch_pick.h"

namespace braid {

namespace {

struct PickArguments : BranchArguments {
  std::string into{kMainBranch};
  std::string snapshots;
  bool dry_run = false;
};

std::string_view OutcomeName(PickedSnapshot::Outcome outcome) {
  switch (outcome) {
    case PickedSnapshot::Outcome::kPicked: return "picked";
    case PickedSnapshot::Outcome::kThere: return "there-already";
    case PickedSnapshot::Outcome::kNothing: return "no-rows";
  }
  return "";
}

std::string OutcomeText(const PickArguments& arguments, const PickedSnapshot& picked) {
  switch (picked.outcome) {
    case PickedSnapshot::Outcome::kPicked:
      return picked.target ? fmt::format("is snapshot {} of {} now, {:+} rows", *picked.target, arguments.into, picked.source.delta_record_count)
                           : fmt::format("would be picked, {:+} rows", picked.source.delta_record_count);
    case PickedSnapshot::Outcome::kThere: return fmt::format("is in {} already, as snapshot {}", arguments.into, *picked.target);
    case PickedSnapshot::Outcome::kNothing: return fmt::format("changed no rows ({})", CommitKindName(picked.source));
  }
  return "";
}

Status Pick(const PickArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  PickRequest request{.from = arguments.name, .into = arguments.into, .ranges = {}, .dry_run = arguments.dry_run};
  BRAID_TRY_ASSIGN(request.ranges, PickRequest::ParseRanges(arguments.snapshots));
  BRAID_TRY_ASSIGN(const PickResult result, PickSnapshots(context, request));
  PrintRepairs(result.repairs);
  if (!arguments.json()) {
    for (const PickedSnapshot& picked : result.snapshots)
      std::puts(fmt::format("snapshot {} of {} {}", picked.source.id, arguments.name, OutcomeText(arguments, picked)).c_str());
    return Ok();
  }
  Json json;
  json.Add("table", context.table_name);
  json.Add("from", arguments.name);
  json.Add("into", arguments.into);
  json.Add("dry_run", arguments.dry_run);
  Json::Array snapshots;
  for (const PickedSnapshot& picked : result.snapshots) {
    Json entry;
    entry.Add("snapshot_id", picked.source.id.value());
    entry.Add("outcome", OutcomeName(picked.outcome));
    entry.Add("target_snapshot_id", picked.target ? Json(picked.target->value()) : Json());
    snapshots.push_back(std::move(entry));
  }
  json.Add("snapshots", std::move(snapshots));
  std::puts(PrintJson(json).c_str());
  return Ok();
}

}  // namespace

std::function<Status()> AddPickCommand(CLI::App& command) {
  auto arguments = std::make_shared<PickArguments>();
  AddTableArguments(command, *arguments);
  command.add_option("FROM,--from", arguments->name, "branch whose snapshots are taken")->required();
  command.add_option("SNAPSHOTS,--snapshots", arguments->snapshots, "which, as in 5..8,10")->required();
  command.add_option("--into", arguments->into, "branch that gets them");
  command.add_flag("--dry-run", arguments->dry_run, "only say what would be done");
  command.footer("example:\n  braid branch pick /warehouse sales.orders fix_0514 5..8,10 --dry-run");
  return [arguments] { return Pick(*arguments); };
}

}  // namespace braid
