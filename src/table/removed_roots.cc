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

Status GatherMetadata(const Table& table, const Snapshot& content, DoomedFiles& doomed) {
  const FileSystem& fs = table.file_system();
  for (const std::string* list : {&content.base_manifest_list, &content.delta_manifest_list}) {
    doomed.AddManifestFile(*list);
    BRAID_TRY_ASSIGN(const auto manifests, EmptyIfMissing(ReadManifestList(fs, table.paths(), *list)));
    for (const ManifestFileMeta& manifest : manifests) doomed.AddManifestFile(manifest.file_name);
  }
  if (content.statistics) doomed.AddStatistics(*content.statistics);
  if (!content.index_manifest) return Ok();
  doomed.AddManifestFile(*content.index_manifest);
  BRAID_TRY_ASSIGN(const auto entries, EmptyIfMissing(ReadIndexManifest(fs, table.paths(), *content.index_manifest)));
  for (const IndexManifestEntry& entry : entries) BRAID_TRY(doomed.AddIndexFile(entry));
  return Ok();
}

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

  RootReader reader(fs, table.paths(), doomed.watched());
  BRAID_TRY(reader.Load(keepers));
  BRAID_TRY(reader.LoadDeltas(changelogs));
  BRAID_TRY(reader.Load(changelogs, /*names_only=*/true));
  const auto spare = [&](std::uint32_t number) { doomed.Spare(number); };
  NameSet names;
  for (const Snapshot* keeper : keepers) {
    reader.VisitLive(*keeper, spare);
    reader.AddNames(*keeper, names);
  }
  for (const Snapshot* changelog : changelogs) {
    reader.VisitAdded(*changelog, spare);
    reader.AddNames(*changelog, names);
  }
  doomed.SpareNames(names);
  return doomed;
}

}  // namespace braid
