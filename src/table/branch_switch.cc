// Putting a branch in main's place, step by step (spec branches.md §8.1, 8.3). Every step may be repeated; the journal's
// state says which one comes next. The commit point is the writing of MAIN-BRANCH.

#include "table/branch_switch_internal.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/branch_history_internal.h"
#include "table/lines.h"
#include "table/recoveries_internal.h"
#include "table/seal.h"

namespace braid {

namespace {

constexpr std::string_view kRetiredPrefix = "retired-";  // of the hidden branch that a former main is

// In the order in which they are exchanged: schemas first, so that no snapshot lacks its own.
constexpr std::array<std::string_view, 5> kFolders = {"schema", "snapshot", "tag", "changelog", "consumer"};

Json PlanToJson(const ReplacePlan& plan) {
  Json json;
  json.Add("oldBranch", plan.old_branch);
  json.Add("oldLineId", plan.old_line_id);
  json.Add("branch", plan.branch);
  json.Add("newLineId", plan.new_line_id);
  json.Add("fork", SnapshotToJson(plan.fork));
  json.Add("keepAs", plan.keep_as);
  json.Add("graceMillis", plan.grace_ms);
  json.Add("materialize", plan.materialize);
  json.Add("guardTags", plan.guard_tags);
  json.Add("switched", plan.switched);
  json.Add("consumers", static_cast<int>(plan.consumers));
  return json;
}

Result<ReplacePlan> PlanFromJson(const Json& json) {
  const Json* fork = json.Find("fork");
  if (fork == nullptr) return Error(ErrorCode::kCorruption, "the journal of a replacement lacks 'fork'");
  BRAID_TRY_ASSIGN(Snapshot fork_snapshot, SnapshotFromJson(*fork));
  ReplacePlan plan{.old_branch = {}, .old_line_id = {}, .branch = {}, .new_line_id = {}, .fork = std::move(fork_snapshot), .keep_as = {}};
  BRAID_TRY_ASSIGN(plan.old_branch, json.GetString("oldBranch"));
  BRAID_TRY_ASSIGN(plan.old_line_id, json.GetString("oldLineId"));
  BRAID_TRY_ASSIGN(plan.branch, json.GetString("branch"));
  BRAID_TRY_ASSIGN(plan.new_line_id, json.GetString("newLineId"));
  BRAID_TRY_ASSIGN(plan.keep_as, json.GetString("keepAs"));
  BRAID_TRY_ASSIGN(plan.grace_ms, json.GetInteger("graceMillis"));
  BRAID_TRY_ASSIGN(const std::int64_t consumers, json.GetInteger("consumers"));
  const bool is_policy = consumers >= 0 && consumers <= static_cast<std::int64_t>(ConsumerPolicy::kDrop);
  // Added to a time; no grace is longer than thousands of years.
  const bool is_grace = plan.grace_ms >= 0 && plan.grace_ms < std::numeric_limits<std::int64_t>::max() / 2;
  if (!is_policy || !is_grace) {
    return Error(ErrorCode::kCorruption, fmt::format("the journal of a replacement has {} for '{}'", is_policy ? plan.grace_ms : consumers,
                                                     is_policy ? "graceMillis" : "consumers"));
  }
  plan.consumers = static_cast<ConsumerPolicy>(consumers);
  plan.materialize = json.IsTrue("materialize");
  plan.guard_tags = json.IsTrue("guardTags");
  plan.switched = json.IsTrue("switched");
  return plan;
}

// Puts a member in the place of the one of that name.
void SetMember(Json& json, std::string_view key, Json value) {
  for (auto& [name, present] : json.as_object()) {
    if (name != key) continue;
    present = std::move(value);
    return;
  }
  json.Add(std::string(key), std::move(value));
}

class MainSwitch {
 public:
  MainSwitch(const LockedTable& table, ReplacePlan plan, OperationJournal& journal)
      : table_(table), fs_(table.fs()), plan_(std::move(plan)), journal_(journal),
        old_(table.root().OnBranch(plan_.old_branch)), branch_(table.root().OnBranch(plan_.branch)) {}

