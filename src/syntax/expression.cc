#include "syntax/expression.h"

namespace braid::syntax {

std::string_view TimeUnitName(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kYear: return "YEAR";
    case TimeUnit::kQuarter: return "QUARTER";
    case TimeUnit::kMonth: return "MONTH";
    case TimeUnit::kWeek: return "WEEK";
    case TimeUnit::kDay: return "DAY";
    case TimeUnit::kHour: return "HOUR";
    case TimeUnit::kMinute: return "MINUTE";
    case TimeUnit::kSecond: return "SECOND";
    case TimeUnit::kMillisecond: return "MILLISECOND";
    case TimeUnit::kMicrosecond: return "MICROSECOND";
    case TimeUnit::kNanosecond: return "NANOSECOND";
    case TimeUnit::kDecade: return "DECADE";
    case TimeUnit::kCentury: return "CENTURY";
    case TimeUnit::kMillennium: return "MILLENNIUM";
    case TimeUnit::kEpoch: return "EPOCH";
    case TimeUnit::kDayOfWeek: return "DOW";
    case TimeUnit::kIsoDayOfWeek: return "ISODOW";
    case TimeUnit::kDayOfYear: return "DOY";
    case TimeUnit::kIsoYear: return "ISOYEAR";
  }
  return "";
}

std::string_view BinaryOperatorText(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kEqual: return "=";
    case BinaryOperator::kNotEqual: return "<>";
    case BinaryOperator::kLess: return "<";
    case BinaryOperator::kLessOrEqual: return "<=";
    case BinaryOperator::kGreater: return ">";
    case BinaryOperator::kGreaterOrEqual: return ">=";
    case BinaryOperator::kIsDistinctFrom: return "IS DISTINCT FROM";
    case BinaryOperator::kIsNotDistinctFrom: return "IS NOT DISTINCT FROM";
    case BinaryOperator::kOverlaps: return "OVERLAPS";
    case BinaryOperator::kConcat: return "||";
    case BinaryOperator::kAdd: return "+";
    case BinaryOperator::kSubtract: return "-";
    case BinaryOperator::kMultiply: return "*";
    case BinaryOperator::kDivide: return "/";
    case BinaryOperator::kModulo: return "%";
  }
  return "";
}

}  // namespace braid::syntax
