#include <limits>

#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {
namespace {

struct UnitWord {
  std::string_view word;
  TimeUnit unit;
};

constexpr UnitWord kUnits[] = {
    {"YEAR", TimeUnit::kYear},
    {"YEARS", TimeUnit::kYear},
    {"QUARTER", TimeUnit::kQuarter},
    {"QUARTERS", TimeUnit::kQuarter},
    {"MONTH", TimeUnit::kMonth},
    {"MONTHS", TimeUnit::kMonth},
    {"WEEK", TimeUnit::kWeek},
    {"WEEKS", TimeUnit::kWeek},
    {"DAY", TimeUnit::kDay},
    {"DAYS", TimeUnit::kDay},
    {"HOUR", TimeUnit::kHour},
    {"HOURS", TimeUnit::kHour},
    {"MINUTE", TimeUnit::kMinute},
    {"MINUTES", TimeUnit::kMinute},
    {"SECOND", TimeUnit::kSecond},
    {"SECONDS", TimeUnit::kSecond},
    {"MILLISECOND", TimeUnit::kMillisecond},
    {"MICROSECOND", TimeUnit::kMicrosecond},
    {"NANOSECOND", TimeUnit::kNanosecond},
    {"DECADE", TimeUnit::kDecade},
    {"CENTURY", TimeUnit::kCentury},
    {"MILLENNIUM", TimeUnit::kMillennium},
    {"EPOCH", TimeUnit::kEpoch},
    {"DOW", TimeUnit::kDayOfWeek},
    {"ISODOW", TimeUnit::kIsoDayOfWeek},
    {"DOY", TimeUnit::kDayOfYear},
    {"ISOYEAR", TimeUnit::kIsoYear},
    {"FRAC_SECOND", TimeUnit::kMicrosecond},
    {"SQL_TSI_FRAC_SECOND", TimeUnit::kNanosecond},
    {"SQL_TSI_MICROSECOND", TimeUnit::kMicrosecond},
    {"SQL_TSI_SECOND", TimeUnit::kSecond},
    {"SQL_TSI_MINUTE", TimeUnit::kMinute},
    {"SQL_TSI_HOUR", TimeUnit::kHour},
    {"SQL_TSI_DAY", TimeUnit::kDay},
    {"SQL_TSI_WEEK", TimeUnit::kWeek},
    {"SQL_TSI_MONTH", TimeUnit::kMonth},
    {"SQL_TSI_QUARTER", TimeUnit::kQuarter},
    {"SQL_TSI_YEAR", TimeUnit::kYear},
};

// Units that an interval may be counted in.
bool IsIntervalUnit(TimeUnit unit) {
  return unit <= TimeUnit::kSecond;
}

}  // namespace

std::optional<TimeUnit> Parser::TimeUnitAt(std::size_t ahead) const {
  const Token& token = Peek(ahead);
  if (token.kind != TokenKind::kWord) return std::nullopt;
  for (const UnitWord& candidate : kUnits) {
    if (candidate.word == token.text) return candidate.unit;
  }
  return std::nullopt;
}

Result<TimeUnit> Parser::ParseTimeUnit() {
  const std::optional<TimeUnit> unit = TimeUnitAt();
  if (!unit) return Expected("a time unit such as YEAR, MONTH, DAY, HOUR, MINUTE or SECOND");
  Take();
  return *unit;
}

Result<ExpressionPtr> Parser::ParseLiteral() {
  const Position position = Here();
  switch (Peek().kind) {
    case TokenKind::kInteger: return MakeExpression(position, NumberLiteral{Take().text, NumberKind::kInteger});
    case TokenKind::kDecimal: return MakeExpression(position, NumberLiteral{Take().text, NumberKind::kDecimal});
    case TokenKind::kApproximate: return MakeExpression(position, NumberLiteral{Take().text, NumberKind::kApproximate});
    case TokenKind::kBinaryString: return MakeExpression(position, BinaryLiteral{Take().text});
    default: return ParseStringLiteral();
  }
}

