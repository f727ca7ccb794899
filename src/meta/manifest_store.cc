#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"
#include "format/avro_container.h"
#include "meta/manifest_codec.h"
#include "meta/manifest_container.h"
#include "meta/manifest_scan.h"
#include "meta/manifest_summary.h"
#include "meta/single_manifest.h"
#include "meta/stores.h"

namespace braid {
namespace {

constexpr std::size_t kEntriesBetweenRollChecks = 1000;  // spec metadata.md §4.7

/// The error with the file's name before what is wrong with it.
Error NameFile(std::string_view path, const Error& error) {
  return Error(error.code(), fmt::format("{} cannot be read: {}", path, error.message())).Hint(error.hint());
}

template <typename Outcome>
Outcome NamingFile(std::string_view path, Outcome outcome) {
  if (!outcome) return NameFile(path, outcome.error());
  return outcome;
}

/// Removes the files written so far unless all of them were: nobody else knows their names.
class UnfinishedFiles {
 public:
  explicit UnfinishedFiles(FileSystem& fs) : fs_(fs) {}
  UnfinishedFiles(const UnfinishedFiles&) = delete;
  UnfinishedFiles& operator=(const UnfinishedFiles&) = delete;
  ~UnfinishedFiles() {
    // A file that stays is an orphan, which harms nobody; the first error is the one to report.
    for (const std::string& path : paths_) (void)fs_.Delete(path);
  }

  void Add(std::string path) { paths_.push_back(std::move(path)); }
  void KeepAll() { paths_.clear(); }

 private:
  FileSystem& fs_;
  std::vector<std::string> paths_;
};

/// Writes manifests one after the other, starting a new one when the current is full.
class RollingManifestWriter {
 public:
  RollingManifestWriter(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                        std::span<const DataType> partition_types, const ManifestWriteOptions& options)
      : fs_(fs),
        paths_(paths),
        names_(names),
        partition_types_(partition_types),
        options_(options),
        unfinished_(fs) {}

  Status Write(const ManifestEntry& entry) {
    if (!writer_) BRAID_TRY(StartFile());
    EncodeManifestEntry(entry, writer_->block());
    BRAID_TRY(summary_->Add(entry));
    BRAID_TRY(writer_->EndRecord());
    if (++entries_ % kEntriesBetweenRollChecks == 0 && writer_->flushed_bytes() >= options_.target_file_size) return EndFile();
    return Ok();
  }

  Result<std::vector<ManifestFileMeta>> Finish() {
    if (writer_) BRAID_TRY(EndFile());
    unfinished_.KeepAll();
    return std::move(manifests_);
  }

 private:
  Status StartFile() {
    name_ = names_.NextManifest();
    const std::string path = paths_.ManifestFile(name_);
    unfinished_.Add(path);
    BRAID_TRY_ASSIGN(writer_, CreateManifestContainer(fs_, path, ManifestRecords::kManifest, options_));
    summary_.emplace(partition_types_);
    return Ok();
  }

  Status EndFile() {
    BRAID_TRY_ASSIGN(const std::int64_t size, writer_->Finish());
    manifests_.push_back(summary_->Finish(name_, size));
    writer_.reset();
    return Ok();
  }

