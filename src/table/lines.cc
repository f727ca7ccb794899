#include "table/lines.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "base/uuid.h"
#include "io/storage_traits.h"
#include "meta/stores.h"
#include "table/branch_folder.h"

namespace braid {

namespace {

constexpr std::string_view kForkGuard = "braid-fork-";
constexpr std::string_view kLinkGuard = "braid-link-";
constexpr std::int64_t kAliasLifeMs = std::int64_t{7} * 24 * 3600 * 1000;
constexpr std::string_view kNewPrefix = ".new-";
constexpr std::string_view kDroppedPrefix = ".dropped-";
// Name space of the ids of branches that other engines made.
constexpr std::string_view kInferredLines = "6f1f9e0a-4d5b-5c61-8f0e-2b6a0d0c9a11";

bool IsNotFound(const Error& error) {
  return error.code() == ErrorCode::kNotFound;
}

Error NoSuchBranch(const TablePaths& paths) {
  return Error(ErrorCode::kNotFound,
               fmt::format("{} has no branch {}", paths.OnBranch(kMainBranch).DisplayName(), paths.branch()))
      .Id("branch.not-found");
}

Line RootLine(const TablePaths& paths, const std::optional<TableRecord>& record, std::string_view main_branch) {
  Line line{.kind = LineKind::kRoot, .name = std::string(kMainBranch), .id = std::string(kRootLineId), .paths = paths};
  line.is_main = main_branch == kMainBranch;
  if (!record) return line;
  line.id = record->root_line_id;
  line.record = record->root_record;
  return line;
}

// When the branch's lowest schema was written: a branch that was deleted and made again has another one. 0 without
// schema.
Result<std::int64_t> FirstSchemaTime(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> schemas, ListSchemas(fs, paths));
  if (schemas.empty()) return std::int64_t{0};
  BRAID_TRY_ASSIGN(const FileStatus status, fs.Stat(paths.SchemaFile(schemas.front())));
  return status.modified_ms;
}

Result<Line> ReadBranchLine(const FileSystem& fs, const TablePaths& paths) {
  Line line{.kind = LineKind::kBranch, .name = paths.branch(), .id = {}, .paths = paths};
  Result<std::optional<ForkRecord>> record = ReadForkRecord(fs, paths);
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> schemas, ListSchemas(fs, paths));
  if (!record && record.error().code() != ErrorCode::kCorruption) return std::move(record).error();
  if (!record) {
    line.damage = std::move(record).error();
  } else if (schemas.empty()) {
    line.damage = Error(ErrorCode::kCorruption, fmt::format("{} has no schema", paths.DisplayName())).Id("branch.damaged");
  }
  if (record && *record) {
    line.record = **std::move(record);
    line.id = line.record->branch_id;
  } else {
    line.inferred = true;
    BRAID_TRY_ASSIGN(line.id, InferredLineIdAs(fs, paths, paths.branch()));
  }
  return line;
}

// A line whose folder is no branch's. A record that cannot be read is its damage.
Line ReadOtherLine(const FileSystem& fs, LineKind kind, TablePaths paths) {
  const std::string name = paths.branch();
  Line line{.kind = kind, .name = name, .id = name, .paths = std::move(paths)};
  Result<std::optional<ForkRecord>> record = ReadForkRecord(fs, line.paths);
  if (!record) {
    line.damage = std::move(record).error();
  } else if (*record) {
    line.record = **std::move(record);
    line.id = line.record->branch_id;
  }
  return line;
}

// What two lines share is looked for among snapshots and tags.
class SharedHistory {
 public:
  static Result<SharedHistory> Of(const FileSystem& fs, const TablePaths& paths) {
    SharedHistory history(paths);
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
    history.ids_.insert(ids.begin(), ids.end());
    BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, paths));
    for (const std::string& name : names) {
      const Result<Tag> tag = ReadTag(fs, paths, name);
      if (!tag && IsNotFound(tag.error())) continue;
      if (!tag) return tag.error();
      history.tags_[tag->snapshot.id].insert(SnapshotIdentity(tag->snapshot));
    }
    return history;
  }

  Result<bool> Holds(const FileSystem& fs, const SnapshotRef& wanted) const {
    if (const auto tagged = tags_.find(wanted.id); tagged != tags_.end() && tagged->second.contains(wanted.identity)) {
      return true;
    }
    if (!ids_.contains(wanted.id)) return false;
    const Result<Snapshot> snapshot = ReadSnapshot(fs, paths_, wanted.id);
    if (!snapshot && IsNotFound(snapshot.error())) return false;
    if (!snapshot) return snapshot.error();
    return SnapshotIdentity(*snapshot) == wanted.identity;
  }

 private:
  explicit SharedHistory(TablePaths paths) : paths_(std::move(paths)) {}

  TablePaths paths_;
  std::set<SnapshotId> ids_;
  std::map<SnapshotId, std::set<std::string>> tags_;  // identities
};

