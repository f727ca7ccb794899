#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// Reads the trimmed primary key alone. Precondition: the table has one.
ReadRequest RequestOfKeys(const Table& table);

/// Calls `use` with the key of each row of the splits, one split after the other: BinaryRow bytes, which are gone after
/// the call. Errors: those of reading and of `use`.
Status ForEachKey(const Table& table, const std::vector<DataSplit>& splits,
                  const std::function<Status(const DataSplit& split, std::string_view key)>& use);

}  // namespace braid
