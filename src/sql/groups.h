#pragma once

#include <set>
#include <string>
#include <vector>

#include "sql/expressions.h"
#include "sql/window_tables.h"
#include "syntax/query.h"

namespace braid {

/// GROUP BY with the aggregates of one SELECT, gathered while its expressions are analysed.
class Groups : public GroupExpressions {
 public:
  /// `inner`: what the keys and the arguments of aggregates see. Its `appended` receives what they need below the
  /// aggregation.
  Groups(Analysis& analysis, ExpressionSite inner) : analysis_(analysis), inner_(inner) {}

  /// Group windows (TUMBLE, HOP) put their columns on `source`.
  Status AddGroupBy(const std::vector<syntax::GroupingElement>& elements, bool distinct, OperatorPtr& source);

  /// The inner scope as expressions over groups see it. Call after AddGroupBy; lives as long as this.
  const Scope& scope() const { return scope_; }
  /// Settles which columns of the inner scope are keys.
  void Seal();

  Result<std::optional<Scalar>> FindKey(const syntax::Expression& expression) override;
  Result<Scalar> Aggregate(const syntax::Expression& expression) override;
  Result<Scalar> Grouping(const syntax::FunctionCall& call, syntax::Position position) override;

  /// The aggregation over an input, with all keys and calls met.
  OperatorPtr Build(OperatorPtr input) const;

 private:
  struct Key {
    Scalar value;
    OutputColumn output;
  };
  using KeySet = std::vector<std::size_t>;

  Result<std::size_t> AddKey(const syntax::Expression& expression, OperatorPtr& source);
  std::size_t AddKey(Scalar value, std::string name);
  Result<std::vector<KeySet>> Expand(const syntax::GroupingElement& element, OperatorPtr& source);
  Result<KeySet> Expand(const syntax::GroupingKeys& keys, OperatorPtr& source);
  Result<std::size_t> AddWindow(const syntax::FunctionCall& call, const WindowShape& shape, OperatorPtr& source);
  std::optional<Scalar> FindWindowColumn(const syntax::Expression& expression) const;

  Analysis& analysis_;
  ExpressionSite inner_;
  Scope scope_;
  std::vector<Key> keys_;
  std::vector<KeySet> sets_;
  std::vector<AggregateCall> calls_;
  std::vector<OutputColumn> grouping_columns_;
  std::vector<KeySet> groupings_;
  /// The group window's call and the keys of its columns.
  std::optional<syntax::FunctionCall> window_;
  std::optional<std::size_t> window_start_;
  std::optional<std::size_t> window_end_;
  std::optional<std::size_t> window_time_;
};

}  // namespace braid