// Derives where branches without a record come from (§3.2).
class Inferrer {
 public:
  Inferrer(const FileSystem& fs, const std::vector<Line>& lines) : fs_(fs), lines_(lines) {}

  Status Derive(Line& line) {
    ForkRecord record;
    record.branch_id = line.id;
    record.name = line.name;
    record.inferred = true;
    BRAID_TRY_ASSIGN(const FileStatus folder, fs_.Stat(line.paths.BranchDirectory()));
    record.created_ms = folder.modified_ms;
    BRAID_TRY_ASSIGN(const std::vector<Snapshot> snapshots, SnapshotsOf(line));
    if (snapshots.empty()) {
      record.kind = ForkKind::kEmpty;
      line.unknown_reason = "it has no snapshot";
    } else {
      record.kind = ForkKind::kSnapshot;
      BRAID_TRY(FindParent(line, snapshots, record));
      if (!record.anchor) line.unknown_reason = "no other line has a snapshot in common with it any more";
    }
    line.record = std::move(record);
    return Ok();
  }

 private:
  // Newest first.
  Result<std::vector<Snapshot>> SnapshotsOf(const Line& line) const {
    std::vector<Snapshot> snapshots;
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, line.paths));
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
      Result<Snapshot> snapshot = ReadSnapshot(fs_, line.paths, *id);
      if (!snapshot && IsNotFound(snapshot.error())) continue;
      if (!snapshot) return std::move(snapshot).error();
      snapshots.push_back(*std::move(snapshot));
    }
    return snapshots;
  }

  Status FindParent(const Line& line, const std::vector<Snapshot>& snapshots, ForkRecord& record) {
    std::vector<const Line*> candidates;
    for (const Line& other : lines_) {
      if (other.id == line.id || (other.kind != LineKind::kRoot && other.kind != LineKind::kBranch)) continue;
      candidates.push_back(&other);
    }
    std::stable_partition(candidates.begin(), candidates.end(), [](const Line* other) { return other->is_main; });
    for (const Line* parent : candidates) {
      BRAID_TRY_ASSIGN(const SharedHistory* history, HistoryOf(*parent));
      for (const Snapshot& snapshot : snapshots) {
        BRAID_TRY_ASSIGN(const bool shared, history->Holds(fs_, RefOf(snapshot)));
        if (!shared) continue;
        record.parent_name = parent->is_main ? std::string(kMainBranch) : parent->name;
        record.parent_line_id = parent->id;
        record.anchor = AnchorAt(snapshot);
        record.base = snapshot;
        return FindTag(line, *record.anchor, record);
      }
    }
    return Ok();
  }

  Status FindTag(const Line& line, const ForkAnchor& anchor, ForkRecord& record) const {
    BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs_, line.paths));
    std::optional<std::int64_t> oldest_ms;
    for (const std::string& name : names) {
      if (IsGuardTag(name)) continue;
      const Result<Tag> tag = ReadTag(fs_, line.paths, name);
      if (!tag && IsNotFound(tag.error())) continue;
      if (!tag) return tag.error();
      if (RefOf(tag->snapshot) != anchor.snapshot) continue;
      BRAID_TRY_ASSIGN(const FileStatus status, fs_.Stat(line.paths.TagFile(name)));
      if (oldest_ms && *oldest_ms <= status.modified_ms) continue;
      oldest_ms = status.modified_ms;
      record.tag = name;
      record.kind = ForkKind::kTag;
    }
    return Ok();
  }

  Result<const SharedHistory*> HistoryOf(const Line& line) {
    auto found = histories_.find(line.id);
    if (found == histories_.end()) {
      BRAID_TRY_ASSIGN(SharedHistory history, SharedHistory::Of(fs_, line.paths));
      found = histories_.emplace(line.id, std::move(history)).first;
    }
    return &found->second;
  }

  const FileSystem& fs_;
  const std::vector<Line>& lines_;
  std::map<std::string, SharedHistory> histories_;  // by lineId
};

