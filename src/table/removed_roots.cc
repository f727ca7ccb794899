#include "table/removed_roots.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "meta/manifest_scan.h"
#include "meta/stores.h"
#include "table/line_holdings.h"
#include "table/missing_file.h"

namespace braid {

namespace {

// Takes out what contents or changelogs that stay reach, of either.
Status SpareWhatIsKept(const Table& table, std::span<const Snapshot* const> contents,
                       std::span<const Snapshot* const> changelogs, DoomedFiles& doomed) {
  RootReader reader(table.file_system(), table.paths(), doomed.watched());
  BRAID_TRY(reader.Load(contents));
  BRAID_TRY(reader.LoadDeltas(changelogs));
  BRAID_TRY(reader.Load(changelogs, /*names_only=*/true));
  const auto spare = [&](std::uint32_t number) { doomed.Spare(number); };
  NameSet names;
  for (const Snapshot* content : contents) {
    reader.VisitLive(*content, spare);
    reader.AddNames(*content, names);
  }
  for (const Snapshot* changelog : changelogs) {
    reader.VisitAdded(*changelog, spare);
    reader.AddNames(*changelog, names);
  }
  doomed.SpareNames(names);
  return Ok();
}

// This line's own snapshots that decide what stays: those next to a content, and overwrites after it, which may bring
// files back.
Result<std::vector<Snapshot>> ReadNeighbours(const FileSystem& fs, const TablePaths& paths,
                                             std::span<const Snapshot> contents) {
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  std::set<SnapshotId> next_to;
  SnapshotId oldest = contents.front().id;
  for (const Snapshot& content : contents) {
    oldest = std::min(oldest, content.id);
    const auto above = std::lower_bound(ids.begin(), ids.end(), content.id);
    if (above != ids.end()) next_to.insert(*above);
    if (above != ids.end() && *above == content.id && std::next(above) != ids.end()) next_to.insert(*std::next(above));
    if (above != ids.begin()) next_to.insert(*std::prev(above));
  }
  std::vector<Snapshot> neighbours;
  for (const SnapshotId id : ids) {
    if (id < oldest && !next_to.contains(id)) continue;
    Result<Snapshot> snapshot = ReadSnapshot(fs, paths, id);
    if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) continue;
    if (!snapshot) return std::move(snapshot).error();
    BRAID_TRY(RequireKnownKind(*snapshot).Context("while looking for files that nothing needs"));
    if (next_to.contains(id) || snapshot->commit_kind == CommitKind::kOverwrite)
      neighbours.push_back(*std::move(snapshot));
  }
  return neighbours;
}

// The data files that are alive in a content.
Status GatherLive(const Table& table, const Snapshot& content, DoomedFiles& doomed) {
  const FileSystem& fs = table.file_system();
  std::unordered_map<std::string, DoomedEntry> added;
  std::unordered_map<std::string, int> balance;
  for (const std::string* list : {&content.base_manifest_list, &content.delta_manifest_list}) {
    BRAID_TRY_ASSIGN(const auto manifests, EmptyIfMissing(ReadManifestList(fs, table.paths(), *list)));
    for (const ManifestFileMeta& manifest : manifests) {
      const Result<ManifestScanner> scanner = ManifestScanner::Open(fs, table.paths(), manifest.file_name);
      // A manifest that is gone was deleted after the files that it names, by an earlier try.
      if (!scanner && scanner.error().code() == ErrorCode::kNotFound) continue;
      if (!scanner) return scanner.error();
      BRAID_TRY(scanner->VisitBlocks(0, scanner->block_count(),
                                     {.accepts = {}, .keep_key_stats = false, .keep_value_stats = false},
                                     [&](ManifestEntry& entry) {
                                       balance[entry.file.file_name] += entry.kind == FileKind::kAdd ? 1 : -1;
                                       if (entry.kind == FileKind::kAdd) {
                                         std::string name = entry.file.file_name;
                                         added.try_emplace(std::move(name), DoomedEntryOf(entry));
                                       }
                                     }));
    }
  }
  for (const auto& [name, entry] : added) {
    if (balance[name] > 0) BRAID_TRY(doomed.AddData(entry));
  }
  return Ok();
}

Status GatherIndexes(const Table& table, const Snapshot& content, DoomedFiles& doomed) {
  const FileSystem& fs = table.file_system();
  if (content.statistics) doomed.AddStatistics(*content.statistics);
  if (!content.index_manifest) return Ok();
  doomed.AddManifestFile(*content.index_manifest);
  BRAID_TRY_ASSIGN(const auto entries, EmptyIfMissing(ReadIndexManifest(fs, table.paths(), *content.index_manifest)));
  for (const IndexManifestEntry& entry : entries) BRAID_TRY(doomed.AddIndexFile(entry));
  return Ok();
}

Status GatherMetadata(const Table& table, const Snapshot& content, DoomedFiles& doomed) {
  for (const std::string* list : {&content.base_manifest_list, &content.delta_manifest_list}) {
    doomed.AddManifestFile(*list);
    BRAID_TRY_ASSIGN(const auto manifests,
                     EmptyIfMissing(ReadManifestList(table.file_system(), table.paths(), *list)));
    for (const ManifestFileMeta& manifest : manifests) doomed.AddManifestFile(manifest.file_name);
  }
  return GatherIndexes(table, content, doomed);
}

Error CannotTell(const Error& error) {
  return Error(ErrorCode::kIo, "nothing was deleted: what is still needed cannot be told")
      .Id("expire.root-unreadable")
      .Context(error.ToString())
      .Hint("mend or remove the file; `braid table check` shows all damage");
}

// The files of a line, or of contents, that go as a whole. The others' roots are read first, so that what they hold whole is not even
// gathered.
class RemovedLine {
 public:
  RemovedLine(const Line* line, const Table& table, const TableLines& lines)
      : line_(line), table_(table), lines_(lines), doomed_(table) {}

