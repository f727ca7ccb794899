// braid tag …: names for snapshots.

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/tag_correction_command.h"
#include "cli/upkeep_arguments.h"
#include "meta/stores.h"
#include "table/lines.h"
#include "table/operation.h"
#include "table/tag_change.h"
#include "table/tag_removal.h"
#include "types/local_time.h"

namespace braid {

namespace {

struct TagArguments : UpkeepArguments {
  SelectorArguments selector;
  std::string name;
  std::vector<std::string> names;  // of `delete`
  std::string to;
  std::string retained;
  std::string older_than;
  TagCorrectionArguments correction;
  bool if_not_exists = false;
  bool all = false;
};

void PrintTag(const TagArguments& arguments, std::string_view what, const Tag& tag) {
  if (!arguments.json()) {
    std::puts(fmt::format("{} tag '{}' of {} at snapshot {}{}", what, tag.name, arguments.table, tag.snapshot.id,
                          tag.time_retained ? fmt::format(", kept for {}", *tag.time_retained) : "")
                  .c_str());
    return;
  }
  Json json;
  json.Add("table", arguments.table);
  json.Add("tag", tag.name);
  json.Add("snapshot", tag.snapshot.id.value());
  if (tag.time_retained) json.Add("time_retained", *tag.time_retained);
  std::puts(PrintJson(json).c_str());
}

Result<NewTag> NewTagOf(const Table& table, const TagArguments& arguments) {
  BRAID_TRY_ASSIGN(const SnapshotSelector selector, SelectorOf(arguments.selector));
  NewTag tag{.name = arguments.name,
             .snapshot = {},
             .time_retained = {},
             .ignore_if_exists = arguments.if_not_exists};
  BRAID_TRY_ASSIGN(tag.snapshot, SelectSnapshot(table, selector));
  if (!arguments.retained.empty()) {
    BRAID_TRY_ASSIGN(tag.time_retained, ParseDuration(arguments.retained).Context("in --time-retained"));
  }
  return tag;
}

Status Create(const TagArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const NewTag tag, NewTagOf(table, arguments));
  BRAID_TRY_ASSIGN(const Tag made, CreateTag(table, tag, SystemClock()));
  PrintTag(arguments, "created", made);
  return Ok();
}

Status Replace(const TagArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  if (!arguments.correction.from_branch.empty()) {
    TagCorrectionArguments correction = arguments.correction;
    correction.tag = arguments.name;
    correction.snapshot = arguments.selector.snapshot;
    return CorrectTagOf(ContextOf(table), correction, arguments.json());
  }
  BRAID_TRY_ASSIGN(const NewTag tag, NewTagOf(table, arguments));
  BRAID_TRY_ASSIGN(const Tag moved, MoveTag(table, tag, SystemClock()));
  PrintTag(arguments, "moved", moved);
  return Ok();
}

Status Rename(const TagArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY(RenameTag(table, arguments.name, arguments.to));
  BRAID_TRY_ASSIGN(const Tag tag, ReadTag(table.file_system(), table.paths(), arguments.to));
  PrintTag(arguments, fmt::format("renamed '{}' to", arguments.name), tag);
  return Ok();
}

Status List(const TagArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(table.file_system(), table.paths()));
  std::int64_t hidden = 0;
  for (const std::string& name : names) {
    if (IsGuardTag(name) && !arguments.all) {
      ++hidden;
      continue;
    }
    BRAID_TRY_ASSIGN(const Tag tag, ReadTag(table.file_system(), table.paths(), name));
    if (arguments.json()) {
      PrintTag(arguments, "", tag);
    } else {
      std::puts(fmt::format(
                    "{:<24} snapshot {:>6}  {:>10} rows{}", tag.name, tag.snapshot.id, tag.snapshot.total_record_count,
                    tag.time_retained
                        ? fmt::format("  kept for {} from {}", *tag.time_retained, tag.create_time.value_or("?"))
                        : "")
                    .c_str());
    }
  }
  if (arguments.json()) return Ok();
  if (names.empty()) std::puts(fmt::format("{} has no tags", arguments.table).c_str());
  if (hidden > 0) std::puts(fmt::format("and {} that protect branches; --all shows them", hidden).c_str());
  return Ok();
}

