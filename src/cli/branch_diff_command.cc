// braid diff, braid branch diff: what differs between two states of a table.

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/branch_arguments.h"
#include "cli/branch_command.h"
#include "cli/command.h"
#include "table/line_diff.h"

namespace braid {

namespace {

struct DiffArguments : BranchArguments {
  std::string from{kMainBranch};
  bool rows = false;
  std::int64_t limit = 20;
};

Json FieldJson(const std::optional<DataField>& field) {
  if (!field) return {};
  Json json;
  json.Add("name", field->name);
  json.Add("type", field->type.ToString());
  return json;
}

// A row as an object; as a text if it holds what JSON has no numbers for.
Json RowJson(const std::optional<std::string>& row) {
  if (!row) return {};
  Result<Json> json = ParseJson(*row);
  return json ? *std::move(json) : Json(*row);
}

Json SideJson(const LineDiff::Side& side) {
  Json json;
  json.Add("state", side.name);
  json.Add("snapshot_id", side.snapshot ? Json(side.snapshot->value()) : Json());
  json.Add("since_base", SnapshotsJson(side.since_base));
  return json;
}

Json RowsJson(const RowDifferences& rows) {
  Json json;
  json.Add("by_key", rows.by_key);
  json.Add("added", rows.added);
  json.Add("removed", rows.removed);
  json.Add("changed", rows.changed);
  Json::Array shown;
  for (const RowDifference& row : rows.shown) {
    Json difference;
    difference.Add("before", RowJson(row.before));
    difference.Add("after", RowJson(row.after));
    shown.push_back(std::move(difference));
  }
  json.Add("shown", std::move(shown));
  return json;
}

Json DiffJson(std::string_view table, const LineDiff& diff) {
  Json json;
  json.Add("table", table);
  json.Add("from", SideJson(diff.from));
  json.Add("to", SideJson(diff.to));
  json.Add("base_snapshot_id", diff.base ? Json(diff.base->id.value()) : Json());
  json.Add("no_base_reason", diff.no_base_reason.empty() ? Json() : Json(diff.no_base_reason));
  Json::Array columns;
  for (const ColumnDifference& column : diff.columns) {
    Json difference;
    difference.Add("field_id", static_cast<std::int64_t>(column.id.value()));
    difference.Add("before", FieldJson(column.before));
    difference.Add("after", FieldJson(column.after));
    columns.push_back(std::move(difference));
  }
  json.Add("columns", std::move(columns));
  json.Add("rows", diff.rows ? RowsJson(*diff.rows) : Json());
  return json;
}

void PrintColumns(const LineDiff& diff) {
  if (diff.columns.empty()) {
    std::puts("columns: the same");
    return;
  }
  std::puts("columns:");
  const auto text = [](const DataField& field) { return fmt::format("{} {}", field.name, field.type.ToString()); };
  for (const ColumnDifference& column : diff.columns) {
    if (column.before) std::puts(("  - " + text(*column.before)).c_str());
    if (column.after) std::puts(("  + " + text(*column.after)).c_str());
  }
}

void PrintRows(const LineDiff& diff) {
  const RowDifferences& rows = *diff.rows;
  const std::int64_t all = rows.added + rows.removed + rows.changed;
  if (all == 0) {
    std::puts("rows: the same");
    return;
  }
  std::puts(fmt::format("rows: {} only in {}, {} only in {}{}", rows.removed, diff.from.name, rows.added, diff.to.name,
                        rows.by_key ? fmt::format(", {} changed", rows.changed) : "")
                .c_str());
  for (const RowDifference& row : rows.shown) {
    if (row.before) std::puts(("  - " + *row.before).c_str());
    if (row.after) std::puts(("  + " + *row.after).c_str());
  }
  const std::int64_t hidden = all - static_cast<std::int64_t>(rows.shown.size());
  if (hidden > 0) std::puts(fmt::format("  and {} more; --limit 0 shows all", hidden).c_str());
}

void PrintDiff(const std::string& table, const LineDiff& diff) {
  if (diff.base) {
    std::puts(fmt::format("{} and {} of {} have snapshot {} in common", diff.from.name, diff.to.name, table, diff.base->id)
                  .c_str());
    PrintSnapshots(diff.from.name, diff.from.since_base);
    PrintSnapshots(diff.to.name, diff.to.since_base);
  } else if (!diff.no_base_reason.empty()) {
    std::puts(fmt::format("{} and {} of {}: {}", diff.from.name, diff.to.name, table, diff.no_base_reason).c_str());
  }
  PrintColumns(diff);
  if (diff.rows) {
    PrintRows(diff);
  } else {
    std::puts("rows: give --rows to compare them");
  }
}

Status Diff(const DiffArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  LineDiffRequest request{.from = {}, .to = {}, .rows = arguments.rows, .limit = static_cast<std::size_t>(arguments.limit)};
  BRAID_TRY_ASSIGN(request.from, LineState::Parse(context, arguments.from));
  BRAID_TRY_ASSIGN(request.to, LineState::Parse(context, arguments.name));
  BRAID_TRY_ASSIGN(const LineDiff diff, DiffLines(context, request));
  if (arguments.json()) {
    std::puts(PrintJson(DiffJson(context.table_name, diff)).c_str());
  } else {
    PrintDiff(context.table_name, diff);
  }
  return Ok();
}

void AddRowArguments(CLI::App& command, DiffArguments& arguments) {
  command.add_flag("--rows", arguments.rows, "compare rows too: by key, or without a key as they are");
  command.add_option("--limit", arguments.limit, "rows to show; 0: all")->check(CLI::NonNegativeNumber);
}

}  // namespace

std::function<Status()> AddDiffBranchCommand(CLI::App& command) {
  auto arguments = std::make_shared<DiffArguments>();
  AddTableArguments(command, *arguments);
  AddBranchName(command, *arguments);
  command.add_option("--with", arguments->from, "what to compare it with: BRANCH, BRANCH@SNAPSHOT or BRANCH@TAG");
  AddRowArguments(command, *arguments);
  command.footer("examples:\n  braid branch diff /warehouse sales.orders fix_0514 --rows\n"
                 "  braid diff-branch --warehouse /warehouse --table sales.orders --name fix_0514 --with main@2024-05-14");
  return [arguments] { return Diff(*arguments); };
}

std::function<Status()> AddDiffCommand(CLI::App& command) {
  auto arguments = std::make_shared<DiffArguments>();
  AddTableArguments(command, *arguments);
  command.add_option("FROM,--from", arguments->from, "BRANCH, BRANCH@SNAPSHOT, BRANCH@TAG; \"@4\" is main's snapshot 4")
      ->required();
  command.add_option("TO,--to", arguments->name, "likewise")->required();
  AddRowArguments(command, *arguments);
  command.footer("examples:\n  braid diff /warehouse sales.orders @4 @7 --rows\n"
                 "  braid diff /warehouse sales.orders main fix_0514 --rows --limit 100");
  return [arguments] { return Diff(*arguments); };
}

}  // namespace braid
