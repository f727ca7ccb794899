#include "table/line_move.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/seal.h"

namespace braid {

Status MayMove(const Line& line, LineMove move) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "committing", "tagging", "merging into it", "deleting it", "renaming it", "replacing", "rolling it back"};
  if (move == LineMove::kCommit || move == LineMove::kTag || move == LineMove::kMergeInto) return Ok();
  if (!line.record || !line.record->is_protected) return Ok();
  return Error(ErrorCode::kPermissionDenied,
               fmt::format("branch {} of {} is protected against {}", line.name,
                           line.paths.OnBranch(kMainBranch).DisplayName(), kNames[static_cast<std::size_t>(move)]))
      .Id("branch.protected")
      .Hint("`braid branch protect --off` ends that");
}

Status MayMove(const Table& table, LineMove move, const std::optional<Snapshot>& head) {
  const std::optional<Seal> seal = head ? SealOf(*head) : std::nullopt;
  if (!seal || (!seal->line_id.empty() && seal->line_id != table.line().id)) return Ok();
  if (seal->reason == "rollback") {
    return Error(ErrorCode::kUnavailable, fmt::format("{} is being rolled back", table.paths().DisplayName()))
        .Hint("run it again in a moment");
  }
  if (seal->moved_to != kMainBranch) {
    if (IsMainName(table.line().name)) return MovedError(table);
    return Error(ErrorCode::kConflict, fmt::format("branch {} of {} was main until it was replaced, and takes no commits",
                                                   table.line().name, table.name()))
        .Id("main.moved")
        .Hint("make a branch from it and write there, or bring it back with `braid branch replace-main --undo`");
  }
  // In the root the line has arrived where the seal says that it goes.
  if (table.paths().branch() == kMainBranch) return Ok();
  if (move != LineMove::kCommit) return MovedError(table);
  return Error(ErrorCode::kUnavailable,
               fmt::format("branch {} of {} is becoming main", table.paths().branch(), table.name()))
      .Id("main.moved")
      .Hint("run it again in a moment");
}

Status MayMove(const Table& table, LineMove move) {
  const FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const TablePaths paths, ResolveLine(fs, table.paths().root(), table.line().name));
  if (paths.branch() != table.paths().branch()) return MovedError(table);
  BRAID_TRY_ASSIGN(const Line line, ReadLine(fs, paths));
  if (line.id != table.line().id) return MovedError(table);
  BRAID_TRY(MayMove(line, move));
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> head, ReadLatestSnapshot(fs, paths));
  return head ? MayMove(table, move, head) : Ok();
}

}  // namespace braid