  Result<DoomedFiles> Files(std::span<const Snapshot> contents, const SkippedTags& skipped) {
    for (const Line& other : lines_.lines) {
      if (&other != line_) BRAID_TRY(AddKeepers(other, skipped));
    }
    if (line_ != nullptr) BRAID_TRY(AddAllOwn());
    for (const Snapshot& content : contents) BRAID_TRY(AddOwn({.snapshot = content, .holder = {}}));
    if (!doomed_.empty()) BRAID_TRY(Spare());
    return std::move(doomed_);
  }

 private:
  using Identity = std::pair<SnapshotId, std::string>;

  static Identity IdentityOf(const Snapshot& snapshot) { return {snapshot.id, SnapshotIdentity(snapshot)}; }

  Status AddKeepers(const Line& other, const SkippedTags& skipped) {
    // What a record that cannot be read pins is not known; a missing schema hides nothing.
    if (other.damage && !other.record) {
      const Result<std::optional<ForkRecord>> record = ReadForkRecord(table_.file_system(), other.paths);
      if (!record) return CannotTell(record.error());
    }
    const auto visit = [&](const Root& root) {
      const Identity identity = IdentityOf(root.snapshot);
      // Tags and pinned contents hold no changelog.
      if (root.is_changelog || root.is_snapshot) with_changelog_.insert(identity);
      (root.is_changelog ? changelogs_ : contents_).try_emplace(identity, root.snapshot);
      return Ok();
    };
    BRAID_TRY_ASSIGN(const std::vector<UnreadableRoot> unreadable,
                     VisitRoots(table_.file_system(), other, visit, skipped));
    if (unreadable.empty()) return Ok();
    return CannotTell(Error(unreadable.front().error).Context("of " + unreadable.front().holder));
  }

  Status AddAllOwn() {
    BRAID_TRY_ASSIGN(const std::vector<UnreadableRoot> unreadable,
                     VisitRoots(table_.file_system(), *line_, [&](const Root& root) { return AddOwn(root); }));
    for (const UnreadableRoot& root : unreadable) {
      // A broken one is lost with its line: its files stay as orphans. Storage that fails is another matter.
      if (root.error.code() != ErrorCode::kCorruption) return Error(root.error).Context("of " + root.holder);
    }
    return Ok();
  }

  Status AddOwn(const Root& root) {
    const Snapshot& snapshot = root.snapshot;
    const bool kept_with_changelog = with_changelog_.contains(IdentityOf(snapshot));
    const bool holds_changelog = root.is_changelog || root.is_snapshot;
    if (holds_changelog && snapshot.changelog_manifest_list && !kept_with_changelog)
      BRAID_TRY(AddList(*snapshot.changelog_manifest_list));
    if (root.is_changelog && (snapshot.changelog_manifest_list || kept_with_changelog)) return Ok();
    if (contents_.contains(IdentityOf(snapshot))) return Ok();
    BRAID_TRY(AddList(snapshot.base_manifest_list));
    BRAID_TRY(AddList(snapshot.delta_manifest_list));
    return root.is_changelog ? Ok() : GatherIndexes(table_, snapshot, doomed_);
  }

  // Every file that a list's manifests have ever added: those that are dead here, and alive nowhere, are gone already.
  Status AddList(const std::string& list) {
    doomed_.AddManifestFile(list);
    BRAID_TRY_ASSIGN(const auto manifests,
                     EmptyIfMissing(ReadManifestList(table_.file_system(), table_.paths(), list)));
    for (const ManifestFileMeta& manifest : manifests) {
      if (!gathered_.insert(manifest.file_name).second) continue;
      doomed_.AddManifestFile(manifest.file_name);
      BRAID_TRY(AddManifest(manifest.file_name));
    }
    return Ok();
  }

