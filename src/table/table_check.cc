#include "table/table_check.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "io/request_pool.h"
#include "meta/manifest_scan.h"
#include "meta/stores.h"
#include "table/data_file_reader.h"
#include "table/index_manifest.h"
#include "table/line_roots.h"
#include "table/lines.h"
#include "table/reachability.h"

namespace braid {

namespace {

class Check {
 public:
  Check(const Table& table, const UpkeepProgress& progress) : table_(table), progress_(progress) {}

  Result<CheckResult> Run() {
    BRAID_TRY(CollectRoots());
    BRAID_TRY(CheckMetadata());
    BRAID_TRY(CheckDataFiles());
    BRAID_TRY(TellWhatIsAffected());
    return std::move(result_);
  }

 private:
  const FileSystem& fs() const { return table_.file_system(); }
  const TablePaths& paths() const { return table_.paths(); }

  Status CollectRoots() {
    BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs(), paths().root(), Inference::kSkip));
    for (const Line& line : lines.lines) {
      ++result_.lines;
      if (line.damage) AddDamage(line.paths.BranchDirectory(), line.damage->message(), line.name);
      BRAID_TRY(CheckSchemas(line));
      bool first = true;
      BRAID_TRY_ASSIGN(const std::vector<UnreadableRoot> unreadable,
                       VisitRoots(fs(), line, [&](const Root& root) -> Status {
                         if (root.is_snapshot && std::exchange(first, false)) earliest_.insert(root.holder);
                         roots_.push_back(root);
                         return Ok();
                       }));
      for (const UnreadableRoot& root : unreadable) AddDamage(root.holder, root.error.message(), root.holder);
    }
    result_.roots = static_cast<std::int64_t>(roots_.size());
    return Ok();
  }

  Status CheckSchemas(const Line& line) {
    BRAID_TRY_ASSIGN(const std::vector<SchemaId> ids, ListSchemas(fs(), line.paths));
    for (const SchemaId id : ids) {
      const Result<TableSchema> schema = ReadSchema(fs(), line.paths, id);
      if (!schema)
        AddDamage(line.paths.SchemaFile(id), schema.error().message(),
                  fmt::format("files of schema {} of {}", id, line.name));
    }
    return Ok();
  }

  void AddDamage(const std::string& path, std::string problem, std::string affected) {
    const auto [found, added] = damage_of_.try_emplace(path, result_.damages.size());
    if (added) result_.damages.push_back({.path = path, .problem = std::move(problem), .affects = {}});
    std::vector<std::string>& affects = result_.damages[found->second].affects;
    if (std::find(affects.begin(), affects.end(), affected) == affects.end()) affects.push_back(std::move(affected));
  }

  // Lists, index manifests, statistics of every root; manifests are gathered.
  Status CheckMetadata() {
    BRAID_TRY(ReadLists());
    for (const Root& root : roots_) {
      const Snapshot& snapshot = root.snapshot;
      const bool own_lists = !root.is_changelog || !snapshot.changelog_manifest_list;
      if (own_lists) {
        CheckList(snapshot.base_manifest_list, root);
        CheckList(snapshot.delta_manifest_list, root);
      }
      BRAID_TRY(CheckChangelog(root));
      if (root.is_changelog) continue;
      if (snapshot.index_manifest) BRAID_TRY(CheckIndexManifest(*snapshot.index_manifest, root));
      if (snapshot.statistics)
        BRAID_TRY(CheckExists(JoinPath(paths().StatisticsDirectory(), *snapshot.statistics), root));
    }
    return Ok();
  }

  Status ReadLists() {
    for (const Root& root : roots_) {
      lists_.try_emplace(root.snapshot.base_manifest_list);
      lists_.try_emplace(root.snapshot.delta_manifest_list);
      if (root.snapshot.changelog_manifest_list) lists_.try_emplace(*root.snapshot.changelog_manifest_list);
    }
    std::vector<std::pair<const std::string, ListState>*> lists;
    for (auto& list : lists_) lists.push_back(&list);
    return CallForEach(fs(), std::ssize(lists), [&](std::int64_t i) -> Status {
      auto& [name, list] = *lists[static_cast<std::size_t>(i)];
      const Result<std::vector<ManifestFileMeta>> manifests = ReadManifestList(fs(), paths(), name);
      if (!manifests) list.problem = ProblemOf(manifests.error());
      if (!manifests) return Ok();
      for (const ManifestFileMeta& manifest : *manifests) list.manifests.push_back(manifest.file_name);
      return Ok();
    });
  }

  // Expiry takes the changelog of a snapshot away although a tag or fork point keeps its rows, in Java too. Rolling back
  // to such a tag makes the snapshot again, as the earliest of its line, with a list that is gone.
  Status CheckChangelog(const Root& root) {
    const bool may_lack_it = !root.is_snapshot && !root.is_changelog;
    const std::optional<std::string>& name = root.snapshot.changelog_manifest_list;
    if (!name || may_lack_it) return Ok();
    if (earliest_.contains(root.holder)) {
      BRAID_TRY_ASSIGN(const bool exists, fs().Exists(paths().ManifestFile(*name)));
      if (!exists) {
        result_.without_changelog.push_back(root.holder);
        return Ok();
      }
    }
    CheckList(*name, root);
    return Ok();
  }

