#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syntax/printer.h"
#include "syntax/statement.h"

namespace braid::syntax {

/// Appends SQL to a text; its methods lie in one source per part of the language.
class Printer {
 public:
  std::string Finish() && { return std::move(out_); }

  void Print(const Expression& expression);
  void Print(const Query& query);
  void Print(const Statement& statement);
  void Print(const TypeName& type);
  void Print(const QualifiedName& name);
  void Print(const IntervalQualifier& qualifier);

 private:
  void Add(std::string_view text) { out_ += text; }
  void Add(const Identifier& name) { out_ += QuoteIdentifier(name.name); }
  void AddString(std::string_view text) { out_ += QuoteString(text); }

  /// Prints items with `, ` between them.
  template <typename Items, typename PrintItem>
  void AddList(const Items& items, PrintItem print_item) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) Add(", ");
      first = false;
      print_item(item);
    }
  }
  void AddExpressions(const std::vector<ExpressionPtr>& list);
  void AddNames(const std::vector<Identifier>& names);  // with parentheses
  void AddProperties(const std::vector<Property>& properties);
  void AddWith(const std::vector<Property>& properties);  // nothing if empty

  // ---- Expressions: expression_printer.cc, call_printer.cc ----
  void PrintOperand(const ExpressionPtr& operand, int lowest);
  void PrintNode(const NullLiteral& node);
  void PrintNode(const BooleanLiteral& node);
  void PrintNode(const NumberLiteral& node);
  void PrintNode(const StringLiteral& node);
  void PrintNode(const BinaryLiteral& node);
  void PrintNode(const TemporalLiteral& node);
  void PrintNode(const IntervalLiteral& node);
  void PrintNode(const IntervalExpression& node);
  void PrintNode(const TemporalDifference& node);
  void PrintNode(const ColumnReference& node);
  void PrintNode(const Star& node);
  void PrintNode(const Parameter& node);
  void PrintNode(const DefaultValue& node);
  void PrintNode(const TimeUnitSymbol& node);
  void PrintNode(const Logical& node);
  void PrintNode(const UnaryOperation& node);
  void PrintNode(const BinaryOperation& node);
  void PrintNode(const Test& node);
  void PrintNode(const Between& node);
  void PrintNode(const In& node);
  void PrintNode(const Like& node);
  void PrintNode(const QuantifiedComparison& node);
  void PrintNode(const Exists& node);
  void PrintNode(const ScalarSubquery& node);
  void PrintNode(const Cast& node);
  void PrintNode(const Case& node);
  void PrintNode(const ElementAccess& node);
  void PrintNode(const FieldAccess& node);
  void PrintNode(const RowConstructor& node);
  void PrintNode(const CollectionConstructor& node);
  void PrintNode(const CollectionQuery& node);
  void PrintNode(const FunctionCall& node);
  void PrintNode(const Trim& node);
  void PrintNode(const Descriptor& node);
  void PrintNode(const TableArgument& node);
  void PrintNode(const JsonExists& node);
  void PrintNode(const JsonValue& node);
  void PrintNode(const JsonQuery& node);
  void PrintNode(const JsonObject& node);
  void PrintNode(const JsonArray& node);
  void PrintNode(const JsonObjectAgg& node);
  void PrintNode(const JsonArrayAgg& node);
  void PrintFunctionName(const QualifiedName& name);
  bool PrintSpecialForm(const FunctionCall& call);
  void PrintArgument(const CallArgument& argument);
  void PrintSuffix(const CallSuffix& suffix);
  void PrintOrder(const std::vector<OrderItem>& items);
  void PrintWindow(const WindowSpecification& window);
  void PrintBound(const FrameBound& bound);
  void PrintBehavior(const std::optional<JsonBehavior>& behavior, std::string_view when);
  void PrintNulls(const std::optional<JsonNulls>& nulls, std::string_view blank = " ");
  void PrintMember(const JsonMember& member);

  // ---- Queries: query_printer.cc ----
  void PrintBody(const Select& select);
  void PrintBody(const Values& values);
  void PrintBody(const ExplicitTable& table);
  void PrintBody(const SetOperation& operation);
  void PrintBody(const NestedQuery& nested);
  void PrintSetOperand(const Query& query, int lowest);
  void PrintHints(const std::vector<Hint>& hints);
  void PrintHintArgument(const HintArgument& argument);
  void PrintGrouping(const std::vector<GroupingElement>& elements);
  void PrintKeys(const GroupingKeys& keys);
  void PrintTable(const TableExpression& table);
  void PrintTableNode(const NamedTable& table);
  void PrintTableNode(const DerivedTable& table);
  void PrintTableNode(const TableFunction& function);
  void PrintTableNode(const Unnest& unnest);
  void PrintTableNode(const Join& join);
  void PrintJoinSide(const TableExpression& side, bool in_parentheses);

  // ---- Statements: statement_printer.cc, table_statement_printer.cc, command_printer.cc ----
  void PrintStatement(const QueryStatement& statement);
  void PrintStatement(const Insert& insert);
  void PrintStatement(const Update& update);
  void PrintStatement(const Delete& statement);
  void PrintStatement(const Merge& merge);
  void PrintStatement(const TruncateTable& truncate);
  void PrintStatement(const AnalyzeTable& analyze);
  void PrintStatement(const StatementSet& set);
  void PrintStatement(const BeginStatementSet& begin);
  void PrintStatement(const EndStatementSet& end);
  void PrintStatement(const Execute& execute);
  void PrintStatement(const Explain& explain);
  void PrintStatement(const Call& call);
  void PrintStatement(const CreateTable& table);
  void PrintStatement(const AlterTable& alter);
  void PrintStatement(const Drop& drop);
  void PrintStatement(const CreateView& view);
  void PrintStatement(const AlterView& alter);
  void PrintStatement(const CreateDatabase& database);
  void PrintStatement(const AlterDatabase& alter);
  void PrintStatement(const CreateCatalog& catalog);
  void PrintStatement(const AlterCatalog& alter);
  void PrintStatement(const CreateFunction& function);
  void PrintStatement(const UseCatalog& use);
  void PrintStatement(const UseDatabase& use);
  void PrintStatement(const UseModules& use);
  void PrintStatement(const Show& show);
  void PrintStatement(const Describe& describe);
  void PrintStatement(const Set& set);
  void PrintStatement(const Reset& reset);
  void PrintStatement(const StopJob& stop);
  void PrintStatement(const LoadModule& load);
  void PrintStatement(const UnloadModule& unload);
  void PrintStatement(const JarCommand& jar);
  void PrintStatement(const ClientCommand& command);
  void PrintAssignments(const std::vector<Assignment>& assignments);
  void Print(const MergeClause& clause);
  void PrintColumnNames(const std::vector<QualifiedName>& names);  // with parentheses
  void PrintPartition(const PartitionSpec& spec);                  // (…)
  void PrintComment(const std::optional<std::string>& comment);
  void PrintElements(const CreateTable& table);
  void PrintColumn(const ColumnDefinition& column);
  void PrintConstraint(const KeyConstraint& constraint);
  void PrintEnforced(const std::optional<bool>& enforced);
  void PrintWatermark(const Watermark& watermark);
  void PrintDistribution(const Distribution& distribution);
  void PrintLike(const LikeClause& like);
  void PrintChange(const RenameTable& change);
  void PrintChange(const RenameColumn& change);
  void PrintChange(const AddOrModify& change);
  void PrintChange(const DropColumns& change);
  void PrintChange(const DropPrimaryKey& change);
  void PrintChange(const DropConstraint& change);
  void PrintChange(const DropWatermark& change);
  void PrintChange(const DropDistribution& change);
  void PrintChange(const SetOptions& change);
  void PrintChange(const ResetOptions& change);
  void PrintChange(const SetComment& change);
  void PrintChange(const AddPartitions& change);
  void PrintChange(const DropPartitions& change);
  void PrintChange(const RenameView& change);
  void PrintChange(const ReplaceViewQuery& change);

  std::string out_;
};

}  // namespace braid::syntax
