#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/table.h"
#include "types/data_type.h"

namespace braid {

// Row tracking of append tables (spec data.md §1.6): every row has an id, which it keeps however often it is rewritten,
// and the id of the snapshot that changed it last. A file seldom stores them: rows are numbered from its
// `first_row_id`, and its highest sequence number is that of each row.

inline constexpr std::string_view kRowIdColumn = "_ROW_ID";

/// Whether the table has `row-tracking.enabled`.
Result<bool> TracksRows(const Table& table);
/// Whether the table has `data-evolution.enabled`: columns of a row may lie in several files.
Result<bool> EvolvesData(const Table& table);

/// `_ROW_ID`, BIGINT NOT NULL.
const DataField& RowIdField();
/// `_SEQUENCE_NUMBER` of a row, BIGINT NOT NULL.
const DataField& RowSequenceField();
/// The columns of the table, then the two above.
std::vector<DataField> TrackedFields(const TableSchema& schema);

/// The column of that name which a read may name: one of the table's, and in tables that track rows, `_ROW_ID` and
/// `_SEQUENCE_NUMBER`. nullptr if there is none.
Result<const DataField*> FindReadableColumn(const Table& table, std::string_view name);

/// Whether the file stores this column, by its `write_cols`; without those it stores the table's columns alone.
bool StoresColumn(const DataFileMeta& file, std::string_view name);

/// Gives the files that a commit adds what only the commit knows (spec metadata.md §8.8): sequence numbers, and ids to
/// the rows that have none. `next_row_id`: the first that is free. Returns the one that is free afterwards. Errors:
/// kInternal for a file of no known source, or a `.blob` file that does not follow the file of its rows.
Result<std::int64_t> AssignRowIds(SnapshotId snapshot, std::int64_t next_row_id, std::vector<ManifestEntry>& delta);

/// The numbers first, first + 1, …, as a BIGINT column.
std::shared_ptr<arrow::Array> CountFrom(std::int64_t first, std::int64_t count);

}  // namespace braid
