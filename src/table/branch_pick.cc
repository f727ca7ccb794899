// Picking snapshots of a line into another. Each is a commit of its own, so there is nothing to recover.

#include "table/branch_pick.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "base/uuid.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/commit.h"
#include "table/line_move.h"
#include "table/row_tracking.h"
#include "table/scan.h"
#include "table/table.h"
#include "table/time_travel.h"
#include "table/write.h"

namespace braid {

namespace {

constexpr std::string_view kPickUser = "braid-pick-";
constexpr const char* kPickedFrom = "braid.pick.branch";
constexpr const char* kPickedSnapshot = "braid.pick.snapshot";
constexpr const char* kPickedIdentity = "braid.pick.identity";

bool IsPhysical(const Snapshot& snapshot) {
  return snapshot.commit_kind == CommitKind::kCompact || snapshot.commit_kind == CommitKind::kAnalyze;
}

class Picking {
 public:
  Picking(const LockedTable& locked, const PickRequest& request) : locked_(locked), request_(request) {}

  Result<PickResult> Run() {
    BRAID_TRY(Open());
    BRAID_TRY(FindPicked());
    PickResult result{.snapshots = {}, .repairs = locked_.repairs()};
    for (const auto& [first, last] : request_.ranges) {
      for (SnapshotId id = first; id <= last; id = id.next()) {
        BRAID_TRY_ASSIGN(PickedSnapshot picked, Judge(id));
        result.snapshots.push_back(std::move(picked));
      }
    }
    if (request_.dry_run) return result;
    for (PickedSnapshot& picked : result.snapshots) {
      if (picked.outcome != PickedSnapshot::Outcome::kPicked) continue;
      BRAID_TRY_ASSIGN(picked.target, Replay(picked.source));
    }
    return result;
  }

 private:
  FileSystem& fs() const { return locked_.fs(); }

  Status Open() {
    const OperationContext& context = locked_.context();
    BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs(), context.root, Inference::kSkip));
    BRAID_TRY_ASSIGN(const Line* from, FindLine(lines, request_.from, context.table_name));
    BRAID_TRY_ASSIGN(const Line* into, FindLine(lines, request_.into, context.table_name));
    if (from == into) {
      return Error(ErrorCode::kInvalidArgument, "a line's snapshots cannot be picked into itself").Hint("name another branch");
    }
    BRAID_TRY(MayMove(*into, LineMove::kMergeInto));
    BRAID_TRY_ASSIGN(const Table source, Table::Open(context.file_system, context.root, context.table_name, request_.from));
    BRAID_TRY_ASSIGN(const Table target, Table::Open(context.file_system, context.root, context.table_name, request_.into));
    source_.emplace(source);
    target_.emplace(target);
    return Ok();
  }