// A branch, or what is left of one, or there of it already, where folders cannot be moved.
Result<Line> ReadBranchFolder(const FileSystem& fs, const TablePaths& paths) {
  if (!CanRename(fs)) {
    BRAID_TRY_ASSIGN(const BranchFolder folder, FindBranchFolder(fs, paths));
    if (folder == BranchFolder::kDropped) return ReadOtherLine(fs, LineKind::kDropped, paths);
    if (folder == BranchFolder::kBeingMade) return ReadOtherLine(fs, LineKind::kNew, paths);
  }
  return ReadBranchLine(fs, paths);
}

// One that was deleted since it was listed is left out.
Result<std::vector<Line>> ReadBranchLines(const FileSystem& fs, const TablePaths& root,
                                          const std::vector<std::string>& names) {
  std::vector<std::optional<Line>> read(names.size());
  BRAID_TRY(ForEachLine(names.size(), [&](std::size_t i) -> Status {
    Result<Line> line = ReadBranchFolder(fs, root.OnBranch(names[i]));
    if (line) read[i] = *std::move(line);
    return line || IsNotFound(line.error()) ? Ok() : Status(std::move(line).error());
  }));
  std::vector<Line> lines;
  for (std::optional<Line>& line : read) {
    if (line) lines.push_back(*std::move(line));
  }
  return lines;
}

// Adds the lines of the folder `branch/`. Branches come first, by name.
Status AddBranches(const FileSystem& fs, const TablePaths& root, const std::string& main_branch,
                   std::vector<Line>& lines) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListBranches(fs, root));
  BRAID_TRY_ASSIGN(std::vector<Line> branches, ReadBranchLines(fs, root, names));
  for (Line& line : branches) {
    line.is_main = line.kind == LineKind::kBranch && line.name == main_branch;
    lines.push_back(std::move(line));
  }
  BRAID_TRY_ASSIGN(std::vector<FileInfo> folders, fs.List(root.BranchesDirectory()));
  std::sort(folders.begin(), folders.end(), [](const FileInfo& a, const FileInfo& b) { return a.name < b.name; });
  for (const FileInfo& folder : folders) {
    const bool is_dropped = folder.name.starts_with(kDroppedPrefix);
    if (!folder.is_directory || (!is_dropped && !folder.name.starts_with(kNewPrefix))) continue;
    const std::string directory = JoinPath(root.BranchesDirectory(), folder.name);
    lines.push_back(ReadOtherLine(fs, is_dropped ? LineKind::kDropped : LineKind::kNew,
                                  TablePaths::OfLineAt(root.root(), folder.name, directory)));
  }
  return Ok();
}

Status AddStaged(const FileSystem& fs, const TablePaths& root, std::vector<Line>& lines) {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> folders, fs.List(JoinPath(root.BraidDirectory(), "staging")));
  for (const FileInfo& folder : folders) {
    if (!folder.is_directory) continue;
    lines.push_back(ReadOtherLine(fs, LineKind::kStaged,
                                  TablePaths::OfLineAt(root.root(), folder.name, root.StagingDirectory(folder.name))));
  }
  return Ok();
}

}  // namespace

const Line* TableLines::Find(std::string_view name) const {
  if (IsMainName(name)) return &main();
  for (const Line& line : lines) {
    if (line.kind == LineKind::kBranch && line.name == name) return &line;
  }
  return nullptr;
}

const Line* TableLines::FindById(std::string_view line_id) const {
  // While a branch becomes the root both have its id, and the branch is the one to use.
  for (const LineKind kind : {LineKind::kBranch, LineKind::kRoot}) {
    for (const Line& line : lines) {
      if (line.kind == kind && line.id == line_id) return &line;
    }
  }
  return nullptr;
}

const Line& TableLines::main() const {
  for (const Line& line : lines) {
    if (line.is_main) return line;
  }
  return lines.front();
}

Status ForEachLine(std::size_t count, const std::function<Status(std::size_t)>& body) {
  constexpr std::size_t kFew = 16;
  if (count > kFew) {
    return ParallelFor(IoPool(), static_cast<std::int64_t>(count),
                       [&](std::int64_t i) { return body(static_cast<std::size_t>(i)); });
  }
  for (std::size_t i = 0; i < count; ++i) BRAID_TRY(body(i));
  return Ok();
}