void PrintRemoval(const TagArguments& arguments, const TagRemoval& removal) {
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    Json::Array tags;
    for (const std::string& tag : removal.tags) tags.emplace_back(tag);
    json.Add("tags", std::move(tags));
    AddRemovedFiles(removal.files, json);
    std::puts(PrintJson(json).c_str());
    return;
  }
  const char* verb = arguments.dry_run ? "would delete" : "deleted";
  if (removal.tags.empty()) std::puts("no tag to delete");
  for (const std::string& tag : removal.tags)
    std::puts(fmt::format("{} tag '{}' of {}", verb, tag, arguments.table).c_str());
  if (!removal.tags.empty())
    std::puts(fmt::format("{} {} that nothing else needs", verb, RemovedText(removal.files)).c_str());
  PrintPaths(removal.files.paths);
}

Status Delete(const TagArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  for (const std::string& name : arguments.names) BRAID_TRY(ReadTag(table.file_system(), table.paths(), name));
  BRAID_TRY_ASSIGN(const TagRemoval removal,
                   DeleteTags(table, arguments.names, {.dry_run = arguments.dry_run, .progress = TerminalProgress()},
                              SystemClock()));
  PrintRemoval(arguments, removal);
  return Ok();
}

Status Expire(const TagArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  std::optional<std::int64_t> older_than_ms;
  if (!arguments.older_than.empty()) {
    BRAID_TRY_ASSIGN(older_than_ms, ParseLocalTime(arguments.older_than).Context("in --older-than"));
  }
  BRAID_TRY_ASSIGN(
      const TagRemoval removal,
      ExpireTags(table, older_than_ms, {.dry_run = arguments.dry_run, .progress = TerminalProgress()}, SystemClock()));
  PrintRemoval(arguments, removal);
  return Ok();
}

void AddName(CLI::App& command, TagArguments& arguments) {
  command.add_option("NAME", arguments.name, "name of the tag")->required();
}

std::function<Status()> AddCreate(CLI::App& command) {
  auto arguments = std::make_shared<TagArguments>();
  AddUpkeepArguments(command, *arguments);
  AddName(command, *arguments);
  AddSelector(command, arguments->selector);
  command.add_option("--time-retained", arguments->retained, "how long it is kept, e.g. \"7 d\"");
  command.add_flag("--if-not-exists", arguments->if_not_exists, "leave an existing tag of the name as it is");
  command.footer("example:\n  braid tag create /warehouse default.orders monday --snapshot 4 --time-retained \"7 d\"");
  return [arguments] { return Create(*arguments); };
}

std::function<Status()> AddReplace(CLI::App& command) {
  auto arguments = std::make_shared<TagArguments>();
  AddUpkeepArguments(command, *arguments);
  AddName(command, *arguments);
  AddSelector(command, arguments->selector);
  command.add_option("--time-retained", arguments->retained, "how long it is kept, e.g. \"7 d\"");
  AddTagCorrection(command, arguments->correction);
  command.footer("examples:\n  braid tag replace /warehouse default.orders monday --snapshot 5\n"
                 "  braid tag replace /warehouse default.orders monday --from-branch fix --dry-run");
  return [arguments] { return Replace(*arguments); };
}

std::function<Status()> AddRename(CLI::App& command) {
  auto arguments = std::make_shared<TagArguments>();
  AddUpkeepArguments(command, *arguments);
  AddName(command, *arguments);
  command.add_option("TO", arguments->to, "its new name")->required();
  command.footer("example:\n  braid tag rename /warehouse default.orders monday 2024-05-13");
  return [arguments] { return Rename(*arguments); };
}

std::function<Status()> AddList(CLI::App& command) {
  auto arguments = std::make_shared<TagArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_flag("--all", arguments->all, "also tags that protect branches");
  command.footer("example:\n  braid tag list /warehouse default.orders");
  return [arguments] { return List(*arguments); };
}

std::function<Status()> AddDelete(CLI::App& command) {
  auto arguments = std::make_shared<TagArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_option("NAME", arguments->names, "names of tags")->required();
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid tag delete /warehouse default.orders monday --dry-run");
  return [arguments] { return Delete(*arguments); };
}

std::function<Status()> AddExpire(CLI::App& command) {
  auto arguments = std::make_shared<TagArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_option("--older-than", arguments->older_than,
                     "also tags made before a local time, \"2024-05-14 10:15:30\"");
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid tag expire /warehouse default.orders");
  return [arguments] { return Expire(*arguments); };
}

}  // namespace

std::function<Status()> AddTagCommand(CLI::App& command) {
  return AddSubcommands(command, {
                                     {"create", "name a snapshot, so that it stays when it expires", AddCreate},
                                     {"list", "list the tags of a table", AddList},
                                     {"delete", "delete tags, and the files that only they kept", AddDelete},
                                     {"rename", "give a tag another name", AddRename},
                                     {"replace", "point a tag at another snapshot", AddReplace},
                                     {"expire", "delete the tags whose time is over", AddExpire},
                                 });
}

}  // namespace braid
