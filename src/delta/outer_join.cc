// Joins that ask whether a row has a match: left, right and full joins, and EXISTS.
//
// The pairs are those of an inner join. For each distinct row of a side that is asked for, the state counts its copies
// (n) and its pairs (p): the row has no match as long as p is 0. Any condition will do, also one without equations.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "delta/compiler_internal.h"
#include "delta/match_counts_internal.h"

namespace braid {
namespace {

constexpr std::string_view kCopies = "{n}";
constexpr std::string_view kUnmatched = "CASE WHEN {p} <= 0 AND {n} > 0 THEN {n} ELSE 0 END";
constexpr std::string_view kMatched = "CASE WHEN {p} > 0 AND {n} > 0 THEN {n} ELSE 0 END";

/// One input: its rows are counted with their matches, or just kept.
struct Side {
  DeltaStream stream;
  std::optional<CountedRows> counted = std::nullopt;
  std::optional<KeptInput> kept = std::nullopt;

  WeightedRows Old(Compiler& compiler) const {
    return counted ? counted->Read(compiler.builder(), kCopies) : kept->Old(compiler);
  }
  /// At the start; `filled`: after Fill.
  WeightedRows Initial(Compiler& compiler, bool filled) const {
    if (counted) return filled ? counted->Read(compiler.builder(), kCopies) : stream.initial;
    return kept->Initial(compiler);
  }
};

Result<Side> MakeSide(Compiler& compiler, const OperatorPtr& node, bool counts, const std::string& identity,
                      std::string_view role) {
  BRAID_TRY_ASSIGN(DeltaStream stream, compiler.Compile(node));
  Side side{.stream = std::move(stream)};
  if (counts) {
    if (!side.stream.changes.empty()) BRAID_TRY(compiler.builder().Materialize(side.stream, false));
    BRAID_TRY_ASSIGN(side.counted, CountedRows::Make(compiler.builder(), identity, role,
                                                     fmt::format("rows of the {} input with match counts", role),
                                                     side.stream.columns));
  } else {
    BRAID_TRY_ASSIGN(side.kept,
                     KeptInput::Make(compiler, side.stream, identity, role, fmt::format("rows of the {} input", role)));
    side.stream = side.kept->stream();
  }
  return side;
}

/// The inner join of both sides and the state behind it.
class MatchedJoin {
 public:
  static Result<MatchedJoin> Make(Compiler& compiler, Side left, Side right, std::optional<Scalar> condition,
                                  std::vector<OutputColumn> pair_columns) {
    MatchedJoin join(compiler, std::move(left), std::move(right), std::move(condition), std::move(pair_columns));
    BRAID_TRY(join.Fill());
    BRAID_TRY(join.Update());
    return join;
  }

  const Side& left() const { return left_; }
  const Side& right() const { return right_; }
  /// The changes of the pairs.
  Change Pairs() const {
    return Change{.rows = ReadWeighted(compiler_->columns(), pairs_, pair_columns_), .inputs = {pairs_}};
  }
  /// The pairs at the start.
  WeightedRows InitialPairs() const { return Join(left_.Initial(*compiler_, true), right_.Initial(*compiler_, true)); }
  std::vector<std::string> state() const {
    std::vector<std::string> names;
    for (const Side* side : {&left_, &right_}) {
      if (side->counted) names.push_back(side->counted->table());
      if (!side->kept) continue;
      for (std::string& name : side->kept->state()) names.push_back(std::move(name));
    }
    return names;
  }

 private:
  MatchedJoin(Compiler& compiler, Side left, Side right, std::optional<Scalar> condition,
              std::vector<OutputColumn> pair_columns)
      : compiler_(&compiler),
        left_(std::move(left)),
        right_(std::move(right)),
        condition_(std::move(condition)),
        pair_columns_(std::move(pair_columns)) {}

  WeightedRows Join(const WeightedRows& left, const WeightedRows& right) const {
    return JoinRows(left, right, condition_);
  }

  Status Fill() {
    for (const Side* side : {&left_, &right_}) {
      if (!side->counted) continue;
      const WeightedRows pairs = Join(left_.Initial(*compiler_, false), right_.Initial(*compiler_, false));
      BRAID_TRY(side->counted->Fill(compiler_->builder(), {side->stream.initial, side->stream.columns},
                                    CountedRows::Rows{pairs, side->stream.columns}));
    }
    return Ok();
  }

