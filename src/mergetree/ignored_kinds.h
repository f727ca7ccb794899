#pragma once

#include "base/options.h"
#include "base/result.h"
#include "types/batch.h"

namespace braid {

/// Kinds of rows that are dropped before they are written (spec data.md §5.1). A value.
struct IgnoredKinds {
  bool retractions = false;     ///< `ignore-delete` or one of its fallback keys
  bool update_befores = false;  ///< `ignore-update-before`

  /// Errors: kInvalidArgument.
  static Result<IgnoredKinds> FromOptions(const Options& options);
  /// The rows of other kinds.
  Result<Batch> Drop(const Batch& rows) const;
};

}  // namespace braid
