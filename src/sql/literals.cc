#include "sql/literals.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/flink_text.h"
#include "types/time_zone.h"
#include "types/date_time.h"

namespace braid {
namespace {

using syntax::TimeUnit;

constexpr std::int64_t kMillisPerSecond = 1000;
constexpr std::int64_t kMillisPerMinute = 60 * kMillisPerSecond;
constexpr std::int64_t kMillisPerHour = 60 * kMillisPerMinute;

Error Invalid(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

std::int32_t CharacterCount(std::string_view text) {
  return static_cast<std::int32_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// The digits of a number without its point, signed; nullopt beyond BIGINT, as Flink refuses those even in decimals.
std::optional<std::int64_t> Digits(std::string_view text, bool negative) {
  std::string digits = negative ? "-" : "";
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '.'; });
  return ParseInt64(digits);
}

Result<Scalar> DecimalScalar(std::string_view text, bool negative) {
  const std::size_t point = text.find('.');
  const int scale = static_cast<int>(text.size() - point - 1);
  const std::optional<std::int64_t> digits = Digits(text, negative);
  if (!digits)
    return Invalid(fmt::format("Numeric literal '{}' out of range", text))
        .Hint("write it as a text in a CAST to DECIMAL");
  const int precision = std::max(static_cast<int>(text.size()) - 1, 1);
  if (precision > 38) return Invalid(fmt::format("Numeric literal '{}' has more than 38 digits", text));
  return LiteralScalar(Decimal{.unscaled = *digits}, DataType::Decimal(precision, scale));
}

int FractionDigits(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return 0;
  std::size_t end = point + 1;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return static_cast<int>(std::min<std::size_t>(end - point - 1, 9));
}

Result<Timestamp> LiteralTimestamp(std::string_view text) {
  const std::optional<FlinkTimestamp> value = ParseFlinkTimestamp(text);
  if (!value) return Invalid(fmt::format("Illegal TIMESTAMP literal '{}': not in format 'yyyy-MM-dd HH:mm:ss'", text));
  return Timestamp{.millis = value->seconds * 1000 + value->nanos / 1'000'000,
                   .nanos_of_milli = value->nanos % 1'000'000};
}

/// A timestamp's local reading as an instant.
Result<Timestamp> ToInstant(const Analysis& analysis, Timestamp local) {
  BRAID_TRY_ASSIGN(const auto zone, TimeZone::Find(analysis.calls().zone));
  return Timestamp{.millis = FloorDivide(zone->ToUtc(local.millis * 1000), 1000),
                   .nanos_of_milli = local.nanos_of_milli};
}

/// Reads digits from the front of a text.
std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// "12.345" or "12" as milliseconds.
std::optional<std::int64_t> TakeSeconds(std::string_view& text) {
  const std::optional<std::int64_t> seconds = TakeNumber(text);
  if (!seconds) return std::nullopt;
  std::int64_t millis = *seconds * kMillisPerSecond;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    std::int64_t digit_value = 100;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      millis += (text.front() - '0') * digit_value;
      digit_value /= 10;
      text.remove_prefix(1);
    }
  }
  return millis;
}

std::optional<std::int64_t> TakeUnit(std::string_view& text, TimeUnit unit) {
  if (text.empty()) return std::nullopt;
  if (unit == TimeUnit::kSecond) return TakeSeconds(text);
  const std::optional<std::int64_t> number = TakeNumber(text);
  if (!number) return std::nullopt;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(*number, IntervalUnit(unit), &product)) return std::nullopt;
  return product;
}

/// The units from the first to the last of a qualifier, each with the sign that separates it from the one before.
std::vector<std::pair<TimeUnit, char>> UnitsOf(const syntax::IntervalQualifier& qualifier) {
  std::vector<std::pair<TimeUnit, char>> units = {{qualifier.start, '\0'}};
  if (!qualifier.end || *qualifier.end == qualifier.start) return units;
  if (qualifier.start == TimeUnit::kYear) return {{TimeUnit::kYear, '\0'}, {TimeUnit::kMonth, '-'}};
  constexpr std::array kClock = {std::pair(TimeUnit::kDay, '\0'), std::pair(TimeUnit::kHour, ' '),
                                 std::pair(TimeUnit::kMinute, ':'), std::pair(TimeUnit::kSecond, ':')};
  units.clear();
  for (const auto& [unit, separator] : kClock) {
    if (unit < qualifier.start || unit > *qualifier.end) continue;
    units.emplace_back(unit, units.empty() ? '\0' : separator);
  }
  return units;
}