  /// All pairs are computed from the old rows and the changes of both sides before any state changes.
  Status Update() {
    ProgramBuilder& builder = compiler_->builder();
    BRAID_TRY_ASSIGN(std::vector<DeltaColumn> types, builder.ValueColumns(pair_columns_));
    types.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
    pairs_ = builder.AddTempTable("d", std::move(types));
    const auto add = [&](const WeightedRows& left, const WeightedRows& right,
                         const std::vector<std::string>& inputs) -> Status {
      BRAID_TRY_ASSIGN(const std::string sql, builder.Select(Phase::kEpoch, Join(left, right), pair_columns_));
      builder.AddStep(Phase::kEpoch, fmt::format("INSERT INTO {} {}", pairs_, sql), inputs, pairs_);
      return Ok();
    };
    for (const Change& change : left_.stream.changes) {
      BRAID_TRY(add(change.rows, right_.Old(*compiler_), change.inputs));
      for (const Change& other : right_.stream.changes) BRAID_TRY(add(change.rows, other.rows, change.inputs));
    }
    for (const Change& change : right_.stream.changes)
      BRAID_TRY(add(left_.Old(*compiler_), change.rows, change.inputs));
    for (Side* side : {&left_, &right_}) {
      if (side->kept) side->kept->Update(*compiler_);
      if (!side->counted) continue;
      BRAID_TRY(side->counted->Update(builder, {.changes = side->stream.changes, .columns = side->stream.columns},
                                      {.changes = {Pairs()}, .columns = side->stream.columns}));
    }
    return Ok();
  }

  Compiler* compiler_;
  Side left_;
  Side right_;
  std::optional<Scalar> condition_;
  std::vector<OutputColumn> pair_columns_;
  std::string pairs_;
};

/// Rows of one side as rows of the join, with NULL for the columns of the other.
WeightedRows Pad(const WeightedRows& rows, const std::vector<OutputColumn>& own,
                 const std::vector<OutputColumn>& result) {
  std::vector<Scalar> values = ColumnScalars(result);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const bool is_own =
        std::any_of(own.begin(), own.end(), [&](const OutputColumn& column) { return column.id == result[i].id; });
    if (is_own) continue;
    const Result<std::string> type = DuckTypeOf(result[i].type);
    values[i] = Scalar{.type = result[i].type, .sql = fmt::format("CAST(NULL AS {})", type ? *type : "INTEGER")};
  }
  return ProjectRows(rows, result, std::move(values));
}

}  // namespace

Result<DeltaStream> CompileOuterJoin(Compiler& compiler, const OperatorPtr& node, const op::Join& join) {
  const std::string identity = compiler.IdentityOf(*node);
  const bool pads_left = join.kind != syntax::JoinKind::kRight;
  const bool pads_right = join.kind != syntax::JoinKind::kLeft;
  BRAID_TRY_ASSIGN(Side left, MakeSide(compiler, join.left, pads_left, identity, "left"));
  BRAID_TRY_ASSIGN(Side right, MakeSide(compiler, join.right, pads_right, identity, "right"));
  std::vector<OutputColumn> pair_columns = left.stream.columns;
  pair_columns.insert(pair_columns.end(), right.stream.columns.begin(), right.stream.columns.end());
  std::vector<std::size_t> inputs = {left.stream.node, right.stream.node};
  BRAID_TRY_ASSIGN(const MatchedJoin matched, MatchedJoin::Make(compiler, std::move(left), std::move(right),
                                                                join.condition, std::move(pair_columns)));
  DeltaStream stream{.columns = compiler.UsedColumnsOf(*node)};
  stream.changes.push_back(matched.Pairs());
  stream.initial = matched.InitialPairs();
  for (const Side* side : {&matched.left(), &matched.right()}) {
    if (!side->counted) continue;
    const auto padded = [&](const WeightedRows& rows) { return Pad(rows, side->stream.columns, stream.columns); };
    const Change change = side->counted->Changes(compiler.builder(), kUnmatched);
    stream.changes.push_back(Change{.rows = padded(change.rows), .inputs = change.inputs});
    stream.initial = Add(compiler.columns(), stream.initial,
                         padded(side->counted->Read(compiler.builder(), kUnmatched)), stream.columns);
  }
  stream.node = compiler.AddNode(DeltaNode{.text = DescribeOperator(*node),
                                           .rule = "pairs, and rows whose match count is 0",
                                           .state = matched.state(),
                                           .fallback_reason = {},
                                           .append_only = false,
                                           .inputs = std::move(inputs)});
  return stream;
}

