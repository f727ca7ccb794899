// Merging a branch by fast-forward (spec branches.md §7.1 to 7.3). The commit point is the creation of the first snapshot on
// the target.

#include "table/branch_merge.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/branches.h"
#include "table/line_move.h"
#include "table/lines.h"
#include "table/recoveries_internal.h"
#include "table/seal.h"

namespace braid {

namespace {

// The snapshot that both lines have, and the branch whose record holds their merges.
struct MergeBase {
  Snapshot snapshot;
  const Line* recorder = nullptr;
};

Result<MergeBase> FindMergeBase(const FileSystem& fs, const Line& source, const Line& target) {
  for (const Line* line : {&source, &target}) {
    const Line& other = line == &source ? target : source;
    if (!line->record) continue;
    const auto& links = line->record->links;
    const auto newest = std::find_if(links.rbegin(), links.rend(), [&](const ForkLink& link) { return link.line_id == other.id && link.base; });
    if (newest != links.rend()) return MergeBase{*newest->base, line};
  }
  for (const Line* line : {&source, &target}) {
    const Line& other = line == &source ? target : source;
    if (!line->record || line->record->parent_line_id != other.id || !line->record->base) continue;
    Result<Snapshot> fork = ForkPointOf(fs, *line->record, other.paths);
    if (!fork && fork.error().code() == ErrorCode::kNotFound) continue;
    if (!fork) return std::move(fork).error();
    return MergeBase{*std::move(fork), line};
  }
  return Error(ErrorCode::kConflict, fmt::format("no common snapshot to merge from: neither {} nor {} was made from the other", source.name, target.name))
      .Id("merge.no-base")
      .Hint("`braid branch show` tells where a branch comes from; `adopt` records it where another engine made it");
}

bool IsPhysical(const Snapshot& snapshot) {
  return snapshot.commit_kind == CommitKind::kCompact || snapshot.commit_kind == CommitKind::kAnalyze;
}

// Snapshots above an id, oldest first. Errors: kConflict if the line does not have the base among its ancestors.
Result<std::vector<Snapshot>> SnapshotsSince(const FileSystem& fs, const Line& line, const SnapshotRef& base) {
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, line.paths));
  std::vector<Snapshot> since;
  for (const SnapshotId id : ids) {
    if (id < base.id) continue;
    BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(fs, line.paths, id));
    if (id == base.id && SnapshotIdentity(snapshot) != base.identity) {
      return Error(ErrorCode::kConflict, fmt::format("{} was rolled back below snapshot {}, which it had in common with the other line",
                                                     line.paths.DisplayName(), base.id))
          .Id("merge.parent-rewound")
          .Hint("make a new branch from a snapshot that it has now, and bring the changes there");
    }
    if (id > base.id) since.push_back(std::move(snapshot));
  }
  if (ids.empty() || ids.back() < base.id) {
    return Error(ErrorCode::kConflict, fmt::format("{} does not go as far as snapshot {}, from which the merge would begin",
                                                   line.paths.DisplayName(), base.id))
        .Id("merge.parent-rewound")
        .Hint("`braid branch show` tells what both have in common");
  }
  return since;
}

// Whether rows may have come or gone since the base; what expired snapshots did cannot be told.
bool HasMoved(const std::vector<Snapshot>& since, SnapshotId base) {
  if (since.empty()) return false;
  return since.front().id != base.next() || !std::all_of(since.begin(), since.end(), IsPhysical);
}

class BranchComparison {
 public:
  BranchComparison(const FileSystem& fs, const Line& source, const Line& target) : fs_(fs), source_(source), target_(target) {}

  Result<MergeReport> Run() {
    BRAID_TRY_ASSIGN(base_, FindMergeBase(fs_, source_, target_));
    MergeReport report;
    report.source = source_.is_main ? std::string(kMainBranch) : source_.name;
    report.target = target_.is_main ? std::string(kMainBranch) : target_.name;
    report.base = RefOf(base_.snapshot);
    BRAID_TRY_ASSIGN(report.source_snapshots, SnapshotsSince(fs_, source_, report.base));
    BRAID_TRY_ASSIGN(report.target_snapshots, SnapshotsSince(fs_, target_, report.base));
    const bool target_moved = HasMoved(report.target_snapshots, report.base.id);
    if (!HasMoved(report.source_snapshots, report.base.id)) {
      report.state = MergeState::kNothingToMerge;
    } else if (target_moved) {
      report.state = MergeState::kDiverged;
    } else {
      report.state = report.target_snapshots.empty() ? MergeState::kFastForward : MergeState::kTargetMovedPhysically;
    }
    return report;
  }

