#pragma once

#include "sql/analysis.h"
#include "syntax/expression.h"

namespace braid {

// Literals as scalars with Flink's types. Errors: kInvalidArgument without a place: a number out of range, a text that
// is no date.

Result<Scalar> NumberScalar(const syntax::NumberLiteral& literal, bool negative);
Result<Scalar> StringScalar(const std::string& value);
Result<Scalar> BinaryScalar(const std::string& bytes);
Result<Scalar> TemporalScalar(const Analysis& analysis, const syntax::TemporalLiteral& literal);
Result<Scalar> IntervalScalar(const syntax::IntervalLiteral& literal);

/// The type of intervals counted in this unit.
SqlType IntervalType(syntax::TimeUnit unit, bool nullable);
/// Months or milliseconds in one unit of YEAR … SECOND.
std::int64_t IntervalUnit(syntax::TimeUnit unit);

/// CURRENT_TIMESTAMP and its like, CURRENT_DATABASE: literals of the statement's time and place. nullopt for other
/// names.
Result<std::optional<Scalar>> SessionScalar(const Analysis& analysis, std::string_view upper_name,
                                            std::size_t argument_count);

}  // namespace braid
