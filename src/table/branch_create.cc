// Creating a branch (spec branches.md §6.1). The commit point is the rename of the staged folder; where folders cannot be
// renamed, the writing of `fork.json`.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/uuid.h"
#include "io/storage_traits.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "meta/tag_time.h"
#include "table/branch_files_internal.h"
#include "table/branch_folder.h"
#include "table/maintenance_mode.h"
#include "table/recoveries_internal.h"
#include "table/time_travel.h"
#include "types/local_time.h"

namespace braid {

namespace {

// What a branch is made from.
struct Origin {
  std::optional<Line> parent = std::nullopt;
  std::optional<Snapshot> snapshot;  // the fork point; nullopt for an empty branch
  std::optional<std::string> tag;
  ForkKind kind = ForkKind::kEmpty;
};

class BranchCreation {
 public:
  BranchCreation(const LockedTable& table, const CreateBranchRequest& request)
      : table_(table), fs_(table.fs()), request_(request) {}

  Result<ForkRecord> Run() {
    BRAID_TRY(CheckAlias());
    BRAID_TRY_ASSIGN(origin_, FindOrigin());
    BRAID_TRY(SettleGuardTag());
    if (origin_.snapshot) BRAID_TRY(CheckNotExpiring());
    MakeRecord();
    BRAID_TRY_ASSIGN(guards_, WritesGuardTags(fs_, origin_.parent->paths));
    guards_ = guards_ && origin_.snapshot.has_value();
    Json args;
    args.Add("name", request_.name);
    args.Add("branchId", record_.branch_id);
    args.Add("parentLineId", record_.parent_line_id);
    args.Add("replaceAlias", request_.replace_alias);
    args.Add("base", record_.base ? SnapshotToJson(*record_.base) : Json());
    BRAID_TRY_ASSIGN(const OperationJournal journal, table_.Begin("create", "PLANNED", std::move(args)));
    BRAID_TRY(RunJournalled(table_, journal, [&] { return Carry(journal); }));
    return record_;
  }

 private:
  TablePaths branch() const { return table_.root().OnBranch(request_.name); }

  Status CheckAlias() const {
    BRAID_TRY_ASSIGN(const auto alias, ReadAlias(fs_, table_.root(), request_.name, table_.NowMs()));
    if (!alias || request_.replace_alias) return Ok();
    return Error(ErrorCode::kAlreadyExists,
                 fmt::format("{} is another name of {} since {}", request_.name,
                             alias->branch == kMainBranch ? "main" : "branch " + alias->branch,
                             LocalTimeText(alias->made_ms)))
        .Id("branch.alias")
        .Hint("choose another name, or give --replace-alias: writers that still use the old name then fail");
  }

  Result<Line> FindParent() const {
    std::string branch = request_.from_branch;
    if (IsMainName(branch)) {
      BRAID_TRY_ASSIGN(branch, ReadMainBranch(fs_, table_.root()));
    }
    Result<Line> line = branch.find('/') == std::string::npos ? ReadLine(fs_, table_.root().OnBranch(branch))
                                                              : Error(ErrorCode::kNotFound, branch);
    if (line || line.error().code() != ErrorCode::kNotFound) return line;
    BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs_, table_.context().root, Inference::kSkip));
    BRAID_TRY_ASSIGN(const Line* found, FindLine(lines, request_.from_branch, table_.context().table_name));
    return *found;
  }

  // A guard tag that is there may be that of a branch which another engine has renamed.
  Status SettleGuardTag() const {
    BRAID_TRY_ASSIGN(const bool there, fs_.Exists(origin_.parent->paths.TagFile(ForkGuardTag(request_.name))));
    if (there) BRAID_TRY(SettleForeignRenames(table_));
    return Ok();
  }

