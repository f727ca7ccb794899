#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "io/file_system.h"
#include "lineage/metadata_store.h"
#include "lineage/sqlite_internal.h"
#include "lineage/sqlite_schema_internal.h"

namespace braid {

namespace {

constexpr std::int64_t kSchemaVersion = 1;

class SqliteStore : public MetadataStore {
 public:
  SqliteStore(SqliteDatabase database, std::string catalog_id) : database_(std::move(database)), catalog_id_(std::move(catalog_id)) {}

  Status Migrate(const std::string& warehouse) {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteTransaction transaction, SqliteTransaction::Begin(database_));
    BRAID_TRY(database_.Execute(kSqliteSchema));
    BRAID_TRY_ASSIGN(SqliteStatement version, database_.Prepare("SELECT value FROM braid_meta WHERE name = 'schema_version'"));
    BRAID_TRY_ASSIGN(const bool known, version.Step());
    if (known && ParseInt64(version.Text(0)).value_or(0) > kSchemaVersion) {
      return Error(ErrorCode::kUnsupported, fmt::format("the lineage store has version {}; this program knows {}", version.Text(0), kSchemaVersion)).Hint("use a newer Braid");
    }
    BRAID_TRY(RunSql("INSERT INTO braid_meta VALUES ('schema_version', '1') ON CONFLICT DO NOTHING"));
    BRAID_TRY_ASSIGN(SqliteStatement catalog, database_.Prepare("INSERT INTO catalogs VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET warehouse = excluded.warehouse"));
    BRAID_TRY(catalog.Bind(catalog_id_).Bind(warehouse).Run());
    return transaction.Commit();
  }

