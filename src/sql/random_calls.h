#pragma once

#include <string_view>

#include "sql/operator.h"

namespace braid {

/// Whether the expression gives another value each time (RAND, UUID).
inline bool IsRandom(const Scalar& value) {
  return value.sql.find("random()") != std::string_view::npos || value.sql.find("uuid()") != std::string_view::npos;
}

}  // namespace braid
