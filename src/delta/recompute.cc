// What has no rule of its own is computed anew and compared with the last result, which is kept. Where rows fall into
// parts that do not affect each other, only the parts that changes touch.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "delta/compiler_internal.h"
#include "sql/analysis.h"

namespace braid {
namespace {

WeightedRows WithUnitWeight(ColumnMaker& maker, const OperatorPtr& rows, const std::vector<OutputColumn>& columns) {
  const OutputColumn weight = maker.MakeWeight();
  std::vector<OutputColumn> all = columns;
  all.push_back(weight);
  std::vector<Scalar> values = ColumnScalars(columns);
  values.push_back(Scalar{.type = weight.type, .sql = "CAST(1 AS BIGINT)"});
  return {.rows = MakeOperator(std::move(all), op::Project{.input = rows, .values = std::move(values)}),
          .weights = {weight}};
}

void AppendUnique(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  }
}

/// The last result of operators that are computed anew.
class KeptResult {
 public:
  /// `columns`: of the result; the first `key_count` say which part of the result a row belongs to.
  static Result<KeptResult> Make(Compiler& compiler, const std::string& identity, std::vector<OutputColumn> columns,
                                 std::size_t key_count) {
    BRAID_TRY_ASSIGN(Arrangement rows,
                     Arrangement::Make(compiler.builder(), identity, "result", "the last result", columns));
    return KeptResult(std::move(rows), std::move(columns), key_count);
  }

  const Arrangement& rows() const { return rows_; }

  /// Epoch: compares the new result of the touched parts with the last, which it replaces. `touched`: a relation with
  /// columns v0, v1, … of the keys; empty: everything. Returns the difference.
  Result<Change> Replace(Compiler& compiler, const OperatorPtr& result, const std::string& touched,
                         const std::vector<std::string>& inputs) {
    ProgramBuilder& builder = compiler.builder();
    const std::vector<std::string> names = NumberedNames("v", columns_.size());
    BRAID_TRY_ASSIGN(std::vector<DeltaColumn> types, builder.ValueColumns(columns_));
    types.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
    const std::string changes = builder.AddTempTable("x", std::move(types));
    BRAID_TRY_ASSIGN(const std::string sql,
                     builder.Select(Phase::kEpoch, WithUnitWeight(compiler.columns(), result, columns_), columns_));
    std::string semi_join;
    if (!touched.empty()) {
      semi_join = fmt::format(" SEMI JOIN {} AS t ON {}", touched, MatchSql("s", "t", NumberedNames("v", key_count_)));
    }
    builder.AddStep(
        Phase::kEpoch,
        fmt::format("INSERT INTO {} SELECT {} FROM (SELECT {} FROM ({}) AS n({}) UNION ALL SELECT {} FROM {} "
                    "AS s{}){} HAVING sum(w) <> 0",
                    changes, CommaList({names, {"CAST(sum(w) AS BIGINT)"}}), CommaList({names, {"w"}}), sql,
                    CommaList({names, {"w"}}), CommaList({Qualified("s", names), {"- s.w"}}), rows_.table(), semi_join,
                    GroupBySql(names)),
        inputs, changes);
    rows_.Update(builder, changes, false);
    return Change{.rows = ReadWeighted(compiler.columns(), changes, columns_), .inputs = {changes}};
  }

 private:
  KeptResult(Arrangement rows, std::vector<OutputColumn> columns, std::size_t key_count)
      : rows_(std::move(rows)), columns_(std::move(columns)), key_count_(key_count) {}
  Arrangement rows_;
  std::vector<OutputColumn> columns_;
  std::size_t key_count_;
};

/// The closed operators below a root that is computed anew as it stands, and the root over others in their place.
class RecomputedTree {
 public:
  explicit RecomputedTree(OperatorPtr root) : root_(std::move(root)) { Collect(*root_); }

  const std::vector<OperatorPtr>& leaves() const { return leaves_; }

