#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "io/file_system.h"
#include "meta/snapshot.h"

namespace braid {

/// How a source's snapshots went into a result (spec lineage.md §3).
enum class SourceMode : std::uint8_t { kFull, kDelta, kLookup, kNone };
std::string_view SourceModeName(SourceMode mode);

/// One source of a barrier: a table with the range of snapshots that was consumed, both ends inclusive.
struct LineageSource {
  std::string table;       ///< "db.t"
  std::string table_uuid;
  std::string branch = "main";
  std::string line = "root";
  SourceMode mode = SourceMode::kFull;
  std::optional<std::int64_t> from;
  std::int64_t to = 0;
  std::string to_identity;

  friend bool operator==(const LineageSource&, const LineageSource&) = default;
};

/// What a snapshot says about where it came from: the truth that every store is an index of. An immutable value.
struct SnapshotLineage {
  std::string job;
  std::string run;  ///< UUID
  std::int64_t attempt = 0;
  std::int64_t generation = 0;
  std::int64_t barrier = 0;
  std::string type = "batch";
  std::int64_t sinks = 1;      ///< sinks that commit in this barrier
  std::int64_t start_ms = 0;   ///< when the run started
  std::vector<LineageSource> sources;
  /// Sources outside of the catalog (files, topics), in the form that the property has (§3).
  std::vector<Json> outside = {};
  /// "<file>:<sha256>" of the side file that holds the sources, where they are too many for a snapshot (LoadSources).
  std::string sources_ref = {};

  friend bool operator==(const SnapshotLineage&, const SnapshotLineage&) = default;
};

/// A source as an element of `braid.lineage.sources`, and back. Errors: kCorruption.
Json LineageSourceJson(const LineageSource& source);
Result<LineageSource> ParseLineageSource(const Json& json);
/// What a commit carries: the snapshot properties, and sources of more than the 8 KiB that a snapshot may carry as a side
/// file, which must lie in the sink table's folder, synced, before the commit.
struct EncodedLineage {
  std::map<std::string, std::string> properties;
  struct SideFile {
    std::string name;  ///< of the file in SideFilePath
    std::string content;
  };
  std::optional<SideFile> side_file;
};

/// `<job>_g<generation>_<run8>`, with characters that file names do not take replaced (§1).
std::string CommitUserOf(const SnapshotLineage& lineage);

/// Errors: kInvalidArgument for a job name over 256 bytes.
Status CheckJobName(const std::string& name);
/// Precondition: CheckJobName.
EncodedLineage EncodeLineage(const SnapshotLineage& lineage);

/// "<table>/.braid/lineage/<name>".
std::string SideFilePath(std::string_view table_root, std::string_view name);
/// The lineage with the sources of its side file, if it has one. Errors: kNotFound, kCorruption for a file that is not the one
/// the snapshot was made with, and those of FileSystem; each names the file.
Result<SnapshotLineage> LoadSources(const FileSystem& fs, std::string_view table_root, SnapshotLineage lineage);

/// What the snapshot says, if it is to be believed: the keys are whole and the commit user is the run's own (§3, Belief);
/// nullopt for snapshots of other writers, also where their properties are copies.
std::optional<SnapshotLineage> DecodeLineage(const Snapshot& snapshot);

/// What tells this very snapshot from others with the same id: its UUID, or what Paimon < 2.0 writes in its place.
std::string IdentityOf(const Snapshot& snapshot);

}  // namespace braid
