#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "meta/snapshot.h"
#include "table/branches.h"
#include "table/operation.h"

namespace CLI {
class App;
}

namespace braid {

/// What every command on branches takes.
struct BranchArguments {
  std::string warehouse;
  std::string table;     ///< "db.t", or "t" with `database`
  std::string database;  ///< empty: part of `table`
  std::string name;      ///< the branch
  std::string output = "table";  ///< or "json"
  double lock_timeout_s = 60;

  bool json() const { return output == "json"; }
};

/// The table's and the command's own arguments, in both spellings: by place (`braid branch create W DB.T NAME`) and by
/// name (`--warehouse`, `--database`, `--table`), as the proposals' actions have them.
void AddTableArguments(CLI::App& command, BranchArguments& arguments);
void AddBranchName(CLI::App& command, BranchArguments& arguments);

/// The table named. Errors: kNotFound if there is none; kInvalidArgument.
Result<OperationContext> ContextOf(const BranchArguments& arguments);

/// Prints one line, or with `--output json` the object.
void PrintOutcome(const BranchArguments& arguments, std::string_view line, const Json& json);
/// Says on standard error what was left from a crash and put right.
void PrintRepairs(const std::vector<std::string>& repairs);

/// A line's snapshots with what each did: a line each below the name, or as a list of objects.
void PrintSnapshots(std::string_view name, const std::vector<Snapshot>& snapshots);
Json SnapshotsJson(const std::vector<Snapshot>& snapshots);

}  // namespace braid
