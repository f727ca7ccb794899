#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/scan.h"
#include "table/table.h"
#include "types/batch.h"
#include "types/data_type.h"

namespace braid {

/// A read-only table whose rows are made when they are read: system tables of a table ("t$snapshots") and of a catalog.
/// Immutable; any thread.
class VirtualTable {
 public:
  virtual ~VirtualTable() = default;
  virtual const std::vector<DataField>& fields() const = 0;
  /// Rows of all fields in their order; what the request asks for is a help that may be ignored but for its cost: the
  /// caller projects and filters (ReadVirtualTable does both).
  virtual Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& request) const = 0;
};

/// Reads exactly what the request asks for.
Result<std::unique_ptr<BatchReader>> ReadVirtualTable(const VirtualTable& table, const ReadRequest& request);

/// A virtual table over rows that are there already.
std::shared_ptr<const VirtualTable> MakeRowsTable(std::vector<DataField> fields, std::vector<DatumList> rows);

/// A virtual table whose rows are computed anew each time that it is read. `compute` may be called from any thread.
using ComputeRows = std::function<Result<std::vector<DatumList>>()>;
std::shared_ptr<const VirtualTable> MakeComputedTable(std::vector<DataField> fields, ComputeRows compute);

/// Offers one system table of every table ("snapshots" for `t$snapshots`). Immutable; any thread.
class SystemTableProvider {
 public:
  virtual ~SystemTableProvider() = default;
  virtual std::string_view name() const = 0;  ///< lower case, as behind the `$`
  /// Errors: those of reading the table's metadata; kInvalidArgument if the table is not of the kind that has it.
  virtual Result<std::shared_ptr<const VirtualTable>> Open(const Table& table) const = 0;
};

}  // namespace braid
