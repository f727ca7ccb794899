#include <cstdio>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/lineage_command.h"
#include "lineage/lineage.h"
#include "meta/stores.h"

namespace braid {

namespace {

struct LineageArguments {
  std::string warehouse;
  std::string table;
  std::int64_t snapshot = 0;  // 0: the table as a whole
  int depth = 0;              // 0: all
  std::string output = "table";
};

std::string RangeText(const SnapshotLink& link) {
  if (link.mode == "full") return fmt::format("snapshot {}, all of it", link.to_snapshot);
  if (link.from_snapshot && *link.from_snapshot != link.to_snapshot) return fmt::format("changes of snapshots {} to {}", *link.from_snapshot, link.to_snapshot);
  return fmt::format("changes of snapshot {}", link.to_snapshot);
}

std::string SinkText(const SnapshotLink& link) {
  if (link.first_snapshot == link.last_snapshot) return fmt::format("snapshot {}", link.first_snapshot);
  return fmt::format("snapshots {} to {}", link.first_snapshot, link.last_snapshot);
}

Json ToJson(const LineageStep& step) {
  Json json;
  json.Add("depth", step.depth);
  json.Add("source", step.link.source);
  json.Add("job", step.link.job);
  json.Add("sink", step.link.sink);
  if (step.snapshots) {
    json.Add("mode", step.snapshots->mode);
    if (step.snapshots->from_snapshot) json.Add("from_snapshot", *step.snapshots->from_snapshot);
    json.Add("to_snapshot", step.snapshots->to_snapshot);
    json.Add("barrier_id", step.snapshots->barrier);
    json.Add("sink_first_snapshot", step.snapshots->first_snapshot);
    json.Add("sink_last_snapshot", step.snapshots->last_snapshot);
  }
  return json;
}

void PrintSteps(const std::vector<LineageStep>& steps, const LineageArguments& arguments, Direction direction) {
  if (arguments.output == "json") {
    for (const LineageStep& step : steps) std::puts(PrintJson(ToJson(step)).c_str());
    return;
  }
  std::puts(arguments.snapshot > 0 ? fmt::format("{}, snapshot {}", arguments.table, arguments.snapshot).c_str() : arguments.table.c_str());
  if (steps.empty()) std::puts(direction == Direction::kUp ? "  nothing recorded above it" : "  nothing recorded below it");
  for (const LineageStep& step : steps) {
    const std::string indent(static_cast<std::size_t>(step.depth) * 2, ' ');
    const bool up = direction == Direction::kUp;
    std::string line = fmt::format("{}{} {}  by job {}", indent, up ? "<-" : "->", up ? step.link.source : step.link.sink, step.link.job);
    if (step.snapshots) {
      line = fmt::format("{}{} {}, {}  by job {}, barrier {}", indent, up ? "<-" : "->", up ? step.link.source : step.link.sink,
                         up ? RangeText(*step.snapshots) : SinkText(*step.snapshots), step.link.job, step.snapshots->barrier);
    }
    std::puts(line.c_str());
  }
}

Status Walk(const LineageArguments& arguments, Direction direction) {
  BRAID_TRY_ASSIGN(const auto lineage, OpenWarehouseLineage(arguments.warehouse));
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::Parse(arguments.table));
  BRAID_TRY_ASSIGN(const Table table, lineage->catalog().OpenTable(identifier));
  if (arguments.snapshot > 0) {
    BRAID_TRY_ASSIGN(const auto links, SnapshotLinks(*lineage));
    const std::vector<LineageStep> steps = WalkSnapshots(links, table.name(), arguments.snapshot, direction, arguments.depth);
    // Lineage remembers snapshots that have expired; one that it does not know must at least be there.
    if (steps.empty()) BRAID_TRY(ReadSnapshot(table.file_system(), table.paths(), SnapshotId(arguments.snapshot)));
    PrintSteps(steps, arguments, direction);
    return Ok();
  }
  BRAID_TRY_ASSIGN(const auto links, TableLinks(*lineage));
  PrintSteps(WalkTables(links, table.name(), direction, arguments.depth), arguments, direction);
  return Ok();
}

Status Graph(const LineageArguments& arguments) {
  BRAID_TRY_ASSIGN(const auto lineage, OpenWarehouseLineage(arguments.warehouse));
  BRAID_TRY_ASSIGN(const auto links, TableLinks(*lineage));
  const bool dot = arguments.output == "dot";
  const bool mermaid = arguments.output == "mermaid";
  if (dot) std::puts("digraph lineage {\n  rankdir = LR;");
  if (mermaid) std::puts("graph LR");
  if (links.empty() && arguments.output == "table") std::puts("no job has been recorded");
  std::map<std::string, std::size_t> nodes;  // tables in the order in which they come
  const auto node_of = [&](const std::string& table) { return fmt::format("t{}", nodes.emplace(table, nodes.size()).first->second); };
  for (const TableLink& link : links) {
    std::string line = fmt::format("{}  --{}-->  {}", link.source, link.job, link.sink);
    if (dot) line = fmt::format("  \"{}\" -> \"{}\" [label = \"{}\"];", link.source, link.sink, link.job);
    if (mermaid) {
      line = fmt::format("  {}[\"{}\"] -->|\"{}\"| {}[\"{}\"]", node_of(link.source), link.source, link.job, node_of(link.sink), link.sink);
    }
    if (arguments.output == "json") line = PrintJson(ToJson({.depth = 1, .link = link, .snapshots = {}}));
    std::puts(line.c_str());
  }
  if (dot) std::puts("}");
  return Ok();
}

Status Rebuild(const LineageArguments& arguments) {
  BRAID_TRY_ASSIGN(const auto lineage, OpenWarehouseLineage(arguments.warehouse));
  BRAID_TRY(lineage->Rebuild());
  BRAID_TRY_ASSIGN(const auto links, SnapshotLinks(*lineage));
  std::puts(fmt::format("lineage made anew from the snapshots: {} links between snapshots", links.size()).c_str());
  return Ok();
}

void AddWarehouse(CLI::App& command, LineageArguments& arguments) { command.add_option("WAREHOUSE", arguments.warehouse, "folder of the warehouse")->required(); }

}  // namespace

