#include "table/commit.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "table/commit_attempt.h"
#include "table/data_file_reader.h"
#include "table/drop_partitions.h"
#include "table/file_scan.h"
#include "table/index_manifest.h"
#include "table/partitions.h"
#include "table/placed_keys.h"
#include "table/upkeep.h"
#include "table/write.h"
#include "types/predicate.h"

namespace braid {

namespace {

// The two snapshots that a committable may become.
struct Parts {
  SnapshotChanges append;
  SnapshotChanges compact;
};

class EntryMaker {
 public:
  EntryMaker(const CommitMessage& message, std::int32_t default_buckets)
      : message_(message), total_buckets_(message.total_buckets.value_or(default_buckets)) {}

  void Add(FileKind kind, const std::vector<DataFileMeta>& files, std::vector<ManifestEntry>& entries) const {
    for (const DataFileMeta& file : files) {
      entries.push_back({.kind = kind, .partition = message_.partition, .bucket = message_.bucket, .total_buckets = total_buckets_, .file = file});
    }
  }

 private:
  const CommitMessage& message_;
  std::int32_t total_buckets_;
};

bool IsCompaction(const CommitMessage& message) {
  return !message.compact_before.empty() || !message.compact_after.empty() || !message.compact_changelog_files.empty() ||
         !message.compact_new_index_files.empty() || !message.compact_deleted_index_files.empty();
}

void AddIndexes(FileKind kind, const std::vector<IndexManifestEntry>& files, std::vector<IndexManifestEntry>& indexes) {
  for (const IndexManifestEntry& index : files) {
    indexes.push_back(index);
    indexes.back().kind = kind;
  }
}

Result<Parts> PartsOf(const Table& table, const std::vector<CommitMessage>& messages) {
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  Parts parts;
  parts.compact.kind = CommitKind::kCompact;
  parts.compact.check_conflicts = true;
  for (const CommitMessage& message : messages) {
    const EntryMaker maker(message, static_cast<std::int32_t>(buckets));
    maker.Add(FileKind::kAdd, message.new_files, parts.append.delta);
    maker.Add(FileKind::kDelete, message.deleted_files, parts.append.delta);
    maker.Add(FileKind::kAdd, message.changelog_files, parts.append.changelog);
    maker.Add(FileKind::kDelete, message.compact_before, parts.compact.delta);
    maker.Add(FileKind::kAdd, message.compact_after, parts.compact.delta);
    maker.Add(FileKind::kAdd, message.compact_changelog_files, parts.compact.changelog);
    AddIndexes(FileKind::kAdd, message.new_index_files, parts.append.indexes);
    AddIndexes(FileKind::kDelete, message.deleted_index_files, parts.append.indexes);
    AddIndexes(FileKind::kAdd, message.compact_new_index_files, parts.compact.indexes);
    AddIndexes(FileKind::kDelete, message.compact_deleted_index_files, parts.compact.indexes);
    if (message.row_range_base) {
      SnapshotChanges& changes = message.compact_after.empty() ? parts.append : parts.compact;
      changes.row_range_bases.push_back({message.partition, message.bucket, *message.row_range_base});
    }
    if (message.deletion_base) parts.append.vector_bases.push_back(*message.deletion_base);
    if (message.compact_deletion_base) parts.compact.vector_bases.push_back(*message.compact_deletion_base);
  }
  const bool deletes = std::any_of(parts.append.delta.begin(), parts.append.delta.end(), [](const ManifestEntry& entry) { return entry.kind == FileKind::kDelete; }) ||
                       std::any_of(parts.append.indexes.begin(), parts.append.indexes.end(), [](const IndexManifestEntry& index) { return index.index_type == kDeletionVectorsIndex; });
  if (deletes) parts.append.kind = CommitKind::kOverwrite;
  parts.append.check_conflicts = deletes;
  return parts;
}

bool IsEmpty(const SnapshotChanges& changes) { return changes.delta.empty() && changes.changelog.empty() && changes.indexes.empty(); }

/// The partitions that an overwrite replaces.
class ReplacedPartitions {
 public:
  static Result<ReplacedPartitions> Make(const Table& table, const OverwriteTarget& target, const std::vector<ManifestEntry>& added) {
    ReplacedPartitions replaced(table);
    if (target.dynamic && table.schema().is_partitioned()) {
      replaced.scope_.partitions.emplace();
      for (const ManifestEntry& entry : added) replaced.scope_.partitions->insert(entry.partition);
    } else {
      BRAID_TRY_ASSIGN(replaced.scope_.filter, PartitionSpecFilter(table, target.partition));
    }
    return replaced;
  }