  OperatorPtr Over(const std::vector<OperatorPtr>& inputs) const {
    std::size_t next = 0;
    return Build(*root_, inputs, next);
  }

 private:
  /// A sort is no input: its order would be lost.
  static bool IsLeaf(const Operator& node) { return !std::holds_alternative<op::Sort>(node.node) && IsClosed(node); }

  void Collect(const Operator& node) {
    for (const OperatorPtr& input : InputsOf(node)) {
      if (IsLeaf(*input)) {
        leaves_.push_back(input);
      } else {
        Collect(*input);
      }
    }
  }
  static OperatorPtr Build(const Operator& node, const std::vector<OperatorPtr>& inputs, std::size_t& next) {
    std::vector<OperatorPtr> replaced;
    for (const OperatorPtr& input : InputsOf(node))
      replaced.push_back(IsLeaf(*input) ? inputs[next++] : Build(*input, inputs, next));
    return WithInputs(node, std::move(replaced));
  }

  OperatorPtr root_;
  std::vector<OperatorPtr> leaves_;
};

}  // namespace

Result<DeltaStream> CompileRecompute(Compiler& compiler, const OperatorPtr& root, std::string reason) {
  const std::string identity = compiler.IdentityOf(*root);
  ColumnMaker& maker = compiler.columns();
  const RecomputedTree tree(root);
  DeltaNode described{.text = DescribeOperator(*root),
                      .rule = "recompute and compare",
                      .state = {},
                      .fallback_reason = std::move(reason),
                      .append_only = false,
                      .inputs = {}};
  std::vector<KeptInput> kept;
  std::vector<std::string> inputs;
  for (const OperatorPtr& leaf : tree.leaves()) {
    BRAID_TRY_ASSIGN(DeltaStream input, compiler.Compile(leaf));
    described.inputs.push_back(input.node);
    BRAID_TRY_ASSIGN(KeptInput keeps,
                     KeptInput::Make(compiler, std::move(input), identity, fmt::format("input{}", kept.size() + 1),
                                     fmt::format("rows of input {}", kept.size() + 1)));
    for (const Change& change : keeps.stream().changes) AppendUnique(inputs, change.inputs);
    AppendUnique(described.state, keeps.state());
    kept.push_back(std::move(keeps));
  }
  DeltaStream stream{.columns = compiler.UsedColumnsOf(*root)};
  const auto result = [&](bool initial) {
    std::vector<OperatorPtr> rows;
    for (const KeptInput& input : kept) {
      rows.push_back(Expand(maker, initial ? input.Initial(compiler) : input.New(compiler), input.stream().columns));
    }
    return MakeOperator(stream.columns, op::Project{.input = tree.Over(rows), .values = ColumnScalars(stream.columns)});
  };
  BRAID_TRY_ASSIGN(KeptResult last, KeptResult::Make(compiler, identity, stream.columns, 0));
  described.state.push_back(last.rows().table());
  BRAID_TRY(last.rows().Fill(compiler.builder(), WithUnitWeight(maker, result(true), stream.columns)));
  for (const KeptInput& input : kept) input.Update(compiler);
  if (!inputs.empty()) {
    BRAID_TRY_ASSIGN(Change change, last.Replace(compiler, result(false), {}, inputs));
    stream.changes.push_back(std::move(change));
  }
  stream.initial = last.rows().Read(compiler.builder());
  stream.new_content = last.rows().Read(compiler.builder());
  if (inputs.empty()) stream.old_content = stream.new_content;
  stream.node = compiler.AddNode(std::move(described));
  return stream;
}