  void CheckList(const std::string& name, const Root& root) {
    ListState& list = lists_.at(name);
    if (!std::exchange(list.counted, true)) ++result_.metadata_files;
    if (list.problem) AddDamage(paths().ManifestFile(name), *list.problem, root.holder);
    for (const std::string& manifest : list.manifests) manifests_.try_emplace(manifest);
  }

  Status CheckIndexManifest(const std::string& name, const Root& root) {
    auto [index, added] = indexes_.try_emplace(name);
    if (added) {
      ++result_.metadata_files;
      const Result<std::vector<IndexManifestEntry>> entries = ReadIndexManifest(fs(), paths(), name);
      if (!entries) {
        index->second.problem = ProblemOf(entries.error());
      } else {
        for (const IndexManifestEntry& entry : *entries) {
          BRAID_TRY_ASSIGN(std::string path, IndexFilePath(table_, entry));
          index->second.files.push_back(std::move(path));
        }
      }
    }
    if (index->second.problem) AddDamage(paths().ManifestFile(name), *index->second.problem, root.holder);
    for (const std::string& path : index->second.files) BRAID_TRY(CheckExists(path, root));
    return Ok();
  }

  Status CheckExists(const std::string& path, const Root& root) {
    auto known = exists_.find(path);
    if (known == exists_.end()) {
      BRAID_TRY_ASSIGN(const bool exists, fs().Exists(path));
      known = exists_.emplace(path, exists).first;
      ++result_.metadata_files;
    }
    if (!known->second) AddDamage(path, "is missing", root.holder);
    return Ok();
  }

  static std::string ProblemOf(const Error& error) {
    return error.code() == ErrorCode::kNotFound ? "is missing" : error.message();
  }

  // Every data file that any manifest adds; those that are not there become watched files.
  Status CheckDataFiles() {
    std::vector<std::string> names;
    for (const auto& [name, problem] : manifests_) names.push_back(name);
    result_.metadata_files += static_cast<std::int64_t>(names.size());
    std::mutex mutex;  // guards what the tasks share: seen, problems, counters
    std::set<std::string> seen;
    std::int64_t done = 0;
    return ParallelFor(PoolFor(fs()), static_cast<std::int64_t>(names.size()), [&](std::int64_t i) -> Status {
      const std::string& name = names[static_cast<std::size_t>(i)];
      const Result<std::vector<ManifestEntry>> entries =
          ScanManifest(fs(), paths(), name, {.accepts = {}, .keep_key_stats = false, .keep_value_stats = false});
      if (!entries) {
        const std::lock_guard lock(mutex);
        manifests_.at(name) = ProblemOf(entries.error());
        return Ok();
      }
      for (const ManifestEntry& entry : *entries) {
        if (entry.kind != FileKind::kAdd) continue;
        {
          const std::lock_guard lock(mutex);
          if (!seen.insert(entry.file.file_name).second) continue;
          ++result_.data_files;
        }
        BRAID_TRY_ASSIGN(const std::string path, DataFilePath(table_, entry.partition, entry.bucket, entry.file));
        const std::optional<std::string> problem = DataProblem(path, entry.file.file_size);
        if (!problem) continue;
        const std::lock_guard lock(mutex);
        watched_.emplace(entry.file.file_name, static_cast<std::uint32_t>(broken_.size()));
        broken_.push_back({path, *problem});
      }
      const std::lock_guard lock(mutex);
      if (progress_) progress_("checking data files", ++done, static_cast<std::int64_t>(names.size()));
      return Ok();
    });
  }

  std::optional<std::string> DataProblem(const std::string& path, std::int64_t size) const {
    const Result<FileStatus> status = fs().Stat(path);
    if (!status) return ProblemOf(status.error());
    if (status->size_bytes != size) return fmt::format("has {} bytes, not {}", status->size_bytes, size);
    return std::nullopt;
  }

  // A file that is not there matters to the roots in which it is alive.
  Status TellWhatIsAffected() {
    RootReader reader(fs(), paths(), watched_);
    std::set<std::string> damaged;
    for (const Root& root : roots_) {
      const Snapshot* snapshot = &root.snapshot;
      for (const std::string* list : {&snapshot->base_manifest_list, &snapshot->delta_manifest_list}) {
        const auto found = lists_.find(*list);
        if (found == lists_.end()) continue;
        for (const std::string& manifest : found->second.manifests) {
          if (const auto& problem = manifests_.at(manifest))
            AddDamage(paths().ManifestFile(manifest), *problem, root.holder);
        }
      }
      if (watched_.empty() || root.is_changelog) continue;
      // Manifests that cannot be read are reported already.
      if (!reader.Load(std::vector{snapshot})) continue;
      reader.VisitLive(*snapshot, [&](std::uint32_t number) {
        AddDamage(broken_[number].first, broken_[number].second, root.holder);
      });
    }
    for (const Damage& damage : result_.damages) damaged.insert(damage.affects.begin(), damage.affects.end());
    for (const Root& root : roots_) {
      if (!damaged.contains(root.holder)) result_.readable.push_back(root.holder);
    }
    return Ok();
  }