  /// These, or all (nullopt).
  static ReplacedPartitions Exactly(const Table& table, std::optional<std::set<BinaryRow>> partitions) {
    ReplacedPartitions replaced(table);
    replaced.scope_.partitions = std::move(partitions);
    return replaced;
  }

  /// Files of these partitions.
  const ScanScope& scope() const { return scope_; }

  Result<bool> Contains(const BinaryRow& partition) const {
    if (scope_.partitions) return scope_.partitions->contains(partition);
    if (scope_.filter == nullptr) return true;
    BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(types_));
    return scope_.filter->Test(fields_, values);
  }

 private:
  explicit ReplacedPartitions(const Table& table)
      : fields_(table.layout().partition_fields), types_(PartitionTypes(table.layout())) {}

  std::vector<DataField> fields_;
  std::vector<DataType> types_;
  ScanScope scope_;
};

// What an overwrite makes on top of a snapshot: the target's live files and indexes go, the new ones come.
Result<SnapshotChanges> OverwriteOnTop(const Table& table, const std::optional<Snapshot>& latest, const SnapshotChanges& added, const ReplacedPartitions& target) {
  SnapshotChanges changes;
  changes.kind = CommitKind::kOverwrite;
  changes.check_conflicts = true;
  if (latest) {
    BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, target.scope()));
    BRAID_TRY_ASSIGN(std::vector<ManifestEntry> live, scan->LiveFiles(*latest));
    for (ManifestEntry& entry : live) {
      entry.kind = FileKind::kDelete;
      changes.delta.push_back(std::move(entry));
    }
    if (latest->index_manifest) {
      BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> indexes, ReadIndexManifest(table.file_system(), table.paths(), *latest->index_manifest));
      for (IndexManifestEntry& index : indexes) {
        BRAID_TRY_ASSIGN(const bool replaced, target.Contains(index.partition));
        if (!replaced) continue;
        index.kind = FileKind::kDelete;
        changes.indexes.push_back(std::move(index));
      }
    }
  }
  changes.delta.insert(changes.delta.end(), added.delta.begin(), added.delta.end());
  changes.indexes.insert(changes.indexes.end(), added.indexes.begin(), added.indexes.end());
  return changes;
}

CommitMessage CompactionOf(const CommitMessage& message) {
  CommitMessage compaction;
  compaction.partition = message.partition;
  compaction.bucket = message.bucket;
  compaction.total_buckets = message.total_buckets;
  compaction.compact_before = message.compact_before;
  compaction.compact_after = message.compact_after;
  compaction.compact_changelog_files = message.compact_changelog_files;
  compaction.compact_new_index_files = message.compact_new_index_files;
  return compaction;
}

constexpr int kCompactionAttempts = 5;

Result<Snapshot> CommitAsTheyAre(const Table& table, const CommitIdentity& identity, const SnapshotChanges& changes,
                                 MetadataFileNames& names, const Clock& clock) {
  return CommitSnapshot(
      table, identity, [&](const std::optional<Snapshot>&) -> Result<SnapshotChanges> { return changes; }, names,
      clock);
}

// The rows are committed, but others compacted the files that `messages` compact, which lost the race: compacts the
// same buckets from the newest snapshot on. nullopt if that loses as well, again and again, or nothing is left to do; a
// later commit compacts them then.
Result<std::optional<Snapshot>> CompactAgain(const Table& table, const CommitIdentity& identity,
                                             const std::vector<CommitMessage>& messages, MetadataFileNames& names,
                                             const Clock& clock) {
  std::vector<CommitMessage> lost;
  for (const CommitMessage& message : messages) {
    if (IsCompaction(message)) lost.push_back(CompactionOf(message));
  }
  // With this producer a full compaction is what readers of changes wait for.
  const bool full = table.options().Get("changelog-producer", "none") == "full-compaction";
  TableCommit files(table, identity.user, clock);
  for (int attempt = 0; attempt < kCompactionAttempts; ++attempt) {
    static_cast<void>(files.Abort(lost));  // what cannot be deleted is an orphan
    BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = identity.user,
                                                                  .spill_directory = {},
                                                                  .compacts_fully_when_due = false}));
    for (const CommitMessage& message : lost) BRAID_TRY(writer->Compact(message.partition, message.bucket, full));
    BRAID_TRY_ASSIGN(std::vector<CommitMessage> again, writer->PrepareCommit(true, identity.identifier));
    BRAID_TRY_ASSIGN(const Parts parts, PartsOf(table, again));
    if (IsEmpty(parts.compact)) return std::optional<Snapshot>();
    Result<Snapshot> snapshot = CommitAsTheyAre(table, identity, parts.compact, names, clock);
    if (snapshot) return std::optional(*std::move(snapshot));
    if (snapshot.error().code() != ErrorCode::kConflict) return std::move(snapshot).error();
    lost = std::move(again);
  }
  static_cast<void>(files.Abort(lost));
  Log(LogLevel::kWarning, "compaction left to a later commit, since others compact the same buckets",
      "table=" + table.name());
  return std::optional<Snapshot>();
}