Result<DeltaStream> CompileRecomputeByKey(Compiler& compiler, const OperatorPtr& root, const OperatorPtr& leaf,
                                          DeltaStream input, std::vector<Scalar> keys, std::string rule,
                                          std::string reason) {
  ProgramBuilder& builder = compiler.builder();
  ColumnMaker& maker = compiler.columns();
  const std::string identity = compiler.IdentityOf(*root);
  if (keys.empty()) keys.push_back(Scalar{.type = DataType::BigInt().NotNull(), .sql = "CAST(1 AS BIGINT)"});
  std::vector<OperatorPtr> chain = {root};  // from the root down
  while (InputsOf(*chain.back()).front() != leaf) chain.push_back(compiler.Rewritten(InputsOf(*chain.back()).front()));

  const std::size_t input_node = input.node;
  BRAID_TRY_ASSIGN(const KeptInput kept,
                   KeptInput::Make(compiler, std::move(input), identity, "input", "rows of the input"));
  const std::vector<OutputColumn>& columns = kept.stream().columns;
  std::vector<OutputColumn> key_columns;
  for (const Scalar& key : keys) key_columns.push_back(maker.Make("key", key.type));
  const auto keyed = [&](const WeightedRows& rows) {
    std::vector<OutputColumn> all = columns;
    all.insert(all.end(), key_columns.begin(), key_columns.end());
    std::vector<Scalar> values = ColumnScalars(columns);
    values.insert(values.end(), keys.begin(), keys.end());
    return ProjectRows(rows, std::move(all), std::move(values));
  };
  DeltaStream stream{.columns = compiler.UsedColumnsOf(*root)};
  std::vector<OutputColumn> result_columns = key_columns;
  result_columns.insert(result_columns.end(), stream.columns.begin(), stream.columns.end());
  /// The chain over rows with keys, which it hands on.
  const auto result = [&](const WeightedRows& rows) {
    std::vector<OutputColumn> all = columns;
    all.insert(all.end(), key_columns.begin(), key_columns.end());
    WeightedRows computed{.rows = Expand(maker, rows, all), .weights = key_columns};
    for (auto node = chain.rbegin(); node != chain.rend(); ++node)
      computed = Apply(**node, computed, compiler.is_used());
    return MakeOperator(result_columns, op::Project{.input = computed.rows, .values = ColumnScalars(result_columns)});
  };
  BRAID_TRY_ASSIGN(KeptResult last, KeptResult::Make(compiler, identity, result_columns, keys.size()));
  BRAID_TRY(last.rows().Fill(builder, WithUnitWeight(maker, result(keyed(kept.Initial(compiler))), result_columns)));

  BRAID_TRY_ASSIGN(std::vector<DeltaColumn> key_types, builder.ValueColumns(key_columns));
  const std::string touched = builder.AddTempTable("k", std::move(key_types));
  for (const Change& change : kept.stream().changes) {
    const OperatorPtr touched_keys = MakeOperator(key_columns, op::Project{.input = change.rows.rows, .values = keys});
    BRAID_TRY_ASSIGN(const std::string sql, builder.Select(Phase::kEpoch, touched_keys));
    builder.AddStep(Phase::kEpoch, fmt::format("INSERT INTO {} SELECT DISTINCT * FROM ({})", touched, sql),
                    change.inputs, touched);
  }
  kept.Update(compiler);
  const std::string distinct = fmt::format("(SELECT DISTINCT * FROM {})", touched);
  const std::vector<OutputColumn> wanted = maker.MakeLike(key_columns);
  const WeightedRows wanted_rows{.rows = MakeOperator(wanted, op::DuckRows{.from = distinct}), .weights = {}};
  const WeightedRows parts = JoinRows(keyed(kept.New(compiler)), wanted_rows, AllMatch(key_columns, wanted));
  if (!kept.stream().changes.empty()) {
    BRAID_TRY_ASSIGN(Change change, last.Replace(compiler, result(parts), distinct, {touched}));
    stream.changes.push_back(std::move(change));
  }
  stream.initial = last.rows().Read(builder);
  stream.new_content = last.rows().Read(builder);
  DeltaNode described{.text = DescribeOperator(*root),
                      .rule = std::move(rule),
                      .state = kept.state(),
                      .fallback_reason = std::move(reason),
                      .append_only = false,
                      .inputs = {input_node}};
  described.state.push_back(last.rows().table());
  stream.node = compiler.AddNode(std::move(described));
  return stream;
}

}  // namespace braid
