#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "syntax/lexer_internal.h"
#include "syntax/parser.h"
#include "syntax/statement.h"

namespace braid::syntax {

/// What stands in parentheses where both a query and an expression may.
using QueryOrExpression = std::variant<QueryPtr, ExpressionPtr>;
using QueryOrTable = std::variant<QueryPtr, TableExpressionPtr>;

/// Binding strengths, as in Calcite's table of operators; a higher one binds tighter.
enum Precedence : int {
  kLowestPrecedence = 0,
  kOrPrecedence = 22,
  kAndPrecedence = 24,
  kNotPrecedence = 26,
  kTestPrecedence = 28,
  kComparisonPrecedence = 30,
  kRangePrecedence = 32,  // BETWEEN, IN, LIKE
  kAdditivePrecedence = 40,
  kMultiplicativePrecedence = 60,  // also ||
  kSignPrecedence = 80,
  kPrimaryPrecedence = 100,
};

/// A recursive-descent parser over the tokens of one text; its methods lie in one source per part of the language.
///
/// Each Parse… method starts at the first token of what it parses and ends behind it. One Parser parses one text once.
class Parser {
 public:
  /// The text must outlive the parser.
  static Result<Parser> Make(std::string_view source);

  // parser.cc
  Result<StatementPtr> ParseStatement();
  Status ExpectEnd();
  Result<Identifier> ParseIdentifier(std::string_view what);
  Result<QualifiedName> ParseQualifiedName(std::string_view what);

  // query_parser.cc
  Result<QueryPtr> ParseQuery();
  // expression_parser.cc
  Result<ExpressionPtr> ParseExpression();
  // type_parser.cc
  Result<TypeName> ParseTypeName();

 private:
  Parser(std::string_view source, std::vector<Token> tokens) : source_(source), tokens_(std::move(tokens)) {}

  // Counts one level of nesting while it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Status Check() const;

   private:
    Parser& parser_;
  };

  // Measures the tree parsed while it lives, so that chains of operators cannot grow it beyond what recursion over it
  // can bear.
  class Height {
   public:
    /// `own` levels lie above what is parsed meanwhile.
    explicit Height(Parser& parser, int own = 1)
        : parser_(parser), own_(own), outer_(std::exchange(parser.tallest_, 0)) {}
    ~Height() { parser_.tallest_ = std::max(outer_, parser_.tallest_ + own_); }
    Height(const Height&) = delete;
    Height& operator=(const Height&) = delete;

   private:
    Parser& parser_;
    int own_;
    int outer_;
  };
  // One more operator on top of what is parsed so far.
  Status AddLink();

  // ---- Tokens (parser.cc) ----
  const Token& Peek(std::size_t ahead = 0) const;
  Position Here() const { return Peek().position; }
  Token Take();
  bool At(TokenKind kind, std::size_t ahead = 0) const { return Peek(ahead).kind == kind; }
  bool Accept(TokenKind kind);
  Status Expect(TokenKind kind, std::string_view what);
  bool AtWord(std::string_view keyword, std::size_t ahead = 0) const;
  bool AtWords(std::initializer_list<std::string_view> keywords) const;
  bool AcceptWord(std::string_view keyword);
  /// Accepts all of the words or none.
  bool AcceptWords(std::initializer_list<std::string_view> keywords);
  Status ExpectWord(std::string_view keyword);
  Status ExpectWords(std::initializer_list<std::string_view> keywords);
  /// A quoted name or a word that is not reserved.
  bool AtIdentifier(std::size_t ahead = 0) const;
  bool AtEndOfStatement() const { return At(TokenKind::kEnd) || At(TokenKind::kSemicolon); }
  Error Expected(std::string_view what) const;
  Error Unsupported(std::string_view what, std::string_view remedy) const;
  std::string_view TokenText(const Token& token) const { return source_.substr(token.position.offset, token.length); }
  std::string DescribeToken(const Token& token) const;

