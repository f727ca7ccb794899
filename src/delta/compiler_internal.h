#pragma once

#include <map>
#include <string>
#include <vector>

#include "delta/program_builder_internal.h"

namespace braid {

/// Turns operators into streams, from the sources upwards. The rule of each kind of operator is a function of its own
/// below; it may compile its inputs, adds tables and steps, and says what it did in a DeltaNode.
class Compiler {
 public:
  Compiler(const Operator& root, const DeltaOptions& options);
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// Makes the whole program.
  Result<DeltaProgram> CompileProgram(const AnalyzedQuery& query);

  Result<DeltaStream> Compile(const OperatorPtr& node);

  /// The operator in terms of those that have rules: DISTINCT is a group by, IN is a join and so on. The same result
  /// for the same node.
  OperatorPtr Rewritten(const OperatorPtr& node);

  bool IsUsed(ColumnId id) const { return used_.contains(id) || builder_.columns().IsMade(id); }
  const std::function<bool(ColumnId)>& is_used() const { return is_used_; }
  /// The node's columns that something above reads.
  std::vector<OutputColumn> UsedColumnsOf(const Operator& node) const;

  /// 16 hexadecimal digits that name the sub-plan and what is known of its sources.
  std::string IdentityOf(const Operator& node) const;

  ProgramBuilder& builder() { return builder_; }
  ColumnMaker& columns() { return builder_.columns(); }
  const DeltaOptions& options() const { return options_; }

  /// Says what becomes of an operator; returns its number.
  std::size_t AddNode(DeltaNode node);
  DeltaNode& node(std::size_t number) { return program_.nodes[number]; }

 private:
  Status AddSources(const Operator& node);
  void FindLateColumns(const AnalyzedQuery& query);
  void RemoveLookedAt(const Operator& node, const ColumnSet& late);
  std::size_t SourceOf(const op::Scan& scan) const;
  Result<DeltaStream> CompileScan(const OperatorPtr& node, const op::Scan& scan);
  Result<DeltaStream> CompileConstant(const OperatorPtr& node);
  Result<DeltaStream> CompileUnionAll(const OperatorPtr& node, const op::SetOperation& operation);
  Status AddOutput(const AnalyzedQuery& query, DeltaStream stream);

  const DeltaOptions& options_;
  DeltaProgram program_;
  ColumnSet used_;
  ProgramBuilder builder_;
  std::function<bool(ColumnId)> is_used_;
  std::map<std::string, std::size_t> source_numbers_;
  std::map<const Operator*, std::pair<OperatorPtr, OperatorPtr>> rewritten_;  // the key's owner, and what it became
};

/// Filter, Project and Unnest over one stream, and over joins: inner joins of any number of inputs with such operators
/// between and above them.
Result<DeltaStream> CompileLinear(Compiler& compiler, const OperatorPtr& node);
/// Left, right and full joins.
Result<DeltaStream> CompileOuterJoin(Compiler& compiler, const OperatorPtr& node, const op::Join& join);
/// EXISTS of an inner query that is a filter over a closed one, which may name columns of the rows around.
Result<DeltaStream> CompileExists(Compiler& compiler, const OperatorPtr& node, const op::Subquery& subquery,
                                  const OperatorPtr& inner, const Scalar& condition);
/// INTERSECT and EXCEPT.
Result<DeltaStream> CompileSetOperation(Compiler& compiler, const OperatorPtr& node, const op::SetOperation& operation);
/// GROUP BY without grouping sets.
Result<DeltaStream> CompileAggregate(Compiler& compiler, const OperatorPtr& node, const op::Aggregate& aggregate);

/// Whether an inner join stands below, with only filters, projections and the like above it.
bool IsOverJoin(Compiler& compiler, const OperatorPtr& node);

/// Recomputes the operators from `root` down to its closed inputs, and compares with the last result.
Result<DeltaStream> CompileRecompute(Compiler& compiler, const OperatorPtr& root, std::string reason);
/// As CompileRecompute for a chain of one-input operators from `root` down to `leaf`, whose rows with different `keys`
/// (expressions over the leaf's columns; none: all rows are one part) do not affect each other: only touched keys are
/// recomputed. `input`: the leaf's stream.
Result<DeltaStream> CompileRecomputeByKey(Compiler& compiler, const OperatorPtr& root, const OperatorPtr& leaf,
                                          DeltaStream input, std::vector<Scalar> keys, std::string rule,
                                          std::string reason);

/// What a join or a fallback reads of a stream: rows with weight before, in and after the epoch. Keeps the stream's
/// rows in state where they are not at hand.
class KeptInput {
 public:
  static Result<KeptInput> Make(Compiler& compiler, DeltaStream stream, const std::string& identity,
                                std::string_view role, std::string content);

  const DeltaStream& stream() const { return stream_; }
  /// Readable until Update.
  WeightedRows Old(Compiler& compiler) const;
  /// Readable after Update.
  WeightedRows New(Compiler& compiler) const;
  /// The content at the start.
  WeightedRows Initial(Compiler& compiler) const;
  /// Brings the state up to date.
  void Update(Compiler& compiler) const;
  /// Names of state tables.
  std::vector<std::string> state() const;

 private:
  DeltaStream stream_;
  std::optional<Arrangement> arrangement_;
  std::string changes_;  // temp table, if there is an arrangement
};

}  // namespace braid
