#pragma once

// For tests alone: expressions without columns on their way from syntax to calls, as the SQL layer takes them.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/flink_text.h"
#include "duck/function_table.h"
#include "syntax/expression.h"

namespace braid {

/// Resolves a parsed expression.
class Resolver {
 public:
  using Call = Result<EmittedCall>;

  enum class Literals {
    kInline,   // for DuckDB to fold
    kColumns,  // each a column l0, l1, … of a table, so that functions run on vectors
  };
  Resolver(CallContext context, Literals literals) : context_(std::move(context)), literals_(literals) {}

  /// The columns' values as SQL.
  const std::vector<std::string>& columns() const { return columns_; }

  Call Resolve(const syntax::ExpressionPtr& expression) { return Resolve(*expression); }
  Call Resolve(const syntax::Expression& expression) {
    return std::visit([this](const auto& node) { return this->Node(node); }, expression.node);
  }

 private:
  static EmittedCall Symbol(std::string_view keyword) { return {SqlType::Symbol(), std::string(keyword)}; }
  static EmittedCall Null() { return {SqlType::Null(), "NULL", Datum()}; }

  Call Literal(const Datum& value, const DataType& type) {
    BRAID_TRY_ASSIGN(std::string sql, EmitLiteral(value, type));
    return EmittedCall{type.NotNull(), AsColumn(std::move(sql)), value};
  }
  std::string AsColumn(std::string sql) {
    if (literals_ == Literals::kInline) return sql;
    columns_.push_back(std::move(sql));
    return fmt::format("l{}", columns_.size() - 1);
  }

  Call Named(std::string_view name, std::vector<EmittedCall> arguments) {
    return ResolveCall(name, std::move(arguments), context_);
  }

  Result<std::vector<EmittedCall>> All(const std::vector<syntax::ExpressionPtr>& expressions) {
    std::vector<EmittedCall> calls;
    for (const auto& expression : expressions) {
      BRAID_TRY_ASSIGN(EmittedCall call, Resolve(expression));
      calls.push_back(std::move(call));
    }
    return calls;
  }

  template <typename T>
  Call Node(const T& /*node*/) {
    return Error(ErrorCode::kUnsupported, "not an expression of this test");
  }

  Call Node(const syntax::NullLiteral& /*node*/) { return Null(); }
  Call Node(const syntax::BooleanLiteral& node) {
    if (!node.value) return EmittedCall{DataType::Boolean(), "CAST(NULL AS BOOLEAN)", Datum()};
    return Literal(*node.value, DataType::Boolean());
  }
  Call Node(const syntax::StringLiteral& node) {
    std::int32_t length = 0;
    for (const char c : node.value) length += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return Literal(node.value, DataType::Char(length));
  }
  Call Node(const syntax::BinaryLiteral& node) {
    return Literal(node.bytes, DataType::Binary(static_cast<std::int32_t>(node.bytes.size())));
  }
  Call Node(const syntax::NumberLiteral& node) { return Number(node, false); }

  Call Number(const syntax::NumberLiteral& node, bool negative) {
    const std::string text = (negative ? "-" : "") + node.text;
    if (node.kind == syntax::NumberKind::kApproximate) {
      const double value = std::strtod(text.c_str(), nullptr);
      if (std::isinf(value)) return Error(ErrorCode::kInvalidArgument, "out of range");
      return Literal(value, DataType::Double());
    }
    std::string digits = text;
    const std::size_t point = digits.find('.');
    if (point != std::string::npos) digits.erase(point, 1);
    const std::optional<std::int64_t> unscaled = ParseInt64(digits);
    if (!unscaled) return Error(ErrorCode::kInvalidArgument, "out of range");
    const std::size_t scale = point == std::string::npos ? 0 : text.size() - point - 1;
    if (scale > 0) {
      const int precision = static_cast<int>(digits.size()) - (negative ? 1 : 0);
      return Literal(Decimal{*unscaled}, DataType::Decimal(precision, static_cast<int>(scale)));
    }
    const bool wide = *unscaled > 2147483647 || *unscaled < -2147483648LL;
    return Literal(*unscaled, wide ? DataType::BigInt() : DataType::Int());
  }

