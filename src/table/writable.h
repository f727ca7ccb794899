#pragma once

#include "base/result.h"
#include "table/table.h"

namespace braid {

/// Errors: kUnsupported if the table has a feature whose rules this version does not follow when it writes, naming it:
/// doing so anyway would damage the table.
Status CheckWritable(const Table& table);

}  // namespace braid
