// Operators that do to each row what they do to it alone, and inner joins of any number of inputs.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "delta/compiler_internal.h"

namespace braid {
namespace {

/// The input of an operator that treats each row by itself; nullptr for others.
OperatorPtr LinearInput(const Operator& node) {
  if (const auto* filter = std::get_if<op::Filter>(&node.node)) return filter->input;
  if (const auto* project = std::get_if<op::Project>(&node.node)) return project->input;
  if (const auto* unnest = std::get_if<op::Unnest>(&node.node)) return unnest->input;
  return nullptr;
}

const op::Join* InnerJoin(const Operator& node) {
  const auto* join = std::get_if<op::Join>(&node.node);
  if (join == nullptr || (join->lateral && !IsClosed(*join->right))) return nullptr;
  return join->kind == syntax::JoinKind::kInner || join->kind == syntax::JoinKind::kCross ? join : nullptr;
}

/// Inner joins with the filters, projections and the like above and between them. Multilinear: the change of the whole
/// is a sum over its inputs.
class JoinRegion {
 public:
  JoinRegion(Compiler& compiler, OperatorPtr root) : compiler_(compiler), root_(std::move(root)) {
    CollectLeaves(root_);
  }

  const std::vector<OperatorPtr>& leaves() const { return leaves_; }

  /// The region over these rows in place of its inputs.
  WeightedRows Over(const std::vector<WeightedRows>& inputs) const {
    std::size_t next = 0;
    return Build(root_, inputs, next);
  }

  /// Nodes for EXPLAIN; `leaf_nodes` are those of the inputs. Returns the root's.
  std::size_t AddNodes(const std::vector<std::size_t>& leaf_nodes, bool append_only) const {
    std::size_t next = 0;
    return AddNode(root_, leaf_nodes, append_only, next);
  }

 private:
  bool IsInside(const OperatorPtr& node) const { return IsOverJoin(compiler_, node); }

  void CollectLeaves(const OperatorPtr& given) {
    const OperatorPtr node = compiler_.Rewritten(given);
    if (!IsInside(node)) {
      leaves_.push_back(given);
      return;
    }
    for (const OperatorPtr& input : InputsOf(*node)) CollectLeaves(input);
  }

  WeightedRows Build(const OperatorPtr& given, const std::vector<WeightedRows>& inputs, std::size_t& next) const {
    const OperatorPtr node = compiler_.Rewritten(given);
    if (!IsInside(node)) return inputs[next++];
    if (const op::Join* join = InnerJoin(*node)) {
      const WeightedRows left = Build(join->left, inputs, next);
      const WeightedRows right = Build(join->right, inputs, next);
      return JoinRows(left, right, join->condition);
    }
    return Apply(*node, Build(LinearInput(*node), inputs, next), compiler_.is_used());
  }

  std::size_t AddNode(const OperatorPtr& given, const std::vector<std::size_t>& leaf_nodes, bool append_only,
                      std::size_t& next) const {
    const OperatorPtr node = compiler_.Rewritten(given);
    if (!IsInside(node)) return leaf_nodes[next++];
    DeltaNode described{
        .text = DescribeOperator(*node),
        .rule = InnerJoin(*node) == nullptr ? "linear" : fmt::format("join of {} inputs", leaves_.size()),
        .state = {},
        .fallback_reason = {},
        .append_only = append_only,
        .inputs = {}};
    for (const OperatorPtr& input : InputsOf(*node))
      described.inputs.push_back(AddNode(input, leaf_nodes, append_only, next));
    return compiler_.AddNode(std::move(described));
  }

