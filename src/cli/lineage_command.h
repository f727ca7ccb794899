#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "lineage/lineage_graph.h"

namespace braid {

/// Opens the lineage of a warehouse. Errors: kNotFound if it records none.
Result<std::shared_ptr<Lineage>> OpenWarehouseLineage(const std::string& warehouse);

/// Prints what `braid lineage up` and `down` print; `snapshot` 0: the table as a whole.
Status ShowLineage(const std::string& warehouse, const std::string& table, std::int64_t snapshot, Direction direction);
/// Prints what `braid lineage graph` prints.
Status ShowLineageGraph(const std::string& warehouse);

}  // namespace braid