  // What the target has already: its own snapshots, and those that were picked into it.
  Status FindPicked() {
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs(), target_->paths()));
    for (const SnapshotId id : ids) {
      const Result<Snapshot> snapshot = ReadSnapshot(fs(), target_->paths(), id);
      if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) continue;
      if (!snapshot) return snapshot.error();
      there_.emplace(SnapshotIdentity(*snapshot), id);
      // Other engines copy properties into their own snapshots, so the user decides.
      const auto identity = snapshot->properties.find(kPickedIdentity);
      if (snapshot->commit_user.starts_with(kPickUser) && identity != snapshot->properties.end())
        there_.emplace(identity->second, id);
    }
    return Ok();
  }

  Result<PickedSnapshot> Judge(SnapshotId id) const {
    PickedSnapshot picked;
    BRAID_TRY_ASSIGN(picked.source, ReadExistingSnapshot(fs(), source_->paths(), id));
    const Snapshot& snapshot = picked.source;
    if (IsPhysical(snapshot)) {
      picked.outcome = PickedSnapshot::Outcome::kNothing;
    } else if (const auto there = there_.find(SnapshotIdentity(snapshot)); there != there_.end()) {
      picked.outcome = PickedSnapshot::Outcome::kThere;
      picked.target = there->second;
    } else {
      BRAID_TRY(CheckOnlyAdds(snapshot));
      BRAID_TRY(CheckColumns(snapshot));
    }
    return picked;
  }

  Status CheckOnlyAdds(const Snapshot& snapshot) const {
    const auto refuse = [&](std::string_view what) {
      return Error(ErrorCode::kUnsupported, fmt::format("snapshot {} of {} {}, which this version does not pick", snapshot.id,
                                                        source_->paths().DisplayName(), what))
          .Id("merge.unsupported")
          .Hint("`braid branch replace-main` or a merge takes the whole line over");
    };
    BRAID_TRY(RequireKnownKind(snapshot));
    if (snapshot.commit_kind != CommitKind::kAppend) return refuse("overwrote rows");
    BRAID_TRY_ASSIGN(const auto manifests, ReadManifestList(fs(), source_->paths(), snapshot.delta_manifest_list));
    for (const ManifestFileMeta& manifest : manifests) {
      if (manifest.num_deleted_files > 0) return refuse("deleted files");
    }
    BRAID_TRY_ASSIGN(const bool has_vectors, target_->options().GetBool("deletion-vectors.enabled", false));
    if (has_vectors && !source_->schema().has_primary_key()) return refuse("may have deleted rows by deletion vectors");
    BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(*source_));
    if (evolves) return refuse("may have changed columns of rows ('data-evolution.enabled')");
    return Ok();
  }

  Status CheckColumns(const Snapshot& snapshot) const {
    BRAID_TRY_ASSIGN(const TableSchema theirs, ReadSchema(fs(), source_->paths(), snapshot.schema_id));
    const TableSchema& ours = target_->schema();
    if (theirs.fields == ours.fields && theirs.primary_keys == ours.primary_keys) return Ok();
    return Error(ErrorCode::kConflict, fmt::format("{} has other columns in snapshot {} than {} has now", request_.from, snapshot.id,
                                                   request_.into))
        .Id("merge.schema")
        .Hint("`braid branch diff` shows them; align them by ALTER TABLE");
  }

  // The rows of the snapshot's own files, with their kinds, committed to the target.
  Result<std::optional<SnapshotId>> Replay(const Snapshot& snapshot) {
    BRAID_TRY_ASSIGN(const Table changes,
                     source_->With(Options(Options::Map{
                         {"incremental-between", fmt::format("{},{}", snapshot.id.previous(), snapshot.id)},
                         {"incremental-between-scan-mode", "delta"}})));
    BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(changes, {}));
    BRAID_TRY_ASSIGN(const auto reader, ReadPlan(changes, plan, {}));
    BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(*target_, {.commit_user = user_, .spill_directory = {}}));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      BRAID_TRY(writer->Write(*batch));
    }
    Committable committable;
    committable.identifier = snapshot.id.value();
    committable.watermark = snapshot.watermark;
    committable.properties = {{kPickedFrom, request_.from},
                              {kPickedSnapshot, fmt::format("{}", snapshot.id)},
                              {kPickedIdentity, SnapshotIdentity(snapshot)}};
    BRAID_TRY_ASSIGN(committable.messages, writer->PrepareCommit(true, committable.identifier));
    BRAID_TRY_ASSIGN(const std::vector<Snapshot> made,
                     TableCommit(*target_, user_, *locked_.context().clock).Commit(committable, /*commit_empty=*/true));
    if (made.empty()) return std::optional<SnapshotId>();
    return std::optional(made.front().id);
  }

  const LockedTable& locked_;
  const PickRequest& request_;
  const std::string user_ = fmt::format("{}{}", kPickUser, RandomUuid());
  std::optional<Table> source_;
  std::optional<Table> target_;
  std::map<std::string, SnapshotId> there_;  // identity → the target's snapshot of it
};

}  // namespace

Result<std::vector<std::pair<SnapshotId, SnapshotId>>> PickRequest::ParseRanges(const std::string& text) {
  std::vector<std::pair<SnapshotId, SnapshotId>> ranges;
  for (const std::string& range : ParseList(text)) {
    const std::size_t dots = range.find("..");
    const auto first = ParseInt64(Trim(std::string_view(range).substr(0, dots)));
    const auto last = dots == std::string::npos ? first : ParseInt64(Trim(std::string_view(range).substr(dots + 2)));
    if (!first || !last || *first < 1 || *last < *first) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' names no snapshots", range))
          .Hint("write numbers and ranges, as in 5..8,10");
    }
    ranges.emplace_back(*first, *last);
  }
  return ranges;
}

Result<PickResult> PickSnapshots(const OperationContext& context, const PickRequest& request) {
  BRAID_TRY_ASSIGN(const LockedTable locked, LockedTable::Acquire(context));
  return Picking(locked, request).Run();
}

}  // namespace braid