  const MergeBase& base() const { return base_; }

 private:
  const FileSystem& fs_;
  const Line& source_;
  const Line& target_;
  MergeBase base_;
};

Error Diverged(const MergeReport& report) {
  std::vector<std::string> theirs;
  for (const Snapshot& snapshot : report.target_snapshots) {
    if (!IsPhysical(snapshot)) theirs.push_back(fmt::format("{}", snapshot.id));
  }
  if (theirs.empty()) {
    return Error(ErrorCode::kConflict, fmt::format("snapshots of {} since {} have expired, so that it cannot be told whether {} has what they did",
                                                   report.target, report.base.id, report.source))
        .Id("merge.diverged")
        .Hint("`braid branch replace-main` gives them up for the branch's");
  }
  return Error(ErrorCode::kConflict, fmt::format("{} has {} commits since snapshot {} that {} does not have: {}", report.target, theirs.size(),
                                                 report.base.id, report.source, Join(theirs, ", ")))
      .Id("merge.diverged")
      .Hint("`braid branch merge --dry-run` lists both sides; `braid branch replace-main` gives them up for the branch's");
}

Status CheckState(const MergeReport& report) {
  if (report.state == MergeState::kDiverged) return Diverged(report);
  if (report.state == MergeState::kTargetMovedPhysically) {
    return Error(ErrorCode::kUnsupported, fmt::format("{} was compacted since snapshot {}, so that merging needs a merge commit, which this version does not make",
                                                      report.target, report.base.id))
        .Id("merge.unsupported")
        .Hint("`braid branch replace-main` puts the branch in main's place");
  }
  return Ok();
}

Json RefJson(const SnapshotRef& snapshot) {
  Json json;
  json.Add("snapshotId", snapshot.id.value());
  json.Add("identity", snapshot.identity);
  return json;
}

// Publishes the recorded snapshots on the target. All steps may be repeated.
class Forward {
 public:
  Forward(const LockedTable& table, const OperationJournal& journal) : table_(table), fs_(table.fs()), journal_(journal) {}

  // Finds the lines that the journal names.
  Status Open() {
    BRAID_TRY_ASSIGN(lines_, ListLines(fs_, table_.context().root, Inference::kSkip));
    BRAID_TRY_ASSIGN(source_, FindByArgument("sourceLineId"));
    BRAID_TRY_ASSIGN(target_, FindByArgument("targetLineId"));
    BRAID_TRY_ASSIGN(const std::string recorder_id, journal_.args.GetString("recorderLineId"));
    recorder_ = lines_.FindById(recorder_id);
    const Json* snapshots = journal_.args.Find("snapshots");
    if (snapshots == nullptr || !snapshots->is_array()) return Error(ErrorCode::kCorruption, "the journal of a merge lacks 'snapshots'");
    for (const Json& element : snapshots->as_array()) {
      BRAID_TRY_ASSIGN(Snapshot snapshot, SnapshotFromJson(element));
      snapshots_.push_back(std::move(snapshot));
    }
    BRAID_TRY_ASSIGN(const std::int64_t number, journal_.args.GetInteger("link"));
    link_ = static_cast<std::size_t>(number);
    BRAID_TRY_ASSIGN(guard_branch_, journal_.args.GetString("branch"));
    const Json* guards = journal_.args.Find("guardTags");
    guards_ = guards != nullptr && *guards == Json(true);
    return Ok();
  }

  // How many of the snapshots the target has by now, counting those between as well that have expired.
  Result<std::size_t> CountPublished() const {
    for (std::size_t count = snapshots_.size(); count > 0; --count) {
      const Result<Snapshot> present = ReadSnapshot(fs_, target_->paths, snapshots_[count - 1].id);
      if (!present && present.error().code() != ErrorCode::kNotFound) return present.error();
      if (present && RefOf(*present) == RefOf(snapshots_[count - 1])) return count;
    }
    return std::size_t{0};
  }

  // Publishes the snapshots from this one on. The guard tag that protects them on the target can only be written when it
  // is certain which is the last, so until then a consumer keeps other engines from expiring any.
  Status Carry(std::size_t published) {
    if (guards_) {
      BRAID_TRY(WriteGuardTag(fs_, source_->paths, Guard(), snapshots_.back()));
      BRAID_TRY(WriteConsumer(fs_, target_->paths, Pin()));
    }
    BRAID_TRY(CopySchemas());
    BRAID_TRY(Publish(published));
    return Finish();
  }