  Call Node(const syntax::TemporalLiteral& node) {
    const std::size_t point = node.text.find('.');
    const int precision = point == std::string::npos ? 0 : static_cast<int>(node.text.size() - point - 1);
    switch (node.kind) {
      case syntax::TemporalKind::kDate: {
        const auto days = ParseFlinkDate(node.text);
        if (!days || node.text.size() != 10) return Error(ErrorCode::kInvalidArgument, "no date");
        return Literal(std::int64_t{*days}, DataType::Date());
      }
      case syntax::TemporalKind::kTime: {
        const auto micros = ParseFlinkTime(node.text);
        if (!micros) return Error(ErrorCode::kInvalidArgument, "no time");
        return Literal(*micros / 1000, DataType::Time(0));
      }
      default: break;
    }
    const auto value = ParseFlinkTimestamp(node.text);
    if (!value) return Error(ErrorCode::kInvalidArgument, "no timestamp");
    return Literal(Timestamp{value->seconds * 1000 + value->nanos / 1'000'000, value->nanos % 1'000'000},
                   DataType::Timestamp(precision));
  }

  Call Node(const syntax::IntervalLiteral& node) {
    // [-]d[ h[:m[:s]]] or y[-m]: numbers from the unit on that is named first.
    using syntax::TimeUnit;
    std::string_view text = node.text;
    bool negative = node.negative;
    if (!text.empty() && text.front() == '-') {
      negative = !negative;
      text.remove_prefix(1);
    }
    std::vector<double> parts;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find_first_of(" :-"), rest.size());
      parts.push_back(std::strtod(std::string(rest.substr(0, end)).c_str(), nullptr));
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    std::map<TimeUnit, std::int64_t> sizes = {{TimeUnit::kYear, 12}, {TimeUnit::kMonth, 1}};
    std::vector<std::int64_t> units = {12, 1};
    const bool months = sizes.contains(node.qualifier.start);
    std::size_t first = node.qualifier.start == TimeUnit::kMonth ? 1 : 0;
    if (!months) {
      units = {86'400'000, 3'600'000, 60'000, 1000};
      first = node.qualifier.start == TimeUnit::kDay
                  ? 0
                  : (node.qualifier.start == TimeUnit::kHour ? 1 : (node.qualifier.start == TimeUnit::kMinute ? 2 : 3));
    }
    std::int64_t total = 0;
    for (std::size_t i = 0; i < parts.size() && first + i < units.size(); ++i) {
      total += std::llround(parts[i] * static_cast<double>(units[first + i]));
    }
    if (negative) total = -total;
    return EmittedCall{months ? SqlType::Months(false) : SqlType::Millis(false),
                       AsColumn(fmt::format("CAST({} AS BIGINT)", total)), Datum(total)};
  }

  Call Node(const syntax::TemporalDifference& node) {
    BRAID_TRY_ASSIGN(const std::vector<EmittedCall> operands, All({node.left, node.right}));
    return Named("MINUS", {Symbol(syntax::TimeUnitName(node.qualifier.start)), operands[0], operands[1]});
  }

  Call Node(const syntax::TimeUnitSymbol& node) { return Symbol(syntax::TimeUnitName(node.unit)); }

  Call Node(const syntax::Logical& node) {
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> operands, All(node.operands));
    return Named(node.op == syntax::LogicalOperator::kAnd ? "AND" : "OR", std::move(operands));
  }

  Call Node(const syntax::UnaryOperation& node) {
    if (node.op == syntax::UnaryOperator::kMinus) {
      if (const auto* number = std::get_if<syntax::NumberLiteral>(&node.operand->node)) return Number(*number, true);
    }
    BRAID_TRY_ASSIGN(EmittedCall operand, Resolve(node.operand));
    if (node.op == syntax::UnaryOperator::kPlus) return operand;
    return Named(node.op == syntax::UnaryOperator::kNot ? "NOT" : "NEGATE", {operand});
  }

