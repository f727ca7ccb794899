#include "catalog/value_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "meta/tag_time.h"
#include "types/cast.h"
#include "types/date_time.h"

namespace braid {

namespace {

constexpr int kAbsent = -1;

std::string ListText(const std::vector<std::string>& texts) {
  return "[" + Join(texts, ", ") + "]";
}

std::string MapText(const std::map<std::string, std::string>& values) {
  std::string text = "{";
  for (const auto& [name, value] : values) {
    if (text.size() > 1) text += ", ";
    text += name + "=" + value;
  }
  return text + "}";
}

// Where the table's columns lie in a file's schema and statistics.
struct StatsLayout {
  std::vector<int> file_positions;   // by the table's column, in the file's schema
  std::vector<int> stats_positions;  // by the table's column, in the rows of bounds
  std::size_t shown = 0;             // the table's columns that are shown

  static StatsLayout Make(const DataFileMeta& file, const TableSchema& file_schema,
                          const std::vector<DataField>& columns) {
    StatsLayout layout;
    bool is_identity = columns.size() == file_schema.fields.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto position = FindField(file_schema.fields, columns[i].id);
      layout.file_positions.push_back(position ? static_cast<int>(*position) : kAbsent);
      layout.stats_positions.push_back(
          position ? PositionInStats(file, file_schema.fields[*position], static_cast<int>(*position)) : kAbsent);
      is_identity = is_identity && position == i;
    }
    // Java trusts the length of the stored row where it has nothing to rearrange, even if only some columns were
    // written.
    const auto arity = static_cast<std::size_t>(file.value_stats.min_values.arity());
    layout.shown = is_identity && !file.value_stats_cols ? std::min(arity, columns.size()) : columns.size();
    return layout;
  }

 private:
  static int PositionInStats(const DataFileMeta& file, const DataField& field, int position) {
    if (!file.value_stats_cols) return position;
    const auto it = std::find(file.value_stats_cols->begin(), file.value_stats_cols->end(), field.name);
    return it == file.value_stats_cols->end() ? kAbsent : static_cast<int>(it - file.value_stats_cols->begin());
  }
};

std::string BoundText(const BinaryRow& bounds, int position, const DataType& stored, const DataType& shown) {
  if (position == kAbsent || position >= bounds.arity() || bounds.IsNull(position) || stored.is_nested()) return "null";
  const Result<Datum> value = bounds.Get(position, stored);
  if (!value) return "null";
  if (stored.SameShape(shown)) return JavaText(*value, shown);
  const Result<Datum> cast = CastDatum(*value, stored, shown);
  return cast ? JavaText(*cast, shown) : "null";
}

std::string NullCountText(const DataFileMeta& file, int file_position, int stats_position) {
  if (file_position == kAbsent) return std::to_string(file.row_count);  // the column is newer than the file
  const auto& counts = file.value_stats.null_counts;
  if (stats_position == kAbsent || static_cast<std::size_t>(stats_position) >= counts.size()) return "null";
  const std::optional<std::int64_t>& count = counts[static_cast<std::size_t>(stats_position)];
  return count ? std::to_string(*count) : "null";
}

std::string TimestampText(const Timestamp& timestamp) {
  return FormatLocalDateTime({.seconds = FloorDivide(timestamp.millis, 1000), .nanos = NanosOfSecond(timestamp)});
}

}  // namespace

std::string JavaText(const Datum& value, const DataType& type) {
  if (value.is_null()) return "null";
  switch (type.kind()) {
    case TypeKind::kDate:
    case TypeKind::kTime: return std::to_string(value.as_int());
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return TimestampText(value.as_timestamp());
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return ToHex(value.as_string());
    default: return FormatDatum(value, type);
  }
}

Result<std::string> PartitionRowText(const BinaryRow& partition, const std::vector<DataField>& fields) {
  std::vector<DataType> types;
  for (const DataField& field : fields) types.push_back(field.type);
  BRAID_TRY_ASSIGN(DatumList values, partition.ToDatums(types));
  return FormatDatum(Datum(std::move(values)), DataType::Row(fields));
}

Result<Datum> FileText::Key(const BinaryRow& key, SchemaId file_schema) {
  if (key.arity() <= 0) return Datum();
  BRAID_TRY_ASSIGN(const auto schema, schemas_.Get(file_schema));
  std::vector<DataField> fields = schema->TrimmedPrimaryKeyFields();
  if (fields.empty()) fields = schema->fields;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < fields.size() && i < static_cast<std::size_t>(key.arity()); ++i) {
    BRAID_TRY_ASSIGN(const Datum value, key.Get(static_cast<int>(i), fields[i].type));
    texts.push_back(JavaText(value, fields[i].type));
  }
  return Datum(ListText(texts));
}

Result<FileText::ValueStats> FileText::StatsOf(const DataFileMeta& file) {
  BRAID_TRY_ASSIGN(const auto file_schema, schemas_.Get(file.schema_id));
  const std::vector<DataField>& columns = table_.schema().fields;
  const StatsLayout layout = StatsLayout::Make(file, *file_schema, columns);
  std::map<std::string, std::string> null_counts;
  std::map<std::string, std::string> min_values;
  std::map<std::string, std::string> max_values;
  for (std::size_t i = 0; i < layout.shown; ++i) {
    const std::string& name = columns[i].name;
    const int file_position = layout.file_positions[i];
    const int stats_position = layout.stats_positions[i];
    const DataType& stored =
        file_position == kAbsent ? columns[i].type : file_schema->fields[static_cast<std::size_t>(file_position)].type;
    null_counts[name] = NullCountText(file, file_position, stats_position);
    min_values[name] = BoundText(file.value_stats.min_values, stats_position, stored, columns[i].type);
    max_values[name] = BoundText(file.value_stats.max_values, stats_position, stored, columns[i].type);
  }
  return ValueStats{MapText(null_counts), MapText(min_values), MapText(max_values)};
}

}  // namespace braid
