#include "table/placed_keys.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/log.h"
#include "meta/fork_record.h"
#include "table/file_scan.h"
#include "table/hash_index_merge.h"
#include "table/rerouted_rows.h"

namespace braid {

namespace {

using AllPartitions = std::map<BinaryRow, PartitionHashIndex>;

Result<AllPartitions> HashIndexesOf(const Table& table, const std::optional<Snapshot>& snapshot) {
  AllPartitions indexes;
  if (!snapshot || !snapshot->index_manifest) return indexes;
  BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> entries,
                   ReadIndexManifest(table.file_system(), table.paths(), *snapshot->index_manifest));
  for (IndexManifestEntry& entry : entries) {
    if (entry.index_type != kHashIndex) continue;
    PartitionHashIndex& partition = indexes[entry.partition];
    partition.insert_or_assign(entry.bucket.value(), std::move(entry));
  }
  return indexes;
}

bool IsHashIndex(const IndexManifestEntry& entry) {
  return entry.index_type == kHashIndex;
}

void ReplaceHashIndexes(std::vector<CommitMessage>& messages, const BinaryRow& partition,
                        const std::vector<IndexManifestEntry>& indexes) {
  for (CommitMessage& message : messages) {
    if (message.partition != partition) continue;
    std::erase_if(message.new_index_files, IsHashIndex);
    for (const IndexManifestEntry& index : indexes) {
      if (index.bucket == message.bucket) message.new_index_files.push_back(index);
    }
  }
}

// Whether somebody else may have given keys of the messages another place since the writer looked.
Result<bool> KeysMoved(const Table& table, const std::string& commit_user, const KeysBase& base,
                       const std::vector<CommitMessage>& messages, const std::optional<Snapshot>& latest) {
  if (!latest || latest->id < base.snapshot) return base.snapshot != SnapshotId(0);
  std::vector<ManifestEntry> added;
  bool others = false;
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, nullptr));
  for (SnapshotId id = std::max(base.snapshot, SnapshotId(1)); id <= latest->id; id = id.next()) {
    const Result<Snapshot> snapshot = ReadSnapshot(table.file_system(), table.paths(), id);
    if (!snapshot && snapshot.error().code() != ErrorCode::kNotFound) return snapshot.error();
    if (!snapshot) return true;  // expired or rolled back: nobody can tell any more
    if (id == base.snapshot) {
      if (SnapshotIdentity(*snapshot) != base.identity) return true;
      continue;
    }
    if (snapshot->commit_kind == CommitKind::kCompact || snapshot->commit_kind == CommitKind::kAnalyze) continue;
    if (snapshot->commit_user == commit_user) {
      // Our own commit after somebody else's may have been routed again, which the writer does not know.
      if (others) return true;
      continue;
    }
    others = true;
    BRAID_TRY_ASSIGN(std::vector<ManifestEntry> delta, scan->DeltaFiles(*snapshot));
    for (ManifestEntry& entry : delta) {
      if (entry.kind == FileKind::kDelete) return true;
      added.push_back(std::move(entry));
    }
  }
  return added.empty() ? false : ShareKeys(table, messages, added);
}

// Names of all files that the snapshot itself brought.
Result<std::set<std::string>> FilesOf(const Table& table, const Snapshot& snapshot) {
  std::set<std::string> names;
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, nullptr));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, scan->DeltaFiles(snapshot));
  BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> changelog, scan->ChangelogFiles(snapshot));
  entries.insert(entries.end(), changelog.begin(), changelog.end());
  for (const ManifestEntry& entry : entries) names.insert(entry.file.file_name);
  if (!snapshot.index_manifest) return names;
  BRAID_TRY_ASSIGN(const auto indexes, ReadIndexManifest(table.file_system(), table.paths(), *snapshot.index_manifest));
  for (const IndexManifestEntry& index : indexes) names.insert(index.file_name);
  return names;
}

// Without what is in `kept`.
std::vector<CommitMessage> Without(std::vector<CommitMessage> messages, const std::set<std::string>& kept) {
  const auto is_kept = [&](const auto& file) { return kept.contains(file.file_name); };
  for (CommitMessage& message : messages) {
    std::erase_if(message.new_files, is_kept);
    std::erase_if(message.changelog_files, is_kept);
    std::erase_if(message.compact_after, is_kept);
    std::erase_if(message.compact_changelog_files, is_kept);
    std::erase_if(message.new_index_files, is_kept);
    std::erase_if(message.compact_new_index_files, is_kept);
  }
  return messages;
}

std::set<std::string> CompactedFiles(const std::vector<CommitMessage>& messages) {
  std::set<std::string> names;
  for (const CommitMessage& message : messages) {
    for (const auto* files : {&message.compact_after, &message.compact_changelog_files}) {
      for (const DataFileMeta& file : *files) names.insert(file.file_name);
    }
    for (const IndexManifestEntry& index : message.compact_new_index_files) names.insert(index.file_name);
  }
  return names;
}

}  // namespace

