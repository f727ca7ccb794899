#pragma once

#include <cstdint>
#include <vector>

#include "types/data_type.h"

namespace braid {

/// Gives new ids to all fields nested in the type, counting on from `highest_id` in Java's order: within a ROW, the
/// fields nested in a field come before the field itself (ReassignFieldId).
DataType ReassignFieldIds(const DataType& type, std::int32_t& highest_id);

}  // namespace braid