  Result<Origin> FindOrigin() const {
    Origin origin;
    BRAID_TRY_ASSIGN(origin.parent, FindParent());
    if (origin.parent->damage) return *origin.parent->damage;
    const TablePaths& parent = origin.parent->paths;
    if (request_.tag) {
      Result<Tag> tag = ReadTag(fs_, parent, *request_.tag);
      if (!tag && tag.error().code() == ErrorCode::kNotFound) return NameHolderOfTag(std::move(tag).error());
      if (!tag) return std::move(tag).error();
      origin.tag = *request_.tag;
      origin.kind = origin.parent->is_main ? ForkKind::kTag : ForkKind::kBranchTag;
      origin.snapshot = std::move(tag->snapshot);
      return origin;
    }
    if (request_.snapshot) {
      BRAID_TRY_ASSIGN(origin.snapshot, SnapshotOrTagged(parent, *request_.snapshot));
    } else if (request_.latest) {
      BRAID_TRY_ASSIGN(origin.snapshot, ReadLatestSnapshot(fs_, parent));
      if (!origin.snapshot)
        return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot", parent.DisplayName()))
            .Hint("leave --snapshot out to make an empty branch");
    } else if (request_.timestamp_ms) {
      BRAID_TRY_ASSIGN(origin.snapshot, SnapshotAtOrBefore(fs_, parent, *request_.timestamp_ms));
      if (!origin.snapshot) {
        return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot at or before {}", parent.DisplayName(),
                                                       LocalTimeText(*request_.timestamp_ms)));
      }
    }
    if (origin.snapshot) origin.kind = ForkKind::kSnapshot;
    return origin;
  }

  // A snapshot that expired is enough if a tag keeps it.
  Result<Snapshot> SnapshotOrTagged(const TablePaths& parent, SnapshotId id) const {
    Result<Snapshot> snapshot = ReadExistingSnapshot(fs_, parent, id);
    if (snapshot || snapshot.error().code() != ErrorCode::kNotFound) return snapshot;
    BRAID_TRY_ASSIGN(const std::vector<Tag> tags, TagsOf(parent, id));
    if (!tags.empty()) return tags.front().snapshot;
    return snapshot;
  }

  Result<std::vector<Tag>> TagsOf(const TablePaths& line, SnapshotId id) const {
    BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs_, line));
    std::vector<Tag> tags;
    for (const std::string& name : names) {
      Result<Tag> tag = ReadTag(fs_, line, name);
      if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
      if (!tag) return std::move(tag).error();
      if (tag->snapshot.id == id) tags.push_back(*std::move(tag));
    }
    return tags;
  }

  Error NameHolderOfTag(Error error) const {
    const Result<TableLines> lines = ListLines(fs_, table_.context().root, Inference::kSkip);
    if (!lines) return error;
    for (const Line& line : lines->lines) {
      if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
      const Result<bool> there = fs_.Exists(line.paths.TagFile(*request_.tag));
      if (!there || !*there) continue;
      return std::move(error).Hint(line.is_main ? "main has it: leave --from-branch out"
                                                : fmt::format("branch {0} has it: give --from-branch {0}", line.name));
    }
    return error;
  }

  // An expiry of another engine that is already running has read the tags before our guard tag came (§6.1).
  Status CheckNotExpiring() const {
    const TablePaths& parent = origin_.parent->paths;
    BRAID_TRY_ASSIGN(const std::optional<TableSchema> schema, ReadLatestSchema(fs_, parent));
    if (!schema || IsMaintainedExclusively(schema->options)) return Ok();
    BRAID_TRY_ASSIGN(const bool has_snapshot, ParentHasForkPoint());
    if (has_snapshot) {
      if (origin_.tag) return Ok();
      BRAID_TRY_ASSIGN(const bool due, IsDue(parent, schema->options));
      if (!due) return Ok();
    }
    BRAID_TRY_ASSIGN(const std::vector<Tag> tags, TagsOf(parent, origin_.snapshot->id));
    const bool kept = std::any_of(tags.begin(), tags.end(), [&](const Tag& tag) {
      return RefOf(tag.snapshot) == RefOf(*origin_.snapshot) && (has_snapshot || !HasRunOut(tag));
    });
    if (kept) return Ok();
    return Error(ErrorCode::kConflict,
                 fmt::format("snapshot {} of {} may be expiring now", origin_.snapshot->id, parent.DisplayName()))
        .Id("fork.expiring")
        .Hint(
            "tag it first and branch from the tag, take a newer snapshot, or let Braid alone expire (braid.maintenance "
            "= exclusive)");
  }

  Result<bool> ParentHasForkPoint() const {
    BRAID_TRY_ASSIGN(const UnderId found, LookUnderId(fs_, origin_.parent->paths, *origin_.snapshot));
    return found == UnderId::kThatSnapshot;
  }

  bool HasRunOut(const Tag& tag) const {
    if (!tag.create_time || !tag.time_retained) return false;
    const Result<LocalDateTime> created = ParseLocalDateTime(*tag.create_time);
    const Result<std::chrono::microseconds> retained = ParseIsoDuration(*tag.time_retained);
    if (!created || !retained) return true;
    // The stored time is local; a day's slack covers every zone.
    const std::int64_t end_ms = created->seconds * 1000 + retained->count() / 1000;
    return end_ms - std::int64_t{24} * 3600 * 1000 < table_.NowMs();
  }

  // Whether the line's own retention lets the snapshot go (spec metadata.md §9.1).
  Result<bool> IsDue(const TablePaths& parent, const Options& options) const {
    BRAID_TRY_ASSIGN(const std::int64_t retain_min, options.GetInt("snapshot.num-retained.min", 10));
    BRAID_TRY_ASSIGN(const std::int64_t retain_max,
                     options.GetInt("snapshot.num-retained.max", std::numeric_limits<std::int32_t>::max()));
    BRAID_TRY_ASSIGN(const std::chrono::milliseconds retained,
                     options.GetDuration("snapshot.time-retained", std::chrono::hours(1)));
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> latest, FindLatestSnapshot(fs_, parent));
    if (!latest) return false;
    const std::int64_t newer = latest->value() - origin_.snapshot->id.value();
    if (newer >= retain_max) return true;
    return newer >= retain_min && table_.NowMs() - origin_.snapshot->time_millis > retained.count();
  }

  void MakeRecord() {
    record_.branch_id = RandomUuid();
    record_.name = request_.name;
    record_.kind = origin_.kind;
    record_.parent_name = origin_.parent->is_main ? std::string(kMainBranch) : origin_.parent->name;
    record_.parent_line_id = origin_.parent->id;
    if (origin_.snapshot) record_.anchor = AnchorAt(*origin_.snapshot);
    record_.tag = origin_.tag;
    record_.created_ms = table_.NowMs();
    record_.created_by = table_.context().actor;
    record_.engine = EngineName();
    record_.is_protected = request_.is_protected;
    if (request_.time_retained) record_.expires_ms = record_.created_ms + request_.time_retained->count();
    record_.base = origin_.snapshot;
  }

  Status Carry(const OperationJournal& journal) {
    if (guards_) BRAID_TRY(WriteGuardTag(fs_, origin_.parent->paths, ForkGuardTag(request_.name), *origin_.snapshot));
    if (origin_.snapshot) BRAID_TRY(CheckStillThere());
    Status made = CanRename(fs_) ? MakeAside(journal) : MakeInPlace(journal);
    if (!made && made.error().code() == ErrorCode::kAlreadyExists) {
      return Error(ErrorCode::kAlreadyExists, fmt::format("branch {} of {} was made by somebody else meanwhile",
                                                          request_.name, table_.context().table_name)).Id("branch.exists");
    }
    BRAID_TRY(std::move(made));
    if (request_.replace_alias) BRAID_TRY(fs_.Delete(table_.root().AliasFile(request_.name)));
    return Ok();
  }

  Status MakeAside(const OperationJournal& journal) const {
    const std::string staging = table_.root().NewBranchDirectory(journal.id);
    BRAID_TRY(Stage(TablePaths::OfLineAt(table_.root().root(), request_.name, staging)));
    BRAID_TRY(fs_.Rename(staging, branch().BranchDirectory()));
    return fs_.SyncFiles(std::vector{branch().BranchDirectory()});
  }

  // Behind a mark; the record, written last, makes it a branch.
  Status MakeInPlace(const OperationJournal& journal) const {
    BRAID_TRY(fs_.CreateAtomically(CreatingMark(branch()), journal.id));
    BRAID_TRY(Stage(branch()));
    return fs_.Delete(CreatingMark(branch()));
  }

  // The guard tag came first, so what is there now stays.
  Status CheckStillThere() const {
    for (const std::string& list : {origin_.snapshot->base_manifest_list, origin_.snapshot->delta_manifest_list}) {
      const Result<std::vector<ManifestFileMeta>> manifests = ReadManifestList(fs_, table_.root(), list);
      if (!manifests && manifests.error().code() == ErrorCode::kNotFound) {
        return Error(ErrorCode::kNotFound, fmt::format("snapshot {} of {} expired while the branch was being created",
                                                       origin_.snapshot->id, origin_.parent->paths.DisplayName()))
            .Id("fork.expired")
            .Hint("choose a tag, or a newer snapshot");
      }
      if (!manifests) return manifests.error();
    }
    return Ok();
  }

  Status Stage(const TablePaths& staged) const {
    const TablePaths& parent = origin_.parent->paths;
    const std::optional<SchemaId> last = origin_.snapshot ? std::optional(origin_.snapshot->schema_id) : std::nullopt;
    BRAID_TRY_ASSIGN(std::vector<std::string> files, StageSchemas(fs_, parent, staged, last));
    if (origin_.snapshot) {
      const std::string snapshot_file = staged.SnapshotFile(origin_.snapshot->id);
      BRAID_TRY_ASSIGN(bool copied, ParentHasForkPoint());
      if (copied) {
        const Status copy = StageCopy(fs_, parent.SnapshotFile(origin_.snapshot->id), snapshot_file);
        if (!copy && copy.error().code() != ErrorCode::kNotFound) return copy;
        copied = copy.has_value();
      }
      if (!copied) BRAID_TRY(fs_.Replace(snapshot_file, PrintSnapshot(*origin_.snapshot)));
      files.push_back(snapshot_file);
      if (origin_.tag) {
        BRAID_TRY(StageCopy(fs_, parent.TagFile(*origin_.tag), staged.TagFile(*origin_.tag)));
        files.push_back(staged.TagFile(*origin_.tag));
      }
      if (guards_) BRAID_TRY(WriteGuardTag(fs_, staged, ForkGuardTag(request_.name), *origin_.snapshot));
    }
    BRAID_TRY(fs_.Replace(staged.ForkRecordFile(), PrintForkRecord(record_)));
    files.push_back(staged.ForkRecordFile());
    return fs_.SyncFiles(files);
  }

  const LockedTable& table_;
  FileSystem& fs_;
  const CreateBranchRequest& request_;
  Origin origin_;
  ForkRecord record_;
  bool guards_ = true;
};

}  // namespace

