// Correcting a tag from a branch. The commit point is replacing the tag's file.

#include "table/tag_correction.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "meta/tag_time.h"
#include "table/branch_files_internal.h"
#include "table/line_move.h"
#include "table/maintenance_mode.h"
#include "table/recoveries_internal.h"
#include "table/removed_roots.h"
#include "table/table.h"
#include "table/time_travel.h"
#include "types/date_time.h"
#include "types/local_time.h"

namespace braid {

namespace {

constexpr const char* kFromBranch = "braid.tag.corrected.branch";
constexpr const char* kFromSnapshot = "braid.tag.corrected.snapshot";
constexpr const char* kFromIdentity = "braid.tag.corrected.identity";
constexpr std::chrono::milliseconds kBackupLife = std::chrono::hours(7 * 24);

Error Refused(std::string_view id, std::string message, std::string hint) {
  return Error(ErrorCode::kConflict, std::move(message)).Id(id).Hint(std::move(hint));
}

class Correction {
 public:
  Correction(const LockedTable& table, const TableLines& lines, const CorrectTagRequest& request)
      : table_(table), fs_(table.fs()), lines_(lines), request_(request), main_(lines.main()) {}

  Status Prepare() {
    BRAID_TRY_ASSIGN(former_, ReadExistingTag(fs_, main_.paths, request_.tag));
    if (IsGuardTag(request_.tag)) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("tag '{}' protects a branch", request_.tag))
          .Id("tag.guard")
          .Hint("choose another tag");
    }
    BRAID_TRY_ASSIGN(branch_, FindBranch(lines_, request_.branch, table_.context().table_name));
    if (branch_->damage) return *branch_->damage;
    BRAID_TRY(ReadContent());
    if (!request_.allow_unrelated) BRAID_TRY(CheckRelated());
    BRAID_TRY(CheckColumns());
    return CheckForeignMaintenance();
  }

  const Tag& former() const { return former_; }
  const Snapshot& content() const { return content_; }

  // The tag as it will be: the branch's content at the old place.
  Tag Corrected() const {
    Tag corrected = former_;
    corrected.snapshot = content_;
    corrected.snapshot.id = former_.snapshot.id;
    corrected.snapshot.properties[kFromBranch] = branch_->name;
    corrected.snapshot.properties[kFromSnapshot] = fmt::format("{}", content_.id);
    corrected.snapshot.properties[kFromIdentity] = SnapshotIdentity(content_);
    // What the branch tells its streaming readers is no change of main.
    corrected.snapshot.changelog_manifest_list.reset();
    corrected.snapshot.changelog_manifest_list_size.reset();
    corrected.snapshot.changelog_record_count.reset();
    return corrected;
  }

 private:
  Status ReadContent() {
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> head, FindLatestSnapshot(fs_, branch_->paths));
    if (!head) return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot", branch_->paths.DisplayName()));
    BRAID_TRY_ASSIGN(content_, ReadExistingSnapshot(fs_, branch_->paths, request_.snapshot.value_or(*head)));
    return Ok();
  }

  // The branch must have begun at the tag's snapshot of main or below it.
  Status CheckRelated() const {
    const ForkRecord* fork = LowestForkBelow(lines_, *branch_, main_.id);
    if (fork != nullptr && fork->anchor->snapshot.id <= former_.snapshot.id) return Ok();
    return Refused("tag.unrelated",
                   fmt::format("branch {} was not made from tag {} or from a snapshot before it", request_.branch, request_.tag),
                   "give --allow-unrelated if its content is what the tag should show");
  }

  // Main must know the content's schema, with the same columns.
  Status CheckColumns() const {
    BRAID_TRY_ASSIGN(const TableSchema theirs, ReadSchema(fs_, branch_->paths, content_.schema_id));
    const Result<TableSchema> ours = ReadSchema(fs_, main_.paths, content_.schema_id);
    if (!ours && ours.error().code() == ErrorCode::kNotFound) {
      return Error(ErrorCode::kUnsupported,
                   fmt::format("branch {} has schema {}, which main lacks; taking its columns over is not done by this version",
                               request_.branch, content_.schema_id))
          .Hint("change main's columns by the same ALTER TABLE first");
    }
    if (!ours) return ours.error();
    if (ours->fields == theirs.fields && ours->primary_keys == theirs.primary_keys && ours->partition_keys == theirs.partition_keys) return Ok();
    return Refused("merge.schema", fmt::format("schema {} has other columns on {} than on main", content_.schema_id, request_.branch),
                   "align them by ALTER TABLE on one side, and write the branch anew");
  }

  // Other engines compare a tag with its neighbours, taking each for a state of main, when they expire or delete; and they
  // keep the metadata of only one of several tags of a snapshot. Where they maintain the table that may cost files.
  Status CheckForeignMaintenance() const {
    if (request_.assume_exclusive) return Ok();
    BRAID_TRY_ASSIGN(const std::optional<TableSchema> schema, ReadLatestSchema(fs_, main_.paths));
    if (schema && IsMaintainedExclusively(schema->options)) return Ok();
    return Refused("tag.foreign-unsafe",
                   fmt::format("a corrected tag is no state of main, and other engines that expire snapshots or tags of {} could "
                               "delete files still in use",
                               table_.context().table_name),
                   "`braid table set-maintenance --mode exclusive` keeps them from it; --assume-exclusive says that there are none");
  }

  const LockedTable& table_;
  FileSystem& fs_;
  const TableLines& lines_;
  const CorrectTagRequest& request_;
  const Line& main_;
  const Line* branch_ = nullptr;
  Tag former_;
  Snapshot content_;
};

