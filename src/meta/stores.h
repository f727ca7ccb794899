#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"
#include "meta/table_schema.h"

namespace braid {

// Reads and writes a table's metadata files as values. Every function is safe from any thread. Errors of all: kNotFound
// naming the snapshot, schema or tag that the user asked for; kCorruption naming the file; those of FileSystem.

// Schemas (§2).
Result<TableSchema> ReadSchema(const FileSystem& fs, const TablePaths& paths, SchemaId id);
Result<std::vector<SchemaId>> ListSchemas(const FileSystem& fs, const TablePaths& paths);  ///< ascending
/// nullopt if the branch has no schema: no table is there.
Result<std::optional<TableSchema>> ReadLatestSchema(const FileSystem& fs, const TablePaths& paths);
/// Errors: kAlreadyExists if the table is there (id 0), kConflict if another schema took a later id, kCommitUnknown.
Status WriteSchema(FileSystem& fs, const TablePaths& paths, const TableSchema& schema);

// Snapshots (§3).
Result<Snapshot> ReadSnapshot(const FileSystem& fs, const TablePaths& paths, SnapshotId id);
Result<std::vector<SnapshotId>> ListSnapshots(const FileSystem& fs, const TablePaths& paths);  ///< ascending
/// Those of the ids that are there, in their order; reads many at once, so not to be called from a task of PoolFor(fs).
Result<std::vector<Snapshot>> ReadSnapshots(const FileSystem& fs, const TablePaths& paths,
                                            std::span<const SnapshotId> ids);
/// By hint, else by listing (§3.2); nullopt for a table without snapshots.
Result<std::optional<SnapshotId>> FindLatestSnapshot(const FileSystem& fs, const TablePaths& paths);
/// The same, read; in two round trips where the hint is right.
Result<std::optional<Snapshot>> ReadLatestSnapshot(const FileSystem& fs, const TablePaths& paths);
/// Whether the snapshot is there and the next one is not.
Result<bool> IsLatestSnapshot(const FileSystem& fs, const TablePaths& paths, SnapshotId id);
Result<std::optional<SnapshotId>> FindEarliestSnapshot(const FileSystem& fs, const TablePaths& paths);
struct SnapshotRange {
  SnapshotId earliest;
  SnapshotId latest;
  bool has_earliest_hint = false;  ///< EARLIEST names it

  friend bool operator==(const SnapshotRange&, const SnapshotRange&) = default;
};
/// Both ends; nullopt for a table without snapshots.
Result<std::optional<SnapshotRange>> FindSnapshotRange(const FileSystem& fs, const TablePaths& paths);
/// The commit point: creates the snapshot's file. Errors: kConflict if the id is taken, kCommitUnknown.
Status CreateSnapshot(FileSystem& fs, const TablePaths& paths, const Snapshot& snapshot);
/// Writes LATEST (and EARLIEST); advisory.
Status WriteLatestHint(FileSystem& fs, const TablePaths& paths, SnapshotId id);
Status WriteEarliestHint(FileSystem& fs, const TablePaths& paths, SnapshotId id);
// Long-lived changelogs (§3.3) have the form of snapshots.
Result<Snapshot> ReadChangelog(const FileSystem& fs, const TablePaths& paths, SnapshotId id);
Result<std::vector<SnapshotId>> ListChangelogs(const FileSystem& fs, const TablePaths& paths);

// Tags (§10), consumers (§12), branches (§11).
Result<Tag> ReadTag(const FileSystem& fs, const TablePaths& paths, std::string_view name);
Result<std::vector<std::string>> ListTags(const FileSystem& fs, const TablePaths& paths);  ///< sorted
Status WriteTag(FileSystem& fs, const TablePaths& paths, const Tag& tag);  ///< Errors: kAlreadyExists
Status ReplaceTag(FileSystem& fs, const TablePaths& paths, const Tag& tag);  ///< Errors: kNotFound
struct Consumer {
  std::string id;
  SnapshotId next_snapshot;
};
Result<std::vector<Consumer>> ListConsumers(const FileSystem& fs, const TablePaths& paths);
Result<std::optional<Consumer>> ReadConsumer(const FileSystem& fs, const TablePaths& paths, std::string_view id);
Status WriteConsumer(FileSystem& fs, const TablePaths& paths, const Consumer& consumer);
Status DeleteConsumer(FileSystem& fs, const TablePaths& paths, std::string_view id);
/// Without main, sorted.
Result<std::vector<std::string>> ListBranches(const FileSystem& fs, const TablePaths& paths);

// Manifests (§4, §7). Names are relative to the manifest folder.
Result<std::vector<ManifestFileMeta>> ReadManifestList(const FileSystem& fs, const TablePaths& paths, std::string_view name);
Result<std::vector<ManifestEntry>> ReadManifest(const FileSystem& fs, const TablePaths& paths, std::string_view name);
Result<std::vector<IndexManifestEntry>> ReadIndexManifest(const FileSystem& fs, const TablePaths& paths, std::string_view name);

struct ManifestWriteOptions {
  std::string format = "avro";                             ///< `manifest.format`, in lower case
  std::string compression = "zstd";                        ///< `manifest.compression`
  int zstd_level = 1;                                      ///< `file.compression.zstd-level`
  std::int64_t target_file_size = std::int64_t{8} << 20;   ///< `manifest.target-file-size`
};
/// Names the metadata files of one writer: "manifest-<uuid>-<n>" and so on (§1.3). Any thread.
class MetadataFileNames {
 public:
  MetadataFileNames();
  std::string NextManifest();
  std::string NextManifestList();
  std::string NextIndexManifest();
  std::string NextIndex();
  std::string NextStatistics();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Writes entries into as many manifests as `target_file_size` asks for; none for no entries. `partition_types` are those of
/// the partition columns. Files are not synced.
Result<std::vector<ManifestFileMeta>> WriteManifests(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                                                     const std::vector<ManifestEntry>& entries,
                                                     const std::vector<DataType>& partition_types, const ManifestWriteOptions& options);
struct WrittenMetadata {
  std::string name;
  std::int64_t size_bytes = 0;
};
Result<WrittenMetadata> WriteManifestList(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                                          const std::vector<ManifestFileMeta>& manifests, const ManifestWriteOptions& options);
Result<WrittenMetadata> WriteIndexManifest(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                                           const std::vector<IndexManifestEntry>& entries, const ManifestWriteOptions& options);

}  // namespace braid
