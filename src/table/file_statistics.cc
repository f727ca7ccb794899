#include "table/file_statistics.h"

#include <utility>

#include "table/row_tracking.h"

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
    if (column == RowIdField().name) field = &RowIdField();
    if (column == RowSequenceField().name) field = &RowSequenceField();
    if (field == nullptr) {
      return Error(ErrorCode::kCorruption,
                   "the statistics of " + file.file_name + " name the column '" + column + "', which its schema lacks");
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

// Bounds of the column at a position of the statistics; unknown where they do not reach.
Result<ColumnBounds> BoundsAt(const SimpleStats& stats, int position, const DataType& type) {
  ColumnBounds bounds;
  if (position < stats.min_values.arity() && !type.is_nested()) {
    BRAID_TRY_ASSIGN(bounds.min, stats.min_values.Get(position, type));
  }
  if (position < stats.max_values.arity() && !type.is_nested()) {
    BRAID_TRY_ASSIGN(bounds.max, stats.max_values.Get(position, type));
  }
  const auto at = static_cast<std::size_t>(position);
  if (at < stats.null_counts.size()) bounds.null_count = stats.null_counts[at];
  return bounds;
}

}  // namespace

Result<std::vector<ColumnBounds>> BoundsOf(const SimpleStats& stats, std::span<const DataField> fields) {
  std::vector<ColumnBounds> bounds(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    BRAID_TRY_ASSIGN(bounds[i], BoundsAt(stats, static_cast<int>(i), fields[i].type));
  }
  return bounds;
}

Result<std::vector<ColumnBounds>> KeyBounds(const DataFileMeta& file, std::span<const DataField> key_fields) {
  return BoundsOf(file.key_stats, key_fields);
}

ValueBoundsReader::ValueBoundsReader(SchemaCache& schemas, std::vector<DataField> columns)
    : schemas_(schemas), columns_(std::move(columns)) {}

Result<std::vector<ColumnBounds>> ValueBoundsReader::Read(const DataFileMeta& file) {
  if (!HasKnownForm(file)) BRAID_TRY(FindSources(file));
  std::vector<ColumnBounds> bounds(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Source& source = sources_[i];
    if (source.absent) {
      bounds[i].null_count = file.row_count;
    } else if (source.position) {
      BRAID_TRY_ASSIGN(bounds[i], BoundsAt(file.value_stats, *source.position, *source.type));
    }
  }
  return bounds;
}

bool ValueBoundsReader::HasKnownForm(const DataFileMeta& file) const {
  return schema_id_ == file.schema_id && value_stats_cols_ == file.value_stats_cols && write_cols_ == file.write_cols;
}

Status ValueBoundsReader::FindSources(const DataFileMeta& file) {
  schema_id_.reset();
  BRAID_TRY_ASSIGN(const auto file_schema, schemas_.Get(file.schema_id));
  BRAID_TRY_ASSIGN(const std::vector<DataField> covered, CoveredFields(file, *file_schema));
  sources_.assign(columns_.size(), Source{});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!FindField(file_schema->fields, columns_[i].id)) {
      sources_[i].absent = true;
      continue;
    }
    const std::optional<std::size_t> position = FindField(covered, columns_[i].id);
    if (!position || !KeepsBounds(covered[*position].type, columns_[i].type)) continue;
    sources_[i].position = static_cast<int>(*position);
    sources_[i].type = covered[*position].type;
  }
  schema_id_ = file.schema_id;
  value_stats_cols_ = file.value_stats_cols;
  write_cols_ = file.write_cols;
  return Ok();
}

}  // namespace braid
