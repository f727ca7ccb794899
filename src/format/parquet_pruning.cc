#include "format/parquet_pruning.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <parquet/statistics.h>
#include <parquet/types.h>

namespace braid {
namespace {

/// A decimal from its big-endian two's complement.
std::optional<Decimal> DecimalFromBytes(const std::uint8_t* bytes, std::size_t count) {
  if (count == 0 || count > 16) return std::nullopt;
  __extension__ unsigned __int128 value = (bytes[0] & 0x80) != 0 ? ~static_cast<unsigned __int128>(0) : 0;
  for (std::size_t i = 0; i < count; ++i) value = (value << 8) | bytes[i];
  return Decimal{static_cast<Int128>(value)};
}

Timestamp TimestampFrom(std::int64_t value, std::int64_t units_per_milli) {
  const std::int64_t millis = value / units_per_milli - (value % units_per_milli < 0 ? 1 : 0);
  return {millis, static_cast<std::int32_t>((value - millis * units_per_milli) * (1'000'000 / units_per_milli))};
}

std::optional<Datum> FromInteger(const parquet::ColumnDescriptor& column, const DataType& type, std::int64_t value) {
  switch (type.kind()) {
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: {
      const auto logical = column.logical_type();
      if (logical->is_none() || logical->is_int()) return Datum(value);
      return std::nullopt;
    }
    case TypeKind::kDate: return column.logical_type()->is_date() ? std::optional(Datum(value)) : std::nullopt;
    case TypeKind::kTime:
      return column.physical_type() == parquet::Type::INT32 ? std::optional(Datum(value)) : std::nullopt;
    case TypeKind::kDecimal: return Datum(Decimal{value});
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: {
      if (!column.logical_type()->is_timestamp()) return std::nullopt;
      switch (static_cast<const parquet::TimestampLogicalType&>(*column.logical_type()).time_unit()) {
        case parquet::LogicalType::TimeUnit::MILLIS: return Datum(TimestampFrom(value, 1));
        case parquet::LogicalType::TimeUnit::MICROS: return Datum(TimestampFrom(value, 1000));
        default: return std::nullopt;
      }
    }
    default: return std::nullopt;
  }
}

std::optional<Datum> FromBytes(const parquet::ColumnDescriptor& column, const DataType& type, const std::uint8_t* bytes,
                               std::size_t count) {
  if (type.kind() == TypeKind::kDecimal) {
    const std::optional<Decimal> decimal = DecimalFromBytes(bytes, count);
    return decimal ? std::optional(Datum(*decimal)) : std::nullopt;
  }
  // Bounds of byte strings may be those of signed bytes in files of old writers; texts come annotated and unsigned.
  if (!type.is_text() || column.physical_type() != parquet::Type::BYTE_ARRAY) return std::nullopt;
  return Datum(std::string(reinterpret_cast<const char*>(bytes), count));
}

template <typename Type, typename Convert>
void SetBounds(const parquet::Statistics& statistics, ColumnBounds& bounds, Convert convert) {
  const auto& typed = static_cast<const parquet::TypedStatistics<Type>&>(statistics);
  const std::optional<Datum> min = convert(typed.min());
  const std::optional<Datum> max = convert(typed.max());
  if (!min || !max) return;
  bounds.min = *min;
  bounds.max = *max;
}

/// FLOAT and DOUBLE have no bounds here: writers leave NaN out of them, while NaN passes `x > 1` in Paimon.
void ReadBounds(const parquet::ColumnDescriptor& column, const parquet::Statistics& statistics, const DataType& type,
                ColumnBounds& bounds) {
  const auto integer = [&](std::int64_t value) { return FromInteger(column, type, value); };
  const auto bytes = [&](const parquet::ByteArray& value) { return FromBytes(column, type, value.ptr, value.len); };
  const auto fixed = [&](const parquet::FLBA& value) {
    return FromBytes(column, type, value.ptr, static_cast<std::size_t>(column.type_length()));
  };
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN:
      if (type.kind() != TypeKind::kBoolean) return;
      return SetBounds<parquet::BooleanType>(statistics, bounds,
                                             [](bool value) { return std::optional(Datum(value)); });
    case parquet::Type::INT32: return SetBounds<parquet::Int32Type>(statistics, bounds, integer);
    case parquet::Type::INT64: return SetBounds<parquet::Int64Type>(statistics, bounds, integer);
    case parquet::Type::BYTE_ARRAY: return SetBounds<parquet::ByteArrayType>(statistics, bounds, bytes);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY: return SetBounds<parquet::FLBAType>(statistics, bounds, fixed);
    default: return;
  }
}

/// Whether the leaf stands for the column as it is: not nested, of the same scale.
bool IsPlainColumn(const parquet::ColumnDescriptor& column, const DataType& type) {
  if (column.max_repetition_level() > 0 || column.path()->ToDotVector().size() != 1) return false;
  if (type.kind() != TypeKind::kDecimal) return true;
  const auto logical = column.logical_type();
  return logical->is_decimal() && static_cast<const parquet::DecimalLogicalType&>(*logical).scale() == type.scale();
}

}  // namespace

ColumnBounds RowGroupBoundsOf(const parquet::RowGroupMetaData& group, int leaf, const DataType& type) {
  ColumnBounds bounds;
  const parquet::ColumnDescriptor& column = *group.schema()->Column(leaf);
  const std::unique_ptr<parquet::ColumnChunkMetaData> chunk = group.ColumnChunk(leaf);
  // Says false for statistics that the writer is known to have got wrong.
  if (!chunk->is_stats_set() || !IsPlainColumn(column, type)) return bounds;
  const std::shared_ptr<parquet::Statistics> statistics = chunk->statistics();
  if (statistics == nullptr) return bounds;
  if (statistics->HasNullCount()) bounds.null_count = statistics->null_count();
  if (statistics->HasMinMax()) ReadBounds(column, *statistics, type, bounds);
  return bounds;
}

bool RowGroupMayMatch(const parquet::FileMetaData& file, int row_group, std::span<const DataField> fields,
                      const Predicate& filter) {
  const std::unique_ptr<parquet::RowGroupMetaData> group = file.RowGroup(row_group);
  const std::vector<std::string> wanted = filter.Columns();
  std::vector<DataField> known;
  std::vector<ColumnBounds> bounds;
  for (int leaf = 0; leaf < group->num_columns(); ++leaf) {
    const std::string& name = file.schema()->GetColumnRoot(leaf)->name();
    if (std::ranges::find(wanted, name) == wanted.end()) continue;
    const std::optional<std::size_t> field = FindField(fields, name);
    if (!field || file.schema()->Column(leaf)->path()->ToDotVector().size() != 1) continue;
    known.push_back(fields[*field]);
    bounds.push_back(RowGroupBoundsOf(*group, leaf, fields[*field].type));
  }
  return filter.MayMatch(known, bounds, group->num_rows());
}

}  // namespace braid
