#pragma once

#include <functional>

#include "base/result.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// Plans a read of a line whose files may move meanwhile, because it is renamed, or becomes main, or another becomes main
/// (spec branches.md §5.6). The plan is wholly of the line that the handle was opened on: once it is made, it is checked
/// that the line is still where it was planned; if not, the line is found by its id and planned again. Schemas of the plan's
/// files are read now and kept in the handle. Errors: kConflict if the line is gone; those of `plan`.
Result<Plan> PlanOnLine(const Table& table, const std::function<Result<Plan>(const Table&)>& plan);

}  // namespace braid