Tag BackupOf(const Tag& former, const std::string& name, std::int64_t now_ms) {
  const std::int64_t local_ms = ToLocalTime(now_ms).millis;
  Tag backup{.name = name, .snapshot = former.snapshot, .create_time = {}, .time_retained = {}};
  backup.create_time = FormatLocalDateTime({.seconds = FloorDivide(local_ms, 1000),
                                            .nanos = static_cast<std::int32_t>(FloorModulo(local_ms, 1000) * 1'000'000)});
  backup.time_retained = FormatIsoDuration(kBackupLife);
  return backup;
}

// Files that only the former content held; may be repeated.
Status DropFormer(const LockedTable& table, const Snapshot& former, RemovedFiles& removed) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), table.context().root, Inference::kSkip));
  BRAID_TRY_ASSIGN(const Table main, Table::Open(table.context().file_system, table.context().root, table.context().table_name));
  BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOfContents(std::vector{former}, {}, main, lines));
  removed = files.Count();
  BRAID_TRY_ASSIGN(removed, files.Delete({}));
  return Ok();
}

}  // namespace

bool IsCorrectedTag(const Snapshot& content) {
  return content.properties.contains(kFromSnapshot);
}

Result<CorrectedTag> CorrectTag(const OperationContext& context, const CorrectTagRequest& request) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), context.root));
  Correction correction(table, lines, request);
  BRAID_TRY(correction.Prepare());
  BRAID_TRY(MayMove(lines.main(), LineMove::kTag));
  CorrectedTag result{.tag = request.tag,
                      .place = correction.former().snapshot.id,
                      .content = RefOf(correction.content()),
                      .former_rows = correction.former().snapshot.total_record_count,
                      .rows = correction.content().total_record_count,
                      .backup = {},
                      .files = {},
                      .repairs = table.repairs()};
  if (request.dry_run) {
    if (request.backup) result.backup = fmt::format("backup-{}-…", request.tag);
    return result;
  }
  const TablePaths main = lines.main().paths;
  const Tag corrected = correction.Corrected();
  Json args;
  args.Add("tag", request.tag);
  args.Add("lineId", lines.main().id);
  args.Add("backup", request.backup);
  args.Add("former", SnapshotToJson(correction.former().snapshot));
  args.Add("corrected", SnapshotToJson(corrected.snapshot));
  BRAID_TRY_ASSIGN(const OperationJournal journal, table.Begin("correct", "PLANNED", std::move(args)));
  const std::string backup = fmt::format("backup-{}-{}", request.tag, journal.id.substr(0, 8));
  const auto body = [&]() -> Status {
    if (request.backup) BRAID_TRY(WriteTag(table.fs(), main, BackupOf(correction.former(), backup, table.NowMs())));
    BRAID_TRY(ReplaceTag(table.fs(), main, corrected));
    return request.backup ? Ok() : DropFormer(table, correction.former().snapshot, result.files);
  };
  BRAID_TRY(RunJournalled(table, journal, body));
  if (request.backup) result.backup = backup;
  return result;
}

Result<Recovered> RecoverTagCorrection(const LockedTable& table, const OperationJournal& journal) {
  BRAID_TRY_ASSIGN(const std::string name, journal.args.GetString("tag"));
  BRAID_TRY_ASSIGN(const std::string line_id, journal.args.GetString("lineId"));
  const Json* former = journal.args.Find("former");
  const Json* corrected = journal.args.Find("corrected");
  if (former == nullptr || corrected == nullptr) return Error(ErrorCode::kCorruption, "the journal of a corrected tag lacks its contents");
  BRAID_TRY_ASSIGN(const Snapshot former_content, SnapshotFromJson(*former));
  BRAID_TRY_ASSIGN(const Snapshot corrected_content, SnapshotFromJson(*corrected));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), table.context().root, Inference::kSkip));
  const Line* line = lines.FindById(line_id);
  if (line == nullptr) return Recovered::kCompleted;
  const Result<Tag> present = ReadTag(table.fs(), line->paths, name);
  if (!present && present.error().code() != ErrorCode::kNotFound) return present.error();
  if (!present || RefOf(present->snapshot) != RefOf(corrected_content)) {
    BRAID_TRY(DeleteTagFile(table.fs(), line->paths, fmt::format("backup-{}-{}", name, journal.id.substr(0, 8))));
    return Recovered::kUndone;
  }
  RemovedFiles removed;
  if (!journal.args.IsTrue("backup")) BRAID_TRY(DropFormer(table, former_content, removed));
  return Recovered::kCompleted;
}

}  // namespace braid
