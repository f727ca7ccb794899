#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "syntax/tree.h"
#include "syntax/type_name.h"

namespace braid::syntax {

// ---- Literals ----

struct NullLiteral {
  friend bool operator==(const NullLiteral&, const NullLiteral&) = default;
};

/// TRUE, FALSE, or UNKNOWN (absent).
struct BooleanLiteral {
  std::optional<bool> value;
  friend bool operator==(const BooleanLiteral&, const BooleanLiteral&) = default;
};

enum class NumberKind : std::uint8_t {
  kInteger,      ///< digits alone
  kDecimal,      ///< with a point
  kApproximate,  ///< with an exponent: DOUBLE
};

/// An unsigned number; a sign before it is a UnaryOperation.
struct NumberLiteral {
  std::string text;  ///< as written: "12", "1.50", "1e3"
  NumberKind kind;
  friend bool operator==(const NumberLiteral&, const NumberLiteral&) = default;
};

/// 'text', N'text', _UTF8'text', U&'\0041': its value in UTF-8, pieces already joined and escapes resolved.
struct StringLiteral {
  std::string value;
  friend bool operator==(const StringLiteral&, const StringLiteral&) = default;
};

/// X'00ff' as bytes.
struct BinaryLiteral {
  std::string bytes;
  friend bool operator==(const BinaryLiteral&, const BinaryLiteral&) = default;
};

enum class TemporalKind : std::uint8_t { kDate, kTime, kTimestamp, kTimestampLtz };

/// DATE '…', TIME '…', TIMESTAMP '…', TIMESTAMP WITH LOCAL TIME ZONE '…'; whether the text is a date is for analysis to
/// say.
struct TemporalLiteral {
  TemporalKind kind;
  std::string text;
  friend bool operator==(const TemporalLiteral&, const TemporalLiteral&) = default;
};

/// Units of INTERVAL, EXTRACT, FLOOR … TO, TIMESTAMPADD. Plurals (DAYS) are read as singulars.
enum class TimeUnit : std::uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kNanosecond,
  kDecade,
  kCentury,
  kMillennium,
  kEpoch,
  kDayOfWeek,
  kIsoDayOfWeek,
  kDayOfYear,
  kIsoYear
};

/// The unit in capitals as Flink spells it: "DAY", "DOW", "ISODOW".
std::string_view TimeUnitName(TimeUnit unit);

/// DAY(3) TO SECOND(6); precisions absent if not written.
struct IntervalQualifier {
  TimeUnit start;
  std::optional<int> start_precision = std::nullopt;
  std::optional<TimeUnit> end = std::nullopt;
  std::optional<int> fractional_precision = std::nullopt;
  friend bool operator==(const IntervalQualifier&, const IntervalQualifier&) = default;
};

/// INTERVAL [-] '1-2' YEAR TO MONTH; the text keeps its own sign.
struct IntervalLiteral {
  bool negative = false;
  std::string text;
  IntervalQualifier qualifier;
  friend bool operator==(const IntervalLiteral&, const IntervalLiteral&) = default;
};

/// INTERVAL x DAY, with an expression instead of a text.
struct IntervalExpression {
  ExpressionPtr value;
  IntervalQualifier qualifier;
  friend bool operator==(const IntervalExpression&, const IntervalExpression&) = default;
};

/// (a - b) DAY TO SECOND: the time between two points, in whole units of the qualifier.
struct TemporalDifference {
  ExpressionPtr left;
  ExpressionPtr right;
  IntervalQualifier qualifier;
  friend bool operator==(const TemporalDifference&, const TemporalDifference&) = default;
};

// ---- Names ----

/// `c`, `t.c`, `db.t.c`, `c.field`: analysis decides what the parts mean.
struct ColumnReference {
  QualifiedName name;
  friend bool operator==(const ColumnReference&, const ColumnReference&) = default;
};

/// `*` or `t.*`, in a SELECT list or as the argument of COUNT.
struct Star {
  std::vector<Identifier> qualifier;
  friend bool operator==(const Star&, const Star&) = default;
};

