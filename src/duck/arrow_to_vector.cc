#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <arrow/api.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>
#include <duckdb/common/types/vector.hpp>
#include <fmt/format.h>

#include "base/result.h"
#include "duck/vectors_internal.h"
#include "types/batch.h"
#include "types/cast.h"

namespace braid {
namespace {

using duckdb::FlatVector;
using duckdb::idx_t;
using duckdb::Vector;

/// Keeps an Arrow column alive as long as a vector borrows from it.
class BorrowedColumn : public duckdb::VectorBuffer {
 public:
  explicit BorrowedColumn(std::shared_ptr<arrow::Array> column)
      : duckdb::VectorBuffer(duckdb::VectorBufferType::OPAQUE_BUFFER), column_(std::move(column)) {}

 private:
  std::shared_ptr<arrow::Array> column_;
};

/// The rows of a column that go into a vector.
struct Slice {
  const std::shared_ptr<arrow::Array>& column;
  const DataType& type;
  std::int64_t offset;
  std::int64_t count;

  const arrow::Array& array() const { return *column; }
};

void FillValidity(const Slice& slice, Vector& vector) {
  duckdb::ValidityMask& mask = FlatVector::Validity(vector);
  const arrow::Array& array = slice.array();
  if (array.null_count() == 0 || array.null_bitmap_data() == nullptr) return;
  mask.EnsureWritable();
  arrow::internal::CopyBitmap(array.null_bitmap_data(), array.offset() + slice.offset, slice.count,
                              reinterpret_cast<std::uint8_t*>(mask.GetData()), 0);
}

/// Borrows the values of a column whose layout is the vector's.
template <typename T>
void Borrow(const Slice& slice, Vector& vector) {
  const T* values = slice.array().data()->GetValues<T>(1) + slice.offset;
  // DuckDB reads through a mutable pointer but never writes into vectors that a source hands out.
  FlatVector::SetData(vector, reinterpret_cast<duckdb::data_ptr_t>(const_cast<T*>(values)));
  vector.SetAuxiliary(duckdb::make_buffer<BorrowedColumn>(slice.column));
}

template <typename From, typename To>
void Scale(const Slice& slice, Vector& vector, std::int64_t factor) {
  const From* from = slice.array().data()->GetValues<From>(1) + slice.offset;
  To* to = FlatVector::GetData<To>(vector);
  for (std::int64_t i = 0; i < slice.count; ++i) to[i] = static_cast<To>(from[i] * factor);
}

Status FillBooleans(const Slice& slice, Vector& vector) {
  const std::uint8_t* bits = slice.array().data()->buffers[1]->data();
  const std::int64_t start = slice.array().offset() + slice.offset;
  bool* to = FlatVector::GetData<bool>(vector);
  for (std::int64_t i = 0; i < slice.count; ++i) to[i] = arrow::bit_util::GetBit(bits, static_cast<std::uint64_t>(start + i));
  return Ok();
}

template <typename T>
void FillDecimals(const Slice& slice, Vector& vector) {
  const auto& array = static_cast<const arrow::FixedSizeBinaryArray&>(slice.array());
  T* to = FlatVector::GetData<T>(vector);
  for (std::int64_t i = 0; i < slice.count; ++i) {
    // Little-endian two's complement: the low bytes are the value if the precision fits them.
    std::memcpy(to + i, array.GetValue(slice.offset + i), sizeof(T));
  }
}

Status FillDecimal(const Slice& slice, Vector& vector) {
  switch (vector.GetType().InternalType()) {
    case duckdb::PhysicalType::INT16: FillDecimals<std::int16_t>(slice, vector); return Ok();
    case duckdb::PhysicalType::INT32: FillDecimals<std::int32_t>(slice, vector); return Ok();
    case duckdb::PhysicalType::INT64: FillDecimals<std::int64_t>(slice, vector); return Ok();
    default: FillDecimals<duckdb::hugeint_t>(slice, vector); return Ok();
  }
}

Status FillText(const Slice& slice, Vector& vector) {
  const auto& array = static_cast<const arrow::BinaryArray&>(slice.array());
  const std::int32_t* offsets = array.raw_value_offsets() + slice.offset;
  const char* bytes = reinterpret_cast<const char*>(array.raw_data());
  auto* to = FlatVector::GetData<duckdb::string_t>(vector);
  const duckdb::ValidityMask& mask = FlatVector::Validity(vector);
  for (std::int64_t i = 0; i < slice.count; ++i) {
    if (!mask.RowIsValid(static_cast<idx_t>(i))) continue;
    to[i] = duckdb::string_t(bytes + offsets[i], static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]));
  }
  duckdb::StringVector::AddBuffer(vector, duckdb::make_buffer<BorrowedColumn>(slice.column));
  return Ok();
}

