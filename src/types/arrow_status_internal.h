#pragma once

#include <string_view>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>
#include <fmt/format.h>

#include "base/result.h"

namespace braid {

/// An Arrow failure while building columns in memory, as ours. Too large columns are the caller's fault, anything else ours.
inline Error FromArrow(const arrow::Status& status) {
  if (status.IsCapacityError()) {
    return Error(ErrorCode::kInvalidArgument, "the values of a batch's column take more than 2 GiB")
        .Hint("use smaller batches");
  }
  if (status.IsOutOfMemory()) return Error(ErrorCode::kUnavailable, "not enough memory for a batch");
  return Error(ErrorCode::kInternal, fmt::format("building a column failed: {}", status.message()));
}

inline Status CheckArrow(const arrow::Status& status) {
  if (!status.ok()) return FromArrow(status);
  return Ok();
}

template <typename T>
Result<T> CheckArrow(arrow::Result<T> result) {
  if (!result.ok()) return FromArrow(result.status());
  return std::move(result).MoveValueUnsafe();
}

}  // namespace braid
