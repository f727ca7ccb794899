#include "jobs/state_file.h"

#include <utility>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/text.h"
#include "duck/type_mapping.h"
#include "io/file_system.h"

namespace braid {

namespace {

constexpr const char* kVersion = "1";

// Automatic checkpoints would stall an epoch: the runner makes them between epochs.
constexpr const char* kSettings = "SET wal_autocheckpoint = '1TB'; SET checkpoint_threshold = '1TB'";

constexpr const char* kTables = R"(
  CREATE TABLE main._job (key VARCHAR, value VARCHAR);
  CREATE TABLE main._source (source BIGINT, position VARCHAR, pending VARCHAR, last VARCHAR);
  CREATE TABLE main._epoch (barrier BIGINT, done BOOLEAN, body VARCHAR);
)";

Error StateLost(const std::string& path, const Error& cause) {
  if (cause.code() == ErrorCode::kConflict || cause.code() == ErrorCode::kUnsupported) return cause;
  return Error(ErrorCode::kCorruption, fmt::format("the state file {} cannot be opened: {}", path, cause.message()))
      .Hint(
          "`braid job restart … --from-lineage` makes it anew at the snapshots that the sinks' lineage names, "
          "`--rebuild-state` from what is there; `--from-savepoint` takes an older one");
}

}  // namespace

Result<std::unique_ptr<StateFile>> StateFile::Open(const StateSettings& settings) {
  std::unique_ptr<StateFile> state(new StateFile);
  state->path_ = settings.path;
  BRAID_TRY_ASSIGN(const bool exists, LocalFileSystem()->Exists(settings.path));
  state->is_new_ = !exists;
  auto opened = DuckEngine::Open({.database_path = settings.path,
                                  .temp_directory = settings.temporary_directory,
                                  .threads = settings.threads,
                                  .memory_limit_bytes = settings.memory_limit_bytes});
  if (!opened) return StateLost(settings.path, opened.error());
  state->engine_ = *std::move(opened);
  BRAID_TRY_ASSIGN(state->connection_, state->engine_->Connect());
  BRAID_TRY(state->connection_->Execute(kSettings));
  if (state->is_new_) {
    BRAID_TRY(state->connection_->Execute("BEGIN"));
    BRAID_TRY(state->connection_->Execute(kTables));
    BRAID_TRY(
        state->connection_->Execute(fmt::format("INSERT INTO main._job VALUES ('formatVersion', '{}')", kVersion)));
    BRAID_TRY(state->connection_->Execute("COMMIT"));
    return state;
  }
  auto version = state->Texts("SELECT value FROM main._job WHERE key = 'formatVersion'");
  if (!version) return StateLost(settings.path, version.error());
  if (version->size() != 1 || version->front().front() != kVersion) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("the state file {} has format version {}; this program knows {}", settings.path,
                             version->empty() ? "none" : version->front().front(), kVersion))
        .Hint("use the Braid that wrote it, or `braid job restart … --rebuild-state`");
  }
  return state;
}

Result<std::vector<std::vector<std::string>>> StateFile::Texts(const std::string& sql) {
  BRAID_TRY_ASSIGN(const auto rows, connection_->Query(sql));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*rows));
  std::vector<std::vector<std::string>> texts;
  for (const Batch& batch : batches) {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      std::vector<std::string>& line = texts.emplace_back();
      for (std::size_t i = 0; i < rows->columns().size(); ++i)
        line.push_back(DatumAt(*batch.rows->column(static_cast<int>(i)), row, DataType::String()).as_string());
    }
  }
  return texts;
}

Result<std::optional<JobIdentity>> StateFile::ReadIdentity() {
  BRAID_TRY_ASSIGN(const auto rows, Texts("SELECT key, value FROM main._job"));
  std::map<std::string, std::string> values;
  for (const auto& row : rows) values.emplace(row[0], row[1]);
  if (!values.contains("run")) return std::optional<JobIdentity>();
  const auto list = [&](const char* key) -> Result<std::vector<Json>> {
    if (!values.contains(key)) return std::vector<Json>();
    BRAID_TRY_ASSIGN(const Json json,
                     ParseJson(values[key]).Context(fmt::format("while reading the {} of {}", key, path_)));
    return json.is_array() ? std::vector<Json>(json.as_array().begin(), json.as_array().end()) : std::vector<Json>();
  };
  BRAID_TRY_ASSIGN(std::vector<Json> marks, list("sinks"));
  BRAID_TRY_ASSIGN(std::vector<Json> pending_partitions, list("pendingPartitions"));
  const auto number = [&](const char* key) { return ParseInt64(values[key]).value_or(0); };
  return std::optional(JobIdentity{.record = values["record"],
                                   .run = values["run"],
                                   .commit_user = values["commitUser"],
                                   .generation = number("generation"),
                                   .attempt = number("attempt"),
                                   .start_ms = number("startMillis"),
                                   .plan = values["plan"],
                                   .bootstrapped = values["bootstrapped"] == "true",
                                   .rebuilding = values["rebuilding"] == "true",
                                   .barrier = number("barrier"),
                                   .marks = std::move(marks),
                                   .pending_partitions = std::move(pending_partitions)});
}

