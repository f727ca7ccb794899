#include "cli/branch_arguments.h"

#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "catalog/catalog.h"
#include "types/local_time.h"

namespace braid {

void AddTableArguments(CLI::App& command, BranchArguments& arguments) {
  command.add_option("WAREHOUSE,--warehouse", arguments.warehouse, "folder of the warehouse")->required();
  command.add_option("TABLE,--table", arguments.table, "DB.TABLE, or TABLE with --database")->required();
  command.add_option("--database", arguments.database, "database of the table");
  command.add_option("--output", arguments.output, "table or json")->check(CLI::IsMember({"table", "json"}));
  command.add_option("--lock-timeout", arguments.lock_timeout_s, "seconds to wait while another command works on the table")
      ->check(CLI::NonNegativeNumber);
}

void AddBranchName(CLI::App& command, BranchArguments& arguments) {
  command.add_option("NAME,--name,--branch_name,--branch-name", arguments.name, "name of the branch")->required();
}

Result<OperationContext> ContextOf(const BranchArguments& arguments) {
  BRAID_TRY_ASSIGN(const auto catalog, MakeFileSystemCatalog("paimon", Options(Options::Map{{"warehouse", arguments.warehouse}})));
  const std::string name = arguments.database.empty() ? arguments.table : arguments.database + "." + arguments.table;
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::Parse(name));
  if (identifier.system_table) return Error(ErrorCode::kInvalidArgument, fmt::format("{} is a system table", name)).Hint("name the table itself");
  BRAID_TRY_ASSIGN(const bool exists, catalog->TableExists(identifier));
  // Opening says what is near the name; a table whose MAIN-BRANCH is broken must still be reachable for branches.
  if (!exists) BRAID_TRY(catalog->OpenTable(identifier));
  OperationContext context;
  context.file_system = catalog->file_system();
  context.root = JoinPath(catalog->warehouse(), fmt::format("{}.db/{}", identifier.database, identifier.table));
  context.table_name = identifier.database + "." + identifier.table;
  context.lock_timeout = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.lock_timeout_s * 1000));
  return context;
}

void PrintOutcome(const BranchArguments& arguments, std::string_view line, const Json& json) {
  std::puts(arguments.json() ? PrintJson(json).c_str() : std::string(line).c_str());
}

void PrintRepairs(const std::vector<std::string>& repairs) {
  for (const std::string& repair : repairs) std::fputs(("note: " + repair + "\n").c_str(), stderr);
}

Json SnapshotsJson(const std::vector<Snapshot>& snapshots) {
  Json::Array array;
  for (const Snapshot& snapshot : snapshots) {
    Json json;
    json.Add("snapshot_id", snapshot.id.value());
    json.Add("kind", CommitKindName(snapshot));
    json.Add("time_millis", snapshot.time_millis);
    json.Add("commit_user", snapshot.commit_user);
    json.Add("delta_record_count", snapshot.delta_record_count);
    array.push_back(std::move(json));
  }
  return array;
}

void PrintSnapshots(std::string_view name, const std::vector<Snapshot>& snapshots) {
  std::puts(fmt::format("{}:{}", name, snapshots.empty() ? " nothing" : "").c_str());
  for (const Snapshot& snapshot : snapshots) {
    std::puts(fmt::format("  snapshot {:<5} {:<9} {}  {:+} rows  {}", snapshot.id, CommitKindName(snapshot),
                          LocalTimeText(snapshot.time_millis), snapshot.delta_record_count, snapshot.commit_user)
                  .c_str());
  }
}

}  // namespace braid