  Compiler& compiler_;
  OperatorPtr root_;
  std::vector<OperatorPtr> leaves_;
};

/// One input that changes: everything else is constant, so that the region is linear in it.
DeltaStream OverOneChangingInput(Compiler& compiler, const JoinRegion& region, const std::vector<DeltaStream>& inputs,
                                 DeltaStream stream) {
  const auto over = [&](const auto& part) {
    std::vector<WeightedRows> rows;
    for (const DeltaStream& input : inputs) rows.push_back(part(input));
    return Narrow(compiler.columns(), region.Over(rows), stream.columns);
  };
  for (const DeltaStream& input : inputs) {
    for (const Change& change : input.changes) {
      stream.changes.push_back(
          Change{.rows = over([&](const DeltaStream& other) { return &other == &input ? change.rows : other.initial; }),
                 .inputs = change.inputs});
    }
  }
  const auto all = [&](std::optional<WeightedRows> DeltaStream::*content) {
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](const DeltaStream& input) { return (input.*content).has_value(); });
  };
  if (all(&DeltaStream::old_content)) stream.old_content = over([](const DeltaStream& i) { return *i.old_content; });
  if (all(&DeltaStream::new_content)) stream.new_content = over([](const DeltaStream& i) { return *i.new_content; });
  stream.initial = over([](const DeltaStream& input) { return input.initial; });
  return stream;
}

/// The change is the sum over the inputs i of: the new content of those before i, the change of i, the old content of
/// those after it. Each input's state is brought up to date between its term and the next.
Result<DeltaStream> OverKeptInputs(Compiler& compiler, const JoinRegion& region, std::vector<DeltaStream> inputs,
                                   const std::string& identity, DeltaStream stream) {
  ProgramBuilder& builder = compiler.builder();
  std::vector<KeptInput> kept;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    BRAID_TRY_ASSIGN(KeptInput input,
                     KeptInput::Make(compiler, std::move(inputs[i]), identity, fmt::format("input{}", i + 1),
                                     fmt::format("rows of join input {}", i + 1)));
    kept.push_back(std::move(input));
  }
  std::vector<WeightedRows> initial;
  for (const KeptInput& input : kept) initial.push_back(input.Initial(compiler));
  stream.initial = Narrow(compiler.columns(), region.Over(initial), stream.columns);

  BRAID_TRY_ASSIGN(std::vector<DeltaColumn> types, builder.ValueColumns(stream.columns));
  types.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
  const std::string result = builder.AddTempTable("d", std::move(types));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (const Change& change : kept[i].stream().changes) {
      std::vector<WeightedRows> rows;
      for (std::size_t j = 0; j < kept.size(); ++j)
        rows.push_back(j < i ? kept[j].New(compiler) : (j == i ? change.rows : kept[j].Old(compiler)));
      BRAID_TRY_ASSIGN(const std::string sql, builder.Select(Phase::kEpoch, region.Over(rows), stream.columns));
      builder.AddStep(Phase::kEpoch, fmt::format("INSERT INTO {} {}", result, sql), change.inputs, result);
    }
    kept[i].Update(compiler);
    for (std::string& state : kept[i].state()) compiler.node(stream.node).state.push_back(std::move(state));
  }
  stream.changes = {Change{.rows = ReadWeighted(compiler.columns(), result, stream.columns), .inputs = {result}}};
  // Where old rows are new rows less the changes, terms have negative weights that only their sum does not have.
  const bool subtracts = std::any_of(kept.begin(), kept.end(), [](const KeptInput& input) {
    return input.state().empty() && !input.stream().old_content && !input.stream().changes.empty();
  });
  if (stream.append_only && subtracts) BRAID_TRY(builder.Materialize(stream, true));
  return stream;
}

Result<DeltaStream> CompileRegion(Compiler& compiler, const OperatorPtr& node) {
  const JoinRegion region(compiler, node);
  std::vector<DeltaStream> inputs;
  std::vector<std::size_t> leaf_nodes;
  bool append_only = true;
  for (const OperatorPtr& leaf : region.leaves()) {
    BRAID_TRY_ASSIGN(DeltaStream input, compiler.Compile(leaf));
    append_only = append_only && input.append_only;
    leaf_nodes.push_back(input.node);
    inputs.push_back(std::move(input));
  }
  DeltaStream stream{.columns = compiler.UsedColumnsOf(*node), .append_only = append_only};
  stream.node = region.AddNodes(leaf_nodes, append_only);
  const auto changing =
      std::count_if(inputs.begin(), inputs.end(), [](const DeltaStream& input) { return !input.changes.empty(); });
  if (changing <= 1) return OverOneChangingInput(compiler, region, inputs, std::move(stream));
  return OverKeptInputs(compiler, region, std::move(inputs), compiler.IdentityOf(*node), std::move(stream));
}

