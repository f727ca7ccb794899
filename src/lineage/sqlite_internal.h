#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

#include "base/result.h"

namespace braid {

/// A prepared statement; parameters are bound in order, rows read with Step. One thread at a time.
class SqliteStatement {
 public:
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  SqliteStatement& Bind(std::int64_t value);
  SqliteStatement& Bind(std::string_view value);
  SqliteStatement& Bind(const std::string& value) { return Bind(std::string_view(value)); }
  SqliteStatement& Bind(const std::optional<std::int64_t>& value);
  SqliteStatement& Bind(const std::optional<std::string>& value);

  /// True if a row is there; false at the end.
  Result<bool> Step();
  /// Runs to the end, dropping rows.
  Status Run();

  int column_count() const { return sqlite3_column_count(statement_.get()); }
  bool IsNull(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  bool IsInteger(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER; }
  std::int64_t Int(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  std::string Text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_parameter_ = 1;
};

/// An open database file. One thread at a time.
class SqliteDatabase {
 public:
  static Result<SqliteDatabase> Open(const std::string& path);
  Result<SqliteStatement> Prepare(std::string_view sql);
  /// Runs statements without parameters.
  Status Execute(const std::string& sql);
  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(database_.get()); }
  std::int64_t changes() const { return sqlite3_changes(database_.get()); }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  explicit SqliteDatabase(sqlite3* database) : database_(database) {}
  std::unique_ptr<sqlite3, Close> database_;
};

/// A write transaction: committed by Commit, else rolled back.
class SqliteTransaction {
 public:
  static Result<SqliteTransaction> Begin(SqliteDatabase& database);
  SqliteTransaction(SqliteTransaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  SqliteTransaction& operator=(SqliteTransaction&&) = delete;
  ~SqliteTransaction();
  Status Commit();

 private:
  explicit SqliteTransaction(SqliteDatabase& database) : database_(&database) {}
  SqliteDatabase* database_;  // outlives the transaction; null once it has ended
};

}  // namespace braid
