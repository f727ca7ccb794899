#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lineage/snapshot_lineage.h"
#include "types/datum.h"

namespace braid {

/// A table as lineage knows it: by its UUID, under the name that it has now.
struct LineageDataset {
  std::string table_uuid;
  std::string name;  ///< "db.t"
  std::int64_t seen_ms = 0;
};

/// A start of a job.
struct LineageRun {
  std::string run_id;
  std::string job;
  std::int64_t generation = 0;
  std::int64_t attempt = 0;
  std::string mode;   ///< batch, streaming, compaction …
  std::string state;  ///< RUNNING, FINISHED, FAILED …
  std::int64_t start_ms = 0;
  std::optional<std::int64_t> end_ms;
  std::string commit_user;
  std::string sql_text;  ///< empty: unknown
  std::string error;     ///< empty: none
};

struct LineageEdge {
  std::string run_id;
  std::string role;  ///< source or sink
  std::string table_uuid;
  std::string line;
  std::string branch;
  std::int64_t create_ms = 0;
};

struct LineageBarrier {
  std::string run_id;
  std::int64_t barrier_id = 0;
  std::int64_t create_ms = 0;
  std::int64_t sinks = 1;
};

/// What a barrier read from or wrote to one table.
struct BarrierIo {
  std::string run_id;
  std::int64_t barrier_id = 0;
  std::string role;
  std::string table_uuid;
  std::string line;
  std::string branch;
  std::string mode;
  std::optional<std::int64_t> from_snapshot;
  std::optional<std::int64_t> to_snapshot;
  std::string to_identity;
  std::optional<std::int64_t> first_snapshot;  ///< of a sink
  std::optional<std::int64_t> last_snapshot;
  std::int64_t create_ms = 0;
};

/// A snapshot and who made it, foreign writers included.
struct SnapshotWriter {
  std::string table_uuid;
  std::string line;
  std::int64_t snapshot_id = 0;
  std::string identity;
  std::string branch;
  std::string kind;
  std::int64_t commit_ms = 0;
  std::string commit_user;
  std::int64_t identifier = 0;
  std::optional<std::string> run_id;
  std::optional<std::int64_t> barrier_id;
};

/// How far a line of a table has been indexed.
struct IndexPosition {
  std::int64_t snapshot_id = 0;
  std::string identity;
};

/// Rows that belong together; written in one transaction, by key, so that writing them again changes nothing.
struct LineageBatch {
  std::vector<LineageDataset> datasets;  ///< every table_uuid used below is among these or known already
  std::vector<LineageRun> runs;
  std::vector<LineageEdge> edges;
  std::vector<LineageBarrier> barriers;
  std::vector<BarrierIo> ios;
  std::vector<SnapshotWriter> snapshots;
  /// Set together with the rows; table UUID, line, position.
  struct Position {
    std::string table_uuid;
    std::string line;
    IndexPosition position;
  };
  std::vector<Position> positions;
};

/// What BeginRun reserved.
struct ReservedRun {
  std::int64_t generation = 0;
  std::int64_t barrier = 0;
};

/// The index of lineage: fast to ask, and made anew from the snapshots by a rebuild (spec lineage.md §4). Thread-safe.
///
/// Errors of all: kUnavailable if the store cannot be reached or stays locked; kCorruption; kUnsupported for a store of a
/// newer version.
class MetadataStore {
 public:
  virtual ~MetadataStore() = default;

  /// Visible to every other connection when it returns.
  virtual Status Write(const LineageBatch& batch) = 0;
  /// Gives the run a generation above every earlier one of the job and a barrier above every earlier one, and records it as
  /// RUNNING with those edges, in one transaction. `run.generation` and `commit_user` are ignored.
  virtual Result<ReservedRun> BeginRun(const LineageRun& run, const std::vector<LineageDataset>& datasets, const std::vector<LineageEdge>& edges) = 0;
  virtual Status EndRun(const std::string& run_id, const std::string& state, std::int64_t end_ms, const std::string& error) = 0;

  virtual Result<std::optional<IndexPosition>> Position(const std::string& table_uuid, const std::string& line) = 0;
  /// Snapshots of the line above this id are gone from it: a rollback, or a replaced branch.
  virtual Status MarkRewound(const std::string& table_uuid, const std::string& line, std::int64_t above) = 0;
  /// Identity of an indexed snapshot that is still on the line.
  virtual Result<std::optional<std::string>> IdentityAt(const std::string& table_uuid, const std::string& line, std::int64_t snapshot_id) = 0;

  /// Rows of a view (lineage_tables.h lists them), in the order of its columns.
  virtual Result<std::vector<DatumList>> Query(const std::string& view) = 0;
  /// Forgets everything, for a rebuild.
  virtual Status Clear() = 0;
  /// Deletes all rows of a job. Returns how many barriers it had.
  virtual Result<std::int64_t> DeleteJob(const std::string& job) = 0;
};

/// Opens or makes a store in one SQLite file.
/// Errors: kInvalidArgument for a path that cannot be opened, naming it.
Result<std::unique_ptr<MetadataStore>> OpenSqliteStore(const std::string& path, const std::string& catalog_id, const std::string& warehouse);


}  // namespace braid
