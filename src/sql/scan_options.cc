#include "sql/scan_options.h"

#include <string>

#include "base/text.h"
#include "types/time_zone.h"
#include "sql/expressions.h"
#include "sql/literals.h"
#include "types/date_time.h"

namespace braid {
namespace {

Result<Options> HintOptions(const Analysis& analysis, const std::vector<syntax::Hint>& hints) {
  Options options;
  for (const syntax::Hint& hint : hints) {
    // Hints for Flink's planner, such as BROADCAST, mean nothing here.
    if (!EqualsIgnoreCase(hint.name.name, "OPTIONS")) continue;
    for (const syntax::HintArgument& argument : hint.arguments) {
      if (!argument.key) return analysis.ErrorAt(hint.name.position, "the hint OPTIONS takes 'key' = 'value' pairs");
      options.Set(*argument.key, argument.value);
    }
  }
  return options;
}

/// A constant point in time as a literal: one, a text cast to one, or one plus or minus a literal interval.
Result<Scalar> ConstantTime(Analysis& analysis, const syntax::Expression& expression) {
  const ExpressionSite constant{.clause = "FOR SYSTEM_TIME AS OF"};
  if (const auto* cast = std::get_if<syntax::Cast>(&expression.node)) {
    const auto* text = std::get_if<syntax::StringLiteral>(&cast->operand->node);
    const bool local = cast->type.name == "TIMESTAMP";
    if (text != nullptr && (local || cast->type.name == "TIMESTAMP_LTZ")) {
      const auto kind = local ? syntax::TemporalKind::kTimestamp : syntax::TemporalKind::kTimestampLtz;
      return TemporalScalar(analysis, syntax::TemporalLiteral{.kind = kind, .text = text->value});
    }
  }
  const auto* sum = std::get_if<syntax::BinaryOperation>(&expression.node);
  const bool adds = sum != nullptr && sum->op == syntax::BinaryOperator::kAdd;
  if (!adds && (sum == nullptr || sum->op != syntax::BinaryOperator::kSubtract)) {
    return AnalyzeExpression(analysis, constant, expression);
  }
  BRAID_TRY_ASSIGN(Scalar time, ConstantTime(analysis, *sum->left));
  BRAID_TRY_ASSIGN(const Scalar interval, AnalyzeExpression(analysis, constant, *sum->right));
  if (!time.literal || !time.type.is_value() || !time.type.data().is_timestamp() || !interval.literal ||
      interval.type.kind() != SqlType::Kind::kMillis) {
    return AnalyzeExpression(analysis, constant, expression);
  }
  Timestamp moved = time.literal->as_timestamp();
  moved.millis += adds ? interval.literal->as_int() : -interval.literal->as_int();
  time.literal = moved;
  return time;
}

/// The instant of FOR SYSTEM_TIME AS OF, in epoch milliseconds.
Result<std::int64_t> TravelTime(Analysis& analysis, const syntax::Expression& expression) {
  Result<Scalar> value = ConstantTime(analysis, expression);
  if (!value) return analysis.Place(expression.position, value.error());
  if (!value->literal || !value->type.is_value() || !value->type.data().is_timestamp() || value->literal->is_null()) {
    return analysis
        .ErrorAt(expression.position, "FOR SYSTEM_TIME AS OF takes a constant TIMESTAMP", ErrorCode::kUnsupported)
        .Hint("or use /*+ OPTIONS('scan.timestamp-millis' = '…') */");
  }
  const std::int64_t millis = value->literal->as_timestamp().millis;
  if (value->type.data().kind() == TypeKind::kTimestampLtz) return millis;
  BRAID_TRY_ASSIGN(const auto zone, TimeZone::Find(analysis.calls().zone));
  return FloorDivide(zone->ToUtc(millis * 1000), 1000);
}

}  // namespace

Result<Options> ScanOptions(Analysis& analysis, const syntax::NamedTable& table) {
  BRAID_TRY_ASSIGN(Options options, HintOptions(analysis, table.hints));
  if (table.as_of) {
    BRAID_TRY_ASSIGN(const std::int64_t millis, TravelTime(analysis, *table.as_of));
    options.Set("scan.timestamp-millis", std::to_string(millis));
  }
  return options;
}

}  // namespace braid
