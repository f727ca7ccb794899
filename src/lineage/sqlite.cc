#include <fmt/format.h>

#include "lineage/sqlite_internal.h"

namespace braid {

namespace {

constexpr int kBusyTimeoutMs = 30'000;

Error SqliteError(sqlite3* database, int code) {
  const char* words = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  ErrorCode kind = ErrorCode::kIo;
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: kind = ErrorCode::kUnavailable; break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: kind = ErrorCode::kCorruption; break;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY: kind = ErrorCode::kPermissionDenied; break;
    case SQLITE_ERROR:
    case SQLITE_MISUSE:
    case SQLITE_RANGE: kind = ErrorCode::kInternal; break;
    default: break;
  }
  Error error(kind, fmt::format("the lineage store failed: {}", words));
  if (kind == ErrorCode::kCorruption) return std::move(error).Hint("delete the file with its -wal and -shm files; it is made anew from the tables");
  if (kind == ErrorCode::kUnavailable) return std::move(error).Hint("another process holds it; run it again");
  return error;
}

}  // namespace

SqliteStatement& SqliteStatement::Bind(std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), next_parameter_++, value);
  return *this;
}

SqliteStatement& SqliteStatement::Bind(std::string_view value) {
  sqlite3_bind_text(statement_.get(), next_parameter_++, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  return *this;
}

SqliteStatement& SqliteStatement::Bind(const std::optional<std::int64_t>& value) {
  if (value) return Bind(*value);
  sqlite3_bind_null(statement_.get(), next_parameter_++);
  return *this;
}

SqliteStatement& SqliteStatement::Bind(const std::optional<std::string>& value) {
  if (value) return Bind(std::string_view(*value));
  sqlite3_bind_null(statement_.get(), next_parameter_++);
  return *this;
}

Result<bool> SqliteStatement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteError(sqlite3_db_handle(statement_.get()), code);
}

Status SqliteStatement::Run() {
  for (;;) {
    BRAID_TRY_ASSIGN(const bool row, Step());
    if (!row) return Ok();
  }
}

std::string SqliteStatement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return text == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

Result<SqliteDatabase> SqliteDatabase::Open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteDatabase database(raw);
  if (code != SQLITE_OK) return SqliteError(raw, code).Context("while opening the lineage store " + path);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, kBusyTimeoutMs);
  // The store is an index that can be rebuilt, so a crash of the machine may cost its newest rows.
  BRAID_TRY(database.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;").Context("while opening the lineage store " + path));
  return database;
}

Result<SqliteStatement> SqliteDatabase::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return SqliteError(database_.get(), code);
  return SqliteStatement(statement);
}

Status SqliteDatabase::Execute(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return SqliteError(database_.get(), code);
  return Ok();
}

Result<SqliteTransaction> SqliteTransaction::Begin(SqliteDatabase& database) {
  BRAID_TRY(database.Execute("BEGIN IMMEDIATE"));
  return SqliteTransaction(database);
}

SqliteTransaction::~SqliteTransaction() {
  // A rollback that fails leaves the transaction to the connection's end, which rolls it back too.
  if (database_ != nullptr) static_cast<void>(database_->Execute("ROLLBACK"));
}

Status SqliteTransaction::Commit() {
  BRAID_TRY(database_->Execute("COMMIT"));
  database_ = nullptr;
  return Ok();
}

}  // namespace braid
