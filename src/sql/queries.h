#pragma once

#include "sql/analysis.h"
#include "syntax/query.h"

namespace braid {

/// Analyses a query within others: its operator, whose columns have the result's names.
/// Errors: as AnalyzeQuery.
Result<OperatorPtr> AnalyzeRelation(Analysis& analysis, const syntax::Query& query, const Surroundings& around);

/// Gives columns the names of an alias; no names leave them. Errors: kInvalidArgument, placed, if their numbers differ.
Status Rename(const Analysis& analysis, std::vector<OutputColumn>& columns, const std::vector<std::string>& names,
              syntax::Position position);
/// The same for an operator.
Result<OperatorPtr> RenameColumns(const Analysis& analysis, const OperatorPtr& input,
                                  const std::vector<std::string>& names, syntax::Position position);

/// The operator with its columns converted to these types, where Flink does so by itself; nullptr if it does not.
OperatorPtr ConvertColumns(Analysis& analysis, const OperatorPtr& input, const std::vector<SqlType>& types);

/// FROM: the operator and the names that it shows.
struct FromClause {
  OperatorPtr source;
  Scope scope;
};
Result<FromClause> AnalyzeFrom(Analysis& analysis, const syntax::TableExpression& table, const Surroundings& around);

/// A table function that adds windows to rows: TUMBLE, HOP, CUMULATE.
Result<FromClause> AnalyzeWindowTable(Analysis& analysis, const syntax::FunctionCall& call, syntax::Position position,
                                      const Surroundings& around);

/// SELECT with its ORDER BY.
Result<OperatorPtr> AnalyzeSelect(Analysis& analysis, const syntax::Select& select,
                                  const std::vector<syntax::OrderItem>& order_by, const Surroundings& around);

}  // namespace braid