  // Up to and with the commit point.
  Status Switch() {
    BRAID_TRY(CopyHistory(table_, plan_, journal_));
    BRAID_TRY(Reach("COPIED"));
    BRAID_TRY(SealLine(table_, old_, {.operation = journal_.id, .reason = "replace", .moved_to = {}, .line_id = plan_.old_line_id}));
    BRAID_TRY(Reach("SEALED"));
    BRAID_TRY(WriteMainBranch(fs_, table_.root(), plan_.branch));
    return Reach("SWITCHED");
  }

  // From the commit point on.
  Status Finish() {
    if (!plan_.materialize) return Ok();
    if (!Reached("EXCHANGING")) {
      BRAID_TRY(RaiseAndSeal());
      BRAID_TRY(WriteConsumer(fs_, table_.root(), Pin()));
      BRAID_TRY(Stage());
      BRAID_TRY(StopIfForeignCommits());
      BRAID_TRY(NameTheRoot());
    }
    if (!Reached("EXCHANGED")) {
      BRAID_TRY(ExchangeFolders());
      BRAID_TRY(Reach("EXCHANGED"));
    }
    if (!Reached("MATERIALIZED")) {
      BRAID_TRY(LeaveTheBranch());
      BRAID_TRY(Reach("MATERIALIZED"));
    }
    BRAID_TRY(LetExpire());
    return RetireOld();
  }

  // Before the commit point: main is as before, the branch too.
  Status Undo() {
    BRAID_TRY(UnsealLine(table_, old_, journal_.id));
    return RemoveCopiedHistory(table_, plan_, journal_);
  }

  SwitchOutcome TakeOutcome() { return std::move(outcome_); }
  const std::optional<Error>& stopped() const { return stopped_; }

 private:
  static constexpr std::array<std::string_view, 7> kStates = {"PLANNED",   "COPIED",       "SEALED", "SWITCHED",
                                                              "EXCHANGING", "EXCHANGED", "MATERIALIZED"};

  Status Reach(std::string_view state) {
    journal_.state = state;
    return table_.Save(journal_);
  }
  bool Reached(std::string_view state) const {
    return std::find(kStates.begin(), kStates.end(), journal_.state) >= std::find(kStates.begin(), kStates.end(), state);
  }

  std::string Operation8() const { return journal_.id.substr(0, 8); }
  std::string HiddenName() const { return fmt::format("{}{}", kRetiredPrefix, Operation8()); }
  std::string KeptName() const { return plan_.keep_as.empty() ? HiddenName() : plan_.keep_as; }
  // Holds back other engines' expiry on the root while its folders are copied and exchanged.
  Consumer Pin() const { return {.id = "braid-replace-" + Operation8(), .next_snapshot = SnapshotId(1)}; }
  TablePaths Staged() const { return TablePaths::OfLineAt(table_.root().root(), journal_.id, table_.root().StagingDirectory(journal_.id)); }
  // Where the former main lies once the exchange has begun: in a branch, whose files other engines' cleaning counts.
  Result<TablePaths> FormerMain() const {
    TablePaths hidden = table_.root().OnBranch(HiddenName());
    BRAID_TRY_ASSIGN(const bool there, fs_.Exists(hidden.BranchDirectory()));
    return there ? std::move(hidden) : Staged();
  }

  // Step 6. Ids of main never go down, and what stalled on old main finds its id taken.
  Status RaiseAndSeal() {
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> old_head, FindLatestSnapshot(fs_, old_));
    if (old_head) BRAID_TRY(RaiseHead(table_, branch_, *old_head, journal_.id));
    BRAID_TRY(SealLine(table_, branch_, {.operation = journal_.id, .reason = "materialize", .moved_to = std::string(kMainBranch), .line_id = plan_.new_line_id}));
    return Ok();
  }

