// Mending hints and unfinished operations.

#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "table/lines.h"
#include "table/operation.h"
#include "table/table_check.h"

namespace braid {

namespace {

// What a hint says; nullopt if it is missing or says nothing.
std::optional<std::int64_t> ReadHint(const FileSystem& fs, const std::string& path) {
  const Result<std::string> text = fs.ReadAll(path);
  return text ? ParseInt64(Trim(*text)) : std::nullopt;
}

Status RepairHint(FileSystem& fs, const std::string& path, std::int64_t right, bool dry_run,
                  std::vector<std::string>& done) {
  const std::optional<std::int64_t> said = ReadHint(fs, path);
  if (said == right) return Ok();
  done.push_back(fmt::format("{} says {} instead of {}", path, said ? std::to_string(*said) : "nothing", right));
  return dry_run ? Ok() : fs.Replace(path, std::to_string(right));
}

}  // namespace

Result<std::vector<std::string>> RepairTable(const Table& table, bool dry_run) {
  FileSystem& fs = table.file_system();
  std::vector<std::string> done;
  if (dry_run) {
    BRAID_TRY_ASSIGN(const std::vector<OperationJournal> journals, ListJournals(fs, table.paths()));
    for (const OperationJournal& journal : journals)
      done.push_back(
          fmt::format("operation {} ({}) is unfinished, at step {}", journal.id, journal.kind, journal.state));
  }
  std::optional<LockedTable> locked;
  if (!dry_run) {
    BRAID_TRY_ASSIGN(locked, LockedTable::Acquire(ContextOf(table)));
    done = locked->repairs();
  }
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, table.paths().root(), Inference::kSkip));
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, line.paths));
    if (ids.empty()) continue;
    // The latest only helps if nothing follows it, the earliest only if it is there; a missing one costs a listing.
    BRAID_TRY(RepairHint(fs, line.paths.LatestHint(), ids.back().value(), dry_run, done));
    BRAID_TRY(RepairHint(fs, line.paths.EarliestHint(), ids.front().value(), dry_run, done));
  }
  return done;
}

}  // namespace braid
