#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catalog/virtual_table.h"
#include "duck/scan_function.h"
#include "sql/pinned_scan.h"
#include "table/table.h"

namespace braid {

/// The rows of a pinned table: one partition a split. `fields`: the columns to offer, some of the table's; not empty.
/// Rows that a changes plan retracts are left out.
std::shared_ptr<const ScanSource> MakeTableSource(std::string name, std::shared_ptr<const PinnedScan> scan,
                                                  std::vector<DataField> fields);

/// The rows of a virtual table, in one partition.
std::shared_ptr<const ScanSource> MakeVirtualSource(std::string name, std::shared_ptr<const VirtualTable> table,
                                                    std::vector<DataField> fields);

}  // namespace braid
