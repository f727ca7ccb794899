#pragma once

#include "base/result.h"

namespace braid {

/// The value, or an empty one if the file does not exist: upkeep meets names of files that another expiry has deleted.
template <typename T>
Result<T> EmptyIfMissing(Result<T> result) {
  if (!result && result.error().code() == ErrorCode::kNotFound) return T{};
  return result;
}

}  // namespace braid