Result<TableLines> ListLines(const FileSystem& fs, const std::string& root, Inference inference) {
  const TablePaths paths(root, std::string(kMainBranch));
  TableLines all;
  BRAID_TRY_ASSIGN(const std::string main_branch, ReadMainBranch(fs, paths));
  BRAID_TRY_ASSIGN(all.table, ReadTableRecord(fs, paths));
  all.lines.push_back(RootLine(paths, all.table, main_branch));
  BRAID_TRY(AddBranches(fs, paths, main_branch, all.lines));
  BRAID_TRY(AddStaged(fs, paths, all.lines));
  if (inference == Inference::kDerive) BRAID_TRY(DeriveOrigins(fs, all));
  return all;
}

Status DeriveOrigins(const FileSystem& fs, TableLines& lines) {
  Inferrer inferrer(fs, lines.lines);
  for (Line& line : lines.lines) {
    if (!line.inferred || line.damage) continue;
    const Status derived = inferrer.Derive(line);
    if (!derived && derived.error().code() != ErrorCode::kCorruption && !IsNotFound(derived.error())) {
      return derived.error();
    }
    if (!derived) line.damage = derived.error();
  }
  return Ok();
}

Result<Line> ReadLine(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::string main_branch, ReadMainBranch(fs, paths));
  if (paths.branch() == kMainBranch) {
    BRAID_TRY_ASSIGN(const std::optional<TableRecord> record, ReadTableRecord(fs, paths));
    return RootLine(paths, record, main_branch);
  }
  BRAID_TRY_ASSIGN(const bool exists, fs.Exists(paths.BranchDirectory()));
  if (!exists) return NoSuchBranch(paths);
  BRAID_TRY_ASSIGN(Line line, ReadBranchLine(fs, paths));
  line.is_main = line.name == main_branch;
  return line;
}

namespace {

// What MAIN-BRANCH says; "main" without the file.
Result<std::string> ReadPointer(const FileSystem& fs, const TablePaths& paths) {
  const Result<std::string> text = fs.ReadAll(paths.MainBranchFile());
  if (!text && IsNotFound(text.error())) return std::string(kMainBranch);
  if (!text) return text.error();
  const std::string branch(Trim(*text));
  return branch.empty() || IsMainName(branch) ? std::string(kMainBranch) : branch;
}

}  // namespace

Result<std::string> ReadMainBranch(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(std::string branch, ReadPointer(fs, paths));
  while (branch != kMainBranch) {
    BRAID_TRY_ASSIGN(const BranchFolder folder, FindBranchFolder(fs, paths.OnBranch(branch)));
    if (folder == BranchFolder::kPresent) return branch;
    // The pointer goes before the folder does: then it was read just before.
    BRAID_TRY_ASSIGN(std::string now, ReadPointer(fs, paths));
    if (now == branch) {
      return Error(ErrorCode::kCorruption, fmt::format("MAIN-BRANCH of {} names the branch '{}', which does not exist",
                                                       paths.OnBranch(kMainBranch).DisplayName(), branch))
          .Id("main.dangling")
          .Hint(fmt::format("put the name of an existing branch into {}, or delete the file to make the table's root main",
                            paths.MainBranchFile()));
    }
    branch = std::move(now);
  }
  return branch;
}

Status WriteMainBranch(FileSystem& fs, const TablePaths& paths, std::string_view branch) {
  const std::string path = paths.MainBranchFile();
  if (IsMainName(branch)) {
    BRAID_TRY(fs.Delete(path));
    return fs.SyncFiles(std::vector{paths.root()});
  }
  BRAID_TRY(fs.Replace(path, branch));
  return fs.SyncFiles(std::vector{path});
}