Result<CreatedBranch> CreateBranch(const OperationContext& context, const CreateBranchRequest& request) {
  BRAID_TRY(CheckBranchName(request.name));
  const int sources = int{request.tag.has_value()} + int{request.snapshot.has_value()} + int{request.latest} +
                      int{request.timestamp_ms.has_value()};
  if (sources > 1) {
    return Error(ErrorCode::kInvalidArgument, "a branch is made from one of a tag, a snapshot and a time")
        .Hint("give one of them");
  }
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  const Result<FileStatus> present = table.fs().Stat(table.root().OnBranch(request.name).BranchDirectory());
  if (!present && present.error().code() != ErrorCode::kNotFound) return present.error();
  if (present) {
    if (!CanRename(table.fs())) {
      BRAID_TRY_ASSIGN(const BranchFolder folder, FindBranchFolder(table.fs(), table.root().OnBranch(request.name)));
      if (folder != BranchFolder::kPresent) {
        return Error(ErrorCode::kAlreadyExists,
                     fmt::format("the files of a former branch {} of {} are still there", request.name, context.table_name))
            .Id("branch.exists")
            .Hint("`braid table gc` deletes them once nothing reads them; or choose another name");
      }
    }
    BRAID_TRY_ASSIGN(const Line line, ReadLine(table.fs(), table.root().OnBranch(request.name)));
    if (request.if_not_exists) {
      ForkRecord record = line.record.value_or(ForkRecord());
      record.branch_id = line.id;
      record.name = line.name;
      return CreatedBranch{.record = std::move(record), .existed = true, .repairs = table.repairs()};
    }
    const std::int64_t since_ms = line.record ? line.record->created_ms : present->modified_ms;
    return Error(ErrorCode::kAlreadyExists, fmt::format("branch {} of {} exists since {}", request.name,
                                                        context.table_name, LocalTimeText(since_ms)))
        .Id("branch.exists")
        .Hint("give --if-not-exists to leave it as it is, or another name");
  }
  BRAID_TRY_ASSIGN(ForkRecord record, BranchCreation(table, request).Run());
  return CreatedBranch{.record = std::move(record), .existed = false, .repairs = table.repairs()};
}