/// A `?`; analysis refuses it.
struct Parameter {
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// DEFAULT as a value of INSERT, UPDATE or a call.
struct DefaultValue {
  friend bool operator==(const DefaultValue&, const DefaultValue&) = default;
};

/// A unit as an argument: EXTRACT(unit, x), FLOOR(x, unit), TIMESTAMPADD(unit, n, x), TIMESTAMPDIFF(unit, a, b).
struct TimeUnitSymbol {
  TimeUnit unit;
  friend bool operator==(const TimeUnitSymbol&, const TimeUnitSymbol&) = default;
};

// ---- Operators ----

enum class LogicalOperator : std::uint8_t { kAnd, kOr };

/// `a AND b AND c` is one node of three operands; parentheses keep nested ones apart.
struct Logical {
  LogicalOperator op;
  std::vector<ExpressionPtr> operands;  ///< at least two
  friend bool operator==(const Logical&, const Logical&) = default;
};

enum class UnaryOperator : std::uint8_t { kNot, kMinus, kPlus };

struct UnaryOperation {
  UnaryOperator op;
  ExpressionPtr operand;
  friend bool operator==(const UnaryOperation&, const UnaryOperation&) = default;
};

enum class BinaryOperator : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIsDistinctFrom,
  kIsNotDistinctFrom,
  kOverlaps,
  kConcat,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo
};

/// The operator's SQL spelling: "=", "<>", "IS DISTINCT FROM", "||".
std::string_view BinaryOperatorText(BinaryOperator op);

struct BinaryOperation {
  BinaryOperator op;
  ExpressionPtr left;
  ExpressionPtr right;
  friend bool operator==(const BinaryOperation&, const BinaryOperation&) = default;
};

enum class TestKind : std::uint8_t { kNull, kTrue, kFalse, kUnknown, kJson, kJsonObject, kJsonArray, kJsonScalar };

/// x IS [NOT] NULL | TRUE | FALSE | UNKNOWN | JSON [VALUE|OBJECT|ARRAY|SCALAR].
struct Test {
  ExpressionPtr operand;
  TestKind kind;
  bool negated = false;
  friend bool operator==(const Test&, const Test&) = default;
};

struct Between {
  ExpressionPtr value;
  ExpressionPtr low;
  ExpressionPtr high;
  bool symmetric = false;
  bool negated = false;
  friend bool operator==(const Between&, const Between&) = default;
};

/// x [NOT] IN (list) or (query); exactly one of them is given.
struct In {
  ExpressionPtr value;
  std::vector<ExpressionPtr> list;
  QueryPtr query;
  bool negated = false;
  friend bool operator==(const In&, const In&) = default;
};

enum class LikeKind : std::uint8_t { kLike, kSimilarTo };

struct Like {
  LikeKind kind;
  ExpressionPtr value;
  ExpressionPtr pattern;
  ExpressionPtr escape;  ///< absent without ESCAPE
  bool negated = false;
  friend bool operator==(const Like&, const Like&) = default;
};

/// x > ANY|ALL (query or list); SOME is read as ANY.
struct QuantifiedComparison {
  BinaryOperator op;
  bool all = false;
  ExpressionPtr value;
  std::vector<ExpressionPtr> list;
  QueryPtr query;
  friend bool operator==(const QuantifiedComparison&, const QuantifiedComparison&) = default;
};

struct Exists {
  QueryPtr query;
  friend bool operator==(const Exists&, const Exists&) = default;
};

/// A query in parentheses where a value stands.
struct ScalarSubquery {
  QueryPtr query;
  friend bool operator==(const ScalarSubquery&, const ScalarSubquery&) = default;
};

/// CAST(x AS type), TRY_CAST(x AS type).
struct Cast {
  ExpressionPtr operand;
  TypeName type;
  bool is_try = false;
  friend bool operator==(const Cast&, const Cast&) = default;
};

struct CaseBranch {
  ExpressionPtr when;
  ExpressionPtr then;
  friend bool operator==(const CaseBranch&, const CaseBranch&) = default;
};

/// CASE [operand] WHEN … THEN … [ELSE …] END.
struct Case {
  ExpressionPtr operand;  ///< absent in the searched form
  std::vector<CaseBranch> branches;
  ExpressionPtr otherwise;  ///< absent without ELSE
  friend bool operator==(const Case&, const Case&) = default;
};

/// x[i] of an array or map.
struct ElementAccess {
  ExpressionPtr operand;
  ExpressionPtr index;
  friend bool operator==(const ElementAccess&, const ElementAccess&) = default;
};

/// x.field where x is not a plain name, such as `f(y).a` or `a[1].b`.
struct FieldAccess {
  ExpressionPtr operand;
  Identifier field;
  friend bool operator==(const FieldAccess&, const FieldAccess&) = default;
};

// ---- Constructors ----