  // ---- Small parts (parser.cc) ----
  Result<std::string> ParseString(std::string_view what);
  Result<std::int64_t> ParseInteger(std::string_view what);
  Result<std::vector<Identifier>> ParseIdentifierList(std::string_view what);  // in parentheses
  Result<std::vector<QualifiedName>> ParseNameList(std::string_view what);     // in parentheses
  Result<Property> ParseProperty();
  Result<std::vector<Property>> ParseProperties();          // in parentheses
  Result<std::vector<Property>> ParseWithClause();          // WITH (…) or nothing
  Result<std::optional<std::string>> ParseCommentClause();  // COMMENT '…' or nothing
  Result<bool> ParseIfNotExists();
  Result<bool> ParseIfExists();
  Result<std::string> ResolveUnicodeEscapes(const Token& token, char escape) const;
  Result<StatementNode> ParseStatementNode();

  // Parses `( item, item )`; with `may_be_empty` also `()`.
  template <typename ParseItem>
  Status ParseParenthesized(ParseItem parse_item, bool may_be_empty = false) {
    BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
    if (may_be_empty && Accept(TokenKind::kRightParen)) return Ok();
    do {
      BRAID_TRY(parse_item());
    } while (Accept(TokenKind::kComma));
    return Expect(TokenKind::kRightParen, ", or )");
  }

  // ---- Expressions (expression_parser.cc) ----
  static ExpressionPtr MakeExpression(Position position, ExpressionNode node) {
    return ExpressionPtr::Make(Expression{position, std::move(node)});
  }
  Result<ExpressionPtr> ParseOperators(int lowest);
  Result<ExpressionPtr> ContinueOperators(ExpressionPtr left, int lowest);
  Result<ExpressionPtr> ParseUnary();
  Result<ExpressionPtr> ParseSigned(UnaryOperator op, int operand_precedence);
  Result<ExpressionPtr> ParseLogicalChain(ExpressionPtr first, LogicalOperator op);
  Result<ExpressionPtr> ParseBinary(ExpressionPtr left, BinaryOperator op, std::size_t tokens, int precedence);
  Result<ExpressionPtr> ParseTest(ExpressionPtr left);
  Result<ExpressionPtr> ParseRange(ExpressionPtr left);
  Result<ExpressionPtr> ParseBetween(ExpressionPtr left, Position position, bool negated);
  Result<ExpressionPtr> ParseIn(ExpressionPtr left, Position position, bool negated);
  Result<ExpressionPtr> ParseLike(ExpressionPtr left, Position position, LikeKind kind, bool negated);
  Result<ExpressionPtr> ParseQuantified(ExpressionPtr left, Position position, BinaryOperator op);
  Result<ExpressionPtr> ContinuePostfix(ExpressionPtr left);
  bool AtRangeOperator() const;

  // primary_parser.cc
  Result<ExpressionPtr> ParsePrimary();
  Result<ExpressionPtr> ParseParenthesizedExpression();
  Result<ExpressionPtr> FinishRow(Position position, ExpressionPtr first);
  bool LeadsToQuery() const;
  Result<QueryOrExpression> ParseQueryOrExpression();
  Result<QueryOrExpression> ContinueQueryOrExpression(Position position, QueryOrExpression inner);
  Result<ExpressionPtr> ParseWord();
  Result<ExpressionPtr> ParseNameOrCall();
  using Form = Result<ExpressionPtr> (Parser::*)();
  Form FindForm() const;
  Result<ExpressionPtr> ParseReservedCall();
  Error RefuseReservedWord() const;
  static ExpressionPtr MakeVariable(QualifiedName name);
  Result<ExpressionPtr> ParseConstant();
  Result<ExpressionPtr> ParseCase();
  Result<ExpressionPtr> ParseCast();
  Result<ExpressionPtr> ParseExists();
  Result<ExpressionPtr> ParseRow();
  Result<ExpressionPtr> ParseCollection();
  Result<std::vector<ExpressionPtr>> ParseExpressionList();  // in parentheses
  Result<std::vector<ExpressionPtr>> ParseExpressions();     // without

  // literal_parser.cc
  Result<ExpressionPtr> ParseLiteral();
  Result<ExpressionPtr> ParseStringLiteral();
  bool AtTemporalText() const;
  Result<ExpressionPtr> ParseTemporalLiteral();
  Result<ExpressionPtr> ParseInterval();
  Result<IntervalQualifier> ParseIntervalQualifier();
  std::optional<TimeUnit> TimeUnitAt(std::size_t ahead = 0) const;
  Result<TimeUnit> ParseTimeUnit();

