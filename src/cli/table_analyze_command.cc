// braid table analyze

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/analyze.h"

namespace braid {

namespace {

struct AnalyzeArguments : UpkeepArguments {
  std::vector<std::string> columns;
  bool all_columns = false;
};

std::string ColumnText(const AnalyzedColumn& column) {
  std::string text = fmt::format("  {}: {} NULL", column.name, column.null_count.value_or(0));
  if (column.distinct_count) text += fmt::format(", {} distinct", *column.distinct_count);
  if (column.min && column.max) text += fmt::format(", {} to {}", *column.min, *column.max);
  if (column.greatest_length) {
    text += fmt::format(", {} long, at most {}", column.average_length.value_or(0), *column.greatest_length);
  }
  return text;
}

Status PrintResult(const AnalyzeArguments& arguments, const AnalyzedTable& analysis) {
  const TableStatistics& statistics = analysis.statistics;
  if (arguments.json()) {
    BRAID_TRY_ASSIGN(Json columns, ParseJson(statistics.column_stats));
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("of_snapshot_id", statistics.snapshot_id.value());
    json.Add("rows", statistics.merged_record_count.value_or(0));
    json.Add("bytes", statistics.merged_record_size.value_or(0));
    json.Add("columns", std::move(columns));
    if (analysis.snapshot) json.Add("snapshot_id", analysis.snapshot->value());
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  std::puts(fmt::format("{} has {} rows in {}{}", arguments.table, statistics.merged_record_count.value_or(0),
                        ByteText(statistics.merged_record_size.value_or(0)),
                        analysis.snapshot ? fmt::format("; its snapshot {} says so now", *analysis.snapshot) : "")
                .c_str());
  for (const AnalyzedColumn& column : analysis.columns) std::puts(ColumnText(column).c_str());
  return Ok();
}

Status Run(const AnalyzeArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  AnalyzeRequest request{.columns = arguments.columns, .dry_run = arguments.dry_run};
  if (arguments.all_columns) request.columns.reset();
  BRAID_TRY_ASSIGN(const std::optional<AnalyzedTable> analysis, AnalyzeTable(table, request, RandomUuid()));
  if (analysis) return PrintResult(arguments, *analysis);
  std::puts(arguments.json() ? "{}" : fmt::format("{} has no rows yet", arguments.table).c_str());
  return Ok();
}

}  // namespace

std::function<Status()> AddTableAnalyzeCommand(CLI::App& command) {
  auto arguments = std::make_shared<AnalyzeArguments>();
  AddUpkeepArguments(command, *arguments);
  CLI::Option* columns = command.add_option("--column", arguments->columns, "describe this column too; repeatable");
  command.add_flag("--all-columns", arguments->all_columns, "describe all columns")->excludes(columns);
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table analyze /warehouse default.orders --all-columns");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
