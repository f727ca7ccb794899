// braid tag replace --from-branch, braid replace-tag: a tag of main shows what a branch made of it.

#include "cli/tag_correction_command.h"

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/branch_arguments.h"
#include "cli/branch_command.h"
#include "cli/upkeep_arguments.h"
#include "table/tag_correction.h"

namespace braid {

namespace {

void PrintCorrected(const OperationContext& context, const TagCorrectionArguments& arguments, const CorrectedTag& corrected) {
  std::puts(fmt::format("tag {} of {} {} snapshot {} of branch {}: {} rows, {} before", corrected.tag, context.table_name,
                        arguments.dry_run ? "would show" : "shows", corrected.content.id, arguments.from_branch, corrected.rows,
                        corrected.former_rows)
                .c_str());
  if (arguments.dry_run) return;
  if (!corrected.backup.empty()) {
    std::puts(fmt::format("the former content is tag {}, for 7 days", corrected.backup).c_str());
  } else {
    std::puts(fmt::format("deleted {} that only the former content used", RemovedText(corrected.files)).c_str());
  }
}

}  // namespace

void AddTagCorrection(CLI::App& command, TagCorrectionArguments& arguments) {
  command.add_option("--from-branch,--from_branch", arguments.from_branch,
                     "show what this branch made of it; main and its other tags stay as they are");
  command.add_flag("--no-backup", arguments.no_backup, "with --from-branch: do not keep the former content as a tag for 7 days");
  command.add_flag("--allow-unrelated", arguments.allow_unrelated, "with --from-branch: although the branch was not made from the tag");
  command.add_flag("--assume-exclusive", arguments.assume_exclusive,
                   "with --from-branch: no other engine expires snapshots or tags of the table");
  command.add_flag("--dry-run", arguments.dry_run, "with --from-branch: only say what would be done");
}

Status CorrectTagOf(const OperationContext& context, const TagCorrectionArguments& arguments, bool as_json) {
  CorrectTagRequest request{.tag = arguments.tag,
                            .branch = arguments.from_branch,
                            .backup = !arguments.no_backup,
                            .allow_unrelated = arguments.allow_unrelated,
                            .assume_exclusive = arguments.assume_exclusive,
                            .dry_run = arguments.dry_run};
  if (arguments.snapshot > 0) request.snapshot = SnapshotId(arguments.snapshot);
  BRAID_TRY_ASSIGN(const CorrectedTag corrected, CorrectTag(context, request));
  PrintRepairs(corrected.repairs);
  if (!as_json) {
    PrintCorrected(context, arguments, corrected);
    return Ok();
  }
  Json json;
  json.Add("table", context.table_name);
  json.Add("tag", corrected.tag);
  json.Add("dry_run", arguments.dry_run);
  json.Add("snapshot_id", corrected.place.value());
  json.Add("branch", arguments.from_branch);
  json.Add("branch_snapshot_id", corrected.content.id.value());
  json.Add("rows", corrected.rows);
  json.Add("former_rows", corrected.former_rows);
  json.Add("backup", corrected.backup.empty() ? Json() : Json(corrected.backup));
  AddRemovedFiles(corrected.files, json);
  std::puts(PrintJson(json).c_str());
  return Ok();
}

std::function<Status()> AddReplaceTagCommand(CLI::App& command) {
  struct Arguments : BranchArguments {
    TagCorrectionArguments correction;
  };
  auto arguments = std::make_shared<Arguments>();
  AddTableArguments(command, *arguments);
  command.add_option("TAG,--tag,--tag_name,--tag-name", arguments->correction.tag, "tag of main")->required();
  AddTagCorrection(command, arguments->correction);
  command.get_option("--from-branch")->required();
  command.add_option("--snapshot", arguments->correction.snapshot, "snapshot of the branch; default: its latest")->check(CLI::PositiveNumber);
  command.footer("example:\n  braid replace-tag --warehouse /warehouse --table sales.orders --tag 2024-05-14 --from-branch fix_0514");
  return [arguments]() -> Status {
    BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(*arguments));
    return CorrectTagOf(context, arguments->correction, arguments->json());
  };
}

}  // namespace braid
