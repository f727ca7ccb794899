#include "lineage/sqlite_schema_internal.h"

namespace braid {

const char* const kSqliteSchema = R"sql(
CREATE TABLE IF NOT EXISTS braid_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS catalogs (catalog_id TEXT PRIMARY KEY, warehouse TEXT NOT NULL, created_ms BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS datasets (dataset_id INTEGER PRIMARY KEY, catalog_id TEXT NOT NULL, kind TEXT NOT NULL, dataset_key TEXT NOT NULL,
  table_uuid TEXT, namespace TEXT NOT NULL, name TEXT NOT NULL, created_ms BIGINT NOT NULL, dropped_ms BIGINT,
  UNIQUE (catalog_id, kind, dataset_key));
CREATE TABLE IF NOT EXISTS dataset_names (dataset_id BIGINT NOT NULL, name TEXT NOT NULL, from_ms BIGINT NOT NULL, to_ms BIGINT,
  PRIMARY KEY (dataset_id, from_ms));
CREATE TABLE IF NOT EXISTS jobs (job_id INTEGER PRIMARY KEY, catalog_id TEXT NOT NULL, name TEXT NOT NULL, current_run TEXT,
  created_ms BIGINT NOT NULL, UNIQUE (catalog_id, name));
CREATE TABLE IF NOT EXISTS runs (run_id TEXT PRIMARY KEY, job_id BIGINT NOT NULL, generation BIGINT NOT NULL, attempt INT NOT NULL,
  mode TEXT NOT NULL, state TEXT NOT NULL, start_ms BIGINT NOT NULL, end_ms BIGINT, commit_user TEXT, engine TEXT, sql_text TEXT,
  plan_hash TEXT, restored_from TEXT, flink_job_id TEXT, error TEXT);
CREATE TABLE IF NOT EXISTS edges (run_id TEXT NOT NULL, role TEXT NOT NULL, dataset_id BIGINT NOT NULL, line TEXT NOT NULL,
  branch TEXT NOT NULL, create_ms BIGINT NOT NULL, PRIMARY KEY (run_id, role, dataset_id, line));
CREATE TABLE IF NOT EXISTS barriers (run_id TEXT NOT NULL, barrier_id BIGINT NOT NULL, create_ms BIGINT NOT NULL, sinks INT NOT NULL,
  sinks_done INT NOT NULL, savepoint TEXT, PRIMARY KEY (run_id, barrier_id));
CREATE TABLE IF NOT EXISTS barrier_io (run_id TEXT NOT NULL, barrier_id BIGINT NOT NULL, role TEXT NOT NULL, dataset_id BIGINT NOT NULL,
  line TEXT NOT NULL, branch TEXT NOT NULL, mode TEXT NOT NULL, from_snapshot BIGINT, to_snapshot BIGINT, to_identity TEXT,
  first_snapshot BIGINT, last_snapshot BIGINT, detail TEXT, create_ms BIGINT NOT NULL, state TEXT NOT NULL DEFAULT 'live',
  PRIMARY KEY (run_id, barrier_id, role, dataset_id, line));
CREATE TABLE IF NOT EXISTS snapshots (dataset_id BIGINT NOT NULL, line TEXT NOT NULL, snapshot_id BIGINT NOT NULL, identity TEXT NOT NULL,
  branch TEXT NOT NULL, kind TEXT NOT NULL, commit_ms BIGINT NOT NULL, commit_user TEXT NOT NULL, identifier BIGINT NOT NULL,
  run_id TEXT, barrier_id BIGINT, state TEXT NOT NULL, PRIMARY KEY (dataset_id, line, snapshot_id, identity));
CREATE TABLE IF NOT EXISTS positions (dataset_id BIGINT NOT NULL, line TEXT NOT NULL, snapshot_id BIGINT NOT NULL, identity TEXT NOT NULL,
  PRIMARY KEY (dataset_id, line));
CREATE INDEX IF NOT EXISTS barrier_io_snapshot ON barrier_io (dataset_id, line, to_snapshot);
CREATE INDEX IF NOT EXISTS barrier_io_sink ON barrier_io (dataset_id, line, first_snapshot, last_snapshot);
CREATE INDEX IF NOT EXISTS edges_dataset ON edges (dataset_id, role);
CREATE INDEX IF NOT EXISTS snapshots_user ON snapshots (commit_user, identifier);

-- The views' columns stand in the order of lineage_tables.cc. A database's name ends at the first dot.
CREATE TEMP VIEW current_edges AS
  SELECT e.role, j.name AS job, substr(d.name, 1, instr(d.name, '.') - 1) AS database, substr(d.name, instr(d.name, '.') + 1) AS table_name,
         MIN(e.create_ms) AS create_ms
    FROM edges e JOIN runs r ON r.run_id = e.run_id JOIN jobs j ON j.current_run = r.run_id JOIN datasets d ON d.dataset_id = e.dataset_id
   GROUP BY e.role, j.name, d.name;
CREATE TEMP VIEW source_job_lineage AS
  SELECT job, database, table_name, create_ms FROM current_edges WHERE role = 'source' ORDER BY job, database, table_name;
CREATE TEMP VIEW sink_job_lineage AS
  SELECT job, database, table_name, create_ms FROM current_edges WHERE role = 'sink' ORDER BY job, database, table_name;
CREATE TEMP VIEW source_table_lineage AS
  SELECT database, table_name, job, create_ms FROM current_edges WHERE role = 'source' ORDER BY job, database, table_name;
CREATE TEMP VIEW sink_table_lineage AS
  SELECT database, table_name, job, create_ms FROM current_edges WHERE role = 'sink' ORDER BY job, database, table_name;
CREATE TEMP VIEW complete_io AS
  SELECT i.*, j.name AS job, r.generation, substr(d.name, 1, instr(d.name, '.') - 1) AS database, substr(d.name, instr(d.name, '.') + 1) AS table_name,
         d.table_uuid AS table_uuid,
         (SELECT COUNT(*) FROM barrier_io k WHERE k.run_id = i.run_id AND k.barrier_id = i.barrier_id AND k.role = 'sink') >= b.sinks AS complete,
         -- What main has by now counts, also where a branch had it when it was written or read; of what has expired it is not known.
         EXISTS (SELECT 1 FROM snapshots n WHERE n.dataset_id = i.dataset_id AND n.line = 'root' AND n.snapshot_id = i.to_snapshot
                    AND n.identity = i.to_identity AND n.state = 'live') OR
         (i.line = 'root' AND i.state <> 'rewound' AND NOT EXISTS (SELECT 1 FROM snapshots n WHERE n.dataset_id = i.dataset_id AND n.line = 'root'
                    AND n.snapshot_id = i.to_snapshot AND i.to_identity <> '' AND n.identity <> i.to_identity AND n.state = 'live')) AS on_main
    FROM barrier_io i JOIN runs r ON r.run_id = i.run_id JOIN jobs j ON j.job_id = r.job_id JOIN datasets d ON d.dataset_id = i.dataset_id
    JOIN barriers b ON b.run_id = i.run_id AND b.barrier_id = i.barrier_id;
CREATE TEMP VIEW source_snapshot_lineage AS
  SELECT job, barrier_id, database, table_name, MAX(to_snapshot), MIN(create_ms) FROM complete_io
   WHERE role = 'source' AND complete AND on_main
   GROUP BY job, barrier_id, database, table_name ORDER BY job, barrier_id, database, table_name;
CREATE TEMP VIEW sink_snapshot_lineage AS
  SELECT job, barrier_id, database, table_name, MIN(first_snapshot), MIN(create_ms) FROM complete_io
   WHERE role = 'sink' AND complete AND on_main
   GROUP BY job, barrier_id, database, table_name ORDER BY job, barrier_id, database, table_name;
CREATE TEMP VIEW job_runs AS
  SELECT j.name, r.run_id, r.generation, r.attempt, r.mode, r.state, r.start_ms, r.end_ms, r.commit_user, r.engine, r.sql_text, r.error
    FROM runs r JOIN jobs j ON j.job_id = r.job_id ORDER BY j.name, r.generation;
CREATE TEMP VIEW job_lineage AS
  SELECT j.name, e.run_id, e.role, substr(d.name, 1, instr(d.name, '.') - 1), substr(d.name, instr(d.name, '.') + 1), d.table_uuid, e.branch,
         j.current_run = e.run_id, e.create_ms
    FROM edges e JOIN runs r ON r.run_id = e.run_id JOIN jobs j ON j.job_id = r.job_id JOIN datasets d ON d.dataset_id = e.dataset_id
   ORDER BY j.name, r.generation, e.role, d.name;
CREATE TEMP VIEW snapshot_lineage AS
  SELECT job, run_id, generation, barrier_id, complete, role, database, table_name, table_uuid, branch, mode, from_snapshot, to_snapshot,
         to_identity, first_snapshot, last_snapshot, state, create_ms FROM complete_io ORDER BY job, barrier_id, role, database, table_name;
CREATE TEMP VIEW snapshot_ranges AS
  SELECT s.job, s.run_id, s.barrier_id, s.database || '.' || s.table_name, s.branch, s.from_snapshot, s.to_snapshot,
         k.database || '.' || k.table_name, k.branch, k.first_snapshot, k.to_identity, k.state
    FROM complete_io s JOIN complete_io k ON s.run_id = k.run_id AND s.barrier_id = k.barrier_id
   WHERE s.role = 'source' AND k.role = 'sink' ORDER BY s.job, s.barrier_id, s.database, s.table_name;
CREATE TEMP VIEW main_snapshot_links AS
  SELECT s.database || '.' || s.table_name, s.mode, s.from_snapshot, s.to_snapshot, s.job, s.barrier_id,
         k.database || '.' || k.table_name, k.first_snapshot, k.last_snapshot
    FROM complete_io s JOIN complete_io k ON s.run_id = k.run_id AND s.barrier_id = k.barrier_id
   WHERE s.role = 'source' AND k.role = 'sink' AND s.on_main AND k.on_main
   ORDER BY s.job, s.barrier_id, s.database, s.table_name;
CREATE TEMP VIEW snapshot_writers AS
  SELECT substr(d.name, 1, instr(d.name, '.') - 1), substr(d.name, instr(d.name, '.') + 1), s.branch, s.snapshot_id, s.identity, s.kind,
         s.commit_ms, s.commit_user, s.identifier, j.name, s.run_id, s.barrier_id, s.state
    FROM snapshots s JOIN datasets d ON d.dataset_id = s.dataset_id LEFT JOIN runs r ON r.run_id = s.run_id LEFT JOIN jobs j ON j.job_id = r.job_id
   ORDER BY d.name, s.line, s.snapshot_id;
CREATE TEMP VIEW dataset_list AS
  SELECT kind, namespace, name, substr(name, 1, instr(name, '.') - 1), substr(name, instr(name, '.') + 1), table_uuid, created_ms, dropped_ms
    FROM datasets ORDER BY name;
)sql";

}  // namespace braid