// ---- OVER windows ----

struct WindowChain {
  OperatorPtr root;    ///< the highest operator of the chain
  OperatorPtr window;  ///< its lowest
  bool filters = false;
};

/// Filters and projections over an OVER window: Top-N and the like.
std::optional<WindowChain> WindowChainAt(Compiler& compiler, const OperatorPtr& root) {
  WindowChain chain{.root = root, .window = root};
  for (;;) {
    if (std::holds_alternative<op::Window>(chain.window->node)) return chain;
    const OperatorPtr input = LinearInput(*chain.window);
    if (input == nullptr || std::holds_alternative<op::Unnest>(chain.window->node)) return std::nullopt;
    chain.filters = chain.filters || std::holds_alternative<op::Filter>(chain.window->node);
    chain.window = compiler.Rewritten(input);
  }
}

bool SamePartition(const WindowCall& a, const WindowCall& b) {
  return std::equal(a.partition_by.begin(), a.partition_by.end(), b.partition_by.begin(), b.partition_by.end(),
                    SameScalar);
}

Result<DeltaStream> CompileWindowChain(Compiler& compiler, const WindowChain& chain) {
  const auto& window = std::get<op::Window>(chain.window->node);
  const WindowCall& first = window.calls.front();
  const bool one_partition = std::all_of(window.calls.begin(), window.calls.end(),
                                         [&](const WindowCall& call) { return SamePartition(call, first); });
  BRAID_TRY_ASSIGN(DeltaStream input, compiler.Compile(window.input));
  if (one_partition && !first.partition_by.empty()) {
    return CompileRecomputeByKey(compiler, chain.root, window.input, std::move(input), first.partition_by,
                                 "partitions that change are computed anew", {});
  }
  return CompileRecomputeByKey(compiler, chain.root, window.input, std::move(input), {}, "recompute and compare",
                               one_partition ? "a window has no PARTITION BY" : "windows differ in PARTITION BY");
}

// ---- One input ----

/// Whether different rows of the input stay different.
bool KeepsRowsApart(const Operator& node, const DeltaStream& input, const std::vector<OutputColumn>& output) {
  if (std::holds_alternative<op::Filter>(node.node)) return true;
  const auto* project = std::get_if<op::Project>(&node.node);
  if (project == nullptr) return false;
  return std::all_of(input.columns.begin(), input.columns.end(), [&](const OutputColumn& column) {
    for (std::size_t i = 0; i < node.columns.size(); ++i) {
      const bool is_used = std::any_of(output.begin(), output.end(),
                                       [&](const OutputColumn& used) { return used.id == node.columns[i].id; });
      if (is_used && project->values[i].sql == ColumnSql(column.id)) return true;
    }
    return false;
  });
}

Result<DeltaStream> Map(Compiler& compiler, const OperatorPtr& node, const DeltaStream& input) {
  const auto apply = [&](const WeightedRows& rows) { return Apply(*node, rows, compiler.is_used()); };
  DeltaStream stream{.columns = compiler.UsedColumnsOf(*node), .append_only = input.append_only};
  for (const Change& change : input.changes)
    stream.changes.push_back(Change{.rows = apply(change.rows), .inputs = change.inputs});
  stream.initial = apply(input.initial);
  stream.consolidated = input.consolidated && KeepsRowsApart(*node, input, stream.columns);
  if (IsVolatile(*node)) {
    // What gives another value each time must not be asked for twice.
    ProgramBuilder& builder = compiler.builder();
    BRAID_TRY(builder.Materialize(stream, false));
    BRAID_TRY_ASSIGN(stream.initial, builder.MaterializeInitial(stream));
    return stream;
  }
  if (input.old_content) stream.old_content = apply(*input.old_content);
  if (input.new_content) stream.new_content = apply(*input.new_content);
  return stream;
}

}  // namespace

