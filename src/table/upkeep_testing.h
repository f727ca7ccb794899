#pragma once

// A second opinion on what the lines of a table need, for tests of upkeep: plain, slow, and sharing no code with it but
// the reading of files. Include only from tests.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "meta/fork_record.h"
#include "meta/manifest.h"
#include "meta/stores.h"
#include "table/lines.h"
#include "table/table_testing.h"

namespace braid {

/// Names of files needed below a table.
class NeededFiles {
 public:
  NeededFiles(const FileSystem& fs, std::string root) : fs_(fs), root_(std::move(root)) {}

  Result<std::set<std::string>> Find() {
    BRAID_TRY(AddLine(TablePaths(root_, std::string(kMainBranch))));
    BRAID_TRY_ASSIGN(const std::vector<std::string> branches,
                     ListBranches(fs_, TablePaths(root_, std::string(kMainBranch))));
    for (const std::string& branch : branches) BRAID_TRY(AddLine(TablePaths(root_, branch)));
    return names_;
  }

 private:
  Status AddLine(const TablePaths& paths) {
    BRAID_TRY_ASSIGN(const auto snapshots, ListSnapshots(fs_, paths));
    for (const SnapshotId id : snapshots) {
      BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(fs_, paths, id));
      BRAID_TRY(AddContent(paths, snapshot));
      if (snapshot.changelog_manifest_list) BRAID_TRY(AddEvery(paths, *snapshot.changelog_manifest_list));
    }
    BRAID_TRY_ASSIGN(const auto tags, ListTags(fs_, paths));
    for (const std::string& name : tags) {
      BRAID_TRY_ASSIGN(const Tag tag, ReadTag(fs_, paths, name));
      BRAID_TRY(AddContent(paths, tag.snapshot));
    }
    BRAID_TRY_ASSIGN(const auto changelogs, ListChangelogs(fs_, paths));
    for (const SnapshotId id : changelogs) {
      BRAID_TRY_ASSIGN(const Snapshot changelog, ReadChangelog(fs_, paths, id));
      if (changelog.changelog_manifest_list) {
        BRAID_TRY(AddEvery(paths, *changelog.changelog_manifest_list));
        continue;
      }
      // A compaction's changelog is empty where there is a producer, and its lists went with the snapshot.
      BRAID_TRY_ASSIGN(const bool has_lists, fs_.Exists(paths.ManifestFile(changelog.delta_manifest_list)));
      if (has_lists) {
        BRAID_TRY(AddEvery(paths, changelog.delta_manifest_list, /*appended_only=*/true));
        BRAID_TRY(AddNames(paths, changelog.base_manifest_list));
      }
    }
    BRAID_TRY_ASSIGN(const auto record, ReadForkRecord(fs_, paths));
    if (!record) return Ok();
    if (record->base) BRAID_TRY(AddContent(paths, *record->base));
    for (const ForkLink& link : record->links) {
      if (link.base) BRAID_TRY(AddContent(paths, *link.base));
    }
    return Ok();
  }

  // The names of a list and its manifests.
  Status AddNames(const TablePaths& paths, const std::string& list) {
    names_.insert(list);
    BRAID_TRY_ASSIGN(const auto manifests, ReadManifestList(fs_, paths, list));
    for (const ManifestFileMeta& manifest : manifests) names_.insert(manifest.file_name);
    return Ok();
  }

  // With every file that they add, or only those that writers appended: those are the changelog where there is no
  // other.
  Status AddEvery(const TablePaths& paths, const std::string& list, bool appended_only = false) {
    BRAID_TRY(AddNames(paths, list));
    BRAID_TRY_ASSIGN(const auto manifests, ReadManifestList(fs_, paths, list));
    for (const ManifestFileMeta& manifest : manifests) {
      BRAID_TRY_ASSIGN(const auto entries, ReadManifest(fs_, paths, manifest.file_name));
      for (const ManifestEntry& entry : entries) {
        if (entry.kind != FileKind::kAdd) continue;
        if (!appended_only || entry.file.file_source.value_or(FileSource::kAppend) == FileSource::kAppend)
          AddFile(entry);
      }
    }
    return Ok();
  }