// The snapshot of a compaction, if there is one. A lost race is an error only where nothing else was committed: once
// the rows are in, nobody must write them again.
Result<std::optional<Snapshot>> CommitCompaction(const Table& table, const CommitIdentity& identity,
                                                 const SnapshotChanges& changes,
                                                 const std::vector<CommitMessage>& messages, bool rows_are_committed,
                                                 MetadataFileNames& names, const Clock& clock) {
  if (IsEmpty(changes)) return std::optional<Snapshot>();
  Result<Snapshot> snapshot = CommitAsTheyAre(table, identity, changes, names, clock);
  if (snapshot) return std::optional(*std::move(snapshot));
  if (snapshot.error().code() != ErrorCode::kConflict || !rows_are_committed) return std::move(snapshot).error();
  return CompactAgain(table, identity, messages, names, clock);
}

}  // namespace

bool CommitMessage::is_empty() const {
  return new_files.empty() && deleted_files.empty() && changelog_files.empty() && !IsCompaction(*this) && new_index_files.empty() &&
         deleted_index_files.empty();
}

TableCommit::TableCommit(Table table, std::string commit_user, const Clock& clock)
    : table_(std::move(table)), commit_user_(std::move(commit_user)), clock_(&clock) {}

Result<std::vector<Snapshot>> TableCommit::Commit(const Committable& committable, bool commit_empty) {
  BRAID_TRY_ASSIGN(Parts parts, PartsOf(table_, committable.messages));
  const CommitIdentity identity{commit_user_, committable.identifier, committable.watermark, committable.properties};
  std::vector<Snapshot> snapshots;
  PlacedKeys placed(table_, commit_user_, committable, names_);
  if (!IsEmpty(parts.append) || commit_empty) {
    const auto make = [&](const std::optional<Snapshot>& latest) -> Result<SnapshotChanges> {
      BRAID_TRY_ASSIGN(const bool changed, placed.FitTo(latest));
      if (changed) {
        BRAID_TRY_ASSIGN(parts, PartsOf(table_, placed.messages()));
      }
      return parts.append;
    };
    Result<Snapshot> snapshot = CommitSnapshot(table_, identity, make, names_, *clock_);
    if (!snapshot) {
      if (snapshot.error().code() != ErrorCode::kCommitUnknown) placed.Failed();
      return std::move(snapshot).error();
    }
    placed.Landed(*snapshot);
    snapshots.push_back(*std::move(snapshot));
  }
  BRAID_TRY_ASSIGN(
      std::optional<Snapshot> compacted,
      CommitCompaction(table_, identity, parts.compact, placed.messages(), !snapshots.empty(), names_, *clock_));
  if (compacted) snapshots.push_back(*std::move(compacted));
  MaintainAfterCommit(table_, committable.identifier == kBatchCommitIdentifier, *clock_);
  return snapshots;
}

Result<std::vector<Snapshot>> TableCommit::Overwrite(const Committable& committable, const OverwriteTarget& target) {
  BRAID_TRY_ASSIGN(Parts parts, PartsOf(table_, committable.messages));
  BRAID_TRY_ASSIGN(const auto partitions, ReplacedPartitions::Make(table_, target, parts.append.delta));
  for (const ManifestEntry& entry : parts.append.delta) {
    BRAID_TRY_ASSIGN(const bool inside, partitions.Contains(entry.partition));
    if (!inside) return Error(ErrorCode::kInvalidArgument, "a row lies outside the partition that INSERT OVERWRITE names");
  }
  const CommitIdentity identity{commit_user_, committable.identifier, committable.watermark, committable.properties};
  const bool replaces_nothing = target.dynamic && table_.schema().is_partitioned() && parts.append.delta.empty();
  std::vector<Snapshot> snapshots;
  if (!replaces_nothing) {
    const auto make = [&](const std::optional<Snapshot>& latest) { return OverwriteOnTop(table_, latest, parts.append, partitions); };
    BRAID_TRY_ASSIGN(Snapshot snapshot, CommitSnapshot(table_, identity, make, names_, *clock_));
    snapshots.push_back(std::move(snapshot));
  }
  BRAID_TRY_ASSIGN(
      std::optional<Snapshot> compacted,
      CommitCompaction(table_, identity, parts.compact, committable.messages, !snapshots.empty(), names_, *clock_));
  if (compacted) snapshots.push_back(*std::move(compacted));
  MaintainAfterCommit(table_, committable.identifier == kBatchCommitIdentifier, *clock_);
  return snapshots;
}

