// braid table set-maintenance: who expires snapshots and tags of a table.

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/branch_arguments.h"
#include "cli/table_command.h"
#include "table/maintenance_mode.h"

namespace braid {

namespace {

struct MaintenanceArguments : BranchArguments {
  std::string mode;
  bool dry_run = false;
};

Status Set(const MaintenanceArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  const MaintenanceMode mode = arguments.mode == "exclusive" ? MaintenanceMode::kExclusive : MaintenanceMode::kShared;
  BRAID_TRY_ASSIGN(const ChangedMaintenance changed, SetMaintenance(context, mode, arguments.dry_run));
  PrintRepairs(changed.repairs);
  Json json;
  json.Add("table", context.table_name);
  json.Add("mode", arguments.mode);
  json.Add("dry_run", arguments.dry_run);
  json.Add("lines", Json::Array(changed.lines.begin(), changed.lines.end()));
  if (changed.lines.empty()) {
    PrintOutcome(arguments, fmt::format("maintenance of {} is {} already", context.table_name, arguments.mode), json);
    return Ok();
  }
  PrintOutcome(arguments, fmt::format("maintenance of {} {} {}, on {}", context.table_name, arguments.dry_run ? "would be" : "is", arguments.mode,
                                      Join(changed.lines, ", ")), json);
  if (mode == MaintenanceMode::kExclusive && !arguments.dry_run && !arguments.json())
    std::puts("jobs of other engines that have it open go on expiring until they are started again");
  return Ok();
}

}  // namespace

std::function<Status()> AddTableMaintenanceCommand(CLI::App& command) {
  auto arguments = std::make_shared<MaintenanceArguments>();
  AddTableArguments(command, *arguments);
  command.add_option("--mode", arguments->mode, "exclusive: Braid alone expires snapshots and tags; shared: every engine")
      ->required()
      ->check(CLI::IsMember({"shared", "exclusive"}));
  command.add_flag("--dry-run", arguments->dry_run, "only say which lines would change");
  command.footer("example:\n  braid table set-maintenance /warehouse sales.orders --mode exclusive");
  return [arguments] { return Set(*arguments); };
}

}  // namespace braid
