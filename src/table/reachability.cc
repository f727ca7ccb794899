#include "table/reachability.h"

#include <algorithm>
#include <utility>

#include "io/request_pool.h"
#include "meta/manifest_scan.h"
#include "meta/stores.h"
#include "table/missing_file.h"

namespace braid {

namespace {

// What is remembered of a manifest.
struct WatchedEntries {
  std::vector<std::uint32_t> added;
  std::vector<std::uint32_t> deleted;
};

Error CannotTell(Error error) {
  return Error(ErrorCode::kIo, "nothing was deleted: what is still needed cannot be told")
      .Id("expire.root-unreadable")
      .Context(error.message())
      .Hint("mend or remove the file; `braid table check` shows all damage");
}

Result<WatchedEntries> ReadWatched(const FileSystem& fs, const TablePaths& paths, const std::string& name,
                                   const WatchedFiles& watched) {
  WatchedEntries entries;
  const Result<ManifestScanner> scanner = ManifestScanner::Open(fs, paths, name);
  if (!scanner && scanner.error().code() == ErrorCode::kNotFound) return entries;
  if (!scanner) return CannotTell(scanner.error());
  const ManifestFilter filter{.accepts = {}, .keep_key_stats = false, .keep_value_stats = false};
  const Status visited = scanner->VisitBlocks(0, scanner->block_count(), filter, [&](ManifestEntry& entry) {
    const auto found = watched.find(entry.file.file_name);
    if (found == watched.end()) return;
    (entry.kind == FileKind::kAdd ? entries.added : entries.deleted).push_back(found->second);
  });
  if (!visited) return CannotTell(visited.error());
  return entries;
}

}  // namespace

struct RootReader::State {
  const FileSystem& fs;
  TablePaths paths;
  const WatchedFiles& watched;
  std::unordered_map<std::string, std::vector<std::string>> lists;  // manifest list → names of its manifests
  std::unordered_map<std::string, WatchedEntries> manifests;        // manifest → what of it is watched
  std::unordered_map<std::string, std::vector<std::string>> index_manifests;  // index manifest → names of index files

  const std::vector<std::string>* ManifestsOf(const std::string& list) const {
    const auto found = lists.find(list);
    return found == lists.end() ? nullptr : &found->second;
  }

  // Runs `read` for every key that the map lacks and puts the results in.
  template <typename Map, typename Read>
  static Status Fill(Map& map, std::vector<std::string> keys, ThreadPool& pool, const Read& read) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::erase_if(keys, [&](const std::string& key) { return map.contains(key); });
    std::vector<typename Map::mapped_type> values(keys.size());
    BRAID_TRY(ParallelFor(pool, static_cast<std::int64_t>(keys.size()), [&](std::int64_t i) -> Status {
      BRAID_TRY_ASSIGN(values[static_cast<std::size_t>(i)], read(keys[static_cast<std::size_t>(i)]));
      return Ok();
    }));
    for (std::size_t i = 0; i < keys.size(); ++i) map.emplace(std::move(keys[i]), std::move(values[i]));
    return Ok();
  }

  Status LoadLists(std::vector<std::string> names) {
    return Fill(lists, std::move(names), PoolFor(fs), [&](const std::string& name) -> Result<std::vector<std::string>> {
      Result<std::vector<ManifestFileMeta>> metas = EmptyIfMissing(ReadManifestList(fs, paths, name));
      if (!metas) return CannotTell(metas.error());
      std::vector<std::string> manifest_names;
      for (ManifestFileMeta& meta : *metas) manifest_names.push_back(std::move(meta.file_name));
      return manifest_names;
    });
  }

  Status LoadManifestsOf(const std::vector<std::string>& list_names) {
    std::vector<std::string> names;
    for (const std::string& list : list_names) {
      if (const auto* of_list = ManifestsOf(list)) names.insert(names.end(), of_list->begin(), of_list->end());
    }
    return Fill(manifests, std::move(names), PoolFor(fs),
                [&](const std::string& name) { return ReadWatched(fs, paths, name, watched); });
  }

