#include "lineage/lineage.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "io/storage.h"
#include "meta/stores.h"

namespace braid {

namespace {

constexpr std::string_view kRootLine = "root";

LineageEdge EdgeOf(const std::string& run, std::string_view role, const std::string& uuid, const std::string& branch, std::int64_t now_ms) {
  return {.run_id = run, .role = std::string(role), .table_uuid = uuid, .line = LineOf(branch), .branch = branch, .create_ms = now_ms};
}

// What the snapshot of a table says about where it came from. Sources in a side file that is gone or damaged are unknown.
std::optional<SnapshotLineage> LineageIn(const Snapshot& snapshot, const FileSystem& fs, const TablePaths& paths) {
  std::optional<SnapshotLineage> lineage = DecodeLineage(snapshot);
  if (!lineage || lineage->sources_ref.empty()) return lineage;
  Result<SnapshotLineage> whole = LoadSources(fs, paths.root(), *lineage);
  if (whole) return *std::move(whole);
  Log(LogLevel::kWarning, "sources of a snapshot are not known", fmt::format("table={} snapshot={} error={}", paths.root(), snapshot.id, whole.error().message()));
  return lineage;
}

// What one snapshot tells the index. Without data lineage it is known which job wrote it from which tables, and no more.
void AddSnapshot(const Snapshot& snapshot, const std::optional<SnapshotLineage>& lineage, bool with_barriers, const std::string& uuid, const std::string& branch,
                 LineageBatch& batch) {
  const std::string line = LineOf(branch);
  SnapshotWriter writer{.table_uuid = uuid, .line = line, .snapshot_id = snapshot.id.value(), .identity = IdentityOf(snapshot), .branch = branch,
                        .kind = std::string(CommitKindName(snapshot)), .commit_ms = snapshot.time_millis, .commit_user = snapshot.commit_user,
                        .identifier = snapshot.commit_identifier, .run_id = {}, .barrier_id = {}};
  if (lineage) {
    batch.runs.push_back({.run_id = lineage->run, .job = lineage->job, .generation = lineage->generation, .attempt = lineage->attempt, .mode = lineage->type,
                          .state = lineage->type == "streaming" ? "SUSPENDED" : "FINISHED", .start_ms = lineage->start_ms, .end_ms = snapshot.time_millis, .commit_user = snapshot.commit_user, .sql_text = {}, .error = {}});
    batch.edges.push_back(EdgeOf(lineage->run, "sink", uuid, branch, lineage->start_ms));
    for (const LineageSource& source : lineage->sources) {
      batch.datasets.push_back({.table_uuid = source.table_uuid, .name = source.table, .seen_ms = snapshot.time_millis});
      LineageEdge edge = EdgeOf(lineage->run, "source", source.table_uuid, source.branch, lineage->start_ms);
      edge.line = source.line;
      batch.edges.push_back(std::move(edge));
    }
  }
  if (lineage && with_barriers) {
    writer.run_id = lineage->run;
    writer.barrier_id = lineage->barrier;
    batch.barriers.push_back({.run_id = lineage->run, .barrier_id = lineage->barrier, .create_ms = snapshot.time_millis, .sinks = lineage->sinks});
    batch.ios.push_back({.run_id = lineage->run, .barrier_id = lineage->barrier, .role = "sink", .table_uuid = uuid, .line = line, .branch = branch, .mode = "full",
                         .from_snapshot = {}, .to_snapshot = snapshot.id.value(), .to_identity = IdentityOf(snapshot), .first_snapshot = snapshot.id.value(),
                         .last_snapshot = snapshot.id.value(), .create_ms = snapshot.time_millis});
    for (const LineageSource& source : lineage->sources) {
      batch.ios.push_back({.run_id = lineage->run, .barrier_id = lineage->barrier, .role = "source", .table_uuid = source.table_uuid, .line = source.line,
                           .branch = source.branch, .mode = std::string(SourceModeName(source.mode)), .from_snapshot = source.from, .to_snapshot = source.to,
                           .to_identity = source.to_identity, .first_snapshot = {}, .last_snapshot = {}, .create_ms = snapshot.time_millis});
    }
  }
  batch.snapshots.push_back(std::move(writer));
}

// Whether a snapshot of the run may be on the table's line: of several sinks, a later one may be what failed.
Result<bool> MayHaveCommitted(const StartedRun& run, const Table& table) {
  const FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, table.paths()));
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    const Result<Snapshot> snapshot = ReadSnapshot(fs, table.paths(), *id);
    if (!snapshot || snapshot->commit_user == run.commit_user) return true;
    if (snapshot->time_millis < run.lineage.start_ms) return false;
  }
  return false;
}

