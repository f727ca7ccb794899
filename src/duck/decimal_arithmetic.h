#pragma once

#include <optional>

#include "types/datum.h"

namespace braid {

/// Precision and scale of a DECIMAL.
struct DecimalShape {
  int precision;  ///< 1 … 38
  int scale;      ///< 0 … precision
  friend bool operator==(const DecimalShape&, const DecimalShape&) = default;
};

// Types that Flink gives to decimal arithmetic (its LogicalTypeMerging).
DecimalShape SumShape(DecimalShape a, DecimalShape b);        ///< + and -
DecimalShape ProductShape(DecimalShape a, DecimalShape b);    ///< *
DecimalShape QuotientShape(DecimalShape a, DecimalShape b);   ///< /
DecimalShape RemainderShape(DecimalShape a, DecimalShape b);  ///< %
/// The type that holds both.
DecimalShape CommonShape(DecimalShape a, DecimalShape b);
/// Of ROUND to `digits`.
DecimalShape RoundedShape(DecimalShape value, int digits);

// Exact results rounded half up to the scale; nullopt if they need more digits than `result` has.
std::optional<Int128> AddDecimals(Int128 a, int a_scale, Int128 b, int b_scale, DecimalShape result);
std::optional<Int128> MultiplyDecimals(Int128 a, int a_scale, Int128 b, int b_scale, DecimalShape result);
/// Precondition of these two: b is not 0.
std::optional<Int128> DivideDecimals(Int128 a, int a_scale, Int128 b, int b_scale, DecimalShape result);
std::optional<Int128> RemainderOfDecimals(Int128 a, int a_scale, Int128 b, int b_scale, DecimalShape result);
/// Rounds half up, or cuts, at `digits` fraction digits, which may be negative.
std::optional<Int128> RoundDecimal(Int128 value, int scale, int digits, bool cut, DecimalShape result);

}  // namespace braid
