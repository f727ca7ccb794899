#pragma once

// Steps that operations on branches share.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "meta/fork_record.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"
#include "table/branches.h"
#include "table/lines.h"
#include "table/operation.h"

namespace braid {

// Files are copied and never linked: Java overwrites tags and hints in place, and its fast-forward even snapshots,
// which would change the other line's file with them.

/// Creates the target with the source's content, synced. Succeeds if it has that content already. Errors:
/// kAlreadyExists if it has another.
Status CopyMetadataFile(FileSystem& fs, const std::string& source, const std::string& target);
/// The same in a folder that nobody sees yet: not synced, and what is there is replaced.
Status StageCopy(FileSystem& fs, const std::string& source, const std::string& target);

/// Writes a tag without retention that holds the snapshot for other engines; one of the same snapshot stays, one left
/// over from another snapshot is replaced.
Status WriteGuardTag(FileSystem& fs, const TablePaths& line, const std::string& name, const Snapshot& snapshot);
/// Succeeds if it is absent.
Status DeleteTagFile(FileSystem& fs, const TablePaths& line, const std::string& name);
/// `branch.guard-tags` of the line's latest schema.
Result<bool> WritesGuardTags(const FileSystem& fs, const TablePaths& line);

/// The line of that name. Errors: kNotFound naming the nearest branch.
Result<const Line*> FindLine(const TableLines& lines, std::string_view name, std::string_view table_name);
/// The same, but a branch. Errors: kInvalidArgument for the line that is main.
Result<const Line*> FindBranch(const TableLines& lines, std::string_view name, std::string_view table_name);

/// Stages the schemas of `from` with ids up to `last` (all if nullopt) in `to`; returns the files made.
Result<std::vector<std::string>> StageSchemas(FileSystem& fs, const TablePaths& from, const TablePaths& to,
                                              std::optional<SchemaId> last);

/// The record, on the way from a line up to its ancestor, with the lowest fork point: there the two begin to differ.
/// nullptr if the way is not recorded.
const ForkRecord* LowestForkBelow(const TableLines& lines, const Line& line, std::string_view ancestor_id);

/// What a line has under a snapshot's id. A tag may have come from a former main, where the id meant another snapshot.
enum class UnderId : std::uint8_t { kNothing, kThatSnapshot, kAnother };
Result<UnderId> LookUnderId(const FileSystem& fs, const TablePaths& line, const Snapshot& snapshot);

/// The last snapshot that a branch has in common with its parent. After the branch's own parent was deleted that is not its
/// base. Errors: kNotFound if the parent does not hold it any more and nothing tells it.
Result<Snapshot> ForkPointOf(const FileSystem& fs, const ForkRecord& record, const TablePaths& parent);

/// Gives branches that another engine renamed their new name in their record and guard tags, which would otherwise be
/// taken for left-overs of a branch that is gone. For commands that write or remove such tags. Returns the lines as they
/// are then, with nothing derived.
Result<TableLines> SettleForeignRenames(const LockedTable& table);

Status WriteAlias(FileSystem& fs, const TablePaths& root, std::string_view name, const BranchAlias& alias);
/// Names of all aliases with what they mean, also ended ones.
Result<std::vector<std::pair<std::string, BranchAlias>>> ListAliases(const FileSystem& fs, const TablePaths& root);

/// "braid <version>".
std::string EngineName();

}  // namespace braid