// SQLite wants a file of this machine: beside the tables, or for a warehouse elsewhere in the user's own folder.
Result<std::string> StorePath(const Catalog& catalog, const CatalogIdentity& identity) {
  if (const auto given = catalog.options().Find("metadata.sqlite.path")) return *given;
  if (IsLocal(catalog.warehouse())) return JoinPath(catalog.warehouse(), ".braid/lineage.db");
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state == nullptr && home == nullptr) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("there is no place for the lineage of {}: HOME is not set", catalog.warehouse()))
        .Hint("give 'metadata.sqlite.path'");
  }
  const std::string folder = state != nullptr ? state : JoinPath(home, ".local/state");
  return JoinPath(folder, fmt::format("braid/lineage/{}.db", identity.id));
}

}  // namespace

std::string LineOf(std::string_view branch) { return branch == kMainBranch ? std::string(kRootLine) : fmt::format("branch:{}", branch); }

Result<std::shared_ptr<Lineage>> Lineage::Open(std::shared_ptr<Catalog> catalog, CatalogIdentity identity, const Clock& clock) {
  const Options& options = catalog->options();
  const std::string kind = ToLower(options.Get("metadata.store", options.Has("metadata.jdbc.url") ? "jdbc" : "sqlite"));
  if (kind != "sqlite") {
    return Error(ErrorCode::kUnsupported, fmt::format("'metadata.store'='{}' is not supported yet", kind)).Hint("leave it out: lineage is kept in SQLite beside the tables");
  }
  BRAID_TRY_ASSIGN(const std::string path, StorePath(*catalog, identity));
  BRAID_TRY_ASSIGN(const bool exists, LocalFileSystem()->Exists(path));
  BRAID_TRY_ASSIGN(auto store, OpenSqliteStore(path, identity.id, catalog->warehouse()));
  std::shared_ptr<Lineage> lineage(new Lineage(std::move(catalog), std::move(identity), std::move(store), clock));
  // A lost store loses nothing: the snapshots know.
  if (!exists) BRAID_TRY(lineage->CatchUp());
  return lineage;
}

