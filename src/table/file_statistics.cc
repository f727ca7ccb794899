#include "table/file_statistics.h"

#include <utility>

namespace braid {

namespace {

// Fields that the value statistics cover, in the order of their rows (spec metadata.md §4.5).
Result<std::vector<DataField>> CoveredFields(const DataFileMeta& file, const TableSchema& file_schema) {
  const std::vector<std::string>* columns = nullptr;
  if (file.value_stats_cols) {
    columns = &*file.value_stats_cols;
  } else if (file.write_cols) {
    columns = &*file.write_cols;
  } else {
    return file_schema.fields;
  }
  std::vector<DataField> fields;
  for (const std::string& column : *columns) {
    const DataField* field = file_schema.FindColumn(column);
    if (field == nullptr) {
      return Error(ErrorCode::kCorruption, "the statistics of " + file.file_name + " name the column '" + column + "', which its schema lacks");
    }
    fields.push_back(*field);
  }
  return fields;
}

// Whether bounds of the one type are bounds of the other: the same values in the same order and representation.
bool KeepsBounds(const DataType& from, const DataType& to) {
  if (from.SameShape(to)) return true;
  if (from.is_integer() && to.is_integer()) return from.kind() <= to.kind();
  return false;
}

}  // namespace

Result<std::vector<ColumnBounds>> BoundsOf(const SimpleStats& stats, std::span<const DataField> fields) {
  std::vector<ColumnBounds> bounds(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto column = static_cast<int>(i);
    if (column < stats.min_values.arity() && !fields[i].type.is_nested()) {
      BRAID_TRY_ASSIGN(bounds[i].min, stats.min_values.Get(column, fields[i].type));
    }
    if (column < stats.max_values.arity() && !fields[i].type.is_nested()) {
      BRAID_TRY_ASSIGN(bounds[i].max, stats.max_values.Get(column, fields[i].type));
    }
    if (i < stats.null_counts.size()) bounds[i].null_count = stats.null_counts[i];
  }
  return bounds;
}

Result<std::vector<ColumnBounds>> KeyBounds(const DataFileMeta& file, std::span<const DataField> key_fields) {
  return BoundsOf(file.key_stats, key_fields);
}

Result<std::vector<ColumnBounds>> ValueBounds(const DataFileMeta& file, const TableSchema& file_schema, std::span<const DataField> columns) {
  BRAID_TRY_ASSIGN(const std::vector<DataField> covered, CoveredFields(file, file_schema));
  BRAID_TRY_ASSIGN(std::vector<ColumnBounds> stored, BoundsOf(file.value_stats, covered));
  std::vector<ColumnBounds> bounds(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!FindField(file_schema.fields, columns[i].id)) {
      bounds[i].null_count = file.row_count;  // added after the file was written
      continue;
    }
    const std::optional<std::size_t> position = FindField(covered, columns[i].id);
    if (position && KeepsBounds(covered[*position].type, columns[i].type)) bounds[i] = std::move(stored[*position]);
  }
  return bounds;
}

}  // namespace braid
