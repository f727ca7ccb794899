#pragma once

#include <functional>

#include "sql/operator.h"

namespace braid {

/// Visits the expressions of the node itself, not those of its inputs.
void ForEachScalar(const Operator& node, const std::function<void(const Scalar&)>& visit);

}  // namespace braid
