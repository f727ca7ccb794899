#include "table/doomed_files.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "base/log.h"
#include "io/request_pool.h"
#include "table/data_file_reader.h"
#include "table/index_manifest.h"

namespace braid {

namespace {

constexpr std::size_t kFilesPerTask = 256;

// Deletes files, several at once; returns how many could not be.
std::int64_t DeleteAll(FileSystem& fs, const std::vector<std::string>& paths, std::string_view step,
                       const UpkeepProgress& progress) {
  std::atomic<std::int64_t> failures = 0;
  std::mutex mutex;  // guards `done` and calls of `progress`
  std::int64_t done = 0;
  const auto total = static_cast<std::int64_t>(paths.size());
  const std::size_t tasks = (paths.size() + kFilesPerTask - 1) / kFilesPerTask;
  const Status all = ParallelFor(PoolFor(fs), static_cast<std::int64_t>(tasks), [&](std::int64_t task) -> Status {
    const std::size_t first = static_cast<std::size_t>(task) * kFilesPerTask;
    const std::size_t last = std::min(first + kFilesPerTask, paths.size());
    for (std::size_t i = first; i < last; ++i) {
      Status deleted = fs.Delete(paths[i]);
      if (!deleted) deleted = fs.Delete(paths[i]);  // storages stumble
      if (!deleted) {
        ++failures;
        Log(LogLevel::kWarning, "file not deleted, it stays as an orphan",
            fmt::format("file={} error={}", paths[i], deleted.error().message()));
      }
    }
    if (progress) {
      const std::lock_guard lock(mutex);
      done += static_cast<std::int64_t>(last - first);
      progress(step, done, total);
    }
    return Ok();
  });
  BRAID_CHECK(all.has_value());
  return failures;
}

bool NamesOthers(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.starts_with("manifest-list-") || name.starts_with("index-manifest-");
}

}  // namespace

RemovedFiles& RemovedFiles::operator+=(const RemovedFiles& other) {
  data_files += other.data_files;
  data_bytes += other.data_bytes;
  metadata_files += other.metadata_files;
  failures += other.failures;
  paths.insert(paths.end(), other.paths.begin(), other.paths.end());
  return *this;
}

DoomedEntry DoomedEntryOf(ManifestEntry& entry) {
  return {.partition = std::move(entry.partition),
          .bucket = entry.bucket,
          .file_name = std::move(entry.file.file_name),
          .file_size = entry.file.file_size,
          .extra_files = std::move(entry.file.extra_files),
          .external_path = std::move(entry.file.external_path)};
}

Result<std::uint32_t> DoomedFiles::DirectoryOf(const DoomedEntry& entry) {
  if (entry.external_path) {
    const auto [found, added] = other_directories_.try_emplace(std::string(DirectoryName(*entry.external_path)),
                                                               static_cast<std::uint32_t>(directories_.size()));
    if (added) directories_.push_back(found->first);
    return found->second;
  }
  std::pair<BinaryRow, BucketId> key(entry.partition, entry.bucket);
  if (const auto found = bucket_directories_.find(key); found != bucket_directories_.end()) return found->second;
  DataFileMeta file;
  file.file_name = entry.file_name;
  BRAID_TRY_ASSIGN(const std::string path, DataFilePath(table_, entry.partition, entry.bucket, file));
  const auto number = static_cast<std::uint32_t>(directories_.size());
  directories_.emplace_back(DirectoryName(path));
  bucket_directories_.emplace(std::move(key), number);
  return number;
}

Result<std::uint32_t> DoomedFiles::AddData(const DoomedEntry& entry) {
  const auto number = static_cast<std::uint32_t>(data_.size());
  const auto [found, added] = numbers_.try_emplace(entry.file_name, number);
  if (!added) return found->second;
  BRAID_TRY_ASSIGN(const std::uint32_t directory, DirectoryOf(entry));
  data_.push_back(
      {.directory = directory, .size = entry.file_size, .name = entry.file_name, .extra_files = entry.extra_files});
  return number;
}

void DoomedFiles::AddStatistics(const std::string& name) {
  AddMetadata(name, JoinPath(table_.paths().StatisticsDirectory(), name));
}

Status DoomedFiles::AddIndexFile(const IndexManifestEntry& entry) {
  if (metadata_.contains(entry.file_name)) return Ok();
  BRAID_TRY_ASSIGN(std::string path, IndexFilePath(table_, entry));
  AddMetadata(entry.file_name, std::move(path));
  return Ok();
}

void DoomedFiles::SpareNames(const NameSet& names) {
  std::erase_if(metadata_, [&](const auto& entry) { return names.contains(entry.first); });
}

std::vector<std::string> DoomedFiles::DataPaths() const {
  std::vector<std::string> paths;
  for (const Data& data : data_) {
    if (data.spared) continue;
    paths.push_back(JoinPath(directories_[data.directory], data.name));
    for (const std::string& extra : data.extra_files) paths.push_back(JoinPath(directories_[data.directory], extra));
  }
  return paths;
}

std::vector<std::string> DoomedFiles::MetadataPaths() const {
  std::vector<std::string> paths;
  for (const auto& [name, path] : metadata_) paths.push_back(path);
  return paths;
}

Result<RemovedFiles> DoomedFiles::Delete(const UpkeepProgress& progress) const {
  RemovedFiles removed = Count();
  removed.failures += DeleteAll(table_.file_system(), DataPaths(), "deleting data files", progress);
  // What names others goes last: whoever finishes after a crash finds the others by it.
  std::vector<std::string> metadata = MetadataPaths();
  const auto lists = std::stable_partition(metadata.begin(), metadata.end(),
                                           [](const std::string& path) { return !NamesOthers(path); });
  removed.failures += DeleteAll(table_.file_system(), {metadata.begin(), lists}, "deleting metadata files", progress);
  removed.failures += DeleteAll(table_.file_system(), {lists, metadata.end()}, "deleting manifest lists", progress);
  BRAID_TRY_ASSIGN(const bool clean, table_.options().GetBool("snapshot.clean-empty-directories", false));
  if (clean) BRAID_TRY(DeleteEmptyDirectories());
  return removed;
}

RemovedFiles DoomedFiles::Count() const {
  RemovedFiles removed;
  for (const Data& data : data_) {
    if (data.spared) continue;
    removed.data_files += 1 + static_cast<std::int64_t>(data.extra_files.size());
    removed.data_bytes += data.size;
  }
  removed.metadata_files = static_cast<std::int64_t>(metadata_.size());
  return removed;
}

RemovedFiles DoomedFiles::Preview() const {
  RemovedFiles removed = Count();
  removed.paths = DataPaths();
  const std::vector<std::string> metadata = MetadataPaths();
  removed.paths.insert(removed.paths.end(), metadata.begin(), metadata.end());
  std::sort(removed.paths.begin(), removed.paths.end());
  return removed;
}

Status DoomedFiles::DeleteEmptyDirectories() const {
  std::set<std::string> directories;
  for (const Data& data : data_) {
    if (!data.spared) directories.insert(directories_[data.directory]);
  }
  // From the buckets up, as long as folders turn out empty, and never the table's own.
  while (!directories.empty()) {
    std::set<std::string> parents;
    for (const std::string& directory : directories) {
      if (!directory.starts_with(table_.paths().root() + "/")) continue;
      BRAID_TRY_ASSIGN(const bool deleted, table_.file_system().DeleteEmptyDirectory(directory));
      if (deleted) parents.emplace(DirectoryName(directory));
    }
    directories = std::move(parents);
  }
  return Ok();
}

}  // namespace braid