  FileSystem& fs_;
  const TablePaths& paths_;
  MetadataFileNames& names_;
  std::span<const DataType> partition_types_;
  const ManifestWriteOptions& options_;
  UnfinishedFiles unfinished_;
  std::string name_;
  std::unique_ptr<ManifestContainerWriter> writer_;
  std::optional<ManifestSummary> summary_;
  std::size_t entries_ = 0;
  std::vector<ManifestFileMeta> manifests_;
};

/// Writes one file of records, never rolled.
template <typename Record>
Result<WrittenMetadata> WriteRecords(FileSystem& fs, const TablePaths& paths, std::string name, ManifestRecords kind,
                                     const std::vector<Record>& records, void (*encode)(const Record&, std::string&),
                                     const ManifestWriteOptions& options) {
  const std::string path = paths.ManifestFile(name);
  UnfinishedFiles unfinished(fs);
  unfinished.Add(path);
  BRAID_TRY_ASSIGN(const auto writer, CreateManifestContainer(fs, path, kind, options));
  for (const Record& record : records) {
    encode(record, writer->block());
    BRAID_TRY(writer->EndRecord());
  }
  BRAID_TRY_ASSIGN(const std::int64_t size, writer->Finish());
  unfinished.KeepAll();
  return WrittenMetadata{.name = std::move(name), .size_bytes = size};
}

}  // namespace

ManifestScanner::ManifestScanner(std::string path, AvroContainer container)
    : path_(std::move(path)), container_(std::move(container)) {}

Result<ManifestScanner> ManifestScanner::Open(const FileSystem& fs, const TablePaths& paths, std::string_view name) {
  std::string path = paths.ManifestFile(name);
  BRAID_TRY_ASSIGN(AvroContainer container, OpenManifestContainer(fs, path, ManifestRecords::kManifest));
  return ManifestScanner(std::move(path), std::move(container));
}

std::size_t ManifestScanner::EntryCount(std::size_t first, std::size_t last) const {
  // No entry is stored in less than 16 bytes, so a damaged count cannot ask for much memory.
  std::size_t count = 0;
  for (const AvroBlock& block : container_.blocks().subspan(first, last - first)) {
    count += std::min(static_cast<std::size_t>(block.record_count), block.bytes.size() / 16);
  }
  return count;
}

Status ManifestScanner::VisitBlocks(std::size_t first, std::size_t last, const ManifestFilter& filter,
                                    const std::function<void(ManifestEntry&)>& visit) const {
  return NamingFile(path_, DecodeManifest(container_, first, last, filter, visit));
}

Result<std::vector<ManifestEntry>> ManifestScanner::ReadBlocks(std::size_t first, std::size_t last,
                                                               const ManifestFilter& filter) const {
  std::vector<ManifestEntry> entries;
  if (!filter.accepts) entries.reserve(EntryCount(first, last));
  BRAID_TRY(VisitBlocks(first, last, filter, [&](ManifestEntry& entry) { entries.push_back(std::move(entry)); }));
  return entries;
}

Result<std::vector<ManifestEntry>> ScanManifest(const FileSystem& fs, const TablePaths& paths, std::string_view name,
                                                const ManifestFilter& filter) {
  BRAID_TRY_ASSIGN(const ManifestScanner scanner, ManifestScanner::Open(fs, paths, name));
  return scanner.ReadBlocks(0, scanner.block_count(), filter);
}

Result<std::vector<ManifestFileMeta>> ReadManifestList(const FileSystem& fs, const TablePaths& paths,
                                                       std::string_view name) {
  const std::string path = paths.ManifestFile(name);
  BRAID_TRY_ASSIGN(const AvroContainer container, OpenManifestContainer(fs, path, ManifestRecords::kManifestList));
  return NamingFile(path, DecodeManifestList(container));
}

Result<std::vector<ManifestEntry>> ReadManifest(const FileSystem& fs, const TablePaths& paths, std::string_view name) {
  return ScanManifest(fs, paths, name, {});
}

Result<std::vector<IndexManifestEntry>> ReadIndexManifest(const FileSystem& fs, const TablePaths& paths,
                                                          std::string_view name) {
  const std::string path = paths.ManifestFile(name);
  BRAID_TRY_ASSIGN(const AvroContainer container, OpenManifestContainer(fs, path, ManifestRecords::kIndexManifest));
  return NamingFile(path, DecodeIndexManifest(container));
}

struct MetadataFileNames::State {
  std::string uuid = RandomUuid();
  std::atomic<std::int64_t> manifests{0};
  std::atomic<std::int64_t> lists{0};
  std::atomic<std::int64_t> index_manifests{0};
  std::atomic<std::int64_t> indexes{0};
  std::atomic<std::int64_t> statistics{0};

  std::string Next(std::string_view prefix, std::atomic<std::int64_t>& counter) const {
    return fmt::format("{}-{}-{}", prefix, uuid, counter.fetch_add(1, std::memory_order_relaxed));
  }
};

MetadataFileNames::MetadataFileNames() : state_(std::make_shared<State>()) {}
std::string MetadataFileNames::NextManifest() {
  return state_->Next("manifest", state_->manifests);
}
std::string MetadataFileNames::NextManifestList() {
  return state_->Next("manifest-list", state_->lists);
}
std::string MetadataFileNames::NextIndexManifest() {
  return state_->Next("index-manifest", state_->index_manifests);
}
std::string MetadataFileNames::NextIndex() {
  return state_->Next("index", state_->indexes);
}
std::string MetadataFileNames::NextStatistics() {
  return state_->Next("stat", state_->statistics);
}

Result<std::vector<ManifestFileMeta>> WriteManifests(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                                                     const std::vector<ManifestEntry>& entries,
                                                     const std::vector<DataType>& partition_types,
                                                     const ManifestWriteOptions& options) {
  RollingManifestWriter writer(fs, paths, names, partition_types, options);
  for (const ManifestEntry& entry : entries) BRAID_TRY(writer.Write(entry));
  return writer.Finish();
}

Result<WrittenMetadata> WriteSingleManifest(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                                            const std::vector<ManifestEntry>& entries,
                                            const ManifestWriteOptions& options) {
  return WriteRecords(fs, paths, names.NextManifest(), ManifestRecords::kManifest, entries, EncodeManifestEntry, options);
}

Result<WrittenMetadata> WriteManifestList(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                                          const std::vector<ManifestFileMeta>& manifests,
                                          const ManifestWriteOptions& options) {
  return WriteRecords(fs, paths, names.NextManifestList(), ManifestRecords::kManifestList, manifests, EncodeManifestFileMeta,
                      options);
}

Result<WrittenMetadata> WriteIndexManifest(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                                           const std::vector<IndexManifestEntry>& entries,
                                           const ManifestWriteOptions& options) {
  return WriteRecords(fs, paths, names.NextIndexManifest(), ManifestRecords::kIndexManifest, entries, EncodeIndexManifestEntry,
                      options);
}

}  // namespace braid
