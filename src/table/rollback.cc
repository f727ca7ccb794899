#include "table/rollback.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"
#include "meta/stores.h"
#include "table/commit_attempt.h"
#include "table/file_scan.h"
#include "table/line_holdings.h"
#include "table/operation.h"
#include "table/revivals.h"

namespace braid {

namespace {

// Tells a file from all others, whatever level it is at.
std::string FileOf(ManifestEntry entry) {
  entry.file.level = 0;
  return EntryIdentity(entry);
}

// What is only in `from` is deleted, what is only in `to` added. A file that is at another level in `to` is so in the
// base already: readers take all deletions of a snapshot's manifests together, so one on record would hide the file as
// soon as a compaction moves it to that level again.
Result<SnapshotChanges> ChangesBetween(const Table& table, const std::optional<Snapshot>& from, const Snapshot& to) {
  SnapshotChanges changes;
  changes.kind = CommitKind::kOverwrite;
  changes.check_conflicts = true;
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, nullptr));
  std::vector<ManifestEntry> before;
  if (from) {
    BRAID_TRY_ASSIGN(before, scan->LiveFiles(*from));
  }
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> after, scan->LiveFiles(to));
  std::map<std::string, const ManifestEntry*> after_files;
  for (const ManifestEntry& entry : after) after_files.emplace(FileOf(entry), &entry);
  changes.base.emplace();
  std::set<std::string> in_base;
  for (ManifestEntry& entry : before) {
    const auto file = after_files.find(FileOf(entry));
    if (file != after_files.end()) {
      in_base.insert(EntryIdentity(*file->second));
      changes.base->push_back(*file->second);
      continue;
    }
    changes.base->push_back(entry);
    entry.kind = FileKind::kDelete;
    changes.delta.push_back(std::move(entry));
  }
  for (ManifestEntry& entry : after) {
    if (in_base.contains(EntryIdentity(entry))) continue;
    entry.kind = FileKind::kAdd;
    changes.delta.push_back(std::move(entry));
  }
  return changes;
}

Result<std::vector<IndexManifestEntry>> IndexesOf(const Table& table, const std::optional<Snapshot>& snapshot) {
  if (!snapshot || !snapshot->index_manifest) return std::vector<IndexManifestEntry>();
  return ReadIndexManifest(table.file_system(), table.paths(), *snapshot->index_manifest);
}

Status AddIndexChanges(const Table& table, const std::optional<Snapshot>& from, const Snapshot& to,
                       SnapshotChanges& changes) {
  BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> before, IndexesOf(table, from));
  BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> after, IndexesOf(table, to));
  const auto contains = [](const std::vector<IndexManifestEntry>& entries, const IndexManifestEntry& entry) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const IndexManifestEntry& other) { return other.file_name == entry.file_name; });
  };
  for (const IndexManifestEntry& entry : before) {
    if (contains(after, entry)) continue;
    changes.indexes.push_back(entry);
    changes.indexes.back().kind = FileKind::kDelete;
  }
  for (const IndexManifestEntry& entry : after) {
    if (contains(before, entry)) continue;
    changes.indexes.push_back(entry);
    changes.indexes.back().kind = FileKind::kAdd;
  }
  return Ok();
}

Result<SnapshotId> LatestOf(const Table& table) {
  BRAID_TRY_ASSIGN(const std::optional<SnapshotId> latest, FindLatestSnapshot(table.file_system(), table.paths()));
  if (latest) return *latest;
  return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot to roll back", table.name()));
}

// The files of an older content come back.
Status ExpectRevivals(const Table& table, const Clock& clock) {
  OperationContext context = ContextOf(table);
  context.clock = &clock;
  BRAID_TRY_ASSIGN(const LockedTable locked, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.file_system(), table.paths().root(), Inference::kSkip));
  BRAID_TRY_ASSIGN(const Line* line, LineAt(lines, table.paths()));
  return NoteRevivals(table.file_system(), locked.root(), line->id, clock.NowMs());
}

}  // namespace

Result<RollbackResult> RollbackAsLatest(const Table& table, const SnapshotSelector& selector, const Clock& clock) {
  BRAID_TRY_ASSIGN(const Snapshot target, SelectSnapshot(table, selector));
  BRAID_TRY_ASSIGN(const SnapshotId previous, LatestOf(table));
  BRAID_TRY(ExpectRevivals(table, clock));
  MetadataFileNames names;
  const CommitIdentity identity{.user = "braid-rollback-" + RandomUuid(),
                                .identifier = kBatchCommitIdentifier,
                                .watermark = target.watermark,
                                .properties = target.properties};
  const auto make = [&](const std::optional<Snapshot>& latest) -> Result<SnapshotChanges> {
    BRAID_TRY_ASSIGN(SnapshotChanges changes, ChangesBetween(table, latest, target));
    BRAID_TRY(AddIndexChanges(table, latest, target, changes));
    return changes;
  };
  BRAID_TRY_ASSIGN(const Snapshot made, CommitSnapshot(table, identity, make, names, clock));
  return RollbackResult{.previous = previous, .current = made.id, .target = target.id};
}

}  // namespace braid