  // Step 7: the branch's metadata as it will lie in the root.
  Status Stage() {
    const TablePaths staged = Staged();
    BRAID_TRY(fs_.DeleteTree(staged.BranchDirectory()));
    BRAID_TRY_ASSIGN(const std::set<std::string> left_out, DamagedHistory());
    std::vector<std::string> files;
    for (const std::string_view folder : kFolders) {
      const std::string target = JoinPath(staged.BranchDirectory(), folder);
      BRAID_TRY(fs_.CreateDirectories(target));
      const std::string source = JoinPath(branch_.BranchDirectory(), folder);
      BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, fs_.List(source));
      for (const FileInfo& child : children) {
        if (child.is_directory || child.name.starts_with('.')) continue;
        if (folder == "snapshot" && (child.name == "LATEST" || child.name == "EARLIEST" || left_out.contains(child.name))) continue;
        // The branch's own guard tag at the fork is from now on the former main's.
        if (folder == "tag" && child.name == BaseName(branch_.TagFile(ForkGuardTag(plan_.branch)))) continue;
        const Status copied = StageCopy(fs_, JoinPath(source, child.name), JoinPath(target, child.name));
        if (!copied && copied.error().code() == ErrorCode::kNotFound) continue;  // expired meanwhile
        BRAID_TRY(copied);
        files.push_back(JoinPath(target, child.name));
      }
    }
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, staged));
    BRAID_TRY(WriteEarliestHint(fs_, staged, ids.front()));
    BRAID_TRY(WriteLatestHint(fs_, staged, ids.back()));
    if (plan_.guard_tags) BRAID_TRY(WriteGuardTag(fs_, staged, ForkGuardTag(KeptName()), plan_.fork));
    BRAID_TRY(WriteConsumer(fs_, staged, Pin()));
    return fs_.SyncFiles(files);
  }

  // Names of snapshot files before the fork that are of no use: another engine that expired them on the other line took
  // their manifests and data with them. What lies below goes too, so that the new main has no gap.
  Result<std::set<std::string>> DamagedHistory() const {
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, branch_));
    std::set<std::string> names;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
      if (*id >= plan_.fork.id) continue;
      bool whole = names.empty();
      if (whole) {
        BRAID_TRY_ASSIGN(whole, HasLists(*id));
      }
      if (!whole) names.emplace(BaseName(branch_.SnapshotFile(*id)));
    }
    return names;
  }

  Result<bool> HasLists(SnapshotId id) const {
    const Result<Snapshot> snapshot = ReadSnapshot(fs_, branch_, id);
    if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) return false;
    if (!snapshot) return snapshot.error();
    for (const std::string& list : {snapshot->base_manifest_list, snapshot->delta_manifest_list}) {
      BRAID_TRY_ASSIGN(const bool there, fs_.Exists(branch_.ManifestFile(list)));
      if (!there) return false;
    }
    return true;
  }

  // Another engine that writes on in spite of the seal would not see the root take over.
  Status StopIfForeignCommits() {
    BRAID_TRY_ASSIGN(const std::vector<Snapshot> late, LateCommits(branch_, "materialize"));
    if (late.empty()) return Ok();
    BRAID_TRY(fs_.DeleteTree(Staged().BranchDirectory()));
    BRAID_TRY(DeleteConsumer(fs_, table_.root(), Pin().id));
    stopped_ = Error(ErrorCode::kConflict, fmt::format("{} commits by {} landed on branch {} after it was sealed; {} is main now, but not yet where other engines look",
                                                       late.size(), UsersOf(late), plan_.branch, plan_.branch))
                   .Id("replace.foreign-commits")
                   .Hint("nothing is lost; stop that writer, then run `braid branch materialize-main`");
    plan_.materialize = false;
    SetMember(journal_.args, "materialize", false);
    BRAID_TRY(table_.Save(journal_));
    return *stopped_;
  }

  // Snapshots above the seal, which can only be other engines'. Main was sealed by another operation if this one only
  // moves it.
  Result<std::vector<Snapshot>> LateCommits(const TablePaths& line, std::string_view reason) const {
    BRAID_TRY_ASSIGN(std::vector<SnapshotId> ids, ListSnapshots(fs_, line));
    std::vector<Snapshot> late;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
      Result<Snapshot> snapshot = ReadSnapshot(fs_, line, *id);
      if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) continue;
      if (!snapshot) return std::move(snapshot).error();
      const std::optional<Seal> seal = SealOf(*snapshot);
      const bool is_sealed = seal && seal->reason == reason;
      if (is_sealed && (seal->operation == journal_.id || (plan_.switched && reason == "replace"))) return late;
      late.push_back(*std::move(snapshot));
    }
    // No seal at all: MAIN-BRANCH was written by hand.
    return std::vector<Snapshot>();
  }

  static std::string UsersOf(const std::vector<Snapshot>& snapshots) {
    std::vector<std::string> users;
    for (const Snapshot& snapshot : snapshots) {
      if (std::find(users.begin(), users.end(), snapshot.commit_user) == users.end()) users.push_back(snapshot.commit_user);
    }
    return Join(users, ", ");
  }

  // The root gets its new id before its content: a handle opened on the former main then finds that it is not there, and
  // waits for this operation to end.
  Status NameTheRoot() {
    BRAID_TRY_ASSIGN(TableRecord record, EnsureTableRecord(fs_, table_.root(), table_.NowMs()));
    BRAID_TRY_ASSIGN(const std::optional<ForkRecord> branch_record, ReadForkRecord(fs_, branch_));
    if (!journal_.args.Find("staged")) {
      // The former root's own record goes with it.
      journal_.args.Add("oldRecord", record.root_record ? ForkRecordToJson(*record.root_record) : Json());
      journal_.args.Add("rootLineId", record.root_line_id);
      journal_.args.Add("staged", Json());
    }
    Json staged;
    for (const std::string_view folder : kFolders) {
      BRAID_TRY_ASSIGN(const FileStatus status, fs_.Stat(JoinPath(Staged().BranchDirectory(), folder)));
      staged.Add(std::string(folder), static_cast<std::int64_t>(status.file_id));
    }
    SetMember(journal_.args, "staged", std::move(staged));
    BRAID_TRY(table_.Save(journal_));
    BRAID_TRY_ASSIGN(const ForkRecord former, FormerMainsRecord(HiddenName(), true));
    BRAID_TRY(WriteForkRecord(fs_, Staged(), former));
    record.root_line_id = plan_.new_line_id;
    record.root_record = branch_record;
    if (record.root_record) record.root_record->retired.reset();
    BRAID_TRY(WriteTableRecord(fs_, table_.root(), record));
    return Reach("EXCHANGING");
  }

  // Step 8. An exchange undoes itself when repeated, so each looks first whether the root has the staged folder already.
  Status ExchangeFolders() {
    const Json* staged_ids = journal_.args.Find("staged");
    BRAID_TRY(ShowStaged());
    BRAID_TRY_ASSIGN(const TablePaths former, FormerMain());
    for (const std::string_view folder : kFolders) {
      const std::string root = JoinPath(table_.root().root(), folder);
      const std::string staged = JoinPath(former.BranchDirectory(), folder);
      BRAID_TRY_ASSIGN(const std::int64_t staged_id, staged_ids->GetInteger(folder));
      const Result<FileStatus> present = fs_.Stat(root);
      if (!present && present.error().code() != ErrorCode::kNotFound) return present.error();
      if (present && static_cast<std::int64_t>(present->file_id) == staged_id) continue;
      BRAID_TRY(present ? fs_.Exchange(staged, root) : fs_.Rename(staged, root));
    }
    return fs_.SyncFiles(std::vector{table_.root().root(), former.BranchDirectory()});
  }

  // From here on guard tags hold what both lines need.
  Status LetExpire() {
    BRAID_TRY_ASSIGN(const TablePaths former, FormerMain());
    BRAID_TRY(DeleteConsumer(fs_, former, Pin().id));
    return DeleteConsumer(fs_, table_.root(), Pin().id);
  }

  // The staged folder becomes the hidden branch before it holds the former main: cleaning of other engines knows the
  // files of branches alone. Not where the root has no line of its own, which would make a branch without schema.
  Status ShowStaged() {
    const std::string hidden = table_.root().OnBranch(HiddenName()).BranchDirectory();
    BRAID_TRY_ASSIGN(const std::vector<SchemaId> schemas, ListSchemas(fs_, table_.root()));
    BRAID_TRY_ASSIGN(const bool shown, fs_.Exists(hidden));
    BRAID_TRY_ASSIGN(const bool staged, fs_.Exists(Staged().BranchDirectory()));
    if (schemas.empty() || shown || !staged) return Ok();
    BRAID_TRY(fs_.Rename(Staged().BranchDirectory(), hidden));
    return fs_.SyncFiles(std::vector{hidden});
  }

  // Step 9: from the pointer to the root; both hold the same. Then the branch's folder goes.
  Status LeaveTheBranch() {
    BRAID_TRY(WriteMainBranch(fs_, table_.root(), kMainBranch));
    if (!plan_.branch.starts_with(kRetiredPrefix)) {
      const BranchAlias alias{.line_id = plan_.new_line_id, .branch = std::string(kMainBranch), .made_ms = table_.NowMs(), .operation = journal_.id};
      BRAID_TRY(WriteAlias(fs_, table_.root(), plan_.branch, alias));
    }
    BRAID_TRY_ASSIGN(const bool kept, KeepIfLate(branch_));
    if (kept) return Ok();
    const std::string dropped = table_.root().DroppedBranchDirectory(journal_.id);
    const Status moved = fs_.Rename(branch_.BranchDirectory(), dropped);
    if (!moved && moved.error().code() != ErrorCode::kNotFound) return moved;
    // Looked at once more where no writer finds it any more.
    BRAID_TRY_ASSIGN(const bool kept_after, KeepIfLate(TablePaths::OfLineAt(table_.root().root(), plan_.branch, dropped)));
    return kept_after ? Ok() : fs_.DeleteTree(dropped);  // the root has all of it
  }

  // What another engine committed to the sealed branch becomes a branch of its own: the branch's name is the new main's.
  Result<bool> KeepIfLate(const TablePaths& line) {
    BRAID_TRY_ASSIGN(const bool exists, fs_.Exists(line.BranchDirectory()));
    if (!exists) return false;
    BRAID_TRY_ASSIGN(const std::vector<Snapshot> late, LateCommits(line, "materialize"));
    if (late.empty()) return false;
    BRAID_TRY_ASSIGN(std::optional<ForkRecord> record, ReadForkRecord(fs_, line));
    BRAID_TRY(KeepLate(line, std::move(record), late, plan_.new_line_id, fmt::format("late-{}-{}", Operation8(), plan_.branch)));
    return true;
  }

  Status KeepLate(const TablePaths& line, std::optional<ForkRecord> record, const std::vector<Snapshot>& late, const std::string& parent_id, const std::string& name) {
    ForkRecord kept = record.value_or(ForkRecord());
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> base, SealIn(line));
    kept.branch_id = NewLineId(name);
    kept.name = name;
    kept.kind = ForkKind::kSnapshot;
    kept.parent_name = kMainBranch;
    kept.parent_line_id = parent_id;
    if (base) {
      BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(fs_, line, *base));
      kept.anchor = AnchorAt(snapshot);
      kept.base = snapshot;
      if (plan_.guard_tags) {
        BRAID_TRY(WriteGuardTag(fs_, table_.root(), ForkGuardTag(name), snapshot));
        BRAID_TRY(WriteGuardTag(fs_, line, ForkGuardTag(name), snapshot));
      }
    }
    BRAID_TRY(DeleteTagFile(fs_, line, ForkGuardTag(plan_.branch)));
    kept.created_ms = table_.NowMs();
    kept.created_by = table_.context().actor;
    kept.engine = EngineName();
    kept.links.clear();
    BRAID_TRY(WriteForkRecord(fs_, line, kept));
    BRAID_TRY(fs_.Rename(line.BranchDirectory(), table_.root().OnBranch(name).BranchDirectory()));
    outcome_.notes.push_back(fmt::format("{} commits by {} landed on a sealed line; they are kept as branch {}", late.size(), UsersOf(late), name));
    return Ok();
  }

  std::string NewLineId(std::string_view name) const { return fmt::format("{}-{}", journal_.id, name.substr(0, name.find('-'))); }

  // The seal of this operation on a line.
  Result<std::optional<SnapshotId>> SealIn(const TablePaths& line) const {
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, line));
    for (const SnapshotId id : ids) {
      BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(fs_, line, id));
      const std::optional<Seal> seal = SealOf(snapshot);
      if (seal && seal->operation == journal_.id) return std::optional(id);
    }
    return std::optional<SnapshotId>();
  }

  // Step 10: the former main becomes the branch that it is to be.
  Status RetireOld() {
    const bool hidden = plan_.keep_as.empty();
    BRAID_TRY(ChooseKeptName());
    const std::string name = outcome_.kept_as;
    if (name.empty()) {
      BRAID_TRY(fs_.DeleteTree(Staged().BranchDirectory()));
    } else {
      BRAID_TRY(MakeKeptBranch(name));
    }
    // A branch of the user's is there to be written to.
    if (!hidden) BRAID_TRY(UnsealLine(table_, table_.root().OnBranch(name), journal_.id));
    BRAID_TRY(DropForkGuard());
    return Reparent(hidden);
  }

  // Which branch the former main is to be, written down before anything is renamed; none if the root had no line of its
  // own.
  Status ChooseKeptName() {
    BRAID_TRY_ASSIGN(const std::optional<std::string> chosen, journal_.args.FindString("keptAs"));
    if (chosen) {
      outcome_.kept_as = *chosen;
    } else {
      BRAID_TRY_ASSIGN(const TablePaths former, FormerMain());
      BRAID_TRY_ASSIGN(const std::vector<SchemaId> schemas, ListSchemas(fs_, former));
      BRAID_TRY_ASSIGN(const std::vector<Snapshot> late, LateCommits(former, "replace"));
      if (!schemas.empty()) outcome_.kept_as = late.empty() || !plan_.keep_as.empty() ? KeptName() : "late-" + Operation8();
      if (!late.empty()) {
        outcome_.notes.push_back(fmt::format("{} commits by {} landed on the former main after it was sealed; it is kept as branch {}",
                                             late.size(), UsersOf(late), outcome_.kept_as));
      }
      journal_.args.Add("keptAs", outcome_.kept_as);
      BRAID_TRY(table_.Save(journal_));
    }
    if (outcome_.kept_as == HiddenName()) outcome_.drop_after_ms = journal_.started_ms + plan_.grace_ms;
    return Ok();
  }

  Result<ForkRecord> FormerMainsRecord(const std::string& name, bool hidden) const {
    BRAID_TRY_ASSIGN(const std::string old_id, journal_.args.GetString("rootLineId"));
    ForkRecord record;
    if (const Json* former = journal_.args.Find("oldRecord"); former != nullptr && !former->is_null()) {
      BRAID_TRY_ASSIGN(record, ForkRecordFromJson(*former));
    }
    record.branch_id = old_id;
    record.name = name;
    record.kind = ForkKind::kSnapshot;
    record.parent_name = kMainBranch;
    record.parent_line_id = plan_.new_line_id;
    record.anchor = AnchorAt(plan_.fork);
    record.base = plan_.fork;
    record.tag.reset();
    record.created_ms = journal_.started_ms;
    record.created_by = table_.context().actor;
    record.engine = EngineName();
    record.is_protected = false;
    record.retired.reset();
    if (hidden) record.retired = RetiredLine{.operation = journal_.id, .drop_after_ms = journal_.started_ms + plan_.grace_ms};
    return record;
  }

  // The new guard tags before the old ones go, on both lines.
  Status MakeKeptBranch(const std::string& name) {
    const TablePaths kept = table_.root().OnBranch(name);
    BRAID_TRY_ASSIGN(const bool moved, fs_.Exists(kept.BranchDirectory()));
    const TablePaths hidden = table_.root().OnBranch(HiddenName());
    const TablePaths& former = moved ? kept : hidden;
    if (plan_.guard_tags) {
      for (const TablePaths& line : {table_.root(), former}) BRAID_TRY(WriteGuardTag(fs_, line, ForkGuardTag(name), plan_.fork));
    }
    if (name != HiddenName()) {
      BRAID_TRY(DeleteTagFile(fs_, table_.root(), ForkGuardTag(HiddenName())));
    }
    BRAID_TRY(DeleteTagFile(fs_, former, ForkGuardTag(plan_.branch)));
    BRAID_TRY_ASSIGN(const ForkRecord record, FormerMainsRecord(name, name == HiddenName()));
    BRAID_TRY(WriteForkRecord(fs_, former, record));
    // The name may be another one of a line that was renamed or became main.
    BRAID_TRY(fs_.Delete(table_.root().AliasFile(name)));
    if (!moved) BRAID_TRY(fs_.Rename(hidden.BranchDirectory(), kept.BranchDirectory()));
    return fs_.SyncFiles(std::vector{kept.BranchDirectory()});
  }

  // The guard tag of the branch that is main now protects nothing any more.
  Status DropForkGuard() {
    return DeleteTagFile(fs_, table_.root(), ForkGuardTag(plan_.branch));
  }

  // Branches made from the former main are the new one's, unless it is kept under a name.
  Status Reparent(bool hidden) {
    if (!hidden) return Ok();
    BRAID_TRY_ASSIGN(const std::string old_id, journal_.args.GetString("rootLineId"));
    BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs_, table_.context().root, Inference::kSkip));
    for (const Line& line : lines.lines) {
      if (line.kind != LineKind::kBranch || !line.record || line.record->parent_line_id != old_id) continue;
      ForkRecord record = *line.record;
      record.parent_line_id = plan_.new_line_id;
      record.parent_name = kMainBranch;
      if (record.anchor && record.anchor->snapshot.id > plan_.fork.id) {
        // That is where it leaves the new main's history.
        record.anchor = AnchorAt(plan_.fork);
        if (plan_.guard_tags) BRAID_TRY(WriteGuardTag(fs_, table_.root(), ForkGuardTag(line.name), plan_.fork));
      }
      BRAID_TRY(WriteForkRecord(fs_, line.paths, record));
    }
    return Ok();
  }

  const LockedTable& table_;
  FileSystem& fs_;
  ReplacePlan plan_;
  OperationJournal& journal_;
  const TablePaths old_;
  const TablePaths branch_;
  SwitchOutcome outcome_;
  std::optional<Error> stopped_;
};

}  // namespace

