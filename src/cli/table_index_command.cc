// braid table rewrite-indexes

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/file_index_rewrite.h"

namespace braid {

namespace {

struct IndexArguments : UpkeepArguments {
  PartitionArguments partitions;
};

Status Run(const IndexArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  IndexRewriteRequest request{.dry_run = arguments.dry_run, .progress = TerminalProgress()};
  BRAID_TRY_ASSIGN(request.partitions, PartitionFilterOf(arguments.partitions, table));
  BRAID_TRY_ASSIGN(const IndexRewrite rewrite, RewriteFileIndexes(table, request, RandomUuid()));
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("files", rewrite.file_count);
    json.Add("bytes", rewrite.bytes);
    if (!arguments.dry_run) json.Add("changed_files", rewrite.changed_count);
    if (rewrite.snapshot) json.Add("snapshot_id", rewrite.snapshot->value());
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  if (arguments.dry_run) {
    std::puts(fmt::format("would read {} data files ({}) of {} for their indexes", rewrite.file_count,
                          ByteText(rewrite.bytes), arguments.table)
                  .c_str());
  } else if (rewrite.snapshot) {
    std::puts(fmt::format("{} of {} data files of {} have other indexes since its snapshot {}", rewrite.changed_count,
                          rewrite.file_count, arguments.table, *rewrite.snapshot)
                  .c_str());
  } else {
    std::puts(
        fmt::format("the {} data files of {} have the wanted indexes", rewrite.file_count, arguments.table).c_str());
  }
  return Ok();
}

}  // namespace

std::function<Status()> AddTableRewriteIndexesCommand(CLI::App& command) {
  auto arguments = std::make_shared<IndexArguments>();
  AddUpkeepArguments(command, *arguments);
  AddPartitions(command, arguments->partitions);
  AddDryRun(command, *arguments);
  command.footer(
      "Set the table's options first (ALTER TABLE … SET ('file-index.bloom-filter.columns' = 'customer')): new files "
      "follow them, older ones are read for it here.\n\n"
      "example:\n  braid table rewrite-indexes /warehouse default.orders --partition dt=2024-05-14 --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