Result<StartedRun> Lineage::Begin(const LineageJob& start) {
  BRAID_TRY(CheckJobName(start.name));
  StartedRun run;
  SnapshotLineage& lineage = run.lineage;
  lineage.job = start.name;
  lineage.run = RandomUuid();
  lineage.type = start.mode;
  lineage.sinks = static_cast<std::int64_t>(start.sinks.size());
  lineage.start_ms = clock_->NowMs();
  std::vector<LineageDataset> datasets;
  std::vector<LineageEdge> edges;
  const auto dataset = [&](const Table& table) -> Result<std::string> {
    BRAID_TRY_ASSIGN(std::string uuid, TableUuid(table.file_system(), table.paths().root()));
    datasets.push_back({.table_uuid = uuid, .name = table.name(), .seen_ms = lineage.start_ms});
    return uuid;
  };
  for (const LineageInput& source : start.sources) {
    BRAID_TRY_ASSIGN(const std::string uuid, dataset(source.table));
    edges.push_back(EdgeOf(lineage.run, "source", uuid, source.table.paths().branch(), lineage.start_ms));
    if (!source.to) continue;
    BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(source.table.file_system(), source.table.paths(), *source.to));
    LineageSource recorded{.table = source.table.name(), .table_uuid = uuid, .branch = source.table.paths().branch(), .line = LineOf(source.table.paths().branch()),
                           .mode = source.mode, .from = source.to->value(), .to = source.to->value(), .to_identity = IdentityOf(snapshot)};
    if (source.mode == SourceMode::kDelta && source.from) recorded.from = source.from->value();
    if (std::find(lineage.sources.begin(), lineage.sources.end(), recorded) == lineage.sources.end()) lineage.sources.push_back(std::move(recorded));
  }
  for (const Table& sink : start.sinks) {
    BRAID_TRY_ASSIGN(const std::string uuid, dataset(sink));
    edges.push_back(EdgeOf(lineage.run, "sink", uuid, sink.paths().branch(), lineage.start_ms));
  }
  const LineageRun row{.run_id = lineage.run, .job = start.name, .generation = 0, .attempt = 0, .mode = start.mode, .state = "RUNNING", .start_ms = lineage.start_ms,
                       .end_ms = {}, .commit_user = {}, .sql_text = start.sql_text, .error = {}};
  BRAID_TRY_ASSIGN(const ReservedRun reserved, store_->BeginRun(row, datasets, edges).Context("while recording the start of job " + start.name));
  lineage.generation = reserved.generation;
  lineage.barrier = reserved.barrier;
  run.commit_user = CommitUserOf(lineage);
  EncodedLineage encoded = EncodeLineage(lineage);
  run.properties = std::move(encoded.properties);
  if (!encoded.side_file) return run;
  for (const Table& sink : start.sinks) {
    const std::string path = SideFilePath(sink.paths().root(), encoded.side_file->name);
    // Two branches of one table share the file.
    Status written = sink.file_system().CreateAtomically(path, encoded.side_file->content);
    if (!written && written.error().code() != ErrorCode::kAlreadyExists) {
      Error error = std::move(written).error().Context("while recording the sources of job " + start.name);
      if (Status failed = Fail(run, error); !failed) return std::move(failed).error();
      return error;
    }
    run.side_files.push_back({.table = sink, .path = path});
  }
  return run;
}

Status Lineage::Finish(const StartedRun& run, const std::vector<Table>& sinks) {
  Status indexed = IndexTables(sinks);
  if (indexed) indexed = store_->EndRun(run.lineage.run, "FINISHED", clock_->NowMs(), "");
  return Tolerate(run.lineage.job, std::move(indexed));
}

Status Lineage::Index(const std::string& job, const std::vector<Table>& sinks) { return Tolerate(job, IndexTables(sinks)); }

Status Lineage::End(const std::string& run_id, const std::string& state, const std::string& error) {
  return store_->EndRun(run_id, state, clock_->NowMs(), error);
}

Status Lineage::IndexTables(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    BRAID_TRY_ASSIGN(const std::string uuid, TableUuid(table.file_system(), table.paths().root()));
    BRAID_TRY(IndexLine(table.name(), table.paths(), uuid));
  }
  return Ok();
}

// The data are committed: what the store lacks, the next query makes up.
Status Lineage::Tolerate(const std::string& job, Status indexed) const {
  if (indexed || EqualsIgnoreCase(catalog_->options().Get("lineage.on-store-failure", "warn"), "fail")) return indexed;
  Log(LogLevel::kWarning, "lineage not indexed; the next lineage query catches up", fmt::format("job={} error={}", job, indexed.error().message()));
  return Ok();
}

Status Lineage::Fail(const StartedRun& run, const Error& error) {
  bool committed = error.code() == ErrorCode::kCommitUnknown;
  for (const StartedRun::SideFile& file : run.side_files) {
    if (committed) break;
    BRAID_TRY_ASSIGN(committed, MayHaveCommitted(run, file.table));
  }
  for (const StartedRun::SideFile& file : run.side_files) {
    if (!committed) BRAID_TRY(file.table.file_system().Delete(file.path));
  }
  return store_->EndRun(run.lineage.run, "FAILED", clock_->NowMs(), error.message());
}