PlacedKeys::PlacedKeys(const Table& table, std::string commit_user, const Committable& committable,
                       MetadataFileNames& names)
    : table_(table),
      commit_user_(std::move(commit_user)),
      committable_(committable),
      names_(names),
      places_keys_(std::any_of(
          committable.messages.begin(), committable.messages.end(),
          [](const CommitMessage& message) { return message.hash_base.has_value() || message.keys_base.has_value(); })) {
  if (!places_keys_) return;
  routed_ = committable.messages;
  fitted_ = committable.messages;
}

Result<bool> PlacedKeys::FitTo(const std::optional<Snapshot>& latest) {
  if (!places_keys_) return false;
  const auto keys = std::find_if(routed_.begin(), routed_.end(),
                                 [](const CommitMessage& message) { return message.keys_base.has_value(); });
  if (keys != routed_.end()) {
    BRAID_TRY_ASSIGN(const bool moved, KeysMoved(table_, commit_user_, *keys->keys_base, routed_, latest));
    if (moved) BRAID_TRY(Reroute(latest, std::nullopt));
    return moved;
  }
  BRAID_TRY_ASSIGN(const std::set<BinaryRow> moved, FitIndexes(latest));
  if (moved.empty()) return true;
  BRAID_TRY(Reroute(latest, moved));
  BRAID_TRY(FitIndexes(latest));
  return true;
}

// Fits what only needs other indexes; returns the partitions whose rows must be routed again.
Result<std::set<BinaryRow>> PlacedKeys::FitIndexes(const std::optional<Snapshot>& latest) {
  std::set<BinaryRow> moved;
  fitted_ = routed_;
  BRAID_TRY_ASSIGN(const AllPartitions now, HashIndexesOf(table_, latest));
  for (const CommitMessage& based : routed_) {
    if (!based.hash_base) continue;
    PartitionHashIndex added;
    for (const CommitMessage& message : routed_) {
      if (message.partition != based.partition) continue;
      for (const IndexManifestEntry& index : message.new_index_files) {
        if (IsHashIndex(index)) added.emplace(index.bucket.value(), index);
      }
    }
    const auto there = now.find(based.partition);
    BRAID_TRY_ASSIGN(HashIndexMerge merge,
                     MergeHashIndexes(table_, based.partition, *based.hash_base, added,
                                      there == now.end() ? PartitionHashIndex() : there->second, names_));
    if (!merge.made.empty()) {
      CommitMessage& made = made_.emplace_back();
      made.partition = based.partition;
      made.new_index_files = std::move(merge.made);
      replaced_ = true;
    }
    if (merge.moved) {
      moved.insert(based.partition);
      continue;
    }
    replaced_ = replaced_ || merge.indexes.size() != added.size();
    ReplaceHashIndexes(fitted_, based.partition, merge.indexes);
  }
  return moved;
}

// `partitions`: those whose rows are written again; nullopt: all.
Status PlacedKeys::Reroute(const std::optional<Snapshot>& latest,
                           const std::optional<std::set<BinaryRow>>& partitions) {
  std::vector<CommitMessage> kept;
  std::vector<CommitMessage> again;
  for (CommitMessage& message : routed_) {
    (partitions && !partitions->contains(message.partition) ? kept : again).push_back(message);
  }
  BRAID_TRY_ASSIGN(std::vector<CommitMessage> written,
                   WriteAgain(table_, again, latest, commit_user_, committable_.identifier)
                       .Context("while writing rows again whose keys another commit put elsewhere"));
  made_.insert(made_.end(), written.begin(), written.end());
  replaced_ = true;
  // Where the changes of rows are the rows as they came, they do not depend on buckets: those written first are exact,
  // while these here lack what was merged.
  const bool input = table_.options().Get("changelog-producer", "none") == "input";
  if (input && partitions) {
    for (CommitMessage& message : written) message.changelog_files.clear();
    for (const CommitMessage& message : again) {
      if (message.changelog_files.empty()) continue;
      CommitMessage& changes = kept.emplace_back();
      changes.partition = message.partition;
      changes.bucket = message.bucket;
      changes.total_buckets = message.total_buckets;
      changes.changelog_files = message.changelog_files;
    }
  }
  kept.insert(kept.end(), std::make_move_iterator(written.begin()), std::make_move_iterator(written.end()));
  routed_ = std::move(kept);
  fitted_ = routed_;
  return Ok();
}

void PlacedKeys::Landed(const Snapshot& snapshot) {
  if (!replaced_) return;
  Result<std::set<std::string>> named = FilesOf(table_, snapshot);
  if (!named) {
    Log(LogLevel::kWarning, "files not deleted that a commit wrote again", "table=" + table_.name());
    return;
  }
  // The compaction is yet to be committed.
  named->merge(CompactedFiles(fitted_));
  TableCommit commit(table_, commit_user_);
  static_cast<void>(commit.Abort(Without(made_, *named)));  // else orphans
  static_cast<void>(commit.Abort(Without(committable_.messages, *named)));
}

void PlacedKeys::Failed() {
  // Files that were handed in are in none of these.
  static_cast<void>(TableCommit(table_, commit_user_).Abort(made_));
}

}  // namespace braid
