#include "table/partition_done.h"

#include <fmt/format.h>

#include "base/text.h"
#include "meta/success_file.h"
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

}  // namespace

Status CheckDoneActions(const Table& table) {
  for (const std::string& action : Split(table.options().Get("partition.mark-done-action", "success-file"), ',')) {
    if (Trim(action) == "success-file") continue;
    return Error(ErrorCode::kUnsupported,
                 fmt::format("'partition.mark-done-action' of {} is '{}', which Braid does not do", table.name(),
                             Trim(action)))
        .Hint("it does success-file");
  }
  return Ok();
}

Status MarkFoldersDone(const Table& table, const std::vector<std::string>& partitions, const Clock& clock) {
  for (const std::string& partition : partitions) {
    BRAID_TRY(
        Mark(table.file_system(), JoinPath(JoinPath(table.paths().root(), partition), "_SUCCESS"), clock.NowMs()));
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