Result<SwitchOutcome> SwitchMain(const LockedTable& table, const ReplacePlan& plan) {
  BRAID_TRY_ASSIGN(OperationJournal journal, table.Begin("replace", plan.switched ? "SWITCHED" : "PLANNED", PlanToJson(plan)));
  MainSwitch steps(table, plan, journal);
  const Status done = RunJournalled(table, journal, [&]() -> Status {
    if (!plan.switched) BRAID_TRY(steps.Switch());
    return steps.Finish();
  });
  if (steps.stopped()) return *steps.stopped();
  BRAID_TRY(done);
  return steps.TakeOutcome();
}

Result<Recovered> RecoverReplaceMain(const LockedTable& table, const OperationJournal& journal) {
  BRAID_TRY_ASSIGN(ReplacePlan plan, PlanFromJson(journal.args));
  // MAIN-BRANCH tells whether the commit point was passed; it is removed only at the end.
  const Result<std::string> main = table.fs().ReadAll(table.root().MainBranchFile());
  if (!main && main.error().code() != ErrorCode::kNotFound) return main.error();
  const bool switched = plan.switched || (main && Trim(*main) == plan.branch) || journal.state == "EXCHANGED" || journal.state == "MATERIALIZED" ||
                        journal.state == "SWITCHED" || journal.state == "EXCHANGING";
  OperationJournal copy = journal;
  MainSwitch steps(table, plan, copy);
  if (!switched) {
    BRAID_TRY(steps.Undo());
    return Recovered::kUndone;
  }
  if (copy.state == "PLANNED" || copy.state == "COPIED" || copy.state == "SEALED") copy.state = "SWITCHED";
  Status finished = steps.Finish();
  // What other engines wrote stays: main is the branch, only not in the root.
  if (steps.stopped()) return Recovered::kCompleted;
  BRAID_TRY(std::move(finished));
  return Recovered::kCompleted;
}

Result<bool> HasCommitsSinceSwitch(const FileSystem& fs, const TablePaths& main, std::string_view operation) {
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, main));
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(fs, main, *id));
    const std::optional<Seal> seal = SealOf(snapshot);
    if (seal && seal->operation == operation) return id != ids.rbegin();
  }
  return true;
}

}  // namespace braid
