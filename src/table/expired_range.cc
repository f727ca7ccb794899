#include "table/expired_range.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "io/request_pool.h"
#include "meta/manifest_scan.h"
#include "meta/stores.h"
#include "table/line_holdings.h"
#include "table/missing_file.h"
#include "table/revivals.h"

namespace braid {

namespace {

constexpr std::size_t kSnapshotsAtOnce = 512;

// What one snapshot says about files, read without knowing of the others.
struct SnapshotFiles {
  std::vector<DoomedEntry> deleted;         // by its delta, and not added again by it
  std::vector<std::string> added;           // by the delta of an overwrite, which may bring files back
  std::vector<DoomedEntry> changelog;       // its changelog files
  std::vector<std::string> manifest_files;  // its lists and manifests
};

// Some snapshots of a line in the light of which the range's files are judged.
class RangeReader {
 public:
  RangeReader(const ExpiredRange& range, const Table& table, const TableLines& lines, const Line& line)
      : range_(range),
        table_(table),
        lines_(lines),
        line_(line),
        produces_changelog_(table.options().Get("changelog-producer", "none") != "none"),
        has_revivals_(HasRevivals(lines, line.id)),
        doomed_(table) {}

  Result<DoomedFiles> Run() {
    BRAID_TRY(ReadEnd());
    BRAID_TRY_ASSIGN(holdings_, CollectHoldings(fs(), lines_, line_, HoldingsOfRange()));
    BRAID_TRY(Gather());
    BRAID_TRY(GatherIndexes());
    BRAID_TRY(Spare());
    return std::move(doomed_);
  }

 private:
  const FileSystem& fs() const { return table_.file_system(); }
  const TablePaths& paths() const { return table_.paths(); }

  // The first snapshot that stays, which may be a later one than it was when the range was chosen, and the overwrites
  // after it.
  Status ReadEnd() {
    BRAID_TRY_ASSIGN(std::vector<SnapshotId> ids, ListSnapshots(fs(), paths()));
    std::erase_if(ids, [&](SnapshotId id) { return id < range_.end; });
    std::vector<std::optional<Snapshot>> wanted(ids.size());
    BRAID_TRY(ParallelFor(PoolFor(fs()), static_cast<std::int64_t>(ids.size()), [&](std::int64_t i) -> Status {
      const auto at = static_cast<std::size_t>(i);
      Result<Snapshot> snapshot = ReadSnapshot(fs(), paths(), ids[at]);
      if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) return Ok();
      if (!snapshot) return std::move(snapshot).error();
      if (Status known = RequireKnownKind(*snapshot); !known) return known;
      if (at == 0 || snapshot->commit_kind == CommitKind::kOverwrite) wanted[at] = *std::move(snapshot);
      return Ok();
    }));
    if (!wanted.empty() && !wanted.front()) {
      return Error(ErrorCode::kUnavailable, "another program is removing snapshots of " + table_.name() + " just now")
          .Hint("try again");
    }
    for (std::optional<Snapshot>& snapshot : wanted) {
      if (!snapshot) continue;
      if (!end_) {
        end_ = *std::move(snapshot);
      } else {
        later_overwrites_.push_back(*std::move(snapshot));
      }
    }
    return Ok();
  }

  HoldingsRequest HoldingsOfRange() const {
    HoldingsRequest request{.first = range_.snapshots.front().id,
                            .end = range_.end,
                            .identities = {},
                            .without_tags = {},
                            .first_changelog = range_.are_changelogs ? range_.end : SnapshotId(0)};
    for (const Snapshot& snapshot : range_.snapshots)
      request.identities.emplace(snapshot.id, SnapshotIdentity(snapshot));
    return request;
  }

  Status Gather() {
    std::vector<const Snapshot*> deltas;
    for (const Snapshot& snapshot : range_.snapshots) deltas.push_back(&snapshot);
    // What a snapshot deletes was still needed by the one before it.
    if (end_ && end_->id == range_.end) deltas.push_back(&*end_);
    for (std::size_t first = 0; first < deltas.size(); first += kSnapshotsAtOnce) {
      const std::size_t count = std::min(kSnapshotsAtOnce, deltas.size() - first);
      std::vector<SnapshotFiles> files(count);
      BRAID_TRY(ParallelFor(PoolFor(fs()), static_cast<std::int64_t>(count), [&](std::int64_t i) -> Status {
        const auto at = static_cast<std::size_t>(i);
        BRAID_TRY_ASSIGN(files[at], ReadFilesOf(*deltas[first + at], first + at == 0));
        return Ok();
      }));
      for (std::size_t i = 0; i < count; ++i) BRAID_TRY(Add(*deltas[first + i], files[i]));
    }
    return Ok();
  }