/// (a, b) or ROW(a, b).
struct RowConstructor {
  std::vector<ExpressionPtr> elements;
  bool has_keyword = false;  ///< ROW is written
  friend bool operator==(const RowConstructor&, const RowConstructor&) = default;
};

enum class CollectionKind : std::uint8_t { kArray, kMultiset, kMap };

/// ARRAY[a, b], MULTISET[a, b], MAP[k, v, k, v]; may be empty.
struct CollectionConstructor {
  CollectionKind kind;
  std::vector<ExpressionPtr> elements;
  friend bool operator==(const CollectionConstructor&, const CollectionConstructor&) = default;
};

/// ARRAY(query), MULTISET(query), MAP(query).
struct CollectionQuery {
  CollectionKind kind;
  QueryPtr query;
  friend bool operator==(const CollectionQuery&, const CollectionQuery&) = default;
};

// ---- Calls ----

enum class NullOrder : std::uint8_t { kFirst, kLast };

struct OrderItem {
  ExpressionPtr value;
  bool descending = false;
  std::optional<NullOrder> nulls = std::nullopt;  ///< absent: Flink's rule, NULL is the smallest value
  friend bool operator==(const OrderItem&, const OrderItem&) = default;
};

enum class FrameBoundKind : std::uint8_t {
  kUnboundedPreceding,
  kPreceding,
  kCurrentRow,
  kFollowing,
  kUnboundedFollowing
};

struct FrameBound {
  FrameBoundKind kind;
  ExpressionPtr offset;  ///< of kPreceding and kFollowing
  friend bool operator==(const FrameBound&, const FrameBound&) = default;
};

struct WindowFrame {
  Position position;
  bool rows = false;  ///< ROWS, else RANGE
  FrameBound start;
  FrameBound end;  ///< CURRENT ROW if not written
  friend bool operator==(const WindowFrame&, const WindowFrame&) = default;
};

/// What stands in OVER (…) or WINDOW w AS (…).
struct WindowSpecification {
  Position position;
  std::optional<Identifier> base = std::nullopt;  ///< OVER w, or the window that this one extends
  std::vector<ExpressionPtr> partition_by = {};
  std::vector<OrderItem> order_by = {};
  std::optional<WindowFrame> frame = std::nullopt;
  /// OVER w without parentheses.
  bool is_name_alone = false;
  friend bool operator==(const WindowSpecification&, const WindowSpecification&) = default;
};

enum class SetQuantifier : std::uint8_t { kAll, kDistinct };
enum class NullTreatment : std::uint8_t { kIgnoreNulls, kRespectNulls };

/// What may follow the parentheses of a call.
struct CallSuffix {
  std::vector<OrderItem> within_group = {};
  std::optional<NullTreatment> nulls = std::nullopt;
  ExpressionPtr filter = {};  ///< FILTER (WHERE …)
  std::optional<WindowSpecification> over = std::nullopt;
  friend bool operator==(const CallSuffix&, const CallSuffix&) = default;
};

struct CallArgument {
  std::optional<Identifier> name = std::nullopt;  ///< name => value
  ExpressionPtr value;
  friend bool operator==(const CallArgument&, const CallArgument&) = default;
};

/// A call of any function, aggregate or table function.
///
/// The name is as written; functions match without regard to case. Special forms are reduced to plain arguments:
/// EXTRACT(u FROM x) to (u, x), FLOOR(x TO u) to (x, u), SUBSTRING(x FROM a FOR b) to (x, a, b), POSITION(x IN y [FROM
/// n]) to (x, y[, n]), OVERLAY(x PLACING y FROM a FOR b) to (x, y, a, b). CURRENT_DATE and its like, written without
/// parentheses, have no argument.
struct FunctionCall {
  QualifiedName name;
  std::optional<SetQuantifier> quantifier = std::nullopt;
  std::vector<CallArgument> arguments = {};
  std::vector<OrderItem> order_by = {};  ///< inside the parentheses
  CallSuffix suffix = {};
  friend bool operator==(const FunctionCall&, const FunctionCall&) = default;
};

enum class TrimSide : std::uint8_t { kBoth, kLeading, kTrailing };

/// TRIM([BOTH|LEADING|TRAILING] [characters] [FROM] value). TRIM(x) has side kBoth and no characters.
struct Trim {
  TrimSide side = TrimSide::kBoth;
  ExpressionPtr characters;  ///< absent: a blank
  ExpressionPtr value;
  friend bool operator==(const Trim&, const Trim&) = default;
};