Result<std::optional<BranchAlias>> ReadAlias(const FileSystem& fs, const TablePaths& root, std::string_view name,
                                             std::int64_t now_ms) {
  const std::string path = root.AliasFile(name);
  const Result<std::string> text = fs.ReadAll(path);
  if (!text && text.error().code() == ErrorCode::kNotFound) return std::optional<BranchAlias>();
  if (!text) return text.error();
  BRAID_TRY_ASSIGN(const Json json, ParseJson(*text).Context("while reading " + path));
  BranchAlias alias;
  BRAID_TRY_ASSIGN(alias.line_id, json.GetString("lineId").Context("while reading " + path));
  BRAID_TRY_ASSIGN(alias.made_ms, json.GetInteger("millis").Context("while reading " + path));
  BRAID_TRY_ASSIGN(std::optional<std::string> branch, json.FindString("branch"));
  BRAID_TRY_ASSIGN(std::optional<std::string> operation, json.FindString("op"));
  alias.branch = std::move(branch).value_or("");
  alias.operation = std::move(operation).value_or("");
  // Aliases of renames end; that of a branch that became main stays until the name is used again.
  if (alias.branch != kMainBranch && alias.made_ms < now_ms - kAliasLifeMs) return std::optional<BranchAlias>();
  return std::optional(std::move(alias));
}

Result<TablePaths> ResolveLine(const FileSystem& fs, const std::string& root, std::string_view name) {
  const TablePaths paths(root, std::string(kMainBranch));
  if (IsMainName(name) || name.empty()) {
    BRAID_TRY_ASSIGN(const std::string branch, ReadMainBranch(fs, paths));
    return paths.OnBranch(branch);
  }
  TablePaths named = paths.OnBranch(name);
  if (name.find('/') != std::string_view::npos) return named;
  BRAID_TRY_ASSIGN(const BranchFolder folder, FindBranchFolder(fs, named));
  if (folder == BranchFolder::kPresent) return named;
  BRAID_TRY_ASSIGN(const std::optional<BranchAlias> alias, ReadAlias(fs, paths, name, SystemClock().NowMs()));
  if (!alias) return named;
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, root, Inference::kSkip));
  const Line* line = lines.FindById(alias->line_id);
  return line != nullptr ? line->paths : named;
}

bool StaysInPlace(const FileSystem& fs, const TablePaths& paths) {
  return paths.branch() == kMainBranch && !CanRename(fs);
}

Result<std::string> ReadLineId(const FileSystem& fs, const TablePaths& paths) {
  if (paths.branch() == kMainBranch) {
    BRAID_TRY_ASSIGN(const std::optional<TableRecord> record, ReadTableRecord(fs, paths));
    return record ? record->root_line_id : std::string(kRootLineId);
  }
  BRAID_TRY_ASSIGN(const std::optional<ForkRecord> record, ReadForkRecord(fs, paths));
  if (record && CanRename(fs)) return record->branch_id;
  BRAID_TRY_ASSIGN(const BranchFolder folder, FindBranchFolder(fs, paths));
  if (record && folder == BranchFolder::kPresent) return record->branch_id;
  if (folder == BranchFolder::kPresent) return InferredLineIdAs(fs, paths, paths.branch());
  return NoSuchBranch(paths);
}

Result<std::string> InferredLineIdAs(const FileSystem& fs, const TablePaths& paths, std::string_view name) {
  BRAID_TRY_ASSIGN(const std::int64_t time_ms, FirstSchemaTime(fs, paths));
  return NameUuid(kInferredLines, fmt::format("{}/{}", name, time_ms));
}

Result<bool> HoldsSnapshot(const FileSystem& fs, const TablePaths& line, const SnapshotRef& snapshot) {
  BRAID_TRY_ASSIGN(const SharedHistory history, SharedHistory::Of(fs, line));
  return history.Holds(fs, snapshot);
}

bool IsMainName(std::string_view name) {
  return EqualsIgnoreCase(name, kMainBranch);
}

std::string ForkGuardTag(std::string_view branch) {
  return fmt::format("{}{}", kForkGuard, branch);
}

std::string LinkGuardTag(std::string_view branch, std::size_t number) {
  return fmt::format("{}{}-{}", kLinkGuard, branch, number);
}

bool IsGuardTag(std::string_view tag) {
  return GuardedBranch(tag).has_value();
}

std::optional<std::string> GuardedBranch(std::string_view tag) {
  if (tag.starts_with(kForkGuard)) return std::string(tag.substr(kForkGuard.size()));
  if (!tag.starts_with(kLinkGuard)) return std::nullopt;
  const std::string_view rest = tag.substr(kLinkGuard.size());
  const std::size_t dash = rest.rfind('-');
  if (dash == std::string_view::npos || !ParseInt64(rest.substr(dash + 1))) return std::nullopt;
  return std::string(rest.substr(0, dash));
}

}  // namespace braid
