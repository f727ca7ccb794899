// GROUP BY: one row of state a group, with its number of rows and its accumulators.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "delta/accumulators_internal.h"
#include "delta/compiler_internal.h"
#include "delta/match_counts_internal.h"
#include "sql/aggregate_sql.h"
#include "sql/analysis.h"

namespace braid {
namespace {

/// A value that is there at least once.
constexpr std::string_view kPresent = "CASE WHEN {n} > 0 THEN 1 ELSE 0 END";

class GroupRule {
 public:
  GroupRule(Compiler& compiler, const OperatorPtr& node, const op::Aggregate& aggregate, DeltaStream input)
      : compiler_(compiler),
        builder_(compiler.builder()),
        node_(*node),
        aggregate_(aggregate),
        input_(std::move(input)),
        identity_(compiler.IdentityOf(*node)) {}

  Result<DeltaStream> Compile() {
    BRAID_TRY(Prepare());
    BRAID_TRY(AddBootstrap());
    if (!input_.changes.empty()) BRAID_TRY(AddEpoch());
    return MakeStream();
  }

 private:
  bool is_global() const { return key_columns_.empty(); }
  /// Groups never go and have no results: new ones are all that changes.
  bool only_grows() const { return input_.append_only && plan_.results.empty() && !is_global(); }

  Status Prepare() {
    for (std::size_t i = 0; i < aggregate_.keys.size(); ++i)
      key_columns_.push_back(compiler_.columns().Make(node_.columns[i].name, aggregate_.keys[i].type));
    std::vector<AggregateCall> calls;
    for (const AggregateCall& call : aggregate_.calls) {
      if (compiler_.IsUsed(call.output.id)) calls.push_back(call);
    }
    BRAID_TRY_ASSIGN(
        plan_, PlanAccumulators(compiler_.columns(), calls, input_.append_only, compiler_.options().fast_float_sums));
    keys_ = NumberedNames("k", key_columns_.size());
    arguments_ = NumberedNames("x", plan_.arguments.size());
    accumulators_ = NumberedNames("a", plan_.accumulators.size());
    for (const OutputColumn& column : key_columns_) {
      BRAID_TRY_ASSIGN(std::string type, DuckTypeOf(column.type));
      key_types_.push_back(DeltaColumn{.name = keys_[key_types_.size()], .duck_type = std::move(type)});
    }
    row_columns_ = key_columns_;
    for (const AccumulatorPlan::Argument& argument : plan_.arguments) row_columns_.push_back(argument.column);

    std::vector<DeltaColumn> columns = key_types_;
    columns.push_back(DeltaColumn{.name = "n", .duck_type = "BIGINT"});
    for (std::size_t i = 0; i < accumulators_.size(); ++i)
      columns.push_back(DeltaColumn{.name = accumulators_[i], .duck_type = plan_.accumulators[i].duck_type});
    groups_ = builder_.AddStateTable(identity_, "groups", "one row a group", std::move(columns));
    return PrepareRows();
  }

  Status PrepareRows() {
    for (std::size_t i = 0; i < plan_.distinct.size(); ++i) {
      std::vector<OutputColumn> columns = key_columns_;
      columns.push_back(plan_.arguments[plan_.distinct[i].argument].column);
      BRAID_TRY_ASSIGN(CountedRows values, CountedRows::Make(builder_, identity_, fmt::format("distinct{}", i + 1),
                                                             "distinct values of each group", std::move(columns)));
      distinct_.push_back(std::move(values));
    }
    if (plan_.row_calls.empty()) return Ok();
    ColumnSet read;
    for (const AggregateCall& call : plan_.row_calls) {
      for (const Scalar& argument : call.arguments) read.insert(argument.columns.begin(), argument.columns.end());
      if (call.filter) read.insert(call.filter->columns.begin(), call.filter->columns.end());
    }
    kept_columns_ = key_columns_;
    kept_names_ = keys_;
    for (std::size_t i = 0; i < plan_.arguments.size(); ++i) {
      if (!read.contains(plan_.arguments[i].column.id)) continue;
      kept_columns_.push_back(plan_.arguments[i].column);
      kept_names_.push_back(arguments_[i]);
    }
    BRAID_TRY_ASSIGN(rows_, Arrangement::Make(builder_, identity_, "rows", "rows of each group", kept_columns_));
    return Ok();
  }

