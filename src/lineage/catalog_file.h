#pragma once

#include <optional>
#include <string>

#include "base/options.h"
#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// What a warehouse's `.braid/catalog.json` fixes for good (spec lineage.md §2.3). An immutable value.
struct CatalogIdentity {
  std::string id;     ///< of the catalog; made up for warehouses without the file
  Options immutable;  ///< `table-lineage` and `data-lineage`, where they were given

  bool table_lineage() const;
  bool data_lineage() const;
};

/// Settles the immutable options of a catalog that is being opened with `options`: the file's values hold, and are made on the
/// first opening that gives one. Errors: kInvalidArgument if an option contradicts the file, naming both values, or
/// `data-lineage` is given without `table-lineage`.
Result<CatalogIdentity> SettleCatalogIdentity(FileSystem& fs, const std::string& warehouse, const Options& options);

/// The UUID of the table in this folder, from `.braid/table.json`, which is made if it is missing. It goes with the folder on
/// a rename and is gone with it on a drop.
Result<std::string> TableUuid(FileSystem& fs, const std::string& table_root);
/// The same, but nullopt if the file is missing.
Result<std::optional<std::string>> FindTableUuid(const FileSystem& fs, const std::string& table_root);

}  // namespace braid