  Status LoadIndexManifests(std::vector<std::string> names) {
    return Fill(index_manifests, std::move(names), PoolFor(fs),
                [&](const std::string& name) -> Result<std::vector<std::string>> {
                  Result<std::vector<IndexManifestEntry>> entries = EmptyIfMissing(ReadIndexManifest(fs, paths, name));
                  if (!entries) return CannotTell(entries.error());
                  std::vector<std::string> files;
                  for (IndexManifestEntry& entry : *entries) files.push_back(std::move(entry.file_name));
                  return files;
                });
  }
};

RootReader::RootReader(const FileSystem& fs, TablePaths paths, const WatchedFiles& watched)
    : state_(std::make_unique<State>(State{.fs = fs,
                                           .paths = std::move(paths),
                                           .watched = watched,
                                           .lists = {},
                                           .manifests = {},
                                           .index_manifests = {}})) {}
RootReader::~RootReader() = default;

Status RootReader::Load(std::span<const Snapshot* const> roots, bool names_only) {
  std::vector<std::string> lists;
  std::vector<std::string> indexes;
  for (const Snapshot* root : roots) {
    lists.push_back(root->base_manifest_list);
    lists.push_back(root->delta_manifest_list);
    if (root->index_manifest) indexes.push_back(*root->index_manifest);
  }
  BRAID_TRY(state_->LoadLists(lists));
  BRAID_TRY(state_->LoadIndexManifests(std::move(indexes)));
  return names_only ? Ok() : state_->LoadManifestsOf(lists);
}

Status RootReader::LoadDeltas(std::span<const Snapshot* const> roots) {
  std::vector<std::string> lists;
  for (const Snapshot* root : roots) lists.push_back(root->delta_manifest_list);
  BRAID_TRY(state_->LoadLists(lists));
  return state_->LoadManifestsOf(lists);
}

void RootReader::VisitLive(const Snapshot& root, const std::function<void(std::uint32_t)>& visit) const {
  std::unordered_map<std::uint32_t, int> balance;  // additions less deletions
  for (const std::string* list : {&root.base_manifest_list, &root.delta_manifest_list}) {
    const std::vector<std::string>* names = state_->ManifestsOf(*list);
    if (names == nullptr) continue;
    for (const std::string& name : *names) {
      const auto found = state_->manifests.find(name);
      if (found == state_->manifests.end()) continue;
      for (const std::uint32_t file : found->second.added) ++balance[file];
      for (const std::uint32_t file : found->second.deleted) --balance[file];
    }
  }
  for (const auto& [file, count] : balance) {
    if (count > 0) visit(file);
  }
}

void RootReader::VisitAdded(const Snapshot& root, const std::function<void(std::uint32_t)>& visit) const {
  const std::vector<std::string>* names = state_->ManifestsOf(root.delta_manifest_list);
  if (names == nullptr) return;
  for (const std::string& name : *names) {
    const auto found = state_->manifests.find(name);
    if (found == state_->manifests.end()) continue;
    for (const std::uint32_t file : found->second.added) visit(file);
  }
}

void RootReader::AddNames(const Snapshot& root, NameSet& names) const {
  for (const std::string* list : {&root.base_manifest_list, &root.delta_manifest_list}) {
    names.insert(*list);
    if (const auto* manifests = state_->ManifestsOf(*list)) names.insert(manifests->begin(), manifests->end());
  }
  if (root.index_manifest) {
    names.insert(*root.index_manifest);
    const auto found = state_->index_manifests.find(*root.index_manifest);
    if (found != state_->index_manifests.end()) names.insert(found->second.begin(), found->second.end());
  }
  if (root.statistics) names.insert(*root.statistics);
}

std::int64_t RootReader::manifests_read() const {
  return static_cast<std::int64_t>(state_->manifests.size());
}

}  // namespace braid
