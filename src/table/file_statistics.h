#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/table_schema.h"
#include "table/schema_cache.h"
#include "types/predicate.h"

namespace braid {

/// Reads bounds of columns of the table out of files' value statistics, whatever schema a file was written with (spec
/// data.md §11.2): a column that the file lacks is all NULL; where a cast would not keep the order, nothing is known.
/// One thread.
class ValueBoundsReader {
 public:
  /// `schemas` is borrowed until the reader is gone.
  ValueBoundsReader(SchemaCache& schemas, std::vector<DataField> columns);

  /// Errors: kCorruption, naming the file; kNotFound for its schema.
  Result<std::vector<ColumnBounds>> Read(const DataFileMeta& file);

 private:
  /// Where a column's bounds lie in the statistics of files of one form.
  struct Source {
    bool absent = false;             ///< from the file: added to the table later
    std::optional<int> position{};   ///< in the statistics' rows; nullopt: nothing is known
    std::optional<DataType> type{};  ///< stored there
  };
  bool HasKnownForm(const DataFileMeta& file) const;
  Status FindSources(const DataFileMeta& file);

  SchemaCache& schemas_;
  std::vector<DataField> columns_;
  // The form of the file read last, which the next one mostly shares.
  std::optional<SchemaId> schema_id_;
  OptionalBox<std::vector<std::string>> value_stats_cols_;
  OptionalBox<std::vector<std::string>> write_cols_;
  std::vector<Source> sources_;
};

/// Bounds of the trimmed primary key's columns, in their order.
Result<std::vector<ColumnBounds>> KeyBounds(const DataFileMeta& file, std::span<const DataField> key_fields);

/// Bounds of columns stored as SimpleStats of these fields.
Result<std::vector<ColumnBounds>> BoundsOf(const SimpleStats& stats, std::span<const DataField> fields);

}  // namespace braid
