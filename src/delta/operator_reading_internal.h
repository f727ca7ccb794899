#pragma once

#include <functional>
#include <string>
#include <vector>

#include "delta/delta_program.h"
#include "sql/column_use.h"
#include "sql/operator.h"
#include "sql/operator_scalars.h"

namespace braid {

/// Whether everything below names only columns that are made below: the operator can be run by itself.
bool IsClosed(const Operator& node);

/// Whether an expression of the node itself gives another value each time (RAND, UUID) or in each epoch
/// (CURRENT_TIMESTAMP).
bool IsVolatile(const Operator& node);

/// The node over other inputs, in the order of InputsOf. Its columns stay.
OperatorPtr WithInputs(const Operator& node, std::vector<OperatorPtr> inputs);

/// The highest number of a column anywhere in the tree.
ColumnId LastColumn(const Operator& root);

/// The sub-plan as text that does not depend on the numbers of its columns, on the names that a query gives to columns,
/// or on what is not used. `is_used` tells of every column; `describe_scan` adds what is known of a source.
std::string CanonicalText(const Operator& root, const std::function<bool(ColumnId)>& is_used,
                          const std::function<std::string(const op::Scan&)>& describe_scan);

}  // namespace braid