  void AddFile(const ManifestEntry& entry) {
    names_.insert(entry.file.file_name);
    names_.insert(entry.file.extra_files.begin(), entry.file.extra_files.end());
  }

  // A snapshot's files: those added and not deleted again.
  Status AddContent(const TablePaths& paths, const Snapshot& snapshot) {
    std::map<std::string, ManifestEntry> live;  // by identity
    for (const std::string& list : {snapshot.base_manifest_list, snapshot.delta_manifest_list}) {
      BRAID_TRY(AddNames(paths, list));
      BRAID_TRY_ASSIGN(const auto manifests, ReadManifestList(fs_, paths, list));
      for (const ManifestFileMeta& manifest : manifests) {
        BRAID_TRY_ASSIGN(const auto entries, ReadManifest(fs_, paths, manifest.file_name));
        for (const ManifestEntry& entry : entries) {
          const std::string key = EntryIdentity(entry);
          if (entry.kind == FileKind::kAdd) {
            live.emplace(key, entry);
          } else {
            live.erase(key);
          }
        }
      }
    }
    for (const auto& [key, entry] : live) AddFile(entry);
    if (snapshot.index_manifest) {
      names_.insert(*snapshot.index_manifest);
      BRAID_TRY_ASSIGN(const auto indexes, ReadIndexManifest(fs_, paths, *snapshot.index_manifest));
      for (const IndexManifestEntry& index : indexes) names_.insert(index.file_name);
    }
    if (snapshot.statistics) names_.insert(*snapshot.statistics);
    return Ok();
  }

  const FileSystem& fs_;
  std::string root_;
  std::set<std::string> names_;
};

/// Names of the data and shared metadata files that are there.
inline std::set<std::string> PresentFiles(const MemoryFileSystem& fs, const std::string& root = kTestTableRoot) {
  std::set<std::string> names;
  for (const std::string& path : fs.AllFiles()) {
    if (!path.starts_with(root + "/")) continue;
    const std::string rest = path.substr(root.size() + 1);
    const bool shared = rest.starts_with("manifest/") || rest.starts_with("index/") || rest.starts_with("statistics/");
    if (shared || rest.find("bucket-") != std::string::npos) names.emplace(BaseName(path));
  }
  return names;
}

/// Makes a branch at a snapshot of a line as Braid does, by hand: its folder, its record, and if wanted the tag that
/// protects it from other engines.
inline Result<Table> MakeTestBranch(const Table& parent, const std::string& parent_line_id, const std::string& name,
                                    const Snapshot& snapshot, bool with_guard_tag) {
  FileSystem& fs = parent.file_system();
  const TablePaths paths = parent.paths().OnBranch(name);
  BRAID_TRY_ASSIGN(const auto schemas, ListSchemas(fs, parent.paths()));
  for (const SchemaId id : schemas) {
    BRAID_TRY_ASSIGN(const std::string schema, fs.ReadAll(parent.paths().SchemaFile(id)));
    BRAID_TRY(fs.Replace(paths.SchemaFile(id), schema));
  }
  BRAID_TRY(CreateSnapshot(fs, paths, snapshot));
  ForkRecord record;
  record.branch_id = "line-of-" + name;
  record.name = name;
  record.kind = ForkKind::kSnapshot;
  record.parent_name = parent.paths().branch();
  record.parent_line_id = parent_line_id;
  record.anchor = AnchorAt(snapshot);
  record.base = snapshot;
  BRAID_TRY(WriteForkRecord(fs, paths, record));
  if (with_guard_tag) {
    for (const TablePaths& line : {parent.paths(), paths}) {
      BRAID_TRY(WriteTag(fs, line,
                         {.name = ForkGuardTag(name), .snapshot = snapshot, .create_time = {}, .time_retained = {}}));
    }
  }
  return Table::Open(parent.shared_file_system(), parent.paths().root(), parent.name(), name);
}

}  // namespace braid
