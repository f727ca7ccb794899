#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "duck/late_values.h"
#include "types/batch.h"
#include "types/data_type.h"

namespace braid {

class ScanSource;

/// How the embedded DuckDB is set up.
struct EngineSettings {
  /// The database file, made if it is missing; empty: in memory.
  std::string database_path;
  /// Where DuckDB spills; the folder is made when it is needed. Empty: it does not spill, and too little memory is an
  /// error.
  std::string temp_directory;
  /// ≥ 1. DuckDB runs scan callbacks on these threads.
  int threads = 1;
  /// > 0; soft limit of what DuckDB holds.
  std::int64_t memory_limit_bytes = std::int64_t{512} << 20;
  bool read_only = false;
  /// ≥ 1. Values of late columns (DuckEngine::Register) from this length on wait outside of DuckDB.
  std::int64_t late_value_bytes = std::int64_t{1} << 20;
};

/// A column of a result.
struct ResultColumn {
  std::string name;       ///< as DuckDB names it
  std::string duck_type;  ///< e.g. "DECIMAL(10,2)"
  /// Type of the column in the batches: the wanted one or, nullable at every level, the one nearest to duck_type:
  /// UTINYINT SMALLINT, USMALLINT INT, UINTEGER BIGINT, UBIGINT DECIMAL(20, 0), HUGEINT DECIMAL(38, 0), UUID CHAR(36),
  /// ENUM STRING, TIMESTAMP_S TIMESTAMP(0), TIMESTAMP_MS TIMESTAMP(3), TIMESTAMP and TIMESTAMPTZ precision 6, TIME
  /// precision 3.
  DataType type;
};

/// Rows of one statement, read as they are made. Keeps its connection alive. One thread at a time.
class QueryResult : public BatchReader {
 public:
  virtual const std::vector<ResultColumn>& columns() const = 0;
};

/// A registered table source. While it lives, sql() in a FROM clause of any connection of the engine reads the source;
/// a query that is already bound keeps the source by itself.
class ScanRegistration {
 public:
  ScanRegistration() = default;
  ScanRegistration(ScanRegistration&&) noexcept = default;
  ScanRegistration& operator=(ScanRegistration&&) noexcept = default;

  /// The table function call, "braid_scan(17)". Give it an alias with a column list ("… AS t(c0, c1)") wherever names
  /// may differ in case only: DuckDB's names do not distinguish case.
  const std::string& sql() const { return sql_; }

 private:
  friend class DuckEngine;
  ScanRegistration(std::string sql, std::shared_ptr<void> guard) : sql_(std::move(sql)), guard_(std::move(guard)) {}
  std::string sql_;
  std::shared_ptr<void> guard_;
};

/// One session: its transaction and its temporary tables. One thread at a time, but for Cancel.
class DuckConnection {
 public:
  virtual ~DuckConnection() = default;

  /// Runs one or more statements and drops their rows. Statements before the one that failed keep their effect unless a
  /// transaction is open.
  /// Errors: kInvalidArgument (a value or an argument), kNotFound, kUnavailable (memory), kIo, kCancelled, kInternal
  /// (SQL that DuckDB does not accept: the statement is ours). An error raised by a ScanSource comes back as it was.
  virtual Status Execute(std::string_view sql) = 0;

  /// Starts one statement and streams its rows; returns when the first are there; running another statement on this
  /// connection ends the stream with an error. `wanted` gives the types of the batches' columns, as many as the result
  /// has; empty means those said at ResultColumn. A column of another DuckDB type than ToDuckType(wanted) is cast by
  /// DuckDB's strict rules, so SQL that needs Flink's must say it. Nullability of `wanted` is not enforced. A row with
  /// late values is a batch by itself. Errors as for Execute.
  virtual Result<std::unique_ptr<QueryResult>> Query(std::string_view sql, std::span<const DataType> wanted = {}) = 0;

  /// Columns of the rows that one statement would give, without running it.
  virtual Result<std::vector<ResultColumn>> Describe(std::string_view sql) = 0;

  /// Appends rows to a table of DuckDB with columns of the same number and order, matching ToDuckType(type) of the
  /// fields. Row kinds are ignored.
  virtual Status Append(std::string_view table, std::span<const DataField> fields, const Batch& batch) = 0;

  /// Stops the statement that runs, if one does: it ends with kCancelled. Any thread.
  virtual void Cancel() = 0;
};

/// One DuckDB database, with Flink's scalar functions (duck/function_table.h) and `braid_scan`. Thread-safe.
///
/// Every setting that results depend on is fixed here and not left to defaults: NULL sorts first ascending and last
/// descending unless the SQL says otherwise (Flink's order), time zone UTC, no extension is fetched or loaded,
/// insertion order is not kept, integer division is DuckDB's `//`.
class DuckEngine {
 public:
  ~DuckEngine();
  DuckEngine(const DuckEngine&) = delete;
  DuckEngine& operator=(const DuckEngine&) = delete;

  /// Opens the database. Errors: kInternal if the DuckDB library has another version than our headers; kIo, kConflict
  /// (the file is in use), kCorruption naming the file; kInvalidArgument for settings out of range.
  static Result<std::unique_ptr<DuckEngine>> Open(const EngineSettings& settings);

  /// A new session. It may outlive the engine object; the database closes with the last of both.
  Result<std::unique_ptr<DuckConnection>> Connect();

  /// Makes a source readable in SQL. Of its late fields DuckDB gets references to long values, so that statements may
  /// do nothing with them but hand them on and compare them for equality; they find their values as long as somebody
  /// else holds those, too.
  ScanRegistration Register(std::shared_ptr<const ScanSource> source, LateFields late = {});

  /// A place for the late values of any number of sources, which Query looks into while it exists.
  std::shared_ptr<LateValues> MakeLateValues();

  /// Bytes that DuckDB holds in memory and in spill files now.
  struct Usage {
    std::int64_t memory_bytes = 0;
    std::int64_t spilled_bytes = 0;
  };
  Result<Usage> usage() const;

  struct Impl;

 private:
  explicit DuckEngine(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace braid
