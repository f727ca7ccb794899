// braid table clean

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/orphan_files.h"
#include "types/local_time.h"

namespace braid {

namespace {

struct CleanArguments : UpkeepArguments {
  std::string older_than;
};

Json::Array ToJson(const std::vector<OrphanFile>& files) {
  Json::Array array;
  for (const OrphanFile& file : files) {
    Json json;
    json.Add("path", file.path);
    json.Add("bytes", file.size_bytes);
    json.Add("reason", file.reason);
    array.push_back(std::move(json));
  }
  return array;
}

void PrintResult(const CleanArguments& arguments, const OrphanResult& result) {
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("files", static_cast<std::int64_t>(result.removed.size()));
    json.Add("bytes", result.bytes);
    json.Add("failures", result.failures);
    json.Add("removed", ToJson(result.removed));
    json.Add("held", ToJson(result.held));
    std::puts(PrintJson(json).c_str());
    return;
  }
  std::puts(fmt::format("{} {} files ({}) of {}", arguments.dry_run ? "would delete" : "deleted", result.removed.size(),
                        ByteText(result.bytes), arguments.table)
                .c_str());
  for (const OrphanFile& file : result.removed)
    std::puts(fmt::format("  {:>10}  {}  ({})", ByteText(file.size_bytes), file.path, file.reason).c_str());
  if (!result.held.empty()) {
    std::puts(fmt::format("left {} files, held by damaged branch {}:", result.held.size(),
                          Join(result.damaged_branches, ", "))
                  .c_str());
    for (const OrphanFile& file : result.held)
      std::puts(fmt::format("  {:>10}  {}", ByteText(file.size_bytes), file.path).c_str());
  }
  if (result.failures > 0) std::puts(fmt::format("{} files could not be deleted", result.failures).c_str());
}

Status Run(const CleanArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  OrphanRequest request{.older_than_ms = {}, .dry_run = arguments.dry_run, .progress = TerminalProgress()};
  if (!arguments.older_than.empty()) {
    BRAID_TRY_ASSIGN(request.older_than_ms, ParseLocalTime(arguments.older_than).Context("in --older-than"));
  }
  BRAID_TRY_ASSIGN(const OrphanResult result, RemoveOrphanFiles(table, request, SystemClock()));
  PrintResult(arguments, result);
  return Ok();
}

}  // namespace

std::function<Status()> AddTableCleanCommand(CLI::App& command) {
  auto arguments = std::make_shared<CleanArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_option(
      "--older-than", arguments->older_than,
      "only files last written before a local time, \"2024-05-14 10:15:30\"; default: a day ago. Files of "
      "writers that have not committed yet look like orphans");
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table clean /warehouse default.orders --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