Result<std::vector<std::int64_t>> TableCommit::FilterUncommitted(const std::vector<std::int64_t>& identifiers) const {
  const FileSystem& fs = table_.file_system();
  BRAID_TRY_ASSIGN(std::optional<SnapshotId> id, FindLatestSnapshot(fs, table_.paths()));
  for (; id && id->value() >= 1; id = id->previous()) {
    const Result<Snapshot> snapshot = ReadSnapshot(fs, table_.paths(), *id);
    if (!snapshot) {
      if (snapshot.error().code() == ErrorCode::kNotFound) break;  // expired from here on
      return snapshot.error();
    }
    if (snapshot->commit_user != commit_user_) continue;
    std::vector<std::int64_t> left;
    std::copy_if(identifiers.begin(), identifiers.end(), std::back_inserter(left), [&](std::int64_t identifier) { return identifier > snapshot->commit_identifier; });
    return left;
  }
  return identifiers;
}

Status TableCommit::Abort(const std::vector<CommitMessage>& messages) {
  for (const CommitMessage& message : messages) {
    for (const std::vector<DataFileMeta>* files : {&message.new_files, &message.changelog_files, &message.compact_after, &message.compact_changelog_files}) {
      for (const DataFileMeta& file : *files) {
        // A file moved to another level is listed as compacted, but is an older one's own.
        const bool moved = std::any_of(message.compact_before.begin(), message.compact_before.end(), [&](const DataFileMeta& before) { return before.file_name == file.file_name; });
        if (moved && files == &message.compact_after) continue;
        BRAID_TRY(DeleteDataFile(table_, message.partition, message.bucket, file));
      }
    }
    for (const std::vector<IndexManifestEntry>* indexes : {&message.new_index_files, &message.compact_new_index_files}) {
      for (const IndexManifestEntry& index : *indexes) {
        BRAID_TRY_ASSIGN(const std::string path, IndexFilePath(table_, index));
        BRAID_TRY(table_.file_system().Delete(path));
      }
    }
  }
  return Ok();
}

Result<std::vector<Snapshot>> TruncateTable(const Table& table, const std::string& commit_user) {
  return TableCommit(table, commit_user).Overwrite({}, {});
}

Result<std::vector<Snapshot>> DropPartitions(const Table& table, const std::vector<std::map<std::string, std::string>>& partitions,
                                             const std::string& commit_user) {
  if (partitions.empty()) return Error(ErrorCode::kInvalidArgument, "no partition is named");
  std::vector<Snapshot> snapshots;
  for (const std::map<std::string, std::string>& partition : partitions) {
    if (partition.empty()) return Error(ErrorCode::kInvalidArgument, "a partition needs at least one column and value");
    BRAID_TRY_ASSIGN(std::vector<Snapshot> made, TableCommit(table, commit_user).Overwrite({}, {.partition = partition, .dynamic = false}));
    snapshots.insert(snapshots.end(), made.begin(), made.end());
  }
  return snapshots;
}

Result<std::vector<Snapshot>> DropPartitions(const Table& table, const std::optional<std::set<BinaryRow>>& partitions,
                                             const std::string& commit_user, const Committable& committable, const Clock& clock) {
  const ReplacedPartitions replaced = ReplacedPartitions::Exactly(table, partitions);
  const CommitIdentity identity{commit_user, committable.identifier, committable.watermark, committable.properties};
  const auto make = [&](const std::optional<Snapshot>& latest) { return OverwriteOnTop(table, latest, {}, replaced); };
  MetadataFileNames names;
  BRAID_TRY_ASSIGN(Snapshot snapshot, CommitSnapshot(table, identity, make, names, clock));
  MaintainAfterCommit(table, committable.identifier == kBatchCommitIdentifier, clock);
  return std::vector<Snapshot>{std::move(snapshot)};
}

}  // namespace braid