  /// Keys and arguments of rows.
  WeightedRows RowsOf(const WeightedRows& input) const {
    std::vector<Scalar> values = aggregate_.keys;
    for (const AccumulatorPlan::Argument& argument : plan_.arguments) values.push_back(argument.value);
    return ProjectRows(input, row_columns_, std::move(values));
  }

  /// Those rows of a group whose distinct values are counted.
  WeightedRows DistinctRows(const WeightedRows& rows, std::size_t position) const {
    const AccumulatorPlan::DistinctValue& value = plan_.distinct[position];
    const ColumnId argument = plan_.arguments[value.argument].column.id;
    Scalar condition{.type = DataType::Boolean(), .sql = fmt::format("{} IS NOT NULL", ColumnSql(argument))};
    condition.columns.push_back(argument);
    if (value.filter) {
      const ColumnId filter = plan_.arguments[*value.filter].column.id;
      condition.sql += " AND " + ColumnSql(filter);
      condition.columns.push_back(filter);
    }
    return {.rows = MakeOperator(rows.rows->columns, op::Filter{.input = rows.rows, .condition = condition}),
            .weights = rows.weights};
  }
  std::vector<OutputColumn> DistinctColumns(std::size_t position) const {
    std::vector<OutputColumn> columns = key_columns_;
    columns.push_back(plan_.arguments[plan_.distinct[position].argument].column);
    return columns;
  }

  // ---- Partial results ----

  /// One row a group: keys, n and accumulators of what is in `from`, with columns k…, x… and w; those over distinct
  /// values from `distinct`, with columns k…, x and w.
  std::string PartialsSql(const std::string& from, const std::vector<std::string>& distinct) const {
    std::string parts = PartSql(from, std::nullopt);
    if (distinct.empty()) return parts;
    for (std::size_t i = 0; i < distinct.size(); ++i) parts += " UNION ALL " + PartSql(distinct[i], i);
    std::vector<std::string> sums = {"CAST(sum(n) AS BIGINT) AS n"};
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      const Accumulator& accumulator = plan_.accumulators[i];
      const std::string_view function = accumulator.kind == Accumulator::Kind::kMin   ? "min"
                                        : accumulator.kind == Accumulator::Kind::kMax ? "max"
                                        : accumulator.kind == Accumulator::Kind::kSum ? "sum"
                                                                                      : "any_value";
      sums.push_back(fmt::format("CAST({0}({1}) AS {2}) AS {1}", function, accumulators_[i], accumulator.duck_type));
    }
    return fmt::format("SELECT {} FROM ({}){}", CommaList({keys_, sums}), parts, GroupBySql(keys_));
  }

  std::string PartSql(const std::string& from, std::optional<std::size_t> distinct) const {
    std::vector<std::string> values = {distinct ? "CAST(0 AS BIGINT) AS n"
                                                : "CAST(coalesce(sum(w), 0) AS BIGINT) AS n"};
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      const Accumulator& accumulator = plan_.accumulators[i];
      const bool here = accumulator.kind != Accumulator::Kind::kResult && accumulator.distinct == distinct;
      values.push_back(fmt::format("{} AS {}",
                                   here ? accumulator.partial : fmt::format("CAST(NULL AS {})", accumulator.duck_type),
                                   accumulators_[i]));
    }
    return fmt::format("SELECT {} FROM {}{}", CommaList({keys_, values}), from, GroupBySql(keys_));
  }

