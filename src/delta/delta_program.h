#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/query.h"

namespace braid {

// A query as a delta program: SQL text that turns the changes of the query's sources into the change of its result.
// Nothing is executed here.
//
// Every stream of rows is a Z-set: rows with a signed weight `w` (BIGINT), +n for n rows that came, -n for n that went.
// One epoch takes one set of changes of all sources together. DuckDB keeps what has to be remembered in state tables.
//
// What runs a program does this, on one connection of the job's DuckDB file:
//
//   once a connection  create_sql of every temp table.
//   new job            create_sql of every state table; for every source i a view or table `new_<i>` of its content at
//                      the start; then one transaction: all steps of `bootstrap`. `out` is the first change of the
//                      result: the whole result, every weight positive.
//   every epoch        fill `src_<i>`; make `old_<i>` and `new_<i>` where a source says that they are needed; then in
//                      one transaction the steps of `epoch` in their order, and read `out`.
//   between epochs     create_sql of every temp table that is not empty, which empties it.
//
// CURRENT_TIMESTAMP and its like: if the resolver of names gives kEpochTimeSql as statement_time_sql(), they show the
// time of the epoch, which the runner sets before the bootstrap and before every epoch by
// "SET VARIABLE epoch_time_ms = CAST(… AS BIGINT)". DuckDB puts the value into a statement when it plans it, so that
// steps of such a program must be planned anew each time (DeltaProgram::reads_time).
//
// A step adds rows to its output alone, and does nothing if all its inputs are empty: then it may be left out. An epoch
// whose transaction is rolled back leaves nothing behind but rows of temp tables made outside of it.

/// The time of the epoch in milliseconds since 1970, as DuckDB SQL.
inline constexpr std::string_view kEpochTimeSql = "getvariable('epoch_time_ms')";

/// What the runner knows of a source before the program is made.
struct SourceTraits {
  /// Changes never take a row back: every weight in `src_<i>` is positive. Allows cheaper state.
  bool append_only = false;
  /// The runner can show the source's content before and after an epoch (`old_<i>`, `new_<i>`) by time travel. Then
  /// joins read it there, where they would otherwise keep the source's rows in state.
  bool time_travel = false;
};

struct DeltaOptions {
  /// Called once for every source.
  std::function<SourceTraits(const ResolvedTable&)> traits;
  /// `float-aggregate = fast`: running sums of FLOAT and DOUBLE even where rows are taken back, which are inexact. Else
  /// groups that change are summed anew.
  bool fast_float_sums = false;
};

struct DeltaColumn {
  std::string name;
  std::string duck_type;
};

/// A table of DuckDB.
struct DeltaTable {
  std::string name;
  std::vector<DeltaColumn> columns;
  /// "CREATE OR REPLACE TEMP TABLE …", which also empties it; of a state table "CREATE TABLE …". No constraints.
  std::string create_sql;
};

/// A table that the query reads. All references to the same table with the same options are one source.
struct DeltaSource {
  ResolvedTable table;
  SourceTraits traits;
  /// Positions of the relation's columns (FieldsOf) that the program reads, ascending; may be none, when rows are only
  /// counted. The columns of `src_<i>`, `old_<i>` and `new_<i>` are named `c<position>`, in this order.
  std::vector<std::size_t> columns;
  /// Of these the ones whose values all steps only hand on or compare for equality: they may be late
  /// (DuckEngine::Register).
  std::set<std::size_t> late_columns = {};
  /// The temp table `src_<i>` for the changes: these columns and then `w`. Rows may occur several times and with
  /// opposite weights: they need not be consolidated. No weight is 0. Values are of ToDuckType(field type).
  DeltaTable changes;
  /// Whether an epoch reads `old_<i>` (the content before the epoch's changes) or `new_<i>` (after them): these columns
  /// in rows without weight, a row as often as it is there. new = old + changes must hold exactly. Only true with
  /// traits.time_travel. The steps run faster if these are views over scans into which filters can be pushed.
  /// Bootstrap reads `new_<i>` of every source and no `src_<i>`.
  bool needs_old = false;
  bool needs_new = false;
};

/// A table of the job's DuckDB file that one operator keeps its state in. Its name holds the operator's identity: state
/// of a table with the same name, brought to the same source positions by another program, can be kept.
struct StateTable {
  DeltaTable table;
  std::string content;  ///< for people: "groups", "rows of the left input" …
};

/// One statement. Its text never changes, so that it can be prepared.
struct DeltaStep {
  std::string sql;
  /// Temp tables: the statement does nothing if all of them are empty. None: it has to run always.
  std::vector<std::string> inputs;
  /// The temp or state table that it changes: rows are added, or deleted from a state table.
  std::string output;
};

/// What becomes of one operator of the query, for EXPLAIN.
struct DeltaNode {
  std::string text;                 ///< the operator, as ExplainQuery prints it
  std::string rule;                 ///< "linear", "join of 3 inputs", "recompute and compare" …
  std::vector<std::string> state;   ///< names of its state tables
  std::string fallback_reason;      ///< why it is recomputed; empty if it has a rule
  bool append_only = false;         ///< its result only ever gains rows
  std::vector<std::size_t> inputs;  ///< positions in DeltaProgram::nodes, before its own
};

struct DeltaProgram {
  std::vector<DeltaSource> sources;
  std::vector<StateTable> state_tables;
  /// All temp tables that steps read or write: those of the sources and `out` are among them.
  std::vector<DeltaTable> temp_tables;
  /// Fills the state tables and `out` from `new_<i>`. A step whose output is a state table that is kept from another
  /// run may be left out.
  std::vector<DeltaStep> bootstrap;
  /// Fills `out` and brings the state tables up to date.
  std::vector<DeltaStep> epoch;
  /// `out`: columns `c<i>` for the i-th of AnalyzedQuery::columns, and `w`. After the steps it is consolidated: no row
  /// twice, no weight 0.
  DeltaTable output;
  /// The operators, inputs before what reads them; the last one gives the result.
  std::vector<DeltaNode> nodes;
  /// Whether a step reads the time of the epoch.
  bool reads_time = false;
  /// Names the program with its state: programs with equal identity have the same sources, state tables and result.
  std::string identity;
};

/// Makes the program. ORDER BY without LIMIT has no meaning for a result that changes, and is left out.
///
/// Errors: kUnsupported for an expression that gives another value each time (RAND, UUID, CURRENT_TIMESTAMP) elsewhere
/// than in SELECT lists and WHERE.
Result<DeltaProgram> MakeDeltaProgram(const AnalyzedQuery& query, const DeltaOptions& options);

/// The nodes as a tree with rule, state, and the reason where one is recomputed.
std::string ExplainDelta(const DeltaProgram& program);

}  // namespace braid