Result<std::shared_ptr<Lineage>> OpenWarehouseLineage(const std::string& warehouse) {
  BRAID_TRY_ASSIGN(auto catalog, MakeFileSystemCatalog("paimon", Options(Options::Map{{"warehouse", warehouse}})));
  BRAID_TRY_ASSIGN(CatalogIdentity identity, SettleCatalogIdentity(*catalog->file_system(), catalog->warehouse(), catalog->options()));
  if (!identity.table_lineage()) {
    BRAID_TRY_ASSIGN(const bool exists, catalog->file_system()->Exists(catalog->warehouse()));
    if (!exists) {
      return Error(ErrorCode::kNotFound, fmt::format("the warehouse {} does not exist", warehouse))
          .Hint("give the folder that holds the databases' folders, <database>.db");
    }
    return Error(ErrorCode::kNotFound, fmt::format("warehouse {} records no lineage", warehouse))
        .Hint("create its catalog WITH ('table-lineage' = 'true', 'data-lineage' = 'true')");
  }
  return Lineage::Open(std::move(catalog), std::move(identity));
}

Status ShowLineage(const std::string& warehouse, const std::string& table, std::int64_t snapshot, Direction direction) {
  return Walk({.warehouse = warehouse, .table = table, .snapshot = snapshot, .depth = 0, .output = "table"}, direction);
}

Status ShowLineageGraph(const std::string& warehouse) { return Graph({.warehouse = warehouse, .table = {}, .snapshot = 0, .depth = 0, .output = "table"}); }

std::function<Status()> AddLineageCommand(CLI::App& command) {
  auto arguments = std::make_shared<LineageArguments>();
  Subcommands runners;
  for (const Direction direction : {Direction::kUp, Direction::kDown}) {
    const bool up = direction == Direction::kUp;
    CLI::App* walk = command.add_subcommand(up ? "up" : "down", up ? "what a table or snapshot was made from" : "what was made from a table or snapshot");
    AddWarehouse(*walk, *arguments);
    walk->add_option("TABLE", arguments->table, "DB.TABLE")->required();
    walk->add_option("--snapshot", arguments->snapshot, "one snapshot of the table")->check(CLI::PositiveNumber);
    walk->add_option("--depth", arguments->depth, "how many steps; 0: all")->check(CLI::NonNegativeNumber);
    walk->add_option("--output", arguments->output, "table or json")->check(CLI::IsMember({"table", "json"}));
    runners.emplace_back(walk, [arguments, direction] { return Walk(*arguments, direction); });
  }
  CLI::App* graph = command.add_subcommand("graph", "all tables and the jobs between them");
  AddWarehouse(*graph, *arguments);
  graph->add_option("--output", arguments->output, "table, json, dot or mermaid")->check(CLI::IsMember({"table", "json", "dot", "mermaid"}));
  runners.emplace_back(graph, [arguments] { return Graph(*arguments); });
  CLI::App* rebuild = command.add_subcommand("rebuild", "make the lineage store anew from the snapshots");
  AddWarehouse(*rebuild, *arguments);
  runners.emplace_back(rebuild, [arguments] { return Rebuild(*arguments); });
  command.footer("examples:\n  braid lineage up /warehouse default.word_count_table --snapshot 2\n  braid lineage graph /warehouse --output dot");
  return RunSubcommand(command, std::move(runners));
}

}  // namespace braid