  /// The calls that need all rows of a group, one row a group with columns k… and the calls' accumulators. `touched`:
  /// a relation with columns k…; empty: all groups.
  Result<std::string> RowCallsSql(Phase phase, const std::string& touched) {
    ColumnMaker& maker = compiler_.columns();
    const OutputColumn order = maker.Make("order", DataType::BigInt().NotNull());
    std::vector<OutputColumn> columns = kept_columns_;
    if (plan_.depends_on_order) columns.push_back(order);
    WeightedRows rows = plan_.depends_on_order ? rows_->ReadInOrder(builder_, order) : rows_->Read(builder_);
    if (!touched.empty() && !is_global()) {
      const std::vector<OutputColumn> wanted = maker.MakeLike(key_columns_);
      const WeightedRows keys{
          .rows = MakeOperator(wanted,
                               op::DuckRows{.from = fmt::format("(SELECT {} FROM {})", CommaList({keys_}), touched)}),
          .weights = {}};
      rows = JoinRows(rows, keys, AllMatch(key_columns_, wanted));
    }
    const OperatorPtr single =
        plan_.counts_copies ? Expand(maker, rows, columns)
                            : MakeOperator(columns, op::Project{.input = rows.rows, .values = ColumnScalars(columns)});
    BRAID_TRY_ASSIGN(const std::string sql, builder_.Select(phase, single));
    std::vector<std::string> keys;
    for (const OutputColumn& key : key_columns_) keys.push_back(ColumnSql(key.id));
    std::vector<std::string> calls;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < plan_.row_calls.size(); ++i) {
      const AggregateCall& call = plan_.row_calls[i];
      BRAID_TRY_ASSIGN(std::string call_sql, AggregateSql(call, "", DependsOnOrder(call) ? ColumnSql(order.id) : ""));
      calls.push_back(std::move(call_sql));
      names.push_back(accumulators_[plan_.row_accumulators[i]]);
    }
    return fmt::format("(SELECT {} FROM ({}){}) AS r({})", CommaList({keys, calls}), sql, GroupBySql(keys),
                       CommaList({keys_, names}));
  }

  std::string JoinRowCalls(const std::string& row_calls) const {
    return row_calls.empty() ? "" : fmt::format(" LEFT JOIN {} ON {}", row_calls, MatchSql("g", "r", keys_));
  }
  std::string ChangeOf(std::size_t i) const {
    const bool is_result = plan_.accumulators[i].kind == Accumulator::Kind::kResult;
    return fmt::format("{}.{}", is_result ? "r" : "g", accumulators_[i]);
  }

  // ---- Bootstrap ----

  Status AddBootstrap() {
    const WeightedRows rows = RowsOf(input_.initial);
    std::vector<std::string> distinct;
    for (std::size_t i = 0; i < distinct_.size(); ++i) {
      BRAID_TRY(distinct_[i].Fill(builder_, {DistinctRows(rows, i), DistinctColumns(i)}, std::nullopt));
      BRAID_TRY_ASSIGN(const std::string sql,
                       builder_.Select(Phase::kBootstrap, distinct_[i].Read(builder_, kPresent), DistinctColumns(i)));
      distinct.push_back(fmt::format("({}) AS y({})", sql, CommaList({keys_, {"x", "w"}})));
    }
    std::string row_calls;
    if (rows_) {
      BRAID_TRY(rows_->Fill(builder_, rows));
      BRAID_TRY_ASSIGN(row_calls, RowCallsSql(Phase::kBootstrap, {}));
    }
    BRAID_TRY_ASSIGN(const std::string sql, builder_.Select(Phase::kBootstrap, rows, row_columns_));
    const std::string from = fmt::format("({}) AS p({})", sql, CommaList({keys_, arguments_, {"w"}}));
    std::vector<std::string> values = Qualified("g", keys_);
    values.emplace_back("g.n");
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      const Accumulator& accumulator = plan_.accumulators[i];
      values.push_back(CombineSql(accumulator, fmt::format("CAST(NULL AS {})", accumulator.duck_type), ChangeOf(i)));
    }
    builder_.AddStep(
        Phase::kBootstrap,
        fmt::format("INSERT INTO {} SELECT {} FROM ({}) AS g{}{}", groups_, CommaList({values}),
                    PartialsSql(from, distinct), JoinRowCalls(row_calls), is_global() ? "" : " WHERE g.n > 0"),
        {}, groups_);
    return Ok();
  }

  // ---- Epoch ----

  /// What the changes are read from, with columns k…, x… and w, and the temp tables behind it.
  struct ChangedRows {
    std::string from;
    std::vector<std::string> inputs;
  };

  Result<ChangedRows> ReadChanges() {
    const std::string row = CommaList({keys_, arguments_, {"w"}});
    if (input_.changes.size() == 1 && distinct_.empty() && !rows_) {
      const Change& change = input_.changes.front();
      BRAID_TRY_ASSIGN(const std::string sql, builder_.Select(Phase::kEpoch, RowsOf(change.rows), row_columns_));
      return ChangedRows{.from = fmt::format("({}) AS p({})", sql, row), .inputs = change.inputs};
    }
    std::vector<DeltaColumn> columns = key_types_;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      BRAID_TRY_ASSIGN(std::string type, DuckTypeOf(plan_.arguments[i].column.type));
      columns.push_back(DeltaColumn{.name = arguments_[i], .duck_type = std::move(type)});
    }
    columns.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
    const std::string table = builder_.AddTempTable("p", std::move(columns));
    for (const Change& change : input_.changes) {
      BRAID_TRY_ASSIGN(const std::string sql, builder_.Select(Phase::kEpoch, RowsOf(change.rows), row_columns_));
      builder_.AddStep(Phase::kEpoch, fmt::format("INSERT INTO {} {}", table, sql), change.inputs, table);
    }
    return ChangedRows{.from = table, .inputs = {table}};
  }

  /// Brings the rows of groups up to date.
  Status UpdateRows(const ChangedRows& changes) {
    std::vector<DeltaColumn> columns;
    BRAID_TRY_ASSIGN(columns, builder_.ValueColumns(kept_columns_));
    columns.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
    const std::string table = builder_.AddTempTable("m", std::move(columns));
    builder_.AddStep(
        Phase::kEpoch,
        fmt::format("INSERT INTO {} SELECT {} FROM {}{} HAVING sum(w) <> 0", table,
                    CommaList({kept_names_, {"CAST(sum(w) AS BIGINT)"}}), changes.from, GroupBySql(kept_names_)),
        changes.inputs, table);
    rows_->Update(builder_, table, input_.append_only);
    return Ok();
  }

  /// Brings the distinct values up to date; returns what came (w = 1) and went (w = -1), with columns k…, x and w.
  Result<std::vector<std::string>> UpdateDistinct(const ChangedRows& changes) {
    std::vector<std::string> distinct;
    for (std::size_t i = 0; i < distinct_.size(); ++i) {
      const WeightedRows rows = DistinctRows(ReadWeighted(compiler_.columns(), changes.from, row_columns_), i);
      const CountedRows::Part part{.changes = {Change{.rows = rows, .inputs = changes.inputs}},
                                   .columns = DistinctColumns(i)};
      BRAID_TRY(distinct_[i].Update(builder_, part, {.changes = {}, .columns = {}}));
      const Change changed = distinct_[i].Changes(builder_, kPresent);
      BRAID_TRY_ASSIGN(const std::string sql, builder_.Select(Phase::kEpoch, changed.rows, DistinctColumns(i)));
      distinct.push_back(fmt::format("({}) AS y({})", sql, CommaList({keys_, {"x", "w"}})));
    }
    return distinct;
  }

  Status AddEpoch() {
    BRAID_TRY_ASSIGN(const ChangedRows changes, ReadChanges());
    if (rows_) BRAID_TRY(UpdateRows(changes));
    BRAID_TRY_ASSIGN(const std::vector<std::string> distinct, UpdateDistinct(changes));
    std::string partials = fmt::format("({})", PartialsSql(changes.from, distinct));
    std::vector<std::string> inputs = changes.inputs;
    std::string row_calls;
    if (rows_) {
      std::vector<DeltaColumn> columns = key_types_;
      columns.push_back(DeltaColumn{.name = "n", .duck_type = "BIGINT"});
      for (std::size_t i = 0; i < accumulators_.size(); ++i)
        columns.push_back(DeltaColumn{.name = accumulators_[i], .duck_type = plan_.accumulators[i].duck_type});
      const std::string table = builder_.AddTempTable("g", std::move(columns));
      builder_.AddStep(Phase::kEpoch, fmt::format("INSERT INTO {} {}", table, partials), inputs, table);
      partials = table;
      inputs = {table};
      BRAID_TRY_ASSIGN(row_calls, RowCallsSql(Phase::kEpoch, table));
    }
    AddChangedGroups(partials, row_calls, inputs);
    UpdateGroups();
    return Ok();
  }

  void AddChangedGroups(const std::string& partials, const std::string& row_calls, std::vector<std::string> inputs) {
    std::vector<DeltaColumn> columns = key_types_;
    columns.push_back(DeltaColumn{.name = "r", .duck_type = "BIGINT"});
    std::vector<std::string> values = Qualified("g", keys_);
    values.insert(values.end(), {"s.rowid", "coalesce(s.n, 0)"});
    std::vector<std::string> after = {"coalesce(s.n, 0) + g.n"};
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      const std::string before = "s." + accumulators_[i];
      values.push_back(before);
      after.push_back(CombineSql(plan_.accumulators[i], before, ChangeOf(i)));
    }
    values.insert(values.end(), after.begin(), after.end());
    for (const char* prefix : {"o_", "n_"}) {
      columns.push_back(DeltaColumn{.name = fmt::format("{}n", prefix), .duck_type = "BIGINT"});
      for (std::size_t i = 0; i < accumulators_.size(); ++i) {
        columns.push_back(DeltaColumn{.name = prefix + accumulators_[i], .duck_type = plan_.accumulators[i].duck_type});
      }
    }
    changed_ = builder_.AddTempTable("x", std::move(columns));
    builder_.AddStep(
        Phase::kEpoch,
        fmt::format("INSERT INTO {} SELECT {} FROM {} AS g LEFT JOIN {} AS s ON {}{}", changed_, CommaList({values}),
                    partials, groups_, MatchSql("g", "s", keys_), JoinRowCalls(row_calls)),
        std::move(inputs), changed_);
  }

  std::vector<std::string> NewNames() const {
    std::vector<std::string> names = keys_;
    names.emplace_back("n_n");
    for (const std::string& name : accumulators_) names.push_back("n_" + name);
    return names;
  }

  void UpdateGroups() {
    if (!only_grows()) {
      builder_.AddStep(
          Phase::kEpoch,
          fmt::format("DELETE FROM {} WHERE rowid IN (SELECT r FROM {} WHERE r IS NOT NULL)", groups_, changed_),
          {changed_}, groups_);
    }
    const std::string_view stays = only_grows() ? " WHERE r IS NULL" : (is_global() ? "" : " WHERE n_n > 0");
    builder_.AddStep(
        Phase::kEpoch,
        fmt::format("INSERT INTO {} SELECT {} FROM {}{}", groups_, CommaList({NewNames()}), changed_, stays),
        {changed_}, groups_);
  }

  // ---- The result ----

  /// The used columns of the result, from keys k… and accumulators with this prefix.
  Result<std::vector<std::string>> ResultSql(std::string_view prefix) const {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < node_.columns.size(); ++i) {
      if (!compiler_.IsUsed(node_.columns[i].id)) continue;
      if (i < keys_.size()) {
        values.push_back(keys_[i]);
        continue;
      }
      const auto result = std::find_if(plan_.results.begin(), plan_.results.end(), [&](const auto& candidate) {
        return candidate.column.id == node_.columns[i].id;
      });
      if (result == plan_.results.end()) {
        values.emplace_back("CAST(0 AS BIGINT)");  // GROUPING: without sets every key is part of every group
        continue;
      }
      BRAID_TRY_ASSIGN(std::string sql, CallResultSql(*result, prefix));
      values.push_back(std::move(sql));
    }
    return values;
  }

  Result<Change> ResultChange(const std::vector<OutputColumn>& columns) {
    BRAID_TRY_ASSIGN(const std::vector<std::string> before, ResultSql("o_"));
    BRAID_TRY_ASSIGN(const std::vector<std::string> after, ResultSql("n_"));
    std::string differs;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == after[i]) continue;
      differs += fmt::format("{}{} IS DISTINCT FROM {}", differs.empty() ? "" : " OR ", before[i], after[i]);
    }
    if (differs.empty()) differs = "false";
    const auto part = [&](const std::vector<std::string>& values, std::string_view weight, std::string_view condition) {
      return fmt::format("SELECT {} FROM {} WHERE {}", CommaList({values, {fmt::format("CAST({} AS BIGINT)", weight)}}),
                         changed_, condition);
    };
    const std::string_view stays = is_global() ? "true" : "n_n > 0";
    const std::string came = part(after, "1", fmt::format("{} AND (r IS NULL OR {})", stays, differs));
    const std::string went = part(before, "-1", fmt::format("r IS NOT NULL AND (NOT ({}) OR {})", stays, differs));
    const std::string from = only_grows() ? fmt::format("({})", came) : fmt::format("({} UNION ALL {})", went, came);
    return Change{.rows = ReadWeighted(compiler_.columns(), from, columns), .inputs = {changed_}};
  }

  Result<DeltaStream> MakeStream() {
    DeltaStream stream{.columns = compiler_.UsedColumnsOf(node_), .append_only = only_grows()};
    stream.consolidated =
        std::all_of(node_.columns.begin(), node_.columns.begin() + static_cast<std::ptrdiff_t>(keys_.size()),
                    [&](const OutputColumn& key) { return compiler_.IsUsed(key.id); });
    if (!input_.changes.empty()) {
      BRAID_TRY_ASSIGN(Change change, ResultChange(stream.columns));
      stream.changes.push_back(std::move(change));
    }
    BRAID_TRY_ASSIGN(const std::vector<std::string> values, ResultSql(""));
    const std::string content = fmt::format("(SELECT {} FROM {})", CommaList({values, {"CAST(1 AS BIGINT)"}}), groups_);
    stream.initial = ReadWeighted(compiler_.columns(), content, stream.columns);
    stream.new_content = stream.initial;
    if (input_.changes.empty()) stream.old_content = stream.initial;
    DeltaNode described{.text = DescribeOperator(node_),
                        .rule = is_global() ? "one group of all rows" : "groups",
                        .state = {groups_},
                        .fallback_reason = {},
                        .append_only = stream.append_only,
                        .inputs = {input_.node}};
    for (const CountedRows& values_of : distinct_) described.state.push_back(values_of.table());
    if (rows_) {
      described.state.push_back(rows_->table());
      described.rule += "; those that change are computed anew for";
      for (std::size_t i = 0; i < plan_.row_calls.size(); ++i)
        described.rule += fmt::format("{}{}", i == 0 ? " " : ", ", AggregateFunctionName(plan_.row_calls[i].function));
    }
    stream.node = compiler_.AddNode(std::move(described));
    return stream;
  }

  Compiler& compiler_;
  ProgramBuilder& builder_;
  const Operator& node_;
  const op::Aggregate& aggregate_;
  DeltaStream input_;
  std::string identity_;
  AccumulatorPlan plan_;

  std::vector<OutputColumn> key_columns_;  // k…
  std::vector<DeltaColumn> key_types_;
  std::vector<OutputColumn> row_columns_;   // k…, x…
  std::vector<OutputColumn> kept_columns_;  // those of the rows that are kept
  std::vector<std::string> kept_names_;
  std::vector<std::string> keys_;          // names k0, k1, …
  std::vector<std::string> arguments_;     // names x0, x1, …
  std::vector<std::string> accumulators_;  // names a0, a1, …

  std::string groups_;   // state table: k…, n, a…
  std::string changed_;  // temp table: k…, r (row id in the state, or NULL), o_n, o_a…, n_n, n_a…
  std::vector<CountedRows> distinct_;
  std::optional<Arrangement> rows_;
};

}  // namespace

Result<DeltaStream> CompileAggregate(Compiler& compiler, const OperatorPtr& node, const op::Aggregate& aggregate) {
  BRAID_TRY_ASSIGN(DeltaStream input, compiler.Compile(aggregate.input));
  return GroupRule(compiler, node, aggregate, std::move(input)).Compile();
}

}  // namespace braid
