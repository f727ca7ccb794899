#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// The marker `_SUCCESS` of a partition that is complete (spec metadata.md §12.2). Milliseconds since 1970-01-01 UTC.
struct SuccessFile {
  std::int64_t creation_ms = 0;      ///< marked for the first time
  std::int64_t modification_ms = 0;  ///< marked last

  friend bool operator==(const SuccessFile&, const SuccessFile&) = default;
};

/// Errors: kCorruption.
Result<SuccessFile> ParseSuccessFile(std::string_view text);
/// As Java prints it.
std::string PrintSuccessFile(const SuccessFile& file);

}  // namespace braid
