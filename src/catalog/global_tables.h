#pragma once

#include "base/options.h"
#include "catalog/catalog.h"
#include "catalog/warehouse_folder.h"

namespace braid {

/// Name of the read-only database of tables about all tables.
inline constexpr std::string_view kSystemDatabase = "sys";

/// Its tables (spec metadata.md §13.2): all_table_options, catalog_options, tables, partitions. `catalog_options` are
/// those that the catalog was made with.
Catalog::VirtualDatabase GlobalSystemTables(const WarehouseFolder& warehouse, const Options& catalog_options);

}  // namespace braid
