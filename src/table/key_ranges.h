#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "table/scan.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// What one thread reads: a split, of which only the rows with these keys.
struct ReadUnit {
  DataSplit split;
  /// To be joined to the request's filter; null: all rows.
  PredicatePtr keys;
};

/// The plan's splits for `readers` threads. Where there are fewer splits than threads, large ones are divided. Those whose
/// files are read one after the other are divided by files. Those whose files are merged by key are cut at keys where files
/// or, in large files, row groups begin, as long as that shortens by much what the slowest thread reads: what lies above
/// the cut need not be read for what lies below. Keys are cut by their first column, which must be a whole number, a date, a
/// time, a timestamp, a decimal or text; others are left whole, and so are files of data evolution. Together the units hold
/// every row of the plan once. Errors: kCorruption for a file whose key bounds cannot be read; those of reading footers.
Result<std::vector<ReadUnit>> DivideAmongReaders(const Table& table, const std::vector<DataSplit>& splits,
                                                 std::size_t readers);

}  // namespace braid