Error OutsideRange(const Slice& slice, std::int64_t row, const char* reason, const char* hint) {
  const Datum value = DatumAt(slice.array(), slice.offset + row, slice.type);
  return Error(ErrorCode::kInvalidArgument, fmt::format("the query engine cannot hold {} as {}: {}",
                                                        FormatDatum(value, slice.type), slice.type.ToString(), reason))
      .Hint(hint);
}

/// Milliseconds to DuckDB's microseconds.
Status FillMillis(const Slice& slice, Vector& vector) {
  const std::int64_t* from = slice.array().data()->GetValues<std::int64_t>(1) + slice.offset;
  auto* to = FlatVector::GetData<std::int64_t>(vector);
  const duckdb::ValidityMask& mask = FlatVector::Validity(vector);
  for (std::int64_t i = 0; i < slice.count; ++i) {
    if (__builtin_mul_overflow(from[i], std::int64_t{1000}, to + i) && mask.RowIsValid(static_cast<idx_t>(i))) {
      return OutsideRange(slice, i, "its range ends in the year 294247", "read the column with `braid read`");
    }
  }
  return Ok();
}

/// struct<millis, nanos> to nanoseconds (TIMESTAMP_NS) or microseconds (TIMESTAMPTZ).
Status FillSplitTimestamps(const Slice& slice, Vector& vector) {
  const auto& array = static_cast<const arrow::StructArray&>(slice.array());
  // field() applies the struct's offset to the children.
  const auto millis_column = array.field(0);
  const auto nanos_column = array.field(1);
  const auto* millis = millis_column->data()->GetValues<std::int64_t>(1) + slice.offset;
  const auto* nanos = nanos_column->data()->GetValues<std::int32_t>(1) + slice.offset;
  auto* to = FlatVector::GetData<std::int64_t>(vector);
  const duckdb::ValidityMask& mask = FlatVector::Validity(vector);
  const bool local = slice.type.kind() == TypeKind::kTimestampLtz;
  for (std::int64_t i = 0; i < slice.count; ++i) {
    if (!mask.RowIsValid(static_cast<idx_t>(i))) continue;
    if (local && nanos[i] % 1000 != 0) {
      return OutsideRange(slice, i, "its points in time have microseconds",
                          "cast the column to TIMESTAMP_LTZ(6) when it is written");
    }
    const std::int64_t unit = local ? 1000 : 1'000'000;
    const std::int64_t rest = local ? nanos[i] / 1000 : nanos[i];
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(millis[i], unit, &scaled) || __builtin_add_overflow(scaled, rest, to + i)) {
      return OutsideRange(slice, i, "its nanoseconds end in the years 1677 and 2262",
                          "declare the column as TIMESTAMP(6), or read it with `braid read`");
    }
  }
  return Ok();
}

Status FillTimestamp(const Slice& slice, Vector& vector) {
  if (slice.type.precision() <= 3) return FillMillis(slice, vector);
  if (slice.type.precision() > 6) return FillSplitTimestamps(slice, vector);
  Borrow<std::int64_t>(slice, vector);
  return Ok();
}

/// Fills the entries of a list or map and gives the range of its elements that are used.
std::pair<std::int64_t, std::int64_t> FillEntries(const Slice& slice, const std::int32_t* offsets, Vector& vector) {
  auto* entries = duckdb::ListVector::GetData(vector);
  const std::int64_t first = offsets[0];
  for (std::int64_t i = 0; i < slice.count; ++i) {
    entries[i].offset = static_cast<idx_t>(offsets[i] - first);
    entries[i].length = static_cast<idx_t>(offsets[i + 1] - offsets[i]);
  }
  const std::int64_t count = offsets[slice.count] - first;
  duckdb::ListVector::Reserve(vector, static_cast<idx_t>(count));
  duckdb::ListVector::SetListSize(vector, static_cast<idx_t>(count));
  return {first, count};
}