  // call_parser.cc
  Result<ExpressionPtr> ParseCall(QualifiedName name);
  Status ParseCallArguments(FunctionCall& call);
  Status FinishCallArguments(FunctionCall& call);
  Result<ExpressionPtr> FinishCall(FunctionCall call);
  Result<ExpressionPtr> ParseExtract();
  Result<ExpressionPtr> ParseTrim();
  Result<ExpressionPtr> ParsePosition();
  Result<ExpressionPtr> ParseSubstring();
  Result<ExpressionPtr> ParseOverlay();
  Result<ExpressionPtr> ParseRounding();
  Result<ExpressionPtr> ParseTimestampArithmetic();
  Result<ExpressionPtr> ParseDescriptor();
  Result<CallArgument> ParseArgument();
  Result<ExpressionPtr> ParseArgumentValue();
  Result<ExpressionPtr> ParseTableArgument();
  Result<ExpressionPtr> FinishQueryArgument(ExpressionPtr value);
  Status ParseArgumentPartition(TableArgument& argument);
  Result<ExpressionPtr> MakePlainCall(const Token& name, std::vector<ExpressionPtr> arguments);
  Result<std::optional<NullTreatment>> ParseNullTreatment();
  Result<CallSuffix> ParseCallSuffix();
  Result<WindowSpecification> ParseOver();
  Result<WindowSpecification> ParseWindowSpecification();
  Result<WindowFrame> ParseFrame();
  Result<FrameBound> ParseFrameBound();

  // json_parser.cc
  Result<ExpressionPtr> ParseJsonExists();
  Result<ExpressionPtr> ParseJsonValue();
  Result<ExpressionPtr> ParseJsonQuery();
  Result<ExpressionPtr> ParseJsonObject();
  Result<ExpressionPtr> ParseJsonObjectAgg();
  Result<ExpressionPtr> ParseJsonArray();
  Result<ExpressionPtr> ParseJsonArrayAgg();
  Result<std::pair<ExpressionPtr, ExpressionPtr>> ParseJsonInput();
  Result<std::optional<TypeName>> ParseReturning();
  Result<JsonMember> ParseJsonMember();
  Result<std::optional<JsonNulls>> ParseJsonNulls();
  Result<std::optional<JsonWrapper>> ParseJsonWrapper();
  Result<std::optional<JsonBehavior>> ParseJsonBehavior();
  Status ParseJsonBehaviors(std::optional<JsonBehavior>& on_empty, std::optional<JsonBehavior>& on_error);

  // ---- Types (type_parser.cc) ----
  Result<TypeName> ParsePlainType();
  Result<TypeName> ParseTemporalType(std::string name);
  Result<TypeName> ParseRowType();
  Result<TypeName> ParseRawType();
  Status ParseTypeParameters(TypeName& type, std::size_t most);
  Status ParseTypeArguments(TypeName& type, std::size_t count);

  // ---- Queries (query_parser.cc, select_parser.cc, table_parser.cc) ----
  bool AtQuery(std::size_t ahead = 0) const;
  Result<QueryPtr> ParseQueryBody(Query query);
  Result<QueryPtr> ContinueQuery(Query query, QueryPtr left, bool left_in_parentheses);
  Result<QueryPtr> ParseSetOperations(QueryPtr left, bool& is_single, int lowest);
  Result<QueryPtr> ParseQueryOperand(bool& in_parentheses);
  bool AtQueryContinuation() const;
  Status ParseWith(Query& query);
  Status ParseQueryTail(Query& query);
  Result<ExpressionPtr> ParseRowCount();
  Result<std::vector<OrderItem>> ParseOrderBy();  // after ORDER BY
  Result<Values> ParseValues();

  Result<Select> ParseSelect();
  Result<SelectItem> ParseSelectItem();
  Status RefuseClausesWithoutFrom() const;
  Result<std::vector<GroupingElement>> ParseGroupingElements();
  Result<GroupingElement> ParseGroupingElement();
  Result<std::vector<GroupingKeys>> ParseGroupingKeysList();
  Result<std::vector<Hint>> ParseHints();  // or nothing
  Result<Hint> ParseHint();
  Result<HintArgument> ParseHintArgument();

