#pragma once

#include <optional>

#include "sql/analysis.h"
#include "sql/expressions.h"
#include "syntax/expression.h"

namespace braid {

/// How time is cut into windows, in milliseconds.
struct WindowShape {
  enum class Kind : std::uint8_t { kTumble, kHop, kCumulate };
  Kind kind = Kind::kTumble;
  std::int64_t size_ms = 0;  ///< CUMULATE: the greatest
  std::int64_t step_ms = 0;  ///< HOP: between starts; CUMULATE: between ends
  std::int64_t offset_ms = 0;
};

/// The shape that `TUMBLE(time, size)`, `HOP(time, slide, size)` and `CUMULATE(time, step, size)`, each with an offset
/// or without, ask for. `intervals`: the arguments after the time. Errors: kInvalidArgument, kUnsupported (SESSION).
Result<WindowShape> MakeWindowShape(std::string_view function, const std::vector<Scalar>& intervals);

/// Puts the windows of each row's time beside it: window_start, window_end and window_time, the last three columns of
/// the result. Rows without time are dropped. Errors: kInvalidArgument if `time` is no timestamp.
Result<OperatorPtr> AddWindows(Analysis& analysis, const OperatorPtr& input, const Scalar& time,
                               const WindowShape& shape);

}  // namespace braid
