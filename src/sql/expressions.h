#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sql/analysis.h"
#include "sql/operator.h"
#include "syntax/query.h"

namespace braid {

/// A column to be added to the rows that an expression sees: by inner queries or by windows.
struct SubqueryStep {
  op::Subquery node;  ///< without its input
  OutputColumn column;
};
struct WindowStep {
  std::vector<WindowCall> calls;
};
using AppendedStep = std::variant<SubqueryStep, WindowStep>;

/// Puts the steps on top of an operator, in their order.
OperatorPtr Append(OperatorPtr input, const std::vector<AppendedStep>& steps);

/// How expressions over groups differ: group keys and aggregates are columns there.
class GroupExpressions {
 public:
  virtual ~GroupExpressions() = default;
  /// A group key, an auxiliary function of a group window, or nullopt: the expression is one over groups itself.
  virtual Result<std::optional<Scalar>> FindKey(const syntax::Expression& expression) = 0;
  /// Analyses an aggregate call and gives the column of its result.
  virtual Result<Scalar> Aggregate(const syntax::Expression& expression) = 0;
  /// GROUPING(…) and GROUPING_ID(…) over these keys.
  virtual Result<Scalar> Grouping(const syntax::FunctionCall& call, syntax::Position position) = 0;
};

/// Where an expression stands, and what it may hold there.
struct ExpressionSite {
  std::string_view clause;       ///< for errors: "WHERE clause"
  const Scope* scope = nullptr;  ///< nullptr: no columns
  const CommonTableScope* common_tables = nullptr;
  /// Receives what inner queries and windows need; nullptr: inner queries are refused.
  std::vector<AppendedStep>* appended = nullptr;
  bool allows_windows = false;
  /// The conjuncts of the condition around: whether they are FALSE or NULL does not matter.
  const std::vector<const syntax::In*>* conjuncts = nullptr;
  const std::vector<syntax::NamedWindow>* named_windows = nullptr;
  /// ORDER BY: names of the SELECT list.
  const std::map<std::string, Scalar>* aliases = nullptr;
  /// In queries with groups; nullptr: aggregates are refused.
  GroupExpressions* group = nullptr;
};

/// Settles the columns, functions and types of one expression.
/// Errors: kInvalidArgument and kUnsupported, placed.
Result<Scalar> AnalyzeExpression(Analysis& analysis, const ExpressionSite& site, const syntax::Expression& expression);

/// As AnalyzeExpression, for what must be a condition.
Result<Scalar> AnalyzeCondition(Analysis& analysis, const ExpressionSite& site, const syntax::Expression& expression);

/// The aggregate call's arguments, FILTER and flags, analysed at this site.
struct AggregateRequest;
Result<AggregateRequest> AnalyzeAggregateRequest(Analysis& analysis, const ExpressionSite& site,
                                                 const syntax::Expression& expression);

/// Flink's order: NULL is the smallest value.
Result<SortKey> AnalyzeSortKey(Analysis& analysis, const ExpressionSite& site, const syntax::OrderItem& item);
Result<SortKey> MakeSortKey(Analysis& analysis, Scalar value, const syntax::OrderItem& item);

/// A call with OVER; appends to the site.
Result<Scalar> AnalyzeWindowCall(Analysis& analysis, const ExpressionSite& site, const syntax::Expression& expression,
                                 const syntax::WindowSpecification& over);

// Inner queries; append to the site.
Result<Scalar> AnalyzeScalarSubquery(Analysis& analysis, const ExpressionSite& site, const syntax::ScalarSubquery& node,
                                     syntax::Position position);
Result<Scalar> AnalyzeExists(Analysis& analysis, const ExpressionSite& site, const syntax::Exists& node,
                             syntax::Position position);
Result<Scalar> AnalyzeInQuery(Analysis& analysis, const ExpressionSite& site, const syntax::In& node,
                              syntax::Position position);
Result<Scalar> AnalyzeQuantified(Analysis& analysis, const ExpressionSite& site,
                                 const syntax::QuantifiedComparison& node, syntax::Position position);
Result<Scalar> AnalyzeCollectionQuery(Analysis& analysis, const ExpressionSite& site,
                                      const syntax::CollectionQuery& node, syntax::Position position);

// JSON functions.
Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonExists& node);
Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonValue& node);
Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonQuery& node);
Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonObject& node);
Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonArray& node);

}  // namespace braid