std::optional<std::int64_t> ParseInterval(std::string_view text, const syntax::IntervalQualifier& qualifier) {
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  std::int64_t total = 0;
  for (const auto& [unit, separator] : UnitsOf(qualifier)) {
    if (separator != '\0') {
      if (!text.starts_with(separator)) return std::nullopt;
      text.remove_prefix(1);
    }
    const std::optional<std::int64_t> part = TakeUnit(text, unit);
    if (!part) return std::nullopt;
    total += *part;
  }
  if (!text.empty()) return std::nullopt;
  return negative ? -total : total;
}

Result<std::int64_t> LocalMillis(const Analysis& analysis) {
  BRAID_TRY_ASSIGN(const auto zone, TimeZone::Find(analysis.calls().zone));
  return FloorDivide(zone->ToLocal(analysis.names().statement_time_ms() * 1000), 1000);
}

}  // namespace

std::int64_t IntervalUnit(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kYear: return 12;
    case TimeUnit::kQuarter: return 3;
    case TimeUnit::kMonth: return 1;
    case TimeUnit::kWeek: return 7 * kMillisPerDay;
    case TimeUnit::kDay: return kMillisPerDay;
    case TimeUnit::kHour: return kMillisPerHour;
    case TimeUnit::kMinute: return kMillisPerMinute;
    default: return kMillisPerSecond;
  }
}

SqlType IntervalType(TimeUnit unit, bool nullable) {
  return unit <= TimeUnit::kMonth ? SqlType::Months(nullable) : SqlType::Millis(nullable);
}

Result<Scalar> NumberScalar(const syntax::NumberLiteral& literal, bool negative) {
  std::string_view text = literal.text;
  if (literal.kind == syntax::NumberKind::kApproximate) {
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size())
      return Invalid(fmt::format("Numeric literal '{}' out of range", text));
    return LiteralScalar(negative ? -value : value, DataType::Double());
  }
  if (literal.kind == syntax::NumberKind::kDecimal && !text.ends_with('.')) return DecimalScalar(text, negative);
  const std::optional<std::int64_t> value = Digits(text, negative);
  if (!value) return Invalid(fmt::format("Numeric literal '{}' out of range", text));
  // The sign is an operator: 2147483648 is a BIGINT before it is negated.
  const std::int64_t magnitude = *Digits(text, negative) == INT64_MIN ? INT64_MAX : std::abs(*value);
  return LiteralScalar(*value, magnitude <= INT32_MAX ? DataType::Int() : DataType::BigInt());
}

Result<Scalar> StringScalar(const std::string& value) {
  return LiteralScalar(value, DataType::Char(CharacterCount(value)));
}

Result<Scalar> BinaryScalar(const std::string& bytes) {
  return LiteralScalar(bytes, DataType::Binary(static_cast<std::int32_t>(bytes.size())));
}

Result<Scalar> TemporalScalar(const Analysis& analysis, const syntax::TemporalLiteral& literal) {
  const std::string& text = literal.text;
  switch (literal.kind) {
    case syntax::TemporalKind::kDate: {
      const std::optional<std::int32_t> days = ParseFlinkDate(text);
      if (!days) return Invalid(fmt::format("Illegal DATE literal '{}': not in format 'yyyy-MM-dd'", text));
      return LiteralScalar(std::int64_t{*days}, DataType::Date());
    }
    case syntax::TemporalKind::kTime: {
      const std::optional<std::int64_t> micros = ParseFlinkTime(text);
      if (!micros) return Invalid(fmt::format("Illegal TIME literal '{}': not in format 'HH:mm:ss'", text));
      return LiteralScalar(*micros / 1000, DataType::Time(0));
    }
    case syntax::TemporalKind::kTimestamp: {
      BRAID_TRY_ASSIGN(const Timestamp value, LiteralTimestamp(text));
      return LiteralScalar(value, DataType::Timestamp(FractionDigits(text)));
    }
    case syntax::TemporalKind::kTimestampLtz: {
      BRAID_TRY_ASSIGN(const Timestamp local, LiteralTimestamp(text));
      BRAID_TRY_ASSIGN(const Timestamp value, ToInstant(analysis, local));
      return LiteralScalar(value, DataType::TimestampLtz(FractionDigits(text)));
    }
  }
  return Invalid("unknown kind of literal");
}

