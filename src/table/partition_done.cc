#include "table/partition_done.h"

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "meta/success_file.h"
#include "table/done_report.h"
#include "table/drop_partitions.h"

namespace braid {

namespace {

Status Mark(FileSystem& fs, const std::string& path, std::int64_t now_ms) {
  SuccessFile file{.creation_ms = now_ms, .modification_ms = now_ms};
  const Result<std::string> text = fs.ReadAll(path);
  if (!text && text.error().code() != ErrorCode::kNotFound) return text.error();
  if (text) {
    // What is no such file is written anew, as Java does.
    const Result<SuccessFile> before = ParseSuccessFile(*text);
    if (before) file.creation_ms = before->creation_ms;
  }
  return fs.Replace(path, PrintSuccessFile(file));
}

std::vector<std::string> DoneActionsOf(const Table& table) {
  return ParseList(ToLower(table.options().Get("partition.mark-done-action", "success-file")));
}

}  // namespace

Status CheckDoneActions(const Table& table) {
  const auto refuse = [&](ErrorCode code, std::string_view action, std::string_view why) {
    return Error(code, fmt::format("'partition.mark-done-action' of {} has '{}', {}", table.name(), action, why))
        .Hint("it can have success-file, which writes files named _SUCCESS, and http-report, which tells a server");
  };
  BRAID_TRY_ASSIGN(const bool in_metastore, table.options().GetBool("metastore.partitioned-table", false));
  for (const std::string& action : DoneActionsOf(table)) {
    if (action == "success-file") continue;
    if (action == "http-report") {
      BRAID_TRY(CheckDoneReport(table));
    } else if (action == "mark-event") {
      if (!in_metastore) return refuse(ErrorCode::kInvalidArgument, action, "which needs 'metastore.partitioned-table' = 'true'");
    } else if (action == "done-partition") {
      return refuse(ErrorCode::kUnsupported, action, "which needs a metastore; a catalog of folders has none");
    } else if (action == "custom") {
      return refuse(ErrorCode::kUnsupported, action, "which is Java code; Braid does not run it");
    } else {
      return refuse(ErrorCode::kInvalidArgument, action, "which is no action");
    }
  }
  return Ok();
}

Status MarkFoldersDone(const Table& table, const std::vector<std::string>& partitions, const Clock& clock) {
  const std::vector<std::string> actions = DoneActionsOf(table);
  for (const std::string& partition : partitions) {
    for (const std::string& action : actions) {
      if (action == "success-file") {
        BRAID_TRY(Mark(table.file_system(), JoinPath(JoinPath(table.paths().root(), partition), "_SUCCESS"), clock.NowMs()));
      } else if (action == "http-report") {
        BRAID_TRY(ReportPartitionDone(table, partition));
      }
      // `mark-event` tells the catalog, and a catalog of folders keeps nothing of it, Java's neither.
    }
  }
  return Ok();
}

Result<std::vector<std::string>> MarkPartitionsDone(const Table& table, const PredicatePtr& partitions, bool dry_run,
                                                    const Clock& clock) {
  if (!table.schema().is_partitioned()) {
    return Error(ErrorCode::kInvalidArgument, table.name() + " has no partitions");
  }
  BRAID_TRY(CheckDoneActions(table));
  BRAID_TRY_ASSIGN(HeldFiles held, FilesOfPartitions(table, partitions));
  if (!dry_run) BRAID_TRY(MarkFoldersDone(table, held.partitions, clock));
  return std::move(held.partitions);
}

}  // namespace braid