  // What follows the last published snapshot.
  Status Finish() {
    BRAID_TRY(CopyTags());
    if (guards_) {
      BRAID_TRY(WriteGuardTag(fs_, source_->paths, Guard(), last_));
      BRAID_TRY(WriteGuardTag(fs_, target_->paths, Guard(), last_));
      BRAID_TRY(DeleteConsumer(fs_, target_->paths, Pin().id));
    }
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> head, FindLatestSnapshot(fs_, target_->paths));
    if (head) BRAID_TRY(WriteLatestHint(fs_, target_->paths, *head));
    return WriteLink();
  }

  Status Undo() {
    BRAID_TRY(DeleteTagFile(fs_, source_->paths, Guard()));
    BRAID_TRY(DeleteConsumer(fs_, target_->paths, Pin().id));
    const Json* schemas = journal_.args.Find("newSchemas");
    if (schemas == nullptr || !schemas->is_array()) return Ok();
    BRAID_TRY_ASSIGN(const std::optional<Snapshot> head, ReadLatestSnapshot(fs_, target_->paths));
    if (head) {
      // A commit that came in between may use them already.
      for (const Json& id : schemas->as_array()) {
        if (head->schema_id.value() >= id.as_integer()) return Ok();
      }
    }
    for (auto id = schemas->as_array().rbegin(); id != schemas->as_array().rend(); ++id) {
      BRAID_TRY(fs_.Delete(target_->paths.SchemaFile(SchemaId(id->as_integer()))));
    }
    return Ok();
  }

  /// Why it stopped before the end, if it did.
  const std::optional<Error>& interrupted() const { return interrupted_; }
  const std::vector<SnapshotId>& published() const { return published_; }

 private:
  Result<const Line*> FindByArgument(std::string_view key) const {
    BRAID_TRY_ASSIGN(const std::string id, journal_.args.GetString(key));
    if (const Line* line = lines_.FindById(id)) return line;
    return Error(ErrorCode::kNotFound, fmt::format("a line of {} that a merge was about is gone", table_.context().table_name));
  }

  std::string Guard() const { return LinkGuardTag(guard_branch_, link_); }
  Consumer Pin() const { return {.id = "braid-merge-" + journal_.id.substr(0, 8), .next_snapshot = snapshots_.front().id}; }

  Status CopySchemas() {
    const Json* schemas = journal_.args.Find("newSchemas");
    for (const Json& id : schemas->as_array()) {
      const SchemaId schema(id.as_integer());
      BRAID_TRY(CopyMetadataFile(fs_, source_->paths.SchemaFile(schema), target_->paths.SchemaFile(schema)));
    }
    return Ok();
  }

  Status Publish(std::size_t published) {
    published_.clear();
    for (const Snapshot& snapshot : snapshots_) {
      if (published_.size() < published) {
        last_ = snapshot;
        published_.push_back(snapshot.id);
        continue;
      }
      const Result<Snapshot> present = ReadSnapshot(fs_, target_->paths, snapshot.id);
      if (!present && present.error().code() != ErrorCode::kNotFound) return present.error();
      const Status created = present ? Status(Error(ErrorCode::kConflict, "")) : CreateSnapshot(fs_, target_->paths, snapshot);
      if (!created && created.error().code() != ErrorCode::kConflict) return created;
      if (!created) {
        BRAID_TRY_ASSIGN(const Snapshot other, ReadSnapshot(fs_, target_->paths, snapshot.id));
        if (RefOf(other) != RefOf(snapshot)) return Interrupt(other);
      }
      last_ = snapshot;
      published_.push_back(snapshot.id);
    }
    return Ok();
  }

  // Another writer took an id. Before the first of ours nothing has happened; later the target goes on from what we
  // published, and the link says so.
  Status Interrupt(const Snapshot& other) {
    interrupted_ = Error(ErrorCode::kConflict, fmt::format("{} committed snapshot {} on {} during the merge; {} of {} snapshots are published",
                                                           other.commit_user, other.id, target_->paths.DisplayName(), published_.size(), snapshots_.size()))
                       .Id("merge.interrupted")
                       .Hint(published_.empty() ? "nothing was changed; compare again with `braid branch merge --dry-run`"
                                                : "what is published stays; the rest has diverged now");
    if (published_.empty()) return *interrupted_;
    return Ok();
  }

  Status CopyTags() {
    const Json* tags = journal_.args.Find("tags");
    for (const Json& name : tags->as_array()) {
      const Result<Tag> tag = ReadTag(fs_, source_->paths, name.as_string());
      if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
      if (!tag) return tag.error();
      if (tag->snapshot.id > last_.id) continue;
      const Status written = WriteTag(fs_, target_->paths, *tag);
      if (!written && written.error().code() != ErrorCode::kAlreadyExists) return written;
    }
    return Ok();
  }

  Status WriteLink() {
    if (recorder_ == nullptr) return Ok();
    BRAID_TRY_ASSIGN(std::optional<TableRecord> table_record, ReadTableRecord(fs_, table_.root()));
    const bool is_root = recorder_->kind == LineKind::kRoot;
    std::optional<ForkRecord> record;
    if (is_root) {
      if (table_record) record = table_record->root_record;
    } else {
      BRAID_TRY_ASSIGN(record, ReadForkRecord(fs_, recorder_->paths));
    }
    if (!record) return Ok();
    const bool is_source = recorder_ == source_;
    std::erase_if(record->links, [&](const ForkLink& link) { return link.operation == journal_.id; });
    ForkLink link;
    link.line_id = is_source ? target_->id : source_->id;
    link.direction = is_source ? "to" : "from";
    link.segment.emplace(snapshots_.front().id.previous(), last_.id);
    link.source = RefOf(last_);
    link.target = RefOf(last_);
    link.operation = journal_.id;
    link.created_ms = table_.NowMs();
    link.base = last_;
    record->links.push_back(std::move(link));
    if (!is_root) return WriteForkRecord(fs_, recorder_->paths, *record);
    table_record->root_record = std::move(record);
    return WriteTableRecord(fs_, table_.root(), *table_record);
  }

  const LockedTable& table_;
  FileSystem& fs_;
  const OperationJournal& journal_;
  TableLines lines_;
  const Line* source_ = nullptr;
  const Line* target_ = nullptr;
  const Line* recorder_ = nullptr;
  std::vector<Snapshot> snapshots_;
  std::string guard_branch_;
  std::size_t link_ = 0;
  bool guards_ = true;
  Snapshot last_;
  std::vector<SnapshotId> published_;
  std::optional<Error> interrupted_;
};

