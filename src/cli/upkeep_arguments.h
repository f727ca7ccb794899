#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "table/doomed_files.h"
#include "table/snapshot_selector.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// What every command on tags and on a table's upkeep takes.
struct UpkeepArguments {
  std::string warehouse;
  std::string table;
  std::string output = "table";  ///< or "json"
  bool dry_run = false;

  bool json() const { return output == "json"; }
};

void AddUpkeepArguments(CLI::App& command, UpkeepArguments& arguments);
void AddDryRun(CLI::App& command, UpkeepArguments& arguments);
Result<Table> OpenUpkeepTable(const UpkeepArguments& arguments);

/// `--partition`, repeatable, and `--where`: partitions to work on.
struct PartitionArguments {
  std::vector<std::string> partitions;
  std::string where;
};
void AddPartitions(CLI::App& command, PartitionArguments& arguments);
/// A condition on partition columns; nullptr if nothing was given. Errors: kInvalidArgument.
Result<PredicatePtr> PartitionFilterOf(const PartitionArguments& arguments, const Table& table);

/// `--snapshot`, `--tag`, `--timestamp`, `--watermark`: one snapshot; none: the latest.
struct SelectorArguments {
  std::int64_t snapshot = 0;  // 0: not given
  std::string tag;
  std::string timestamp;
  std::optional<std::int64_t> watermark;
};
void AddSelector(CLI::App& command, SelectorArguments& arguments);
/// Errors: kInvalidArgument for a time that is none.
Result<SnapshotSelector> SelectorOf(const SelectorArguments& arguments);

/// Shows on a terminal how far a long operation is; does nothing elsewhere.
UpkeepProgress TerminalProgress();

/// "1.2 MB"
std::string ByteText(std::int64_t bytes);
void AddRemovedFiles(const RemovedFiles& files, Json& json);
/// "12 data files (1.2 MB) and 7 metadata files", and what could not be deleted.
std::string RemovedText(const RemovedFiles& files);
/// Lists the paths of a dry run, below each other.
void PrintPaths(const std::vector<std::string>& paths);

}  // namespace braid