  Status Write(const LineageBatch& batch) override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteTransaction transaction, SqliteTransaction::Begin(database_));
    for (const LineageDataset& dataset : batch.datasets) BRAID_TRY(PutDataset(dataset));
    for (const LineageRun& run : batch.runs) BRAID_TRY(PutRun(run));
    for (const LineageEdge& edge : batch.edges) BRAID_TRY(PutEdge(edge));
    for (const LineageBarrier& barrier : batch.barriers) BRAID_TRY(PutBarrier(barrier));
    for (const BarrierIo& io : batch.ios) BRAID_TRY(PutIo(io));
    for (const SnapshotWriter& snapshot : batch.snapshots) BRAID_TRY(PutSnapshot(snapshot));
    for (const LineageBatch::Position& position : batch.positions) BRAID_TRY(PutPosition(position));
    return transaction.Commit();
  }

  Result<ReservedRun> BeginRun(const LineageRun& run, const std::vector<LineageDataset>& datasets, const std::vector<LineageEdge>& edges) override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteTransaction transaction, SqliteTransaction::Begin(database_));
    BRAID_TRY_ASSIGN(const std::int64_t job_id, JobId(run.job, run.start_ms));
    BRAID_TRY_ASSIGN(SqliteStatement query, database_.Prepare("SELECT COALESCE(MAX(r.generation), 0), COALESCE(MAX(b.barrier_id), 0) FROM runs r "
                                                              "LEFT JOIN barriers b ON b.run_id = r.run_id WHERE r.job_id = ?"));
    BRAID_TRY(query.Bind(job_id).Step());
    ReservedRun reserved;
    reserved.generation = query.Int(0) + 1;
    // A batch run has one barrier. Its generation is its own, so no run in between can have taken the number.
    reserved.barrier = std::max(query.Int(1) + 1, reserved.generation);
    LineageRun recorded = run;
    recorded.generation = reserved.generation;
    recorded.commit_user = CommitUserOf({.job = run.job, .run = run.run_id, .attempt = 0, .generation = reserved.generation, .barrier = 0, .type = {}, .sinks = 1, .start_ms = 0, .sources = {}});
    BRAID_TRY(PutRun(recorded));
    for (const LineageDataset& dataset : datasets) BRAID_TRY(PutDataset(dataset));
    for (const LineageEdge& edge : edges) BRAID_TRY(PutEdge(edge));
    BRAID_TRY(transaction.Commit());
    return reserved;
  }

  Status EndRun(const std::string& run_id, const std::string& state, std::int64_t end_ms, const std::string& error) override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteStatement update, database_.Prepare("UPDATE runs SET state = ?, end_ms = ?, error = NULLIF(?, '') WHERE run_id = ?"));
    return update.Bind(state).Bind(end_ms).Bind(error).Bind(run_id).Run();
  }

  Result<std::optional<IndexPosition>> Position(const std::string& table_uuid, const std::string& line) override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteStatement query, database_.Prepare("SELECT p.snapshot_id, p.identity FROM positions p JOIN datasets d ON d.dataset_id = p.dataset_id "
                                                              "WHERE d.catalog_id = ? AND d.dataset_key = ? AND p.line = ?"));
    BRAID_TRY_ASSIGN(const bool found, query.Bind(catalog_id_).Bind(table_uuid).Bind(line).Step());
    if (!found) return std::optional<IndexPosition>();
    return std::optional(IndexPosition{query.Int(0), query.Text(1)});
  }

  Status MarkRewound(const std::string& table_uuid, const std::string& line, std::int64_t above) override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteTransaction transaction, SqliteTransaction::Begin(database_));
    BRAID_TRY_ASSIGN(const std::int64_t dataset, DatasetId(table_uuid));
    for (const char* sql : {"UPDATE snapshots SET state = 'rewound' WHERE dataset_id = ? AND line = ? AND snapshot_id > ? AND state = 'live'",
                            "UPDATE barrier_io SET state = 'rewound' WHERE dataset_id = ? AND line = ? AND COALESCE(first_snapshot, to_snapshot) > ? AND state = 'live'"}) {
      BRAID_TRY_ASSIGN(SqliteStatement update, database_.Prepare(sql));
      BRAID_TRY(update.Bind(dataset).Bind(line).Bind(above).Run());
    }
    return transaction.Commit();
  }

  Result<std::optional<std::string>> IdentityAt(const std::string& table_uuid, const std::string& line, std::int64_t snapshot_id) override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteStatement query, database_.Prepare("SELECT s.identity FROM snapshots s JOIN datasets d ON d.dataset_id = s.dataset_id "
                                                              "WHERE d.catalog_id = ? AND d.dataset_key = ? AND s.line = ? AND s.snapshot_id = ? AND s.state = 'live'"));
    BRAID_TRY_ASSIGN(const bool found, query.Bind(catalog_id_).Bind(table_uuid).Bind(line).Bind(snapshot_id).Step());
    return found ? std::optional(query.Text(0)) : std::nullopt;
  }

  Result<std::vector<DatumList>> Query(const std::string& view) override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteStatement query, database_.Prepare("SELECT * FROM temp." + view));
    std::vector<DatumList> rows;
    for (;;) {
      BRAID_TRY_ASSIGN(const bool more, query.Step());
      if (!more) return rows;
      DatumList& row = rows.emplace_back();
      for (int column = 0; column < query.column_count(); ++column) {
        if (query.IsNull(column)) {
          row.emplace_back();
        } else if (query.IsInteger(column)) {
          row.emplace_back(query.Int(column));
        } else {
          row.emplace_back(query.Text(column));
        }
      }
    }
  }

  Status Clear() override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteTransaction transaction, SqliteTransaction::Begin(database_));
    for (const char* table : {"datasets", "dataset_names", "jobs", "runs", "edges", "barriers", "barrier_io", "snapshots", "positions"}) {
      BRAID_TRY(RunSql(fmt::format("DELETE FROM {}", table)));
    }
    return transaction.Commit();
  }

  Result<std::int64_t> DeleteJob(const std::string& job) override {
    const std::lock_guard lock(mutex_);
    BRAID_TRY_ASSIGN(SqliteTransaction transaction, SqliteTransaction::Begin(database_));
    std::int64_t barriers = 0;
    for (const char* table : {"edges", "barrier_io", "barriers", "runs"}) {
      BRAID_TRY_ASSIGN(SqliteStatement remove, database_.Prepare(fmt::format("DELETE FROM {} WHERE run_id IN (SELECT run_id FROM runs r JOIN jobs j ON j.job_id = r.job_id "
                                                                             "WHERE j.catalog_id = ? AND j.name = ?)", table)));
      BRAID_TRY(remove.Bind(catalog_id_).Bind(job).Run());
      if (std::string_view(table) == "barriers") barriers = database_.changes();
    }
    BRAID_TRY_ASSIGN(SqliteStatement remove, database_.Prepare("DELETE FROM jobs WHERE catalog_id = ? AND name = ?"));
    BRAID_TRY(remove.Bind(catalog_id_).Bind(job).Run());
    BRAID_TRY(transaction.Commit());
    return barriers;
  }

 private:
  Status RunSql(const std::string& sql) { return database_.Execute(sql); }

  Status PutDataset(const LineageDataset& dataset) {
    BRAID_TRY_ASSIGN(SqliteStatement put, database_.Prepare("INSERT INTO datasets (catalog_id, kind, dataset_key, table_uuid, namespace, name, created_ms) VALUES (?, 'table', ?, ?, ?, ?, ?) "
                                                            "ON CONFLICT (catalog_id, kind, dataset_key) DO UPDATE SET name = excluded.name"));
    return put.Bind(catalog_id_).Bind(dataset.table_uuid).Bind(dataset.table_uuid).Bind(catalog_id_).Bind(dataset.name).Bind(dataset.seen_ms).Run();
  }

  Result<std::int64_t> DatasetId(const std::string& table_uuid) {
    BRAID_TRY_ASSIGN(SqliteStatement query, database_.Prepare("SELECT dataset_id FROM datasets WHERE catalog_id = ? AND kind = 'table' AND dataset_key = ?"));
    BRAID_TRY_ASSIGN(const bool found, query.Bind(catalog_id_).Bind(table_uuid).Step());
    if (!found) return Error(ErrorCode::kInternal, "lineage names the unknown table " + table_uuid);
    return query.Int(0);
  }

  Result<std::int64_t> JobId(const std::string& job, std::int64_t now_ms) {
    BRAID_TRY_ASSIGN(SqliteStatement put, database_.Prepare("INSERT INTO jobs (catalog_id, name, created_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"));
    BRAID_TRY(put.Bind(catalog_id_).Bind(job).Bind(now_ms).Run());
    BRAID_TRY_ASSIGN(SqliteStatement query, database_.Prepare("SELECT job_id FROM jobs WHERE catalog_id = ? AND name = ?"));
    BRAID_TRY(query.Bind(catalog_id_).Bind(job).Step());
    return query.Int(0);
  }

  // A run that the store knows keeps what only the store knew (its text); the newest generation is the job's current run.
  Status PutRun(const LineageRun& run) {
    BRAID_TRY_ASSIGN(const std::int64_t job_id, JobId(run.job, run.start_ms));
    BRAID_TRY_ASSIGN(SqliteStatement put, database_.Prepare(
        "INSERT INTO runs (run_id, job_id, generation, attempt, mode, state, start_ms, end_ms, commit_user, engine, sql_text, error) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'braid', NULLIF(?, ''), NULLIF(?, '')) "
        "ON CONFLICT (run_id) DO UPDATE SET attempt = MAX(attempt, excluded.attempt), "
        // A stream's snapshots do not tell whether it has ended.
        "state = CASE WHEN mode = 'streaming' THEN state ELSE excluded.state END, end_ms = CASE WHEN mode = 'streaming' THEN end_ms ELSE excluded.end_ms END"));
    BRAID_TRY(put.Bind(run.run_id).Bind(job_id).Bind(run.generation).Bind(run.attempt).Bind(run.mode).Bind(run.state).Bind(run.start_ms).Bind(run.end_ms)
                  .Bind(run.commit_user).Bind(run.sql_text).Bind(run.error).Run());
    BRAID_TRY_ASSIGN(SqliteStatement current, database_.Prepare(
        "UPDATE jobs SET current_run = (SELECT run_id FROM runs WHERE job_id = ?1 ORDER BY generation DESC, start_ms DESC LIMIT 1) WHERE job_id = ?1"));
    return current.Bind(job_id).Run();
  }

  Status PutEdge(const LineageEdge& edge) {
    BRAID_TRY_ASSIGN(const std::int64_t dataset, DatasetId(edge.table_uuid));
    BRAID_TRY_ASSIGN(SqliteStatement put, database_.Prepare("INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"));
    return put.Bind(edge.run_id).Bind(edge.role).Bind(dataset).Bind(edge.line).Bind(edge.branch).Bind(edge.create_ms).Run();
  }

  Status PutBarrier(const LineageBarrier& barrier) {
    BRAID_TRY_ASSIGN(SqliteStatement put, database_.Prepare("INSERT INTO barriers (run_id, barrier_id, create_ms, sinks, sinks_done) VALUES (?, ?, ?, ?, 0) "
                                                            "ON CONFLICT DO UPDATE SET create_ms = MIN(create_ms, excluded.create_ms)"));
    return put.Bind(barrier.run_id).Bind(barrier.barrier_id).Bind(barrier.create_ms).Bind(barrier.sinks).Run();
  }

  Status PutIo(const BarrierIo& io) {
    BRAID_TRY_ASSIGN(const std::int64_t dataset, DatasetId(io.table_uuid));
    BRAID_TRY_ASSIGN(SqliteStatement put, database_.Prepare(
        "INSERT INTO barrier_io (run_id, barrier_id, role, dataset_id, line, branch, mode, from_snapshot, to_snapshot, to_identity, first_snapshot, last_snapshot, create_ms) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET first_snapshot = MIN(first_snapshot, excluded.first_snapshot), "
        "last_snapshot = MAX(last_snapshot, excluded.last_snapshot), create_ms = MIN(create_ms, excluded.create_ms)"));
    // A barrier that had left the line with its former main may come back, perhaps as another snapshot.
    BRAID_TRY_ASSIGN(SqliteStatement revive, database_.Prepare(
        "UPDATE barrier_io SET state = 'live', to_snapshot = ?, to_identity = ?, first_snapshot = ?, last_snapshot = ? "
        "WHERE run_id = ? AND barrier_id = ? AND role = ? AND dataset_id = ? AND line = ? AND role = 'sink' AND state = 'rewound'"));
    BRAID_TRY(revive.Bind(io.to_snapshot).Bind(io.to_identity).Bind(io.first_snapshot).Bind(io.last_snapshot).Bind(io.run_id).Bind(io.barrier_id)
                  .Bind(io.role).Bind(dataset).Bind(io.line).Run());
    return put.Bind(io.run_id).Bind(io.barrier_id).Bind(io.role).Bind(dataset).Bind(io.line).Bind(io.branch).Bind(io.mode).Bind(io.from_snapshot).Bind(io.to_snapshot)
        .Bind(io.to_identity).Bind(io.first_snapshot).Bind(io.last_snapshot).Bind(io.create_ms).Run();
  }

  Status PutSnapshot(const SnapshotWriter& snapshot) {
    BRAID_TRY_ASSIGN(const std::int64_t dataset, DatasetId(snapshot.table_uuid));
    BRAID_TRY_ASSIGN(SqliteStatement put, database_.Prepare("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'live') ON CONFLICT DO UPDATE SET state = 'live'"));
    return put.Bind(dataset).Bind(snapshot.line).Bind(snapshot.snapshot_id).Bind(snapshot.identity).Bind(snapshot.branch).Bind(snapshot.kind).Bind(snapshot.commit_ms)
        .Bind(snapshot.commit_user).Bind(snapshot.identifier).Bind(snapshot.run_id).Bind(snapshot.barrier_id).Run();
  }

  Status PutPosition(const LineageBatch::Position& position) {
    BRAID_TRY_ASSIGN(const std::int64_t dataset, DatasetId(position.table_uuid));
    BRAID_TRY_ASSIGN(SqliteStatement put, database_.Prepare("INSERT INTO positions VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET snapshot_id = excluded.snapshot_id, identity = excluded.identity"));
    return put.Bind(dataset).Bind(position.line).Bind(position.position.snapshot_id).Bind(position.position.identity).Run();
  }

  std::mutex mutex_;  // guards database_
  SqliteDatabase database_;
  std::string catalog_id_;
};

}  // namespace

Result<std::unique_ptr<MetadataStore>> OpenSqliteStore(const std::string& path, const std::string& catalog_id, const std::string& warehouse) {
  BRAID_TRY(LocalFileSystem()->CreateDirectories(DirectoryName(path)));
  BRAID_TRY_ASSIGN(SqliteDatabase database, SqliteDatabase::Open(path));
  auto store = std::make_unique<SqliteStore>(std::move(database), catalog_id);
  BRAID_TRY(store->Migrate(warehouse).Context("while preparing the lineage store " + path));
  return std::unique_ptr<MetadataStore>(std::move(store));
}

}  // namespace braid