Status StateFile::WriteIdentity(const JobIdentity& identity) {
  const auto list = [](const std::vector<Json>& items) {
    return PrintJson(Json(Json::Array(items.begin(), items.end())));
  };
  const std::vector<std::pair<const char*, std::string>> values = {
      {"record", identity.record},
      {"run", identity.run},
      {"commitUser", identity.commit_user},
      {"generation", std::to_string(identity.generation)},
      {"attempt", std::to_string(identity.attempt)},
      {"startMillis", std::to_string(identity.start_ms)},
      {"plan", identity.plan},
      {"bootstrapped", identity.bootstrapped ? "true" : "false"},
      {"rebuilding", identity.rebuilding ? "true" : "false"},
      {"barrier", std::to_string(identity.barrier)},
      {"sinks", list(identity.marks)},
      {"pendingPartitions", list(identity.pending_partitions)},
  };
  std::string rows;
  for (const auto& [key, value] : values)
    rows += fmt::format("{}({}, {})", rows.empty() ? "" : ", ", QuoteDuckText(key), QuoteDuckText(value));
  return connection_->Execute(
      fmt::format("DELETE FROM main._job WHERE key <> 'formatVersion'; INSERT INTO main._job VALUES {}", rows));
}

Result<std::vector<SourcePosition>> StateFile::ReadPositions() {
  BRAID_TRY_ASSIGN(const auto rows, Texts("SELECT position, pending, last FROM main._source ORDER BY source"));
  std::vector<SourcePosition> positions;
  for (const auto& row : rows) {
    SourcePosition& position = positions.emplace_back();
    BRAID_TRY_ASSIGN(position.position, ParseJson(row[0]).Context("while reading a position of " + path_));
    BRAID_TRY_ASSIGN(position.pending, ParseJson(row[1]).Context("while reading a position of " + path_));
    BRAID_TRY_ASSIGN(position.last, ParseJson(row[2]).Context("while reading a position of " + path_));
  }
  return positions;
}

Status StateFile::WritePositions(const std::vector<SourcePosition>& positions) {
  std::string rows;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    rows +=
        fmt::format("{}({}, {}, {}, {})", rows.empty() ? "" : ", ", i, QuoteDuckText(PrintJson(positions[i].position)),
                    QuoteDuckText(PrintJson(positions[i].pending)), QuoteDuckText(PrintJson(positions[i].last)));
  }
  BRAID_TRY(connection_->Execute("DELETE FROM main._source"));
  return rows.empty() ? Ok() : connection_->Execute("INSERT INTO main._source VALUES " + rows);
}

Result<std::optional<EpochRecord>> StateFile::ReadEpoch() {
  BRAID_TRY_ASSIGN(
      const auto rows,
      Texts("SELECT CAST(barrier AS VARCHAR), CAST(done AS VARCHAR), body FROM main._epoch ORDER BY 1 DESC"));
  if (rows.empty()) return std::optional<EpochRecord>();
  EpochRecord epoch{.barrier = ParseInt64(rows[0][0]).value_or(0), .done = rows[0][1] == "true", .body = {}};
  BRAID_TRY_ASSIGN(epoch.body, ParseJson(rows[0][2]).Context("while reading the last epoch of " + path_));
  return std::optional(std::move(epoch));
}

Status StateFile::Clear() {
  BRAID_TRY_ASSIGN(const auto tables,
                   Texts("SELECT schema_name, table_name FROM duckdb_tables() WHERE schema_name LIKE 'part\\_%' ESCAPE "
                         "'\\' AND NOT temporary"));
  for (const auto& table : tables)
    BRAID_TRY(connection_->Execute(fmt::format("DROP TABLE {}.\"{}\"", table[0], table[1])));
  return connection_->Execute("DELETE FROM main._source; DELETE FROM main._epoch");
}

Status StateFile::WriteEpoch(const EpochRecord& epoch) {
  return connection_->Execute(fmt::format("DELETE FROM main._epoch; INSERT INTO main._epoch VALUES ({}, {}, {})",
                                          epoch.barrier, epoch.done, QuoteDuckText(PrintJson(epoch.body))));
}

std::int64_t StateFile::LogBytes() const {
  const Result<FileStatus> status = LocalFileSystem()->Stat(path_ + ".wal");
  return status ? status->size_bytes : 0;
}

Status StateFile::Checkpoint() {
  return connection_->Execute("CHECKPOINT");
}

Result<std::int64_t> StateFile::CountOf(const std::string& sql) {
  BRAID_TRY_ASSIGN(const auto rows, Texts(fmt::format("SELECT CAST(({}) AS VARCHAR)", sql)));
  const auto count = rows.empty() ? std::nullopt : ParseInt64(rows.front().front());
  if (!count) return Error(ErrorCode::kInternal, "a count gave no number").Context("while running " + sql);
  return *count;
}

Result<std::string> StateFile::TextOf(const std::string& sql) {
  BRAID_TRY_ASSIGN(const auto rows, Texts(sql));
  if (rows.empty()) return Error(ErrorCode::kInternal, "a text was expected").Context("while running " + sql);
  return rows.front().front();
}

}  // namespace braid