  Call Node(const syntax::BinaryOperation& node) {
    if (node.op == syntax::BinaryOperator::kOverlaps) {
      const auto& a = std::get<syntax::RowConstructor>(node.left->node).elements;
      const auto& b = std::get<syntax::RowConstructor>(node.right->node).elements;
      BRAID_TRY_ASSIGN(std::vector<EmittedCall> periods, All({a[0], a[1], b[0], b[1]}));
      return Named("OVERLAPS", std::move(periods));
    }
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> operands, All({node.left, node.right}));
    return Named(syntax::BinaryOperatorText(node.op), std::move(operands));
  }

  Call Node(const syntax::Test& node) {
    constexpr std::string_view kNames[] = {"NULL",       "TRUE",        "FALSE",      "UNKNOWN",
                                           "JSON VALUE", "JSON OBJECT", "JSON ARRAY", "JSON SCALAR"};
    BRAID_TRY_ASSIGN(EmittedCall operand, Resolve(node.operand));
    return Named(fmt::format("IS {}{}", node.negated ? "NOT " : "", kNames[static_cast<std::size_t>(node.kind)]),
                 {operand});
  }

  Call Node(const syntax::Between& node) {
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> operands, All({node.value, node.low, node.high}));
    return Named(fmt::format("{}BETWEEN{}", node.negated ? "NOT " : "", node.symmetric ? " SYMMETRIC" : ""),
                 std::move(operands));
  }

  Call Node(const syntax::In& node) {
    if (node.query) return Error(ErrorCode::kUnsupported, "a query");
    std::vector<syntax::ExpressionPtr> expressions = {node.value};
    expressions.insert(expressions.end(), node.list.begin(), node.list.end());
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> operands, All(expressions));
    return Named(node.negated ? "NOT IN" : "IN", std::move(operands));
  }

  Call Node(const syntax::Like& node) {
    std::vector<syntax::ExpressionPtr> expressions = {node.value, node.pattern};
    if (node.escape) expressions.push_back(node.escape);
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> operands, All(expressions));
    return Named(
        fmt::format("{}{}", node.negated ? "NOT " : "", node.kind == syntax::LikeKind::kLike ? "LIKE" : "SIMILAR TO"),
        std::move(operands));
  }

  static Result<DataType> ToType(const syntax::TypeName& name) {
    std::string text = name.name;
    std::string inner;
    const auto join = [&inner](std::string_view part) { inner += (inner.empty() ? "" : ", ") + std::string(part); };
    for (const syntax::TypeName& argument : name.arguments) {
      BRAID_TRY_ASSIGN(const DataType type, ToType(argument));
      join(type.ToString());
    }
    for (const syntax::TypeField& field : name.fields) {
      BRAID_TRY_ASSIGN(const DataType type, ToType(field.type));
      join("`" + field.name.name + "` " + type.ToString());
    }
    if (!inner.empty()) text += "<" + inner + ">";
    std::vector<std::string> parameters;
    for (const std::int64_t parameter : name.parameters) parameters.push_back(std::to_string(parameter));
    if (name.name == "DECIMAL" && !parameters.empty() && name.parameters[0] > 38) parameters[0] = "38";
    if (name.name == "TIME") parameters = {"0"};
    if (!parameters.empty()) text += "(" + Join(parameters, ", ") + ")";
    if (name.is_user_type) return Error(ErrorCode::kInvalidArgument, "unknown type");
    if (text == "VARCHAR(0)") return DataType::VarChar(0);
    return ParseDataType(text);
  }

  Call Node(const syntax::Cast& node) {
    BRAID_TRY_ASSIGN(const DataType type, ToType(node.type));
    BRAID_TRY_ASSIGN(const EmittedCall operand, Resolve(node.operand));
    return ResolveCast(operand, type, node.is_try, context_);
  }

  Call Node(const syntax::Case& node) {
    std::vector<EmittedCall> arguments;
    for (const syntax::CaseBranch& branch : node.branches) {
      BRAID_TRY_ASSIGN(EmittedCall when, Resolve(branch.when));
      if (node.operand) {
        BRAID_TRY_ASSIGN(const EmittedCall operand, Resolve(node.operand));
        BRAID_TRY_ASSIGN(when, Named("=", {operand, when}));
      }
      BRAID_TRY_ASSIGN(EmittedCall then, Resolve(branch.then));
      arguments.push_back(std::move(when));
      arguments.push_back(std::move(then));
    }
    EmittedCall otherwise = Null();
    if (node.otherwise) {
      BRAID_TRY_ASSIGN(otherwise, Resolve(node.otherwise));
    }
    arguments.push_back(std::move(otherwise));
    return Named("CASE", std::move(arguments));
  }

  Call Node(const syntax::ElementAccess& node) {
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> operands, All({node.operand, node.index}));
    return Named("ITEM", std::move(operands));
  }
  Call Node(const syntax::FieldAccess& node) {
    BRAID_TRY_ASSIGN(EmittedCall operand, Resolve(node.operand));
    return Named("FIELD", {operand, Symbol(node.field.name)});
  }
  Call Node(const syntax::RowConstructor& node) {
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> elements, All(node.elements));
    return Named("ROW", std::move(elements));
  }
  Call Node(const syntax::CollectionConstructor& node) {
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> elements, All(node.elements));
    return Named(node.kind == syntax::CollectionKind::kArray
                     ? "ARRAY"
                     : (node.kind == syntax::CollectionKind::kMap ? "MAP" : "MULTISET"),
                 std::move(elements));
  }

  Call Node(const syntax::FunctionCall& node) {
    std::vector<syntax::ExpressionPtr> expressions;
    for (const syntax::CallArgument& argument : node.arguments) expressions.push_back(argument.value);
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> arguments, All(expressions));
    return Named(node.name.last(), std::move(arguments));
  }

  Call Node(const syntax::Trim& node) {
    constexpr std::string_view kSides[] = {"BOTH", "LEADING", "TRAILING"};
    BRAID_TRY_ASSIGN(const EmittedCall value, Resolve(node.value));
    BRAID_TRY_ASSIGN(EmittedCall what, Literal(" ", DataType::Char(1)));
    if (node.characters) {
      BRAID_TRY_ASSIGN(what, Resolve(node.characters));
    }
    return Named("TRIM", {Symbol(kSides[static_cast<std::size_t>(node.side)]), what, value});
  }

  static std::string_view BehaviorName(const std::optional<syntax::JsonBehavior>& behavior,
                                       std::string_view otherwise) {
    constexpr std::string_view kNames[] = {"ERROR", "NULL",    "DEFAULT",     "TRUE",
                                           "FALSE", "UNKNOWN", "EMPTY ARRAY", "EMPTY OBJECT"};
    return behavior ? kNames[static_cast<std::size_t>(behavior->kind)] : otherwise;
  }
  Result<EmittedCall> BehaviorDefault(const std::optional<syntax::JsonBehavior>& behavior) {
    if (!behavior || !behavior->value) return Null();
    return Resolve(behavior->value);
  }

  Call Node(const syntax::JsonValue& node) {
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> arguments, All({node.input, node.path}));
    arguments.push_back(Symbol("STRING"));
    if (node.returning) {
      BRAID_TRY_ASSIGN(const DataType type, ToType(*node.returning));
      arguments.back().sql = type.ToString();
    }
    for (const auto* behavior : {&node.on_empty, &node.on_error}) {
      arguments.push_back(Symbol(BehaviorName(*behavior, "NULL")));
      BRAID_TRY_ASSIGN(EmittedCall value, BehaviorDefault(*behavior));
      arguments.push_back(std::move(value));
    }
    return Named("JSON_VALUE", std::move(arguments));
  }
  Call Node(const syntax::JsonQuery& node) {
    constexpr std::string_view kWrappers[] = {"WITHOUT", "CONDITIONAL", "UNCONDITIONAL"};
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> arguments, All({node.input, node.path}));
    arguments.push_back(Symbol(node.wrapper ? kWrappers[static_cast<std::size_t>(*node.wrapper)] : "WITHOUT"));
    arguments.push_back(Symbol(BehaviorName(node.on_empty, "NULL")));
    arguments.push_back(Symbol(BehaviorName(node.on_error, "NULL")));
    return Named("JSON_QUERY", std::move(arguments));
  }
  Call Node(const syntax::JsonExists& node) {
    BRAID_TRY_ASSIGN(std::vector<EmittedCall> arguments, All({node.input, node.path}));
    arguments.push_back(Symbol(BehaviorName(node.on_error, "FALSE")));
    return Named("JSON_EXISTS", std::move(arguments));
  }
  Call Node(const syntax::JsonObject& node) {
    std::vector<EmittedCall> arguments = {Symbol(node.nulls == syntax::JsonNulls::kAbsentOnNull ? "ABSENT" : "NULL")};
    for (const syntax::JsonMember& member : node.members) {
      BRAID_TRY_ASSIGN(std::vector<EmittedCall> pair, All({member.key, member.value}));
      arguments.insert(arguments.end(), pair.begin(), pair.end());
    }
    return Named("JSON_OBJECT", std::move(arguments));
  }
  Call Node(const syntax::JsonArray& node) {
    std::vector<EmittedCall> arguments = {Symbol(node.nulls == syntax::JsonNulls::kNullOnNull ? "NULL" : "ABSENT")};
    BRAID_TRY_ASSIGN(const std::vector<EmittedCall> elements, All(node.elements));
    arguments.insert(arguments.end(), elements.begin(), elements.end());
    return Named("JSON_ARRAY", std::move(arguments));
  }

  CallContext context_;
  Literals literals_;
  std::vector<std::string> columns_;
};

}  // namespace braid
