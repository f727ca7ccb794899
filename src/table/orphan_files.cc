#include "table/orphan_files.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "meta/new_file_places.h"
#include "meta/stores.h"
#include "table/external_paths.h"
#include "table/line_roots.h"
#include "table/lines.h"
#include "table/operation.h"
#include "table/reachable_files.h"

namespace braid {

namespace {

constexpr const char* kUnnamed = "nothing names it";
constexpr std::size_t kEntropyLevels = 4;
constexpr const char* kUnfinished = "a write that was not finished";

class Cleaning {
 public:
  Cleaning(const Table& table, const OrphanRequest& request, std::int64_t older_than_ms)
      : table_(table),
        request_(request),
        older_than_ms_(older_than_ms),
        reachable_(table.file_system(), table.paths()) {}

  Result<OrphanResult> Run() {
    BRAID_TRY(ReadRoots());
    BRAID_TRY(FindUnfinished());
    for (const std::string& directory :
         {table_.paths().ManifestDirectory(), table_.paths().IndexDirectory(), table_.paths().StatisticsDirectory()}) {
      BRAID_TRY(FindIn(directory));
    }
    BRAID_TRY_ASSIGN(const std::set<std::string> roots, DataRoots());
    for (const std::string& root : roots) BRAID_TRY(FindBelow(root, table_.schema().partition_keys.size()));
    // Branches, tags and snapshots that were made while this was looking reach files that were there before.
    BRAID_TRY(ReadRoots());
    std::erase_if(result_.removed, [&](const OrphanFile& file) {
      return file.reason == kUnnamed && reachable_.Contains(BaseName(file.path));
    });
    for (const OrphanFile& file : result_.removed) result_.bytes += file.size_bytes;
    if (!request_.dry_run) BRAID_TRY(Delete());
    return std::move(result_);
  }

 private:
  FileSystem& fs() const { return table_.file_system(); }

  Status ReadRoots() {
    BRAID_TRY_ASSIGN(lines_, ListLines(fs(), table_.paths().root(), Inference::kSkip));
    for (const Line& line : lines_.lines) {
      Status read = ReadRootsOf(line);
      if (read && !line.damage) continue;
      if (line.kind == LineKind::kRoot) {
        const Error error = read ? *line.damage : read.error();
        return Error(ErrorCode::kIo, "nothing was deleted: what the table needs cannot be told")
            .Id("expire.root-unreadable")
            .Context(error.ToString())
            .Hint("mend or remove the file; `braid table check` shows all damage");
      }
      BRAID_TRY(HoldFor(line));
    }
    reachable_.Settle();
    return Ok();
  }

  Status ReadRootsOf(const Line& line) {
    BRAID_TRY_ASSIGN(const std::vector<UnreadableRoot> unreadable, VisitRoots(fs(), line, [&](const Root& root) {
                       return reachable_.Add(root).Context("of " + root.holder);
                     }));
    if (unreadable.empty()) return Ok();
    return Error(unreadable.front().error).Context("of " + unreadable.front().holder);
  }

  // A branch that cannot be read may use what was written since it was made; what it had from its parent is among the
  // parent's own or pinned.
  Status HoldFor(const Line& line) {
    const auto known = std::find(result_.damaged_branches.begin(), result_.damaged_branches.end(), line.name);
    if (known != result_.damaged_branches.end()) return Ok();
    result_.damaged_branches.push_back(line.name);
    return HoldSince(line.paths.BranchDirectory());
  }

  Status HoldSince(const std::string& directory) {
    BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, fs().List(directory));
    for (const FileInfo& child : children) {
      const std::string path = JoinPath(directory, child.name);
      if (child.is_directory) {
        BRAID_TRY(HoldSince(path));
        continue;
      }
      const Result<FileStatus> status = fs().Stat(path);
      if (!status && status.error().code() != ErrorCode::kNotFound) return status.error();
      if (status) held_since_ms_ = std::min(held_since_ms_, status->modified_ms);
    }
    return Ok();
  }

  // What writers of snapshots left beside them.
  Status FindUnfinished() {
    for (const Line& line : lines_.lines) {
      if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
      BRAID_TRY(FindUnfinishedIn(line.paths.SnapshotDirectory(), "snapshot-"));
      BRAID_TRY(FindUnfinishedIn(line.paths.ChangelogDirectory(), "changelog-"));
    }
    return Ok();
  }

  Status FindUnfinishedIn(const std::string& directory, std::string_view prefix) {
    BRAID_TRY_ASSIGN(const std::vector<FileInfo> files, fs().List(directory));
    for (const FileInfo& file : files) {
      if (file.is_directory || file.name.starts_with(prefix) || file.name == "EARLIEST" || file.name == "LATEST")
        continue;
      BRAID_TRY(Judge(JoinPath(directory, file.name), kUnfinished));
    }
    return Ok();
  }

