#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/options.h"
#include "base/result.h"
#include "io/file_system.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"

namespace braid {

class Table;

/// Where a scan begins (`scan.mode`, spec data.md §10.1).
enum class StartupMode : std::uint8_t {
  kLatestFull, kLatest, kCompactedFull, kFromTimestamp, kFromSnapshot, kFromSnapshotFull,
  kFromFileCreationTime, kFromCreationTimestamp, kIncremental,
};

/// The mode that the options ask for; `default` is decided by the first option that is present.
/// Errors: kInvalidArgument for an unknown mode, naming the known ones.
Result<StartupMode> StartupModeOf(const Options& options);

/// The time of `scan.timestamp-millis` or `scan.timestamp` (local to the process's zone), in epoch milliseconds.
Result<std::int64_t> ScanTimestamp(const Options& options);

/// The snapshot that a batch read of these options sees if they travel in time; nullopt if they do not (the latest is
/// read then) or if the table is empty. A tag gives its own copy of its snapshot, so that expired ones stay readable.
/// Errors: kNotFound for a snapshot, tag, watermark or time that the branch does not have, naming what it has.
Result<std::optional<Snapshot>> TravelTo(const FileSystem& fs, const TablePaths& paths, const Options& options);

/// What a batch read of the table reads: the snapshot travelled to, else the newest; nullopt if there is none.
Result<std::optional<Snapshot>> SnapshotToRead(const Table& table);

/// The newest snapshot committed at or before the time; nullopt if none is. Binary search over the snapshots' files.
Result<std::optional<Snapshot>> SnapshotAtOrBefore(const FileSystem& fs, const TablePaths& paths, std::int64_t time_ms);

/// Reads a snapshot by id; the error of a missing one names the ids that the branch has.
Result<Snapshot> ReadExistingSnapshot(const FileSystem& fs, const TablePaths& paths, SnapshotId id);

/// Reads a tag; the error of a missing one names the nearest.
Result<Tag> ReadExistingTag(const FileSystem& fs, const TablePaths& paths, const std::string& name);

}  // namespace braid