Result<Scalar> IntervalScalar(const syntax::IntervalLiteral& literal) {
  const std::optional<std::int64_t> value = ParseInterval(Trim(literal.text), literal.qualifier);
  if (!value) {
    return Invalid(fmt::format("Illegal interval literal '{}' in units of {}", literal.text,
                               syntax::TimeUnitName(literal.qualifier.start)));
  }
  BRAID_TRY_ASSIGN(Scalar scalar, LiteralScalar(literal.negative ? -*value : *value, DataType::BigInt()));
  scalar.type = IntervalType(literal.qualifier.start, false);
  return scalar;
}

namespace {

/// A time function where the instant is an expression.
Result<std::optional<Scalar>> TimeOf(const Analysis& analysis, std::string_view name, const std::string& instant_ms) {
  if (name == "UNIX_TIMESTAMP") {
    return std::optional(Scalar{.type = DataType::BigInt().NotNull(), .sql = fmt::format("({} // 1000)", instant_ms)});
  }
  const Scalar instant{.type = DataType::TimestampLtz(3).NotNull(),
                       .sql = fmt::format("CAST(epoch_ms({}) AS TIMESTAMPTZ)", instant_ms)};
  std::optional<DataType> type;
  if (name == "CURRENT_TIMESTAMP" || name == "NOW" || name == "CURRENT_ROW_TIMESTAMP" || name == "PROCTIME")
    return std::optional(instant);
  if (name == "CURRENT_DATE") type = DataType::Date();
  if (name == "LOCALTIMESTAMP") type = DataType::Timestamp(3);
  if (name == "CURRENT_TIME" || name == "LOCALTIME") type = DataType::Time(0);
  if (!type) return std::optional<Scalar>();
  BRAID_TRY_ASSIGN(EmittedCall call, ResolveCast(ToArgument(instant), type->NotNull(), false, analysis.calls()));
  return std::optional(ToScalar(std::move(call), std::span(&instant, 1)));
}

}  // namespace

Result<std::optional<Scalar>> SessionScalar(const Analysis& analysis, std::string_view name,
                                            std::size_t argument_count) {
  const auto some = [](Result<Scalar> scalar) -> Result<std::optional<Scalar>> {
    if (!scalar) return std::move(scalar).error();
    return std::optional(*std::move(scalar));
  };
  if (argument_count != 0) return std::optional<Scalar>();
  if (const std::optional<std::string> instant_ms = analysis.names().statement_time_sql()) {
    BRAID_TRY_ASSIGN(std::optional<Scalar> time, TimeOf(analysis, name, *instant_ms));
    if (time) return time;
  }
  const std::int64_t now_ms = analysis.names().statement_time_ms();
  if (name == "CURRENT_TIMESTAMP" || name == "NOW" || name == "CURRENT_ROW_TIMESTAMP" || name == "PROCTIME") {
    return some(LiteralScalar(Timestamp{.millis = now_ms, .nanos_of_milli = 0}, DataType::TimestampLtz(3)));
  }
  if (name == "UNIX_TIMESTAMP") return some(LiteralScalar(FloorDivide(now_ms, 1000), DataType::BigInt()));
  if (name == "CURRENT_DATABASE") return some(LiteralScalar(analysis.names().current_database(), DataType::String()));
  if (name != "CURRENT_DATE" && name != "CURRENT_TIME" && name != "LOCALTIME" && name != "LOCALTIMESTAMP")
    return std::optional<Scalar>();
  BRAID_TRY_ASSIGN(const std::int64_t local_ms, LocalMillis(analysis));
  if (name == "CURRENT_DATE") return some(LiteralScalar(FloorDivide(local_ms, kMillisPerDay), DataType::Date()));
  if (name == "LOCALTIMESTAMP")
    return some(LiteralScalar(Timestamp{.millis = local_ms, .nanos_of_milli = 0}, DataType::Timestamp(3)));
  const std::int64_t second_ms = FloorModulo(local_ms, kMillisPerDay) / kMillisPerSecond * kMillisPerSecond;
  return some(LiteralScalar(second_ms, DataType::Time(0)));
}

}  // namespace braid