  Result<SnapshotFiles> ReadFilesOf(const Snapshot& snapshot, bool is_first) const {
    SnapshotFiles files;
    // Of changelogs only those without changelog files stand for what their snapshots added; the files that such a
    // snapshot deleted were left until now.
    const bool reads_delta =
        range_.are_changelogs ? !snapshot.changelog_manifest_list || snapshot.id >= range_.end : !is_first;
    if (reads_delta) BRAID_TRY(ReadDelta(snapshot, files));
    if (snapshot.id >= range_.end) return files;
    const bool lists_go =
        range_.are_changelogs ? !snapshot.changelog_manifest_list : !range_.keep_changelogs || produces_changelog_;
    if (lists_go) {
      for (const std::string* list : {&snapshot.base_manifest_list, &snapshot.delta_manifest_list}) {
        BRAID_TRY(NameListWithManifests(*list, files.manifest_files));
      }
    }
    const bool changelog_stays =
        range_.keep_changelogs || holdings_.shared_snapshots.contains({snapshot.id, SnapshotIdentity(snapshot)});
    if (!snapshot.changelog_manifest_list || changelog_stays) return files;
    const std::size_t before = files.manifest_files.size();
    BRAID_TRY(NameListWithManifests(*snapshot.changelog_manifest_list, files.manifest_files));
    for (std::size_t i = before + 1; i < files.manifest_files.size(); ++i) {
      BRAID_TRY(VisitManifest(files.manifest_files[i], [&](ManifestEntry& entry) {
        if (entry.kind == FileKind::kAdd) files.changelog.push_back(DoomedEntryOf(entry));
      }));
    }
    return files;
  }

  Status ReadDelta(const Snapshot& snapshot, SnapshotFiles& files) const {
    BRAID_TRY(RequireKnownKind(snapshot).Context("while expiring snapshots of " + table_.name()));
    std::vector<std::string> names;
    BRAID_TRY(NameListWithManifests(snapshot.delta_manifest_list, names));
    std::unordered_map<std::string, DoomedEntry> deleted;
    const bool note_added = snapshot.commit_kind == CommitKind::kOverwrite;
    for (std::size_t i = 1; i < names.size(); ++i) {
      BRAID_TRY(VisitManifest(names[i], [&](ManifestEntry& entry) {
        if (entry.kind == FileKind::kDelete) {
          // Without a changelog producer the files that writers appended are the changelog.
          const bool is_changelog = range_.keep_changelogs && !range_.are_changelogs && !produces_changelog_ &&
                                    entry.file.file_source.value_or(FileSource::kAppend) == FileSource::kAppend;
          if (is_changelog) return;
          std::string name = entry.file.file_name;
          deleted.insert_or_assign(std::move(name), DoomedEntryOf(entry));
          return;
        }
        // A file moved to another level is deleted and added in one commit.
        deleted.erase(entry.file.file_name);
        if (note_added) files.added.push_back(std::move(entry.file.file_name));
      }));
    }
    for (auto& [name, entry] : deleted) files.deleted.push_back(std::move(entry));
    return Ok();
  }

  // Appends the list's name and then those of its manifests.
  Status NameListWithManifests(const std::string& list, std::vector<std::string>& names) const {
    names.push_back(list);
    BRAID_TRY_ASSIGN(std::vector<ManifestFileMeta> manifests, EmptyIfMissing(ReadManifestList(fs(), paths(), list)));
    for (ManifestFileMeta& manifest : manifests) names.push_back(std::move(manifest.file_name));
    return Ok();
  }

  template <typename Visit>
  Status VisitManifest(const std::string& name, const Visit& visit) const {
    const Result<ManifestScanner> scanner = ManifestScanner::Open(fs(), paths(), name);
    if (!scanner && scanner.error().code() == ErrorCode::kNotFound) return Ok();
    if (!scanner) return scanner.error();
    return scanner->VisitBlocks(0, scanner->block_count(),
                                {.accepts = {}, .keep_key_stats = false, .keep_value_stats = false}, visit);
  }

  Status Add(const Snapshot& snapshot, const SnapshotFiles& files) {
    for (const std::string& name : files.added) revived_.insert_or_assign(name, snapshot.id);
    for (const DoomedEntry& entry : files.deleted) {
      BRAID_TRY_ASSIGN(const std::uint32_t number, doomed_.AddData(entry));
      deaths_.emplace_back(snapshot.id, number);
    }
    for (const DoomedEntry& entry : files.changelog) BRAID_TRY(doomed_.AddData(entry));
    for (const std::string& name : files.manifest_files) doomed_.AddManifestFile(name);
    return Ok();
  }

  Status GatherIndexes() {
    if (range_.are_changelogs) return Ok();
    std::unordered_set<std::string> seen;
    for (const Snapshot& snapshot : range_.snapshots) {
      if (snapshot.statistics) doomed_.AddStatistics(*snapshot.statistics);
      if (!snapshot.index_manifest || !seen.insert(*snapshot.index_manifest).second) continue;
      doomed_.AddManifestFile(*snapshot.index_manifest);
      BRAID_TRY_ASSIGN(const auto entries, EmptyIfMissing(ReadIndexManifest(fs(), paths(), *snapshot.index_manifest)));
      for (const IndexManifestEntry& entry : entries) BRAID_TRY(doomed_.AddIndexFile(entry));
    }
    return Ok();
  }

