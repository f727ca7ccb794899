#include "table/reachable_files.h"

#include <algorithm>
#include <functional>

#include "meta/manifest_scan.h"
#include "meta/stores.h"
#include "table/missing_file.h"

namespace braid {

namespace {

constexpr std::size_t kUnsettledAtMost = std::size_t{1} << 22;

}  // namespace

Status ReachableFiles::Add(const Root& root) {
  const Snapshot& snapshot = root.snapshot;
  // A changelog with files of its own lives on after the snapshot's lists went.
  if (!root.is_changelog || !snapshot.changelog_manifest_list) {
    BRAID_TRY(AddList(snapshot.base_manifest_list));
    BRAID_TRY(AddList(snapshot.delta_manifest_list));
  }
  if (snapshot.changelog_manifest_list) BRAID_TRY(AddList(*snapshot.changelog_manifest_list));
  if (root.is_changelog) return Ok();
  if (snapshot.index_manifest) BRAID_TRY(AddIndexManifest(*snapshot.index_manifest));
  if (snapshot.statistics) AddName(*snapshot.statistics);
  return Ok();
}

void ReachableFiles::AddName(std::string_view name) {
  hashes_.push_back(std::hash<std::string_view>()(name));
  // Roots name the same files again and again.
  if (hashes_.size() - settled_ > std::max(kUnsettledAtMost, settled_)) Settle();
}

Status ReachableFiles::AddList(const std::string& list) {
  if (!read_.insert(list).second) return Ok();
  AddName(list);
  BRAID_TRY_ASSIGN(const auto manifests, EmptyIfMissing(ReadManifestList(fs_, paths_, list)));
  for (const ManifestFileMeta& manifest : manifests) BRAID_TRY(AddManifest(manifest.file_name));
  return Ok();
}

Status ReachableFiles::AddManifest(const std::string& name) {
  if (!read_.insert(name).second) return Ok();
  AddName(name);
  const Result<ManifestScanner> scanner = ManifestScanner::Open(fs_, paths_, name);
  if (!scanner && scanner.error().code() == ErrorCode::kNotFound) return Ok();
  if (!scanner) return scanner.error();
  return scanner->VisitBlocks(0, scanner->block_count(),
                              {.accepts = {}, .keep_key_stats = false, .keep_value_stats = false},
                              [&](ManifestEntry& entry) {
                                AddName(entry.file.file_name);
                                if (entry.file.external_path) AddName(BaseName(*entry.file.external_path));
                                for (const std::string& extra : entry.file.extra_files) AddName(extra);
                              });
}

Status ReachableFiles::AddIndexManifest(const std::string& name) {
  if (!read_.insert(name).second) return Ok();
  AddName(name);
  BRAID_TRY_ASSIGN(const auto entries, EmptyIfMissing(ReadIndexManifest(fs_, paths_, name)));
  for (const IndexManifestEntry& entry : entries) {
    AddName(entry.file_name);
    if (entry.external_path) AddName(BaseName(*entry.external_path));
  }
  return Ok();
}

void ReachableFiles::Settle() {
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  settled_ = hashes_.size();
}

bool ReachableFiles::Contains(std::string_view name) const {
  return std::binary_search(hashes_.begin(), hashes_.end(), std::hash<std::string_view>()(name));
}

}  // namespace braid