  struct ListState {
    std::vector<std::string> manifests;
    std::optional<std::string> problem;
    bool counted = false;
  };
  struct IndexState {
    std::vector<std::string> files;
    std::optional<std::string> problem;
  };

  const Table& table_;
  const UpkeepProgress& progress_;
  CheckResult result_;
  std::vector<Root> roots_;
  std::set<std::string> earliest_;                // holder of each line's first snapshot
  std::map<std::string, std::size_t> damage_of_;  // path → its place in result_.damages
  std::unordered_map<std::string, ListState> lists_;
  std::unordered_map<std::string, IndexState> indexes_;
  std::unordered_map<std::string, bool> exists_;
  std::map<std::string, std::optional<std::string>> manifests_;  // name → problem
  WatchedFiles watched_;
  std::vector<std::pair<std::string, std::string>> broken_;  // path and problem of watched files
};

// What changelog manifests name, which RootReader does not follow.
Result<bool> ChangelogNames(const Table& table, const Snapshot& snapshot, std::string_view name) {
  if (!snapshot.changelog_manifest_list) return false;
  if (*snapshot.changelog_manifest_list == name) return true;
  BRAID_TRY_ASSIGN(const auto manifests,
                   ReadManifestList(table.file_system(), table.paths(), *snapshot.changelog_manifest_list));
  for (const ManifestFileMeta& manifest : manifests) {
    if (manifest.file_name == name) return true;
    BRAID_TRY_ASSIGN(const auto entries, ReadManifest(table.file_system(), table.paths(), manifest.file_name));
    for (const ManifestEntry& entry : entries) {
      if (entry.file.file_name == name) return true;
    }
  }
  return false;
}

// What stands beside data files is needed by those that need the data file.
Result<std::string> DataFileOf(const Table& table, const std::vector<Root>& roots, const std::string& name) {
  std::set<std::string> read;
  std::string owner = name;
  for (const Root& root : roots) {
    for (const std::string* list : {&root.snapshot.base_manifest_list, &root.snapshot.delta_manifest_list}) {
      const auto manifests = ReadManifestList(table.file_system(), table.paths(), *list);
      if (!manifests && manifests.error().code() == ErrorCode::kNotFound) continue;
      if (!manifests) return manifests.error();
      for (const ManifestFileMeta& manifest : *manifests) {
        if (!read.insert(manifest.file_name).second) continue;
        const auto entries = ReadManifest(table.file_system(), table.paths(), manifest.file_name);
        if (!entries && entries.error().code() == ErrorCode::kNotFound) continue;
        if (!entries) return entries.error();
        for (const ManifestEntry& entry : *entries) {
          const auto& extras = entry.file.extra_files;
          if (std::find(extras.begin(), extras.end(), name) != extras.end()) owner = entry.file.file_name;
        }
      }
    }
  }
  return owner;
}

}  // namespace

Result<CheckResult> CheckTable(const Table& table, const UpkeepProgress& progress) {
  return Check(table, progress).Run();
}

Result<std::vector<std::string>> WhoNeeds(const Table& table, std::string_view path) {
  const FileSystem& fs = table.file_system();
  const std::string name(BaseName(path).empty() ? path : BaseName(path));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, table.paths().root(), Inference::kSkip));
  std::vector<Root> roots;
  for (const Line& line : lines.lines) {
    BRAID_TRY_ASSIGN(const std::vector<UnreadableRoot> unreadable,
                     VisitRoots(fs, line, [&](const Root& root) -> Status {
                       roots.push_back(root);
                       return Ok();
                     }));
    if (!unreadable.empty()) return Error(unreadable.front().error).Context("of " + unreadable.front().holder);
  }
  BRAID_TRY_ASSIGN(const std::string data_file, DataFileOf(table, roots, name));
  const WatchedFiles watched = {{data_file, 0}};
  RootReader reader(fs, table.paths(), watched);
  std::vector<std::string> holders;
  for (const Root& root : roots) {
    const Snapshot* snapshot = &root.snapshot;
    BRAID_TRY(reader.Load(std::vector{snapshot}));
    NameSet names;
    if (!root.is_changelog) reader.AddNames(*snapshot, names);
    bool needs = names.contains(name);
    if (root.is_changelog) {
      reader.VisitAdded(*snapshot, [&](std::uint32_t) { needs = needs || !snapshot->changelog_manifest_list; });
    } else {
      reader.VisitLive(*snapshot, [&](std::uint32_t) { needs = true; });
    }
    if (!needs) {
      const Result<bool> in_changelog = ChangelogNames(table, *snapshot, name);
      if (!in_changelog && in_changelog.error().code() != ErrorCode::kNotFound) return in_changelog.error();
      needs = in_changelog && *in_changelog;
    }
    if (needs) holders.push_back(root.holder);
  }
  return holders;
}

}  // namespace braid