  Result<TableExpressionPtr> ParseFrom();
  Result<TableExpressionPtr> ContinueFrom(TableExpressionPtr left);
  Result<TableExpressionPtr> ContinueJoins(TableExpressionPtr left);
  Result<std::optional<JoinKind>> ParseJoinKind(bool natural);
  Result<TableExpressionPtr> ParseTablePrimary();
  Result<TableExpressionPtr> ParseParenthesizedTable();
  Result<QueryOrTable> ParseQueryOrTable();
  Result<TableExpressionPtr> ParseLateral();
  Result<TableExpressionPtr> ParseTableFunction(Position position, bool lateral);
  Result<TableExpressionPtr> ParseUnnest();
  Result<TableExpressionPtr> ParseNamedTable();
  Result<TableExpressionPtr> FinishTable(TableExpression table);
  Result<std::optional<TableAlias>> ParseTableAlias();

  // ---- Statements ----
  // table_statement_parser.cc
  Result<StatementNode> ParseCreate();
  Result<StatementNode> ParseCreateTable(CreateTable table);
  Status ParseTableElements(CreateTable& table);
  Result<ColumnDefinition> ParseColumn(Identifier name);
  Result<std::variant<PhysicalColumn, MetadataColumn, ComputedColumn, BareColumn>> ParseColumnKind();
  Status ParseColumnSuffixes(PhysicalColumn& column);
  bool AtConstraint() const;
  Result<KeyConstraint> ParseConstraint();
  Result<std::optional<bool>> ParseEnforced();
  Result<Watermark> ParseWatermark();
  Result<Distribution> ParseDistribution();  // behind DISTRIBUTED or DISTRIBUTION
  Result<LikeClause> ParseLikeClause();
  Result<StatementNode> ParseAlterTable();
  Result<TableChange> ParseTableChange();
  Result<TableChange> ParseRenameChange();
  Result<TableChange> ParseAddOrModify(bool modify);
  Status ParseAddOrModifyItem(AddOrModify& change);
  Result<ColumnChange> ParseColumnChange();
  Result<TableChange> ParseDropChange();
  Result<TableChange> ParseAddPartitions(bool if_not_exists);
  Result<TableChange> ParseDropPartitions(bool if_exists);
  Result<PartitionSpec> ParsePartitionSpec();  // in parentheses
  Result<SetOptions> ParseSetOptions();        // behind SET
  Result<ResetOptions> ParseResetOptions();    // behind RESET

  // object_statement_parser.cc
  Result<StatementNode> ParseCreateView(bool temporary);
  Result<StatementNode> ParseCreateDatabase();
  Result<StatementNode> ParseCreateCatalog();
  Result<StatementNode> ParseFunctionDefinition(CreateFunction function);
  Result<StatementNode> ParseAlter();
  Result<StatementNode> ParseAlterView();
  Result<StatementNode> ParseAlterDatabase();
  Result<StatementNode> ParseAlterCatalog();
  Result<StatementNode> ParseDrop();

  // data_statement_parser.cc
  Result<StatementNode> ParseInsert();
  Result<StatementNode> ParseUpdate();
  Result<StatementNode> ParseDelete();
  Result<StatementNode> ParseMerge();
  Result<MergeClause> ParseMergeClause();
  Result<MergeInsert> ParseMergeInsert();
  Result<std::vector<Assignment>> ParseAssignments();
  Result<std::optional<Identifier>> ParseOptionalAlias();
  Result<StatementNode> ParseTruncate();
  Result<StatementNode> ParseAnalyze();
  Result<StatementNode> ParseBegin();
  Result<StatementNode> ParseExecute();
  Result<StatementNode> ParseStatementSet();  // behind BEGIN … up to END
  Result<StatementNode> ParseExplain();
  Result<StatementNode> ParseCall();

  // command_parser.cc
  Result<StatementNode> ParseUse();
  Result<StatementNode> ParseShow();
  Result<std::optional<ShowKind>> ParseShowKind();
  Result<StatementNode> ParseDescribe();
  Result<StatementNode> ParseSet();
  Result<StatementNode> ParseReset();
  Result<StatementNode> ParseStopJob();
  Result<StatementNode> ParseLoadModule();
  Result<StatementNode> ParseUnloadModule();
  Result<StatementNode> ParseJar(bool remove);
  std::optional<ClientCommandKind> ClientCommandAt() const;

  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
  int tallest_ = 0;
  // Keywords asked for at tokens_[tried_at_], to suggest the one that was misspelt.
  mutable std::size_t tried_at_ = 0;
  mutable std::vector<std::string_view> tried_;
};

}  // namespace braid::syntax