// Schemas that the source has made since the base; those that the target lacks. Columns are compared with their ids.
Result<std::vector<SchemaId>> SchemasToCopy(const FileSystem& fs, const Line& source, const Line& target, const MergeReport& report) {
  const SchemaId last = report.source_snapshots.back().schema_id;
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> ids, ListSchemas(fs, source.paths));
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> theirs, ListSchemas(fs, target.paths));
  std::vector<SchemaId> missing;
  for (const SchemaId id : ids) {
    if (id > last) break;
    if (std::find(theirs.begin(), theirs.end(), id) == theirs.end()) {
      missing.push_back(id);
      continue;
    }
    BRAID_TRY_ASSIGN(const TableSchema one, ReadSchema(fs, source.paths, id));
    BRAID_TRY_ASSIGN(const TableSchema other, ReadSchema(fs, target.paths, id));
    if (one.fields == other.fields && one.primary_keys == other.primary_keys && one.partition_keys == other.partition_keys) continue;
    return Error(ErrorCode::kConflict, fmt::format("schemas of {} and {} changed differently: schema {} has other columns on each", report.source, report.target, id))
        .Id("merge.schema")
        .Hint("align them by ALTER TABLE on one side");
  }
  if (!missing.empty() && !theirs.empty() && theirs.back() > missing.front()) {
    return Error(ErrorCode::kConflict, fmt::format("schemas of {} and {} changed differently since they parted", report.source, report.target))
        .Id("merge.schema")
        .Hint("align them by ALTER TABLE on one side");
  }
  return missing;
}

Result<std::vector<std::string>> TagsToCopy(const FileSystem& fs, const Line& source, const Line& target, const MergeReport& report, bool skip_clashing) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, source.paths));
  std::vector<std::string> copied;
  for (const std::string& name : names) {
    if (IsGuardTag(name)) continue;
    BRAID_TRY_ASSIGN(const Tag tag, ReadTag(fs, source.paths, name));
    if (tag.snapshot.id <= report.base.id) continue;
    const Result<Tag> other = ReadTag(fs, target.paths, name);
    if (!other && other.error().code() != ErrorCode::kNotFound) return other.error();
    if (!other) {
      copied.push_back(name);
      continue;
    }
    if (RefOf(other->snapshot) == RefOf(tag.snapshot) || skip_clashing) continue;
    return Error(ErrorCode::kConflict, fmt::format("tag {} means snapshot {} on {} and {} on {}", name, tag.snapshot.id, report.source, other->snapshot.id, report.target))
        .Id("merge.tag-clash")
        .Hint("give --tags skip to leave the target's as it is");
  }
  return copied;
}

