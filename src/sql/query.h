#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "duck/engine.h"
#include "duck/function_table.h"
#include "syntax/query.h"

namespace braid {

/// What a table name in a query stands for.
struct ResolvedTable {
  std::string catalog;
  Identifier identifier;
  /// The stored or virtual table, opened with the hints' options; or a view's query.
  std::optional<Relation> relation;
  /// A view: its text, parsed, and the names that its columns have.
  std::optional<syntax::QueryPtr> view;
  std::vector<std::string> view_columns;
  /// Options that the table was opened with: those of the hints and of FOR SYSTEM_TIME AS OF. A view that has them has
  /// passed them on to the tables in its query.
  Options options;
};

/// Names that queries see: catalogs, the current catalog and database, temporary tables and views, the time of the
/// statement. The session implements it.
class NameResolver {
 public:
  virtual ~NameResolver() = default;
  /// `hints`: the options of a `/*+ OPTIONS(…) */` hint. Errors: kNotFound naming the nearest table, kInvalidArgument.
  virtual Result<ResolvedTable> ResolveTable(const syntax::QualifiedName& name, const Options& hints) const = 0;
  virtual std::string current_catalog() const = 0;
  virtual std::string current_database() const = 0;
  /// `table.local-time-zone`.
  virtual std::string time_zone() const = 0;
  /// The instant that CURRENT_TIMESTAMP and its like show throughout the statement, epoch milliseconds.
  virtual std::int64_t statement_time_ms() const = 0;
  /// DuckDB SQL for that instant, a BIGINT, where a query is analysed once and run at many times; nullopt: it is the
  /// constant.
  virtual std::optional<std::string> statement_time_sql() const { return std::nullopt; }
};

/// A column of a query's result, with Flink's name (EXPR$0 …) and type.
struct QueryColumn {
  std::string name;
  SqlType type = SqlType::Null();
};

/// A table that the query reads, for lineage: with the snapshot that was planned.
struct QuerySource {
  std::string catalog;
  Identifier identifier;
  Table table;
  std::optional<SnapshotId> snapshot;  ///< nullopt: the table had none
  /// Whether the changes of a range were read (`incremental-between`), and its start.
  std::optional<SnapshotId> changes_after;
};

struct Operator;  // sql/operator.h: the operator tree

/// A query with names, types and operators settled: the input of execution, EXPLAIN, lineage and, later, of delta
/// programs.
struct AnalyzedQuery {
  std::vector<QueryColumn> columns;
  bool ordered = false;  ///< it has an outer ORDER BY
  std::shared_ptr<const Operator> root;
  /// Positions of columns that SQL around the query looks at; the others it hands on as they are.
  std::set<std::size_t> looked_at = {};
};

/// Settles names and types as Flink does. Errors: kInvalidArgument with line, caret and what was expected; kNotFound
/// with the nearest name; kUnsupported naming what Flink has and this version lacks. `text`: what the query was parsed
/// from, for carets.
Result<AnalyzedQuery> AnalyzeQuery(const syntax::Query& query, std::string_view text, const NameResolver& names);

/// As AnalyzeQuery, for the query of an INSERT: its columns may be NULL without a type (SqlType::Null()), since the
/// sink gives one.
Result<AnalyzedQuery> AnalyzeInsertSource(const syntax::Query& query, std::string_view text, const NameResolver& names);

/// An expression without columns: DEFAULTs, arguments of CALL, values of partitions.
Result<EmittedCall> AnalyzeConstant(const syntax::Expression& expression, std::string_view text,
                                    const NameResolver& names);

/// DuckDB SQL with the sources that it reads. Registrations live as long as the program.
struct DuckProgram {
  std::string sql;
  std::vector<ScanRegistration> registrations;
  std::vector<QuerySource>
      sources;  ///< each table once a reference; planned when the program was made, so exactly what is read
};

/// Emits the query for the engine, pinning each table to the snapshot that is planned now.
Result<DuckProgram> EmitDuckSql(const AnalyzedQuery& query, DuckEngine& engine);

/// The operator tree as EXPLAIN prints it.
std::string ExplainQuery(const AnalyzedQuery& query);

}  // namespace braid