/// DESCRIPTOR(a, b).
struct Descriptor {
  std::vector<Identifier> columns;
  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

/// TABLE t [PARTITION BY …] [ORDER BY …] or (query) PARTITION BY …, as an argument of a table function.
struct TableArgument {
  std::optional<QualifiedName> table = std::nullopt;
  QueryPtr query = {};
  std::vector<ExpressionPtr> partition_by = {};
  std::vector<OrderItem> order_by = {};
  friend bool operator==(const TableArgument&, const TableArgument&) = default;
};

// ---- JSON functions with clauses of their own ----

enum class JsonBehaviorKind : std::uint8_t {
  kError,
  kNull,
  kDefault,
  kTrue,
  kFalse,
  kUnknown,
  kEmptyArray,
  kEmptyObject
};

/// What ON EMPTY or ON ERROR asks for.
struct JsonBehavior {
  JsonBehaviorKind kind;
  ExpressionPtr value = {};  ///< of kDefault
  friend bool operator==(const JsonBehavior&, const JsonBehavior&) = default;
};

enum class JsonNulls : std::uint8_t { kNullOnNull, kAbsentOnNull };
enum class JsonWrapper : std::uint8_t { kWithout, kConditional, kUnconditional };

struct JsonExists {
  ExpressionPtr input;
  ExpressionPtr path;
  std::optional<JsonBehavior> on_error = std::nullopt;
  friend bool operator==(const JsonExists&, const JsonExists&) = default;
};

struct JsonValue {
  ExpressionPtr input;
  ExpressionPtr path;
  std::optional<TypeName> returning = std::nullopt;
  std::optional<JsonBehavior> on_empty = std::nullopt;
  std::optional<JsonBehavior> on_error = std::nullopt;
  friend bool operator==(const JsonValue&, const JsonValue&) = default;
};

struct JsonQuery {
  ExpressionPtr input;
  ExpressionPtr path;
  std::optional<TypeName> returning = std::nullopt;
  std::optional<JsonWrapper> wrapper = std::nullopt;
  std::optional<JsonBehavior> on_empty = std::nullopt;
  std::optional<JsonBehavior> on_error = std::nullopt;
  friend bool operator==(const JsonQuery&, const JsonQuery&) = default;
};

struct JsonMember {
  ExpressionPtr key;
  ExpressionPtr value;
  friend bool operator==(const JsonMember&, const JsonMember&) = default;
};

struct JsonObject {
  std::vector<JsonMember> members;
  std::optional<JsonNulls> nulls = std::nullopt;
  friend bool operator==(const JsonObject&, const JsonObject&) = default;
};

struct JsonArray {
  std::vector<ExpressionPtr> elements;
  std::optional<JsonNulls> nulls = std::nullopt;
  friend bool operator==(const JsonArray&, const JsonArray&) = default;
};

struct JsonObjectAgg {
  JsonMember member;
  std::optional<JsonNulls> nulls = std::nullopt;
  CallSuffix suffix = {};
  friend bool operator==(const JsonObjectAgg&, const JsonObjectAgg&) = default;
};

struct JsonArrayAgg {
  ExpressionPtr value;
  std::vector<OrderItem> order_by = {};
  std::optional<JsonNulls> nulls = std::nullopt;
  CallSuffix suffix = {};
  friend bool operator==(const JsonArrayAgg&, const JsonArrayAgg&) = default;
};

using ExpressionNode =
    std::variant<NullLiteral, BooleanLiteral, NumberLiteral, StringLiteral, BinaryLiteral, TemporalLiteral,
                 IntervalLiteral, IntervalExpression, TemporalDifference, ColumnReference, Star, Parameter,
                 DefaultValue, TimeUnitSymbol, Logical, UnaryOperation, BinaryOperation, Test, Between, In, Like,
                 QuantifiedComparison, Exists, ScalarSubquery, Cast, Case, ElementAccess, FieldAccess, RowConstructor,
                 CollectionConstructor, CollectionQuery, FunctionCall, Trim, Descriptor, TableArgument, JsonExists,
                 JsonValue, JsonQuery, JsonObject, JsonArray, JsonObjectAgg, JsonArrayAgg>;

/// A scalar expression or what may stand in its place. Parentheses leave no trace but in the shape of the tree.
struct Expression {
  Position position;  ///< of its first token; of the operator for binary ones
  ExpressionNode node;

  friend bool operator==(const Expression&, const Expression&) = default;
};

}  // namespace braid::syntax