bool IsOverJoin(Compiler& compiler, const OperatorPtr& given) {
  OperatorPtr node = compiler.Rewritten(given);
  while (InnerJoin(*node) == nullptr) {
    const OperatorPtr input = LinearInput(*node);
    if (input == nullptr || IsVolatile(*node)) return false;
    node = compiler.Rewritten(input);
  }
  return !IsVolatile(*node);
}

Result<DeltaStream> CompileLinear(Compiler& compiler, const OperatorPtr& node) {
  if (const std::optional<WindowChain> chain = WindowChainAt(compiler, node)) {
    if (chain->filters || std::holds_alternative<op::Window>(node->node)) return CompileWindowChain(compiler, *chain);
  }
  if (IsOverJoin(compiler, node)) return CompileRegion(compiler, node);
  const OperatorPtr input_node = LinearInput(*node);
  if (input_node == nullptr)
    return Error(ErrorCode::kInternal, "an operator without a rule: " + DescribeOperator(*node));
  BRAID_TRY_ASSIGN(DeltaStream input, compiler.Compile(input_node));
  if (IsVolatile(*node) && !input.append_only) {
    // A row that goes has to take with it what it came with.
    std::vector<Scalar> row = ColumnScalars(input.columns);
    return CompileRecomputeByKey(compiler, node, input_node, std::move(input), std::move(row),
                                 "values of changing expressions are kept for each row", {});
  }
  BRAID_TRY_ASSIGN(DeltaStream stream, Map(compiler, node, input));
  stream.node = compiler.AddNode(DeltaNode{.text = DescribeOperator(*node),
                                           .rule = "linear",
                                           .state = {},
                                           .fallback_reason = {},
                                           .append_only = stream.append_only,
                                           .inputs = {input.node}});
  return stream;
}

// ---- KeptInput ----

Result<KeptInput> KeptInput::Make(Compiler& compiler, DeltaStream stream, const std::string& identity,
                                  std::string_view role, std::string content) {
  KeptInput kept;
  kept.stream_ = std::move(stream);
  DeltaStream& rows = kept.stream_;
  if (rows.changes.empty() || (rows.old_content && rows.new_content)) return kept;
  ProgramBuilder& builder = compiler.builder();
  BRAID_TRY_ASSIGN(kept.changes_, builder.Materialize(rows, !rows.append_only));
  if (rows.new_content) return kept;
  BRAID_TRY_ASSIGN(kept.arrangement_, Arrangement::Make(builder, identity, role, std::move(content), rows.columns));
  BRAID_TRY(kept.arrangement_->Fill(builder, rows.initial));
  return kept;
}

WeightedRows KeptInput::Old(Compiler& compiler) const {
  if (arrangement_) return arrangement_->Read(compiler.builder());
  if (stream_.old_content) return *stream_.old_content;
  if (stream_.changes.empty()) return stream_.initial;
  return Add(compiler.columns(), *stream_.new_content,
             Negate(compiler.columns(), stream_.changes.front().rows, stream_.columns), stream_.columns);
}

WeightedRows KeptInput::New(Compiler& compiler) const {
  if (arrangement_) return arrangement_->Read(compiler.builder());
  return stream_.new_content ? *stream_.new_content : stream_.initial;
}

WeightedRows KeptInput::Initial(Compiler& compiler) const {
  return arrangement_ ? arrangement_->Read(compiler.builder()) : stream_.initial;
}

void KeptInput::Update(Compiler& compiler) const {
  if (arrangement_) arrangement_->Update(compiler.builder(), changes_, stream_.append_only);
}

std::vector<std::string> KeptInput::state() const {
  return arrangement_ ? std::vector{arrangement_->table()} : std::vector<std::string>();
}

}  // namespace braid