// Snapshots F+1 … K must all be there, or the target would get a gap.
Status CheckComplete(const MergeReport& report) {
  SnapshotId expected = report.base.id.next();
  for (const Snapshot& snapshot : report.source_snapshots) {
    if (snapshot.id != expected) {
      return Error(ErrorCode::kUnsupported, fmt::format("snapshot {} of {} has expired, so that merging needs a merge commit, which this version does not make",
                                                        expected, report.source))
          .Id("merge.unsupported")
          .Hint("`braid branch replace-main` puts the branch in main's place");
    }
    expected = expected.next();
  }
  return Ok();
}

}  // namespace

std::string_view MergeStateName(MergeState state) {
  static constexpr std::array<std::string_view, 4> kNames = {"nothing-to-merge", "fast-forward", "target-compacted", "diverged"};
  return kNames[static_cast<std::size_t>(state)];
}

Result<MergeReport> CompareBranches(const OperationContext& context, const std::string& source, const std::string& target) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(*context.file_system, context.root));
  BRAID_TRY_ASSIGN(const Line* from, FindLine(lines, source, context.table_name));
  BRAID_TRY_ASSIGN(const Line* to, FindLine(lines, target, context.table_name));
  return BranchComparison(*context.file_system, *from, *to).Run();
}

Result<MergeReport> FastForward(const OperationContext& context, const MergeBranchRequest& request) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  FileSystem& fs = table.fs();
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, context.root));
  BRAID_TRY_ASSIGN(const Line* source, FindLine(lines, request.source, context.table_name));
  BRAID_TRY_ASSIGN(const Line* target, FindLine(lines, request.target, context.table_name));
  if (source == target) return Error(ErrorCode::kInvalidArgument, "a line cannot be merged into itself").Hint("name another branch");
  BRAID_TRY(MayMove(*target, LineMove::kMergeInto));
  BranchComparison comparison(fs, *source, *target);
  BRAID_TRY_ASSIGN(MergeReport report, comparison.Run());
  report.repairs = table.repairs();
  if (report.state == MergeState::kNothingToMerge) return report;
  if (request.dry_run) return report;
  BRAID_TRY(CheckState(report));
  BRAID_TRY(CheckComplete(report));
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> schemas, SchemasToCopy(fs, *source, *target, report));
  BRAID_TRY_ASSIGN(report.tags, TagsToCopy(fs, *source, *target, report, request.skip_clashing_tags));
  BRAID_TRY_ASSIGN(const bool guards, WritesGuardTags(fs, target->paths));
  const Line& recorder = *comparison.base().recorder;
  Json args;
  args.Add("sourceLineId", source->id);
  args.Add("targetLineId", target->id);
  args.Add("recorderLineId", recorder.id);
  args.Add("branch", recorder.kind == LineKind::kBranch ? recorder.name : request.source);
  args.Add("link", static_cast<std::int64_t>(recorder.record ? recorder.record->links.size() + 1 : 1));
  args.Add("base", RefJson(report.base));
  args.Add("guardTags", guards);
  Json::Array snapshots;
  for (const Snapshot& snapshot : report.source_snapshots) snapshots.push_back(SnapshotToJson(snapshot));
  args.Add("snapshots", std::move(snapshots));
  Json::Array schema_ids;
  for (const SchemaId id : schemas) schema_ids.emplace_back(id.value());
  args.Add("newSchemas", std::move(schema_ids));
  args.Add("tags", Json::Array(report.tags.begin(), report.tags.end()));
  BRAID_TRY_ASSIGN(const OperationJournal journal, table.Begin("merge", "PLANNED", std::move(args)));
  Forward forward(table, journal);
  const Status done = RunJournalled(table, journal, [&]() -> Status {
    BRAID_TRY(forward.Open());
    return forward.Carry(0);
  });
  if (forward.interrupted()) return *forward.interrupted();
  BRAID_TRY(done);
  for (const Snapshot& snapshot : report.source_snapshots) report.published.push_back(snapshot.id);
  return report;
}

Result<Recovered> RecoverMergeBranch(const LockedTable& table, const OperationJournal& journal) {
  Forward forward(table, journal);
  if (Status opened = forward.Open(); !opened) {
    // A branch that was deleted meanwhile took its half with it.
    if (opened.error().code() == ErrorCode::kNotFound) return Recovered::kUndone;
    return std::move(opened).error();
  }
  BRAID_TRY_ASSIGN(const std::size_t published, forward.CountPublished());
  if (published == 0) {
    BRAID_TRY(forward.Undo());
    return Recovered::kUndone;
  }
  BRAID_TRY(forward.Carry(published));
  return Recovered::kCompleted;
}

}  // namespace braid