  Result<std::set<std::string>> DataRoots() const {
    BRAID_TRY_ASSIGN(std::set<std::string> roots, ExternalDataPaths(fs(), lines_));
    // The folder below the table is immutable, so that of one schema is that of all.
    const std::string& below = table_.layout().data_directory;
    roots.insert(below.empty() ? table_.paths().root() : JoinPath(table_.paths().root(), below));
    return roots;
  }

  // Folders "<key>=<value>" as deep as there are partition columns, then "bucket-<n>".
  Status FindBelow(const std::string& directory, std::size_t depth) {
    BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, fs().List(directory));
    for (const FileInfo& child : children) {
      if (!child.is_directory) continue;
      const std::string path = JoinPath(directory, child.name);
      if (depth == 0 && child.name.starts_with("bucket-")) BRAID_TRY(FindIn(path));
      if (depth > 0 && child.name.find('=') != std::string::npos) BRAID_TRY(FindBelow(path, depth - 1));
    }
    return Ok();
  }

  Status FindIn(const std::string& directory) {
    BRAID_TRY_ASSIGN(const std::vector<FileInfo> files, fs().List(directory));
    for (const FileInfo& file : files) {
      if (file.is_directory && IsEntropyFolder(file.name)) BRAID_TRY(FindIn(JoinPath(directory, file.name)));
      if (file.is_directory || file.name.ends_with(".managed.blob") || reachable_.Contains(file.name)) continue;
      BRAID_TRY(Judge(JoinPath(directory, file.name), kUnnamed));
    }
    if (request_.progress) request_.progress("looking for files", static_cast<std::int64_t>(result_.removed.size()), 0);
    return Ok();
  }

  Status Judge(std::string path, const char* reason) {
    const Result<FileStatus> status = fs().Stat(path);
    if (!status && status.error().code() == ErrorCode::kNotFound) return Ok();
    if (!status) return status.error();
    if (status->modified_ms >= older_than_ms_) return Ok();
    const bool held = reason == kUnnamed && status->modified_ms >= held_since_ms_;
    (held ? result_.held : result_.removed)
        .push_back({.path = std::move(path), .size_bytes = status->size_bytes, .reason = reason});
    return Ok();
  }

  Status Delete() {
    std::set<std::string> directories;
    for (const OrphanFile& file : result_.removed) {
      if (const Status deleted = fs().Delete(file.path); !deleted) {
        ++result_.failures;
        Log(LogLevel::kWarning, "orphan not deleted",
            fmt::format("file={} error={}", file.path, deleted.error().message()));
      }
      const std::string directory(DirectoryName(file.path));
      if (file.reason == kUnnamed &&
          (BaseName(directory).starts_with("bucket-") || IsEntropyFolder(BaseName(directory))))
        directories.insert(directory);
    }
    // Buckets that became empty, the partitions above them, and the folders of entropy in them.
    for (std::size_t depth = 0; depth <= table_.schema().partition_keys.size() + kEntropyLevels && !directories.empty();
         ++depth) {
      std::set<std::string> parents;
      for (const std::string& directory : directories) {
        BRAID_TRY_ASSIGN(const bool deleted, fs().DeleteEmptyDirectory(directory));
        if (deleted) parents.emplace(DirectoryName(directory));
      }
      directories = std::move(parents);
      std::erase_if(directories, [](const std::string& directory) {
        const std::string_view name = BaseName(directory);
        return name.find('=') == std::string_view::npos && !name.starts_with("bucket-") && !IsEntropyFolder(name);
      });
    }
    return Ok();
  }

  const Table& table_;
  const OrphanRequest& request_;
  const std::int64_t older_than_ms_;
  ReachableFiles reachable_;
  TableLines lines_;
  std::int64_t held_since_ms_ = std::numeric_limits<std::int64_t>::max();
  OrphanResult result_;
};

}  // namespace

Result<OrphanResult> RemoveOrphanFiles(const Table& table, const OrphanRequest& request, const Clock& clock) {
  const std::int64_t now_ms = clock.NowMs();
  const std::int64_t older_than_ms = request.older_than_ms.value_or(now_ms - kOrphanAgeMs);
  if (older_than_ms > now_ms) {
    return Error(ErrorCode::kInvalidArgument,
                 "files are only removed that were written before now, since writers name theirs when they commit")
        .Hint("give a time that is past");
  }
  OperationContext context = ContextOf(table);
  context.clock = &clock;
  BRAID_TRY_ASSIGN(const LockedTable locked, LockedTable::Acquire(context));
  return Cleaning(table, request, older_than_ms).Run();
}

}  // namespace braid
