// The history that a branch gets when it is put in main's place (spec branches.md §8.1 step 3), and how it loses it again.

#include "table/branch_history_internal.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "meta/stores.h"
#include "table/branch_files_internal.h"

namespace braid {

namespace {

bool Holds(const Json& names, const std::string& name) {
  if (!names.is_array()) return false;
  return std::find(names.as_array().begin(), names.as_array().end(), Json(name)) != names.as_array().end();
}

class BranchHistory {
 public:
  BranchHistory(const LockedTable& table, const ReplacePlan& plan, OperationJournal& journal)
      : table_(table),
        fs_(table.fs()),
        plan_(plan),
        journal_(journal),
        old_(table.root().OnBranch(plan.old_branch)),
        branch_(table.root().OnBranch(plan.branch)) {}

  // The history before the fork goes with main: snapshots downwards, so that the branch never has a gap.
  Status Copy() {
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> first, EarliestOf(branch_));
    if (!journal_.args.Find("branchFirst")) {
      journal_.args.Add("branchFirst", first ? Json(first->value()) : Json());
      BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs_, branch_));
      Json::Array names(tags.begin(), tags.end());
      journal_.args.Add("branchTags", std::move(names));
      BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(fs_, branch_));
      Json::Array consumer_ids;
      for (const Consumer& consumer : consumers) consumer_ids.emplace_back(consumer.id);
      journal_.args.Add("branchConsumers", std::move(consumer_ids));
      BRAID_TRY(table_.Save(journal_));
    }
    // A branch that has expired what follows the fork gets tags alone: a gap would be damage to other engines.
    if (first && *first <= plan_.fork.id.next()) BRAID_TRY(CopySnapshotsBelow(*first));
    BRAID_TRY(CopyTags());
    return CopyConsumers();
  }

  // What Copy gave the branch is not the branch's: another engine's expiry there would delete files that main needs.
  Status Remove() {
    const Json* first = journal_.args.Find("branchFirst");
    const Json* own_tags = journal_.args.Find("branchTags");
    const Json* own_consumers = journal_.args.Find("branchConsumers");
    if (first == nullptr || own_tags == nullptr || own_consumers == nullptr || !first->is_integer()) return Ok();
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, branch_));
    for (const SnapshotId id : ids) {
      if (id.value() < first->as_integer()) BRAID_TRY(fs_.Delete(branch_.SnapshotFile(id)));
    }
    if (first->as_integer() > 0) BRAID_TRY(WriteEarliestHint(fs_, branch_, SnapshotId(first->as_integer())));
    BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs_, branch_));
    for (const std::string& name : tags) {
      if (Holds(*own_tags, name)) continue;
      BRAID_TRY_ASSIGN(const Tag tag, ReadTag(fs_, branch_, name));
      BRAID_TRY_ASSIGN(const bool mains_has_it, fs_.Exists(old_.TagFile(name)));
      // One that somebody made on the branch meanwhile stays.
      const bool is_mains = tag.snapshot.id < plan_.fork.id || (mains_has_it && tag.snapshot.id == plan_.fork.id);
      if (is_mains) BRAID_TRY(DeleteTagFile(fs_, branch_, name));
    }
    BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(fs_, branch_));
    for (const Consumer& consumer : consumers) {
      if (Holds(*own_consumers, consumer.id)) continue;
      BRAID_TRY_ASSIGN(const auto mains, ReadConsumer(fs_, old_, consumer.id));
      if (mains) BRAID_TRY(DeleteConsumer(fs_, branch_, consumer.id));
    }
    return Ok();
  }

 private:
  Result<std::optional<SnapshotId>> EarliestOf(const TablePaths& line) const {
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs_, line));
    return ids.empty() ? std::optional<SnapshotId>() : std::optional(ids.front());
  }

  Status CopySnapshotsBelow(SnapshotId first) {
    for (SnapshotId id = first.previous(); id.value() >= 1; id = id.previous()) {
      const Status copied = CopyMetadataFile(fs_, old_.SnapshotFile(id), branch_.SnapshotFile(id));
      if (!copied && copied.error().code() == ErrorCode::kNotFound) break;  // expired from here on
      BRAID_TRY(copied);
    }
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> changelogs, ListChangelogs(fs_, old_));
    for (const SnapshotId id : changelogs) {
      if (id > plan_.fork.id) continue;
      const Status copied = CopyMetadataFile(fs_, old_.ChangelogFile(id), branch_.ChangelogFile(id));
      if (!copied && copied.error().code() != ErrorCode::kNotFound) return copied;
    }
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> earliest, EarliestOf(branch_));
    if (!earliest) return Ok();
    return WriteEarliestHint(fs_, branch_, *earliest);
  }

  Status CopyTags() {
    BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs_, old_));
    for (const std::string& name : names) {
      const Result<Tag> tag = ReadTag(fs_, old_, name);
      if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
      if (!tag) return tag.error();
      if (tag->snapshot.id > plan_.fork.id) continue;
      BRAID_TRY_ASSIGN(const bool there, fs_.Exists(branch_.TagFile(name)));
      if (!there) BRAID_TRY(CopyMetadataFile(fs_, old_.TagFile(name), branch_.TagFile(name)));
    }
    return Ok();
  }

  Status CopyConsumers() {
    BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(fs_, old_));
    for (Consumer consumer : consumers) {
      if (consumer.next_snapshot > plan_.fork.id.next()) {
        if (plan_.consumers == ConsumerPolicy::kDrop) continue;
        consumer.next_snapshot = plan_.fork.id.next();
      }
      BRAID_TRY_ASSIGN(const auto present, ReadConsumer(fs_, branch_, consumer.id));
      if (!present) BRAID_TRY(WriteConsumer(fs_, branch_, consumer));
    }
    return Ok();
  }

  const LockedTable& table_;
  FileSystem& fs_;
  const ReplacePlan& plan_;
  OperationJournal& journal_;
  const TablePaths old_;
  const TablePaths branch_;
};

}  // namespace

Status CopyHistory(const LockedTable& table, const ReplacePlan& plan, OperationJournal& journal) {
  return BranchHistory(table, plan, journal).Copy();
}

Status RemoveCopiedHistory(const LockedTable& table, const ReplacePlan& plan, OperationJournal& journal) {
  return BranchHistory(table, plan, journal).Remove();
}

}  // namespace braid