  Status AddManifest(const std::string& name) {
    const Result<ManifestScanner> scanner = ManifestScanner::Open(table_.file_system(), table_.paths(), name);
    // A manifest that is gone was deleted after the files that it names, by an earlier try.
    if (!scanner && scanner.error().code() == ErrorCode::kNotFound) return Ok();
    if (!scanner) return scanner.error();
    Status added = Ok();
    BRAID_TRY(scanner->VisitBlocks(0, scanner->block_count(),
                                   {.accepts = {}, .keep_key_stats = false, .keep_value_stats = false},
                                   [&](ManifestEntry& entry) {
                                     if (!added || entry.kind != FileKind::kAdd) return;
                                     const auto number = doomed_.AddData(DoomedEntryOf(entry));
                                     if (!number) added = number.error();
                                   }));
    return added;
  }

  Status Spare() {
    std::vector<const Snapshot*> contents;
    for (const auto& [identity, snapshot] : contents_) contents.push_back(&snapshot);
    std::vector<const Snapshot*> changelogs;
    for (const auto& [identity, snapshot] : changelogs_) {
      // One with changelog files shares none of them with a snapshot of another identity.
      if (!snapshot.changelog_manifest_list) changelogs.push_back(&snapshot);
    }
    return SpareWhatIsKept(table_, contents, changelogs, doomed_);
  }

  const Line* line_;  // null: contents alone go
  const Table& table_;
  const TableLines& lines_;
  std::map<Identity, Snapshot> contents_;    // that other lines keep, by snapshots, tags and pins
  std::map<Identity, Snapshot> changelogs_;  // long-lived ones of other lines
  std::set<Identity> with_changelog_;        // whose changelog files other lines keep
  NameSet gathered_;                         // manifests
  DoomedFiles doomed_;
};

}  // namespace

Result<DoomedFiles> FilesOf(std::span<const Snapshot> contents, const std::set<std::string>& without_tags,
                            const Table& table, const TableLines& lines, const Line& line) {
  const FileSystem& fs = table.file_system();
  DoomedFiles doomed(table);
  if (contents.empty()) return doomed;
  HoldingsRequest request{.first = SnapshotId(0),
                          .end = SnapshotId(std::numeric_limits<std::int64_t>::max()),
                          .identities = {},
                          .without_tags = without_tags,
                          .first_changelog = SnapshotId(0)};
  for (const Snapshot& content : contents) request.identities.emplace(content.id, SnapshotIdentity(content));
  BRAID_TRY_ASSIGN(const LineHoldings holdings, CollectHoldings(fs, lines, line, request));
  BRAID_TRY_ASSIGN(const std::vector<Snapshot> neighbours, ReadNeighbours(fs, table.paths(), contents));

  std::vector<const Snapshot*> keepers;
  for (const Snapshot& snapshot : neighbours) keepers.push_back(&snapshot);
  for (const Root& root : holdings.true_states) keepers.push_back(&root.snapshot);
  for (const Root& root : holdings.pinned) keepers.push_back(&root.snapshot);
  std::vector<const Snapshot*> changelogs;
  for (const Root& root : holdings.changelogs) changelogs.push_back(&root.snapshot);

  std::vector<const Snapshot*> gone;
  for (const Snapshot& content : contents) {
    // Kept whole by another tag, or by the snapshot itself.
    const bool kept = std::any_of(keepers.begin(), keepers.end(),
                                  [&](const Snapshot* keeper) { return RefOf(*keeper) == RefOf(content); });
    if (!kept) gone.push_back(&content);
  }
  for (const Snapshot* content : gone) {
    BRAID_TRY(GatherLive(table, *content, doomed));
    BRAID_TRY(GatherMetadata(table, *content, doomed));
  }
  if (doomed.empty()) return doomed;

  BRAID_TRY(SpareWhatIsKept(table, keepers, changelogs, doomed));
  return doomed;
}

Result<DoomedFiles> FilesOfLine(const Line& line, std::span<const Snapshot> contents, const SkippedTags& skipped,
                                const Table& table, const TableLines& lines) {
  return RemovedLine(&line, table, lines).Files(contents, skipped);
}

Result<DoomedFiles> FilesOfContents(std::span<const Snapshot> contents, const SkippedTags& skipped, const Table& table,
                                    const TableLines& lines) {
  return RemovedLine(nullptr, table, lines).Files(contents, skipped);
}

}  // namespace braid
