#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lineage/lineage.h"

namespace braid {

/// A job's current run reads the one table and writes the other.
struct TableLink {
  std::string source;  ///< "db.t"
  std::string job;
  std::string sink;

  friend auto operator<=>(const TableLink&, const TableLink&) = default;
};

/// A barrier of a job made snapshots of the sink from snapshots of the source.
struct SnapshotLink {
  std::string source;
  std::string mode;                           ///< full, delta, lookup, none
  std::optional<std::int64_t> from_snapshot;  ///< first one consumed
  std::int64_t to_snapshot = 0;               ///< last one consumed
  std::string job;
  std::int64_t barrier = 0;
  std::string sink;
  std::int64_t first_snapshot = 0;  ///< of the sink
  std::int64_t last_snapshot = 0;
};

enum class Direction { kUp, kDown };

/// A table, or one of its snapshots, with what lies next to it in one direction.
struct LineageStep {
  int depth = 1;  ///< 1: next to where the walk began
  TableLink link;
  std::optional<SnapshotLink> snapshots;  ///< set when the walk began at a snapshot
};

/// All links between tables, sorted.
Result<std::vector<TableLink>> TableLinks(Lineage& lineage);
/// All links between snapshots that are still on their main lines, by job and barrier.
Result<std::vector<SnapshotLink>> SnapshotLinks(Lineage& lineage);

/// Tables up or down from a table, depth first, each table once; `max_depth` 0: all. An unknown table has none.
std::vector<LineageStep> WalkTables(const std::vector<TableLink>& links, const std::string& table, Direction direction, int max_depth);
/// Snapshots up or down from a snapshot of a table. Up: what its barrier consumed, and so on. Down: what was made from it.
std::vector<LineageStep> WalkSnapshots(const std::vector<SnapshotLink>& links, const std::string& table, std::int64_t snapshot, Direction direction, int max_depth);

}  // namespace braid