  Status Spare() {
    RootReader reader(fs(), paths(), doomed_.watched());
    BRAID_TRY(SpareTrueStates(reader));
    BRAID_TRY(SparePinned(reader));
    BRAID_TRY(SpareRevived(reader));
    return SpareNames(reader);
  }

  // For what the snapshot s deleted, the newest true state below s decides; where files come back, any.
  Status SpareTrueStates(RootReader& reader) {
    const std::vector<Root>& states = holdings_.true_states;
    std::vector<std::pair<const Root*, std::vector<std::uint32_t>>> asked;
    std::size_t below = 0;  // states below the snapshot
    for (const auto& [snapshot, number] : deaths_) {
      while (below < states.size() && states[below].snapshot.id < snapshot) ++below;
      for (std::size_t i = has_revivals_ || below == 0 ? 0 : below - 1; i < below; ++i) {
        if (asked.empty() || asked.back().first != &states[i])
          asked.emplace_back(&states[i], std::vector<std::uint32_t>());
        asked.back().second.push_back(number);
      }
    }
    std::vector<const Snapshot*> needed;
    for (const auto& [root, numbers] : asked) needed.push_back(&root->snapshot);
    BRAID_TRY(reader.Load(needed));
    for (const auto& [root, numbers] : asked) {
      std::unordered_set<std::uint32_t> alive;
      reader.VisitLive(root->snapshot, [&](std::uint32_t number) { alive.insert(number); });
      for (const std::uint32_t number : numbers) {
        if (alive.contains(number)) doomed_.Spare(number);
      }
    }
    return Ok();
  }

  Status SparePinned(RootReader& reader) {
    std::vector<const Snapshot*> pinned;
    for (const Root& root : holdings_.pinned) pinned.push_back(&root.snapshot);
    BRAID_TRY(reader.Load(pinned));
    std::vector<const Snapshot*> changelogs;
    for (const Root& root : holdings_.changelogs) changelogs.push_back(&root.snapshot);
    BRAID_TRY(reader.LoadDeltas(changelogs));
    const auto spare = [&](std::uint32_t number) { doomed_.Spare(number); };
    for (const Snapshot* snapshot : pinned) reader.VisitLive(*snapshot, spare);
    for (const Snapshot* snapshot : changelogs) reader.VisitAdded(*snapshot, spare);
    return Ok();
  }

  // An overwrite may bring back files that were deleted before it, as rolling back to an older content does.
  Status SpareRevived(RootReader& reader) {
    for (const auto& [snapshot, number] : deaths_) last_death_[number] = snapshot;
    for (const auto& [name, at] : revived_) {
      const auto found = doomed_.watched().find(name);
      if (found == doomed_.watched().end()) continue;
      const auto death = last_death_.find(found->second);
      if (death != last_death_.end() && death->second < at) doomed_.Spare(found->second);
    }
    std::vector<const Snapshot*> later;
    for (const Snapshot& snapshot : later_overwrites_) later.push_back(&snapshot);
    BRAID_TRY(reader.LoadDeltas(later));
    for (const Snapshot* snapshot : later)
      reader.VisitAdded(*snapshot, [&](std::uint32_t number) { doomed_.Spare(number); });
    return Ok();
  }

  Status SpareNames(RootReader& reader) {
    std::vector<const Snapshot*> roots;
    if (end_) roots.push_back(&*end_);
    for (const Snapshot& snapshot : later_overwrites_) roots.push_back(&snapshot);
    for (const Root& root : holdings_.pinned) roots.push_back(&root.snapshot);
    for (const Root& root : holdings_.changelogs) roots.push_back(&root.snapshot);
    const std::vector<Root>& states = holdings_.true_states;
    auto first = std::upper_bound(states.begin(), states.end(), range_.snapshots.front().id,
                                  [](SnapshotId id, const Root& root) { return id < root.snapshot.id; });
    if (has_revivals_) first = states.begin();
    if (first != states.begin()) --first;
    for (; first != states.end(); ++first) roots.push_back(&first->snapshot);
    BRAID_TRY(reader.Load(roots, /*names_only=*/true));
    NameSet names;
    for (const Snapshot* root : roots) reader.AddNames(*root, names);
    doomed_.SpareNames(names);
    return Ok();
  }

  const ExpiredRange& range_;
  const Table& table_;
  const TableLines& lines_;
  const Line& line_;
  const bool produces_changelog_;
  const bool has_revivals_;
  std::optional<Snapshot> end_;
  std::vector<Snapshot> later_overwrites_;
  LineHoldings holdings_;
  DoomedFiles doomed_;
  std::vector<std::pair<SnapshotId, std::uint32_t>> deaths_;  // ascending by snapshot: which file it deleted
  std::unordered_map<std::string, SnapshotId> revived_;       // file → newest overwrite of the range that adds it
  std::unordered_map<std::uint32_t, SnapshotId> last_death_;
};

}  // namespace

Result<DoomedFiles> FilesOf(const ExpiredRange& range, const Table& table, const TableLines& lines, const Line& line) {
  if (range.snapshots.empty()) return DoomedFiles(table);
  return RangeReader(range, table, lines, line).Run();
}

}  // namespace braid
