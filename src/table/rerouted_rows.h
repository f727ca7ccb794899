#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/commit.h"
#include "table/table.h"

namespace braid {

/// Writes the rows of the messages' new files again, as they would have been written had the writer begun with
/// `latest`: keys get their buckets and partitions from there. Key tables only. The files of the messages stay. Rows of
/// the same key that were merged in one file stay merged. Errors: those of reading and writing.
Result<std::vector<CommitMessage>> WriteAgain(const Table& table, const std::vector<CommitMessage>& messages,
                                              const std::optional<Snapshot>& latest, const std::string& commit_user,
                                              std::int64_t identifier);

/// Whether keys of rows in the messages' new files are among the keys of these files that others added; where it says
/// true, it may err once in 2^64.
Result<bool> ShareKeys(const Table& table, const std::vector<CommitMessage>& messages,
                       const std::vector<ManifestEntry>& others);

/// Whether a table with dynamic buckets finds a key in all partitions: its primary key lacks a partition column.
bool KeysCrossPartitions(const TableSchema& schema);

}  // namespace braid
