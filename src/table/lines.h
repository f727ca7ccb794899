#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/fork_record.h"
#include "meta/table_paths.h"

namespace braid {

enum class LineKind : std::uint8_t {
  kRoot,     ///< in the table's own folder
  kBranch,   ///< below `branch/`; replaced mains within their grace time are branches too
  kDropped,  ///< deleted, files not yet reclaimed (`branch/.dropped-*`)
  kNew,      ///< being made (`branch/.new-*`)
  kStaged,   ///< prepared for an exchange (`.braid/staging/*`); some of its folders may be missing
};

/// One sequence of snapshots with its schemas, tags, changelogs and consumers (spec branches.md §1).
struct Line {
  LineKind kind = LineKind::kRoot;
  std::string name;  ///< "main" for the root, the branch's name, else the name of the folder
  std::string id;    ///< lineId; for dropped, new and staged lines without a record the folder's name
  TablePaths paths;
  bool is_main = false;  ///< used where no branch is named
  /// Where it comes from: `fork.json`, or derived (§3.2); of the root that a branch became. nullopt for a root that was
  /// never replaced, and where `damage` says why there is none.
  std::optional<ForkRecord> record = std::nullopt;
  /// `record` is derived from what the lines share, since another engine made the branch.
  bool inferred = false;
  /// Why a derived record has no parent; empty if it has one.
  std::string unknown_reason = {};
  /// What is broken about it: no schema, an unreadable `fork.json`.
  std::optional<Error> damage = std::nullopt;

  bool is_retired() const { return record && record->retired; }
};

/// All lines of a table at one moment.
struct TableLines {
  std::optional<TableRecord> table;  ///< nullopt if no Braid has written to the table
  std::vector<Line> lines;           ///< the root first, then branches by name, then the rest

  /// The root or a branch of that name; nullptr if there is none. "main" in any case is the line that is main.
  const Line* Find(std::string_view name) const;
  const Line* FindById(std::string_view line_id) const;
  /// The line that is main.
  const Line& main() const;
};

enum class Inference : std::uint8_t {
  kDerive,  ///< reads snapshots of branches without a record to find where they come from
  kSkip,
};

/// Finds every line of the table at `root`. One that goes meanwhile may be left out. Errors: kCorruption if MAIN-BRANCH
/// names no branch; those of FileSystem. A damaged line is no error.
Result<TableLines> ListLines(const FileSystem& fs, const std::string& root, Inference inference = Inference::kDerive);

/// Fills in where branches without a record come from, which a listing with Inference::kSkip left out.
Status DeriveOrigins(const FileSystem& fs, TableLines& lines);

/// Calls body(0) … body(count - 1), several at once where there are many: for what reads a few files of each line. Not to
/// be called from a task of IoPool.
Status ForEachLine(std::size_t count, const std::function<Status(std::size_t)>& body);

/// The root or a branch by the paths of its metadata, without looking at other lines; nothing is derived. Errors:
/// kNotFound if there is no such branch; as ListLines.
Result<Line> ReadLine(const FileSystem& fs, const TablePaths& paths);

/// The branch that MAIN-BRANCH names; "main" if it names the root. Errors: kCorruption if there is no such branch.
Result<std::string> ReadMainBranch(const FileSystem& fs, const TablePaths& paths);
/// Makes a branch main, or with "main" the root.
Status WriteMainBranch(FileSystem& fs, const TablePaths& paths, std::string_view branch);

/// A branch name that means another line since a rename or a replacement of main (§3.5).
struct BranchAlias {
  std::string line_id;
  std::string branch;  ///< the line's name when the alias was made; "main" for the root
  std::int64_t made_ms = 0;
  std::string operation;
};
/// nullopt if there is none, or it has ended.
Result<std::optional<BranchAlias>> ReadAlias(const FileSystem& fs, const TablePaths& root, std::string_view name,
                                             std::int64_t now_ms);

/// The paths of the line that a name means: of MAIN-BRANCH's branch for "main" in any case, of the branch of that name,
/// or of the line that the name is an alias of. A name that means nothing gives the paths that a branch would have.
Result<TablePaths> ResolveLine(const FileSystem& fs, const std::string& root, std::string_view name);

/// Whether these paths are one line's for good, so that looking once is enough: the root where folders cannot be moved. A
/// branch may be deleted and made anew.
bool StaysInPlace(const FileSystem& fs, const TablePaths& paths);

/// The lineId of the root or of a branch. Errors: kNotFound if the branch's folder does not exist; kCorruption.
Result<std::string> ReadLineId(const FileSystem& fs, const TablePaths& paths);

/// The lineId of a branch without a record if it had this name.
Result<std::string> InferredLineIdAs(const FileSystem& fs, const TablePaths& paths, std::string_view name);

/// Whether the line has this very snapshot, as a snapshot or as a tag.
Result<bool> HoldsSnapshot(const FileSystem& fs, const TablePaths& line, const SnapshotRef& snapshot);

/// Whether the name is "main" in any case.
bool IsMainName(std::string_view name);

/// Guard tags hold fork points and merged snapshots for engines that know only tags (spec branches.md §5.4).
std::string ForkGuardTag(std::string_view branch);
std::string LinkGuardTag(std::string_view branch, std::size_t number);
bool IsGuardTag(std::string_view tag);
/// The branch that a guard tag protects.
std::optional<std::string> GuardedBranch(std::string_view tag);

}  // namespace braid