Status Lineage::CatchUp() {
  BRAID_TRY_ASSIGN(const std::vector<std::string> databases, catalog_->ListDatabases());
  for (const std::string& database : databases) {
    BRAID_TRY_ASSIGN(const std::vector<std::string> tables, catalog_->ListTables(database));
    for (const std::string& name : tables) {
      Result<Table> table = catalog_->OpenTable({.database = database, .table = name, .branch = {}, .system_table = {}});
      if (!table) {
        // A table dropped or damaged meanwhile has nothing to tell; `braid read` on it says what is wrong.
        Log(LogLevel::kWarning, "table left out of lineage", fmt::format("table={}.{} error={}", database, name, table.error().message()));
        continue;
      }
      // Tables that no job of ours has touched have no identity file and no believed lineage.
      BRAID_TRY_ASSIGN(const std::optional<std::string> uuid, FindTableUuid(table->file_system(), table->paths().root()));
      if (uuid) BRAID_TRY(IndexTable(table->name(), table->paths().root(), *uuid));
    }
  }
  return Ok();
}

Status Lineage::IndexTable(const std::string& name, const std::string& root, const std::string& uuid) {
  const TablePaths main(root, std::string(kMainBranch));
  BRAID_TRY(IndexLine(name, main, uuid));
  BRAID_TRY_ASSIGN(const std::vector<std::string> branches, ListBranches(*catalog_->file_system(), main));
  for (const std::string& branch : branches) BRAID_TRY(IndexLine(name, main.OnBranch(branch), uuid));
  return Ok();
}

Status Lineage::IndexLine(const std::string& name, const TablePaths& paths, const std::string& uuid) {
  const FileSystem& fs = *catalog_->file_system();
  const std::string line = LineOf(paths.branch());
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  BRAID_TRY_ASSIGN(const std::optional<IndexPosition> position, store_->Position(uuid, line));
  std::int64_t indexed = 0;
  if (position) {
    // The newest snapshot that both the line and the index have: everything above it in the index is gone from the line.
    for (auto id = ids.rbegin(); id != ids.rend() && indexed == 0; ++id) {
      if (id->value() > position->snapshot_id) continue;
      BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(fs, paths, *id));
      BRAID_TRY_ASSIGN(const std::optional<std::string> known, store_->IdentityAt(uuid, line, id->value()));
      if (known == IdentityOf(snapshot)) indexed = id->value();
    }
    const bool rewound = indexed < position->snapshot_id && (ids.empty() ? false : ids.front().value() <= position->snapshot_id);
    if (rewound) BRAID_TRY(store_->MarkRewound(uuid, line, indexed));
    if (indexed == 0 && !ids.empty() && ids.front().value() > position->snapshot_id) indexed = position->snapshot_id;
  }
  LineageBatch batch;
  batch.datasets.push_back({.table_uuid = uuid, .name = name, .seen_ms = clock_->NowMs()});
  std::optional<IndexPosition> reached;
  const auto first = std::find_if(ids.begin(), ids.end(), [&](SnapshotId id) { return id.value() > indexed; });
  BRAID_TRY_ASSIGN(const std::vector<Snapshot> snapshots, ReadSnapshots(fs, paths, std::span(first, ids.end())));
  for (const Snapshot& snapshot : snapshots) {
    AddSnapshot(snapshot, LineageIn(snapshot, fs, paths), identity_.data_lineage(), uuid, paths.branch(), batch);
    reached = IndexPosition{snapshot.id.value(), IdentityOf(snapshot)};
  }
  if (!reached) return Ok();
  batch.positions.push_back({.table_uuid = uuid, .line = line, .position = *reached});
  return store_->Write(batch);
}

Status Lineage::Rebuild() {
  BRAID_TRY(store_->Clear());
  return CatchUp();
}

Result<std::int64_t> Lineage::DeleteJob(const std::string& job) {
  BRAID_TRY_ASSIGN(const std::vector<DatumList> runs, store_->Query("job_runs"));
  const bool known = std::any_of(runs.begin(), runs.end(), [&](const DatumList& run) { return run.front() == Datum(job); });
  if (!known) {
    std::vector<std::string> names;
    for (const DatumList& run : runs) names.push_back(run.front().as_string());
    Error error(ErrorCode::kNotFound, fmt::format("there is no job '{}'", job));
    if (const auto nearest = NearestName(job, names)) return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
    return error;
  }
  return store_->DeleteJob(job);
}

}  // namespace braid