Result<ExpressionPtr> Parser::ParseStringLiteral() {
  const Position position = Here();
  BRAID_TRY_ASSIGN(std::string value, ParseString("a text"));
  return MakeExpression(position, StringLiteral{std::move(value)});
}

// True at DATE, TIME or TIMESTAMP [WITH LOCAL TIME ZONE] before a text.
bool Parser::AtTemporalText() const {
  const std::size_t words = AtWords({"TIMESTAMP", "WITH", "LOCAL", "TIME", "ZONE"}) ? 5 : 1;
  return At(TokenKind::kString, words) || At(TokenKind::kUnicodeString, words);
}

Result<ExpressionPtr> Parser::ParseTemporalLiteral() {
  const Token word = Take();
  TemporalKind kind = word.text == "DATE"   ? TemporalKind::kDate
                      : word.text == "TIME" ? TemporalKind::kTime
                                            : TemporalKind::kTimestamp;
  if (AcceptWords({"WITH", "LOCAL", "TIME", "ZONE"})) kind = TemporalKind::kTimestampLtz;
  BRAID_TRY_ASSIGN(std::string text, ParseString("a text"));
  return MakeExpression(word.position, TemporalLiteral{kind, std::move(text)});
}

Result<ExpressionPtr> Parser::ParseInterval() {
  const Position position = Here();
  Take();
  const bool has_sign = At(TokenKind::kMinus) || At(TokenKind::kPlus);
  if (At(TokenKind::kString) || (has_sign && At(TokenKind::kString, 1))) {
    const bool negative = has_sign && Take().kind == TokenKind::kMinus;
    BRAID_TRY_ASSIGN(std::string text, ParseString("the interval as 'text'"));
    BRAID_TRY_ASSIGN(const IntervalQualifier qualifier, ParseIntervalQualifier());
    return MakeExpression(position, IntervalLiteral{negative, std::move(text), qualifier});
  }
  BRAID_TRY_ASSIGN(ExpressionPtr value, ParseOperators(kSignPrecedence));
  BRAID_TRY_ASSIGN(const IntervalQualifier qualifier, ParseIntervalQualifier());
  return MakeExpression(position, IntervalExpression{std::move(value), qualifier});
}

Result<IntervalQualifier> Parser::ParseIntervalQualifier() {
  const auto precision = [this]() -> Result<int> {
    const Position position = Here();
    BRAID_TRY_ASSIGN(const std::int64_t value, ParseInteger("a precision"));
    if (value > std::numeric_limits<int>::max()) return SyntaxErrorAt(source_, position, "this precision is too large");
    return static_cast<int>(value);
  };
  const Position position = Here();
  BRAID_TRY_ASSIGN(const TimeUnit start, ParseTimeUnit());
  if (!IsIntervalUnit(start)) return SyntaxErrorAt(source_, position, "an interval cannot be counted in this unit");
  IntervalQualifier qualifier{start};
  if (Accept(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(qualifier.start_precision, precision());
    if (start == TimeUnit::kSecond && Accept(TokenKind::kComma)) {
      BRAID_TRY_ASSIGN(qualifier.fractional_precision, precision());
    }
    BRAID_TRY(Expect(TokenKind::kRightParen, ") after the precision"));
  }
  // TO and no unit is someone else's TO.
  if (!AtWord("TO") || !TimeUnitAt(1)) return qualifier;
  Take();
  const Position end_position = Here();
  BRAID_TRY_ASSIGN(const TimeUnit end, ParseTimeUnit());
  const bool months = start == TimeUnit::kYear && end == TimeUnit::kMonth;
  const bool days = start >= TimeUnit::kDay && end > start && end <= TimeUnit::kSecond;
  if (!months && !days) return SyntaxErrorAt(source_, end_position, "no interval goes from the first to this unit");
  qualifier.end = end;
  if (end == TimeUnit::kSecond && Accept(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(qualifier.fractional_precision, precision());
    BRAID_TRY(Expect(TokenKind::kRightParen, ") after the precision"));
  }
  return qualifier;
}

}  // namespace braid::syntax
