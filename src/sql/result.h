#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/identifier.h"
#include "meta/snapshot.h"
#include "sql/query.h"
#include "types/batch.h"
#include "types/datum.h"

namespace braid {

/// What an INSERT made of one table.
struct SinkResult {
  std::string catalog;
  Identifier identifier;
  std::vector<Snapshot> snapshots;  ///< in order; none if there was nothing to write
};

/// A job that a statement started.
struct StartedStream {
  std::string id;
  std::string name;
};

/// What came of a statement.
struct StatementResult {
  enum class Kind {
    kDone,     ///< DDL, SET and the like: nothing to show
    kWritten,  ///< an INSERT or a statement set, committed
    kSubmitted,  ///< an INSERT that goes on as a job
    kRows,     ///< what SHOW, DESCRIBE, EXPLAIN and CALL say
    kQuery,    ///< the rows of a query, made while they are read
    kQuit,     ///< QUIT: the shell ends
    kHelp,     ///< HELP: the shell explains itself
    kClear,    ///< CLEAR: the shell clears the screen
  };
  Kind kind = Kind::kDone;
  std::vector<QueryColumn> columns = {};
  bool ordered = false;  ///< the query has an outer ORDER BY
  /// Of kRows and kQuery: columns of the types that StorageType gives. Use it before the next statement runs.
  std::unique_ptr<BatchReader> rows = nullptr;
  std::vector<SinkResult> sinks = {};     ///< of kWritten
  StartedStream job = {};                 ///< of kSubmitted
  std::vector<std::string> notices = {};  ///< what the user should know beside the result, one line each
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();  ///< when the statement began
};

/// The type of the batches' column that holds values of this SQL type: intervals are BIGINT, bare NULLs INT.
DataType StorageType(const SqlType& type);

/// A result of a few rows that are there already. Columns are named and typed as given.
Result<StatementResult> RowsResult(std::vector<QueryColumn> columns, const std::vector<DatumList>& rows);
/// A result of one column of texts.
Result<StatementResult> TextResult(std::string column, const std::vector<std::string>& texts);

/// A type as Flink's DESCRIBE and TYPEOF print it: "TIMESTAMP_LTZ(3)", "INTERVAL MONTH NOT NULL", "STRING".
std::string SummaryTypeText(const SqlType& type);
/// A type as Flink's SHOW CREATE TABLE prints it: "VARCHAR(2147483647)", "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL".
std::string SerializableTypeText(const DataType& type);

/// Appends a value as JSON: numbers as numbers (DOUBLE in Java's form; NaN and infinities in quotes), DECIMAL and times
/// as text with all digits of their type (TIMESTAMP_LTZ in UTC with "Z"), bytes in hexadecimal, intervals as
/// {"months":n} and {"millis":n}, MAP and MULTISET as an array of [key,value] sorted by key, ROW as an object.
void AppendJsonValue(const Datum& value, const SqlType& type, std::string& out);
/// The same of a row of a column of the type's StorageType; texts and bytes are not copied on the way.
void AppendJsonValue(const arrow::Array& column, std::int64_t row, const SqlType& type, std::string& out);

/// A value as Flink's SQL client prints it: NULL is "<NULL>" but "NULL" within another value; TIMESTAMP_LTZ in the
/// zone. Errors: kInvalidArgument for an unknown zone.
Result<std::string> DisplayText(const Datum& value, const SqlType& type, std::string_view zone);
/// The same of a row of a column of the type's StorageType.
Result<std::string> DisplayText(const arrow::Array& column, std::int64_t row, const SqlType& type,
                                std::string_view zone);

}  // namespace braid
