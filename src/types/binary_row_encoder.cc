#include <utility>

#include <arrow/api.h>

#include "types/arrow_layout_internal.h"
#include "types/batch.h"
#include "types/binary_row.h"
#include "types/binary_row_layout_internal.h"

namespace braid {

/// A column with all that encoding one of its values needs, so that no row looks at Arrow's types.
struct BinaryRowEncoder::Column {
  enum class Form : std::uint8_t {
    kBit, kOneByte, kTwoBytes, kFourBytes, kEightBytes, kNarrowDecimal, kWideDecimal, kMicros, kMillisAndNanos, kBytes, kNested,
  };

  Column(DataType column_type, std::shared_ptr<arrow::Array> column_array);
  template <typename T>
  T At(std::int64_t row) const {
    return static_cast<const T*>(values)[row];
  }

  DataType type;
  std::shared_ptr<arrow::Array> array;  // keeps alive what the pointers below point into
  Form form = Form::kNested;
  ValidityBits validity;
  ValidityBits bits;                      // kBit: the values
  const void* values = nullptr;           // from the first element on; kBytes: the offsets
  const std::int32_t* nanos = nullptr;    // kMillisAndNanos
  const std::uint8_t* bytes = nullptr;    // kBytes
};

namespace {

// Two 64-bit words, the lower one first.
struct DecimalWords {
  std::uint64_t low;
  std::int64_t high;
};

Timestamp FromMicros(std::int64_t micros) {
  const std::int64_t rest = ((micros % 1000) + 1000) % 1000;
  return {(micros - rest) / 1000, static_cast<std::int32_t>(rest * 1000)};
}

}  // namespace

BinaryRowEncoder::Column::Column(DataType column_type, std::shared_ptr<arrow::Array> column_array)
    : type(std::move(column_type)), array(std::move(column_array)), validity(*array) {
  // The values of nested columns are read one by one instead; such columns are neither keys nor partitions.
  if (type.is_nested() || type.kind() == TypeKind::kVariant) return;
  switch (type.kind()) {
    case TypeKind::kBoolean:
      form = Form::kBit;
      bits.bits = array->length() == 0 ? nullptr : array->data()->buffers[1]->data();
      bits.offset = array->offset();
      return;
    case TypeKind::kDecimal:
      form = IsWideDecimal(type) ? Form::kWideDecimal : Form::kNarrowDecimal;
      values = RawValues<DecimalWords>(*array);
      return;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      if (type.precision() > 6) {
        const auto& parts = static_cast<const arrow::StructArray&>(*array);
        form = Form::kMillisAndNanos;
        values = RawValues<std::int64_t>(*parts.field(0));
        nanos = RawValues<std::int32_t>(*parts.field(1));
        return;
      }
      form = IsWideTimestamp(type) ? Form::kMicros : Form::kEightBytes;
      values = RawValues<std::int64_t>(*array);
      return;
    default: break;
  }
  if (type.is_text() || type.is_bytes()) {
    form = Form::kBytes;
    values = RawValues<std::int32_t>(*array);
    bytes = RawBytes(*array);
    return;
  }
  switch (ElementBytes(type)) {
    case 1:
      form = Form::kOneByte;
      values = RawValues<std::int8_t>(*array);
      return;
    case 2:
      form = Form::kTwoBytes;
      values = RawValues<std::int16_t>(*array);
      return;
    case 4:
      form = Form::kFourBytes;
      values = RawValues<std::int32_t>(*array);
      return;
    default:
      form = Form::kEightBytes;
      values = RawValues<std::int64_t>(*array);
  }
}

BinaryRowEncoder::BinaryRowEncoder(std::vector<DataType> types, std::vector<std::shared_ptr<arrow::Array>> columns) {
  BRAID_CHECK(types.size() == columns.size());
  columns_.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) columns_.emplace_back(std::move(types[i]), std::move(columns[i]));
}

BinaryRowEncoder::~BinaryRowEncoder() = default;
BinaryRowEncoder::BinaryRowEncoder(BinaryRowEncoder&&) noexcept = default;
BinaryRowEncoder& BinaryRowEncoder::operator=(BinaryRowEncoder&&) noexcept = default;

void BinaryRowEncoder::Put(const Column& column, std::int64_t row, std::size_t slot) {
  switch (column.form) {
    case Column::Form::kBit: return StoreAt(buffer_, slot, static_cast<std::int8_t>(column.bits.Get(row)));
    case Column::Form::kOneByte: return StoreAt(buffer_, slot, column.At<std::int8_t>(row));
    case Column::Form::kTwoBytes: return StoreAt(buffer_, slot, column.At<std::int16_t>(row));
    case Column::Form::kFourBytes: return StoreAt(buffer_, slot, column.At<std::int32_t>(row));
    case Column::Form::kEightBytes: return StoreAt(buffer_, slot, column.At<std::int64_t>(row));
    case Column::Form::kNarrowDecimal: return StoreAt(buffer_, slot, column.At<DecimalWords>(row).low);
    case Column::Form::kWideDecimal: {
      const auto words = column.At<DecimalWords>(row);
      return PutWideDecimal(buffer_, 0, slot, (Int128{words.high} << 64) | words.low);
    }
    case Column::Form::kMicros: return PutWideTimestamp(buffer_, 0, slot, FromMicros(column.At<std::int64_t>(row)));
    case Column::Form::kMillisAndNanos:
      return PutWideTimestamp(buffer_, 0, slot, {column.At<std::int64_t>(row), column.nanos[row]});
    case Column::Form::kBytes: {
      const auto begin = column.At<std::int32_t>(row);
      const auto length = static_cast<std::size_t>(column.At<std::int32_t>(row + 1) - begin);
      return PutBytes(buffer_, 0, slot, {reinterpret_cast<const char*>(column.bytes + begin), length});
    }
    case Column::Form::kNested:
      return PutValue(buffer_, 0, slot, DatumAt(*column.array, row, column.type), column.type);
  }
}

std::string_view BinaryRowEncoder::Encode(std::int64_t row) {
  const std::size_t arity = columns_.size();
  buffer_.assign(RowFixedBytes(arity), '\0');
  std::size_t slot = RowHeaderBytes(arity);
  for (std::size_t i = 0; i < arity; ++i, slot += kWord) {
    const Column& column = columns_[i];
    if (column.validity.Get(row)) {
      Put(column, row, slot);
    } else {
      PutNullField(buffer_, 0, slot, i, column.type);
    }
  }
  return buffer_;
}

BinaryRow BinaryRowEncoder::EncodeRow(std::int64_t row) {
  return BinaryRow(static_cast<std::int32_t>(columns_.size()), Encode(row));
}

}  // namespace braid