Result<Recovered> RecoverCreateBranch(const LockedTable& table, const OperationJournal& journal) {
  FileSystem& fs = table.fs();
  BRAID_TRY_ASSIGN(const std::string name, journal.args.GetString("name"));
  BRAID_TRY_ASSIGN(const std::string branch_id, journal.args.GetString("branchId"));
  BRAID_TRY_ASSIGN(const std::string parent_id, journal.args.GetString("parentLineId"));
  const TablePaths branch = table.root().OnBranch(name);
  BRAID_TRY_ASSIGN(const std::optional<ForkRecord> record, ReadForkRecord(fs, branch));
  if (record && record->branch_id == branch_id) {
    BRAID_TRY(fs.SyncFiles(std::vector{branch.BranchDirectory()}));
    if (!CanRename(fs)) BRAID_TRY(fs.Delete(CreatingMark(branch)));
    const Json* replace_alias = journal.args.Find("replaceAlias");
    if (replace_alias != nullptr && *replace_alias == Json(true)) BRAID_TRY(fs.Delete(table.root().AliasFile(name)));
    return Recovered::kCompleted;
  }
  // The guard tag before the staged folder: while that is there, its files are not cleaned.
  if (!record) {
    BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, table.context().root, Inference::kSkip));
    if (const Line* parent = lines.FindById(parent_id)) BRAID_TRY(DeleteTagFile(fs, parent->paths, ForkGuardTag(name)));
  }
  if (CanRename(fs)) {
    BRAID_TRY(fs.DeleteTree(table.root().NewBranchDirectory(journal.id)));
    return Recovered::kUndone;
  }
  const Result<std::string> mark = fs.ReadAll(CreatingMark(branch));
  if (!mark && mark.error().code() != ErrorCode::kNotFound) return mark.error();
  if (mark && *mark == journal.id) BRAID_TRY(DeleteMarkedFolder(fs, branch.BranchDirectory(), CreatingMark(branch)));
  return Recovered::kUndone;
}

}  // namespace braid
