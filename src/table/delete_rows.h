#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/addressed_rows.h"
#include "table/commit.h"

namespace braid {

/// Addresses of rows: by number of the data file, positions in any order.
using RowPositions = std::map<std::int32_t, std::vector<std::int64_t>>;

/// Addresses of the rows for which `filter`, over columns of the table, is true; null: of all.
Result<RowPositions> FindRows(const AddressedRows& rows, const PredicatePtr& filter);

/// Takes rows out of an append table (spec data.md §8.3): by deletion vectors where the table has
/// `deletion-vectors.enabled`, else by writing what stays of their files anew, in the same buckets. Returns what to
/// commit, beside new rows; it becomes a snapshot of kind OVERWRITE, or kConflict if the files are not there any more
/// or lost other rows meanwhile.
Result<std::vector<CommitMessage>> RemoveRows(const AddressedRows& rows, const RowPositions& positions,
                                              const std::string& commit_user);

/// Deletes the rows that FindRows finds in the newest snapshot, in one snapshot; none if no row matches. Tries again
/// when others change the same files meanwhile, as often as `commit.max-retries` says. Errors: kUnsupported for a key
/// table; kConflict if others were always first.
Result<std::vector<Snapshot>> DeleteRows(const Table& table, const PredicatePtr& filter, const std::string& commit_user,
                                         const Clock& clock = SystemClock());

}  // namespace braid
