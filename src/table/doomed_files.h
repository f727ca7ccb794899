#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "table/reachability.h"
#include "table/table.h"

namespace braid {

/// Told now and then how far a long operation is; called by one thread at a time.
using UpkeepProgress = std::function<void(std::string_view step, std::int64_t done, std::int64_t total)>;

/// What an upkeep operation deleted, or would delete.
struct RemovedFiles {
  std::int64_t data_files = 0;  ///< with changelog files and files beside data files
  std::int64_t data_bytes = 0;  ///< of data files, as manifests say
  std::int64_t metadata_files = 0;
  std::int64_t failures = 0;            ///< files that could not be deleted; they stay as orphans
  std::vector<std::string> paths = {};  ///< only of a dry run

  RemovedFiles& operator+=(const RemovedFiles& other);
};

/// A data file that manifests say is not needed any more, as far as its name and place go.
struct DoomedEntry {
  BinaryRow partition;
  BucketId bucket;
  std::string file_name;
  std::int64_t file_size = 0;
  std::vector<std::string> extra_files = {};
  std::optional<std::string> external_path = std::nullopt;
};
DoomedEntry DoomedEntryOf(ManifestEntry& entry);

/// Files that are to be deleted unless something holds them: first gathered, then spared, then deleted. One thread.
class DoomedFiles {
 public:
  explicit DoomedFiles(const Table& table) : table_(table) {}

  /// Adds a data file, once however often it is named; returns its number.
  Result<std::uint32_t> AddData(const DoomedEntry& entry);
  void AddMetadata(std::string name, std::string path) { metadata_.emplace(std::move(name), std::move(path)); }
  void AddManifestFile(const std::string& name) { AddMetadata(name, table_.paths().ManifestFile(name)); }
  void AddStatistics(const std::string& name);
  Status AddIndexFile(const IndexManifestEntry& entry);

  /// The data files by name, for RootReader; numbers as AddData gives them.
  const WatchedFiles& watched() const { return numbers_; }
  std::size_t data_count() const { return data_.size(); }
  bool empty() const { return data_.empty() && metadata_.empty(); }
  void Spare(std::uint32_t number) { data_[number].spared = true; }
  void SpareNames(const NameSet& names);

  /// Deletes data files, then metadata files, several at once; then, if `snapshot.clean-empty-directories` says so,
  /// folders that became empty. Files that are gone already are no failure, others are counted and logged.
  Result<RemovedFiles> Delete(const UpkeepProgress& progress) const;
  /// What Delete would do: numbers alone, or with the paths.
  RemovedFiles Count() const;
  RemovedFiles Preview() const;

 private:
  struct Data {
    std::uint32_t directory;
    std::int64_t size;
    std::string name;
    std::vector<std::string> extra_files;
    bool spared = false;
  };
  Result<std::uint32_t> DirectoryOf(const DoomedEntry& entry);
  std::vector<std::string> DataPaths() const;
  std::vector<std::string> MetadataPaths() const;
  Status DeleteEmptyDirectories() const;

  const Table& table_;  // outlives this
  std::vector<std::string> directories_;
  std::map<std::pair<BinaryRow, BucketId>, std::uint32_t> bucket_directories_;
  std::unordered_map<std::string, std::uint32_t> other_directories_;
  std::vector<Data> data_;
  WatchedFiles numbers_;
  std::unordered_map<std::string, std::string> metadata_;  // name → path
};

}  // namespace braid