Result<DeltaStream> CompileExists(Compiler& compiler, const OperatorPtr& node, const op::Subquery& subquery,
                                  const OperatorPtr& inner, const Scalar& condition) {
  const std::string identity = compiler.IdentityOf(*node);
  BRAID_TRY_ASSIGN(Side left, MakeSide(compiler, subquery.input, true, identity, "left"));
  BRAID_TRY_ASSIGN(Side right, MakeSide(compiler, inner, false, identity, "right"));
  const std::vector<OutputColumn> row = left.stream.columns;
  std::vector<std::size_t> inputs = {left.stream.node, right.stream.node};
  BRAID_TRY_ASSIGN(const MatchedJoin matched,
                   MatchedJoin::Make(compiler, std::move(left), std::move(right), condition, row));
  DeltaStream stream{.columns = row};
  const OutputColumn& mark = node->columns.back();
  stream.columns.push_back(mark);
  const auto marked = [&](const WeightedRows& rows, std::string_view value) {
    std::vector<Scalar> values = ColumnScalars(row);
    values.push_back(Scalar{.type = mark.type, .sql = std::string(value)});
    return ProjectRows(rows, stream.columns, std::move(values));
  };
  const CountedRows& counted = *matched.left().counted;
  for (const auto& [weight, value] : {std::pair(kMatched, "true"), std::pair(kUnmatched, "false")}) {
    const Change change = counted.Changes(compiler.builder(), weight);
    stream.changes.push_back(Change{.rows = marked(change.rows, value), .inputs = change.inputs});
  }
  const auto content = [&] {
    return Add(compiler.columns(), marked(counted.Read(compiler.builder(), kMatched), "true"),
               marked(counted.Read(compiler.builder(), kUnmatched), "false"), stream.columns);
  };
  stream.initial = content();
  stream.new_content = content();
  stream.node = compiler.AddNode(DeltaNode{.text = DescribeOperator(*node),
                                           .rule = "rows by whether their match count is 0",
                                           .state = matched.state(),
                                           .fallback_reason = {},
                                           .append_only = false,
                                           .inputs = std::move(inputs)});
  return stream;
}

Result<DeltaStream> CompileSetOperation(Compiler& compiler, const OperatorPtr& node,
                                        const op::SetOperation& operation) {
  BRAID_TRY_ASSIGN(const DeltaStream left, compiler.Compile(operation.left));
  BRAID_TRY_ASSIGN(const DeltaStream right, compiler.Compile(operation.right));
  ProgramBuilder& builder = compiler.builder();
  // All columns, not only those that something reads, make a row.
  BRAID_TRY_ASSIGN(CountedRows rows, CountedRows::Make(builder, compiler.IdentityOf(*node), "rows",
                                                       "rows with their counts in both inputs", node->columns));
  const bool intersects = operation.operation == syntax::SetOperator::kIntersect;
  std::string_view weight = intersects ? "greatest(least({n}, {p}), 0)" : "greatest({n} - greatest({p}, 0), 0)";
  if (!operation.all) {
    weight = intersects ? "CASE WHEN {n} > 0 AND {p} > 0 THEN 1 ELSE 0 END"
                        : "CASE WHEN {n} > 0 AND {p} <= 0 THEN 1 ELSE 0 END";
  }
  BRAID_TRY(rows.Fill(builder, {left.initial, operation.left->columns},
                      CountedRows::Rows{right.initial, operation.right->columns}));
  BRAID_TRY(rows.Update(builder, {.changes = left.changes, .columns = operation.left->columns},
                        {.changes = right.changes, .columns = operation.right->columns}));
  DeltaStream stream{.columns = compiler.UsedColumnsOf(*node)};
  stream.changes.push_back(rows.Changes(builder, weight));
  stream.initial = rows.Read(builder, weight);
  stream.new_content = rows.Read(builder, weight);
  stream.node = compiler.AddNode(DeltaNode{.text = DescribeOperator(*node),
                                           .rule = "counts of both inputs",
                                           .state = {rows.table()},
                                           .fallback_reason = {},
                                           .append_only = false,
                                           .inputs = {left.node, right.node}});
  return stream;
}

}  // namespace braid