Status FillList(const Slice& slice, Vector& vector) {
  const auto& array = static_cast<const arrow::ListArray&>(slice.array());
  const auto [first, count] = FillEntries(slice, array.raw_value_offsets() + slice.offset, vector);
  return FillVector(array.values(), slice.type.element(), first, count, duckdb::ListVector::GetEntry(vector));
}

Status FillMap(const Slice& slice, Vector& vector) {
  const auto& array = static_cast<const arrow::MapArray&>(slice.array());
  const auto [first, count] = FillEntries(slice, array.raw_value_offsets() + slice.offset, vector);
  const bool multiset = slice.type.kind() == TypeKind::kMultiset;
  const DataType key = multiset ? slice.type.element() : slice.type.key();
  const DataType value = multiset ? DataType::Int() : slice.type.element();
  BRAID_TRY(FillVector(array.keys(), key, first, count, duckdb::MapVector::GetKeys(vector)));
  return FillVector(array.items(), value, first, count, duckdb::MapVector::GetValues(vector));
}

/// A ROW, or a VARIANT, which is two BYTES.
Status FillRow(const Slice& slice, Vector& vector) {
  const auto& array = static_cast<const arrow::StructArray&>(slice.array());
  auto& children = duckdb::StructVector::GetEntries(vector);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const DataType type = slice.type.kind() == TypeKind::kVariant ? DataType::Bytes() : slice.type.fields()[i].type;
    BRAID_TRY(FillVector(array.field(static_cast<int>(i)), type, slice.offset, slice.count, *children[i]));
    // DuckDB expects the fields of a NULL row to be NULL.
    if (array.null_count() == 0) continue;
    duckdb::ValidityMask& mask = FlatVector::Validity(*children[i]);
    const duckdb::ValidityMask& rows = FlatVector::Validity(vector);
    for (idx_t row = 0; row < static_cast<idx_t>(slice.count); ++row) {
      if (!rows.RowIsValid(row)) mask.SetInvalid(row);
    }
  }
  return Ok();
}

Status FillValues(const Slice& slice, Vector& vector) {
  switch (slice.type.kind()) {
    case TypeKind::kBoolean: return FillBooleans(slice, vector);
    case TypeKind::kTinyInt: Borrow<std::int8_t>(slice, vector); return Ok();
    case TypeKind::kSmallInt: Borrow<std::int16_t>(slice, vector); return Ok();
    case TypeKind::kInt:
    case TypeKind::kDate: Borrow<std::int32_t>(slice, vector); return Ok();
    case TypeKind::kBigInt: Borrow<std::int64_t>(slice, vector); return Ok();
    case TypeKind::kFloat: Borrow<float>(slice, vector); return Ok();
    case TypeKind::kDouble: Borrow<double>(slice, vector); return Ok();
    case TypeKind::kDecimal: return FillDecimal(slice, vector);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return FillText(slice, vector);
    case TypeKind::kTime: Scale<std::int32_t, std::int64_t>(slice, vector, 1000); return Ok();
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return FillTimestamp(slice, vector);
    case TypeKind::kArray:
    case TypeKind::kVector: return FillList(slice, vector);
    case TypeKind::kMultiset:
    case TypeKind::kMap: return FillMap(slice, vector);
    case TypeKind::kVariant:
    case TypeKind::kRow: return FillRow(slice, vector);
  }
  return Error(ErrorCode::kInternal, "a column of an unknown type reached the query engine");
}

}  // namespace

Status FillVector(const std::shared_ptr<arrow::Array>& column, const DataType& type, std::int64_t offset,
                  std::int64_t count, Vector& vector) {
  if (count == 0) return Ok();
  const std::shared_ptr<arrow::DataType> expected = ToArrowType(type);
  if (column->type_id() != expected->id()) {
    return Error(ErrorCode::kInternal,
                 fmt::format("a column of type {} came as Arrow's {}", type.ToString(), column->type()->ToString()));
  }
  const Slice slice{column, type, offset, count};
  FillValidity(slice, vector);
  return FillValues(slice, vector);
}

}  // namespace braid
