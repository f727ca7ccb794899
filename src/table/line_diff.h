#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "meta/fork_record.h"
#include "meta/snapshot.h"
#include "table/operation.h"
#include "types/data_type.h"

namespace braid {

/// A state of a table: a line, and if it is not its latest one, a snapshot or tag of it.
struct LineState {
  std::string line{kMainBranch};
  std::optional<SnapshotId> snapshot = std::nullopt;
  std::optional<std::string> tag = std::nullopt;

  /// "fix", "main@4", "fix@monday"; "@4" is main's. A branch whose whole name is the text comes before a snapshot.
  static Result<LineState> Parse(const OperationContext& context, std::string_view text);
  std::string ToString() const;
};

struct LineDiffRequest {
  LineState from;
  LineState to;
  bool rows = false;         ///< compare rows too: reads the buckets whose files differ
  std::size_t limit = 20;    ///< rows to return, of all that differ; 0: all
};

/// A top-level column that only one side has, or that is another there. Columns are the same if their field ids are.
struct ColumnDifference {
  FieldId id;
  std::optional<DataField> before;  ///< nullopt: the column was added
  std::optional<DataField> after;   ///< nullopt: it was removed
};

/// A row that differs, as JSON (docs/rows-as-json.md), of the columns that both sides have, under the names of `to`;
/// keys come first. Both are given for a row of a key table whose other columns changed.
struct RowDifference {
  std::optional<std::string> before;
  std::optional<std::string> after;
};

struct RowDifferences {
  /// Rows are known by the table's primary key; without one they are compared as a multiset, and none is `changed`.
  bool by_key = false;
  std::int64_t added = 0;
  std::int64_t removed = 0;
  std::int64_t changed = 0;
  std::vector<RowDifference> shown;  ///< ascending by text, at most as many as asked for
};

struct LineDiff {
  struct Side {
    std::string name;                    ///< as LineState::ToString
    std::optional<SnapshotId> snapshot;  ///< nullopt: the line has none
    std::vector<Snapshot> since_base;    ///< its snapshots above the common one, oldest first
  };
  Side from;
  Side to;
  std::optional<SnapshotRef> base;   ///< the newest snapshot that is known to be common
  std::string no_base_reason;        ///< why there is none
  std::vector<ColumnDifference> columns;
  std::optional<RowDifferences> rows;  ///< if they were asked for
};

/// What differs between two states of a table. Writes nothing. Memory: the rows of one differing bucket, and those that
/// differ. Errors: kNotFound for a line, snapshot or tag that is not there; those of reading.
Result<LineDiff> DiffLines(const OperationContext& context, const LineDiffRequest& request);

}  // namespace braid
