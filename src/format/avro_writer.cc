#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/decimal.h>
#include <fmt/format.h>

#include "base/long_text.h"
#include "format/avro_codec.h"
#include "format/avro_container.h"
#include "format/avro_cursor.h"
#include "format/avro_format.h"
#include "format/statistics.h"
#include "types/batch_bytes.h"
#include "types/long_rows.h"
#include "types/parked_values.h"

namespace braid {
namespace {

/// Encodes the values of one array. Made anew for every batch; borrows the array.
class ColumnEncoder {
 public:
  virtual ~ColumnEncoder() = default;
  /// Appends the value at that position, with the branch of its union if the type is nullable.
  virtual void Encode(std::int64_t row, AvroEncoder& out) const = 0;
};

using EncoderPtr = std::unique_ptr<ColumnEncoder>;

template <typename Put>
class ValueEncoder : public ColumnEncoder {
 public:
  ValueEncoder(const arrow::Array& array, bool nullable, Put put)
      : array_(array), nullable_(nullable), put_(std::move(put)) {}

  void Encode(std::int64_t row, AvroEncoder& out) const override {
    if (nullable_) {
      const bool present = array_.IsValid(row);
      out.Present(present);
      if (!present) return;
    }
    put_(row, out);
  }

 private:
  const arrow::Array& array_;
  bool nullable_;
  Put put_;
};

template <typename Put>
EncoderPtr MakeEncoder(const arrow::Array& array, bool nullable, Put put) {
  return std::make_unique<ValueEncoder<Put>>(array, nullable, std::move(put));
}

template <typename Array>
EncoderPtr IntegerEncoder(const arrow::Array& array, bool nullable) {
  const auto* values = static_cast<const Array&>(array).raw_values();
  return MakeEncoder(array, nullable, [values](std::int64_t row, AvroEncoder& out) { out.Long(values[row]); });
}

/// Two's complement, big-endian, without bytes that say nothing (Java's BigInteger.toByteArray).
void PutDecimal(const arrow::Decimal128& value, AvroEncoder& out) {
  std::array<std::uint8_t, 16> little = value.ToBytes();
  std::size_t size = little.size();
  while (size > 1 && ((little[size - 1] == 0x00 && (little[size - 2] & 0x80) == 0) ||
                      (little[size - 1] == 0xFF && (little[size - 2] & 0x80) != 0))) {
    --size;
  }
  std::reverse(little.begin(), little.begin() + static_cast<std::ptrdiff_t>(size));
  out.Bytes({reinterpret_cast<const char*>(little.data()), size});
}

Result<EncoderPtr> MakeColumnEncoder(std::string_view column, const arrow::Array& array, const DataType& type);

Result<EncoderPtr> MakeListEncoder(std::string_view column, const arrow::Array& array, const DataType& type) {
  const auto& list = static_cast<const arrow::ListArray&>(array);
  BRAID_TRY_ASSIGN(EncoderPtr element, MakeColumnEncoder(column, *list.values(), type.element()));
  return MakeEncoder(array, type.nullable(),
                     [&list, element = std::shared_ptr(std::move(element))](std::int64_t row, AvroEncoder& out) {
                       const std::int32_t count = list.value_length(row);
                       out.StartItems(static_cast<std::size_t>(count));
                       for (std::int32_t i = 0; i < count; ++i) element->Encode(list.value_offset(row) + i, out);
                       out.EndItems();
                     });
}

Result<EncoderPtr> MakeMapEncoder(std::string_view column, const arrow::Array& array, const DataType& type,
                                  const DataType& key, const DataType& value) {
  const auto& map = static_cast<const arrow::MapArray&>(array);
  // Keys of Avro's own map are texts without union; in the other form they follow their type.
  BRAID_TRY_ASSIGN(EncoderPtr keys, MakeColumnEncoder(column, *map.keys(), key.is_text() ? key.NotNull() : key));
  BRAID_TRY_ASSIGN(EncoderPtr values, MakeColumnEncoder(column, *map.items(), value));
  return MakeEncoder(array, type.nullable(),
                     [&map, keys = std::shared_ptr(std::move(keys)), values = std::shared_ptr(std::move(values))](
                         std::int64_t row, AvroEncoder& out) {
                       const std::int32_t count = map.value_length(row);
                       out.StartItems(static_cast<std::size_t>(count));
                       for (std::int32_t i = 0; i < count; ++i) {
                         keys->Encode(map.value_offset(row) + i, out);
                         values->Encode(map.value_offset(row) + i, out);
                       }
                       out.EndItems();
                     });
}

Result<EncoderPtr> MakeRowEncoder(std::string_view column, const arrow::Array& array, const DataType& type) {
  const auto& row_array = static_cast<const arrow::StructArray&>(array);
  std::vector<std::shared_ptr<ColumnEncoder>> fields;
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    // The array keeps the child that it makes for its slice.
    BRAID_TRY_ASSIGN(EncoderPtr field,
                     MakeColumnEncoder(column, *row_array.field(static_cast<int>(i)), type.fields()[i].type));
    fields.push_back(std::move(field));
  }
  return MakeEncoder(array, type.nullable(), [fields = std::move(fields)](std::int64_t row, AvroEncoder& out) {
    for (const std::shared_ptr<ColumnEncoder>& field : fields) field->Encode(row, out);
  });
}

Result<EncoderPtr> MakeColumnEncoder(std::string_view column, const arrow::Array& array, const DataType& type) {
  const bool nullable = type.nullable();
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return MakeEncoder(array, nullable,
                         [&values = static_cast<const arrow::BooleanArray&>(array)](
                             std::int64_t row, AvroEncoder& out) { out.Boolean(values.Value(row)); });
    case TypeKind::kTinyInt: return IntegerEncoder<arrow::Int8Array>(array, nullable);
    case TypeKind::kSmallInt: return IntegerEncoder<arrow::Int16Array>(array, nullable);
    case TypeKind::kInt: return IntegerEncoder<arrow::Int32Array>(array, nullable);
    case TypeKind::kBigInt: return IntegerEncoder<arrow::Int64Array>(array, nullable);
    case TypeKind::kDate: return IntegerEncoder<arrow::Date32Array>(array, nullable);
    case TypeKind::kTime: return IntegerEncoder<arrow::Time32Array>(array, nullable);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return IntegerEncoder<arrow::TimestampArray>(array, nullable);
    case TypeKind::kFloat:
      return MakeEncoder(array, nullable,
                         [&values = static_cast<const arrow::FloatArray&>(array)](std::int64_t row, AvroEncoder& out) {
                           out.Float(values.Value(row));
                         });
    case TypeKind::kDouble:
      return MakeEncoder(array, nullable,
                         [&values = static_cast<const arrow::DoubleArray&>(array)](std::int64_t row, AvroEncoder& out) {
                           out.Double(values.Value(row));
                         });
    case TypeKind::kDecimal:
      return MakeEncoder(
          array, nullable,
          [&values = static_cast<const arrow::Decimal128Array&>(array)](std::int64_t row, AvroEncoder& out) {
            PutDecimal(arrow::Decimal128(values.GetValue(row)), out);
          });
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob:
      return MakeEncoder(array, nullable,
                         [&values = static_cast<const arrow::BinaryArray&>(array)](std::int64_t row, AvroEncoder& out) {
                           out.Bytes(values.GetView(row));
                         });
    case TypeKind::kArray:
    case TypeKind::kVector: return MakeListEncoder(column, array, type);
    case TypeKind::kMap: return MakeMapEncoder(column, array, type, type.key(), type.element());
    case TypeKind::kMultiset: return MakeMapEncoder(column, array, type, type.element(), DataType::Int());
    case TypeKind::kRow: return MakeRowEncoder(column, array, type);
    case TypeKind::kVariant: break;
  }
  return Error(ErrorCode::kUnsupported, fmt::format("column {} has a type that Avro files cannot hold", column));
}

Result<AvroContainerWriter::Options> ReadSettings(const Options& options) {
  AvroContainerWriter::Options settings;
  const std::string name = options.Get("avro.codec", options.Get("file.compression", "zstd"));
  if (name == "zstd") {
    settings.codec = AvroCodec::kZstandard;
  } else if (name == "none" || name == "uncompressed") {
    settings.codec = AvroCodec::kNull;
  } else {
    BRAID_TRY_ASSIGN(settings.codec, ParseAvroCodec(name).Context("while reading file.compression for an Avro file"));
  }
  BRAID_TRY_ASSIGN(const std::int64_t level, options.GetInt("file.compression.zstd-level", 1));
  settings.zstd_level = static_cast<int>(std::clamp<std::int64_t>(level, 1, 22));
  return settings;
}

class AvroWriter : public FileWriter {
 public:
  AvroWriter(std::vector<DataField> fields, std::unique_ptr<OutputFile> file, const std::string& schema_json,
             const AvroContainerWriter::Options& settings)
      : fields_(std::move(fields)),
        statistics_(fields_, {}),
        container_(std::move(file), schema_json, settings, compressor_) {}

  Status Write(const Batch& batch) override {
    std::vector<EncoderPtr> encoders;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const arrow::Array& column = *batch.rows->column(static_cast<int>(i));
      if (!fields_[i].type.nullable() && column.null_count() > 0) {
        return Error(ErrorCode::kInvalidArgument,
                     fmt::format("column {} is NOT NULL, but a row has NULL there", fields_[i].name));
      }
      BRAID_TRY_ASSIGN(EncoderPtr encoder, MakeColumnEncoder(fields_[i].name, column, fields_[i].type));
      encoders.push_back(std::move(encoder));
    }
    const bool has_long_rows = BytesOf(*batch.rows).used >= kLongRowBytes;
    for (std::int64_t row = 0; row < batch.rows->num_rows(); ++row) {
      const std::int64_t row_bytes = has_long_rows ? BytesOf(*batch.rows->Slice(row, 1)).used : 0;
      if (row_bytes >= kLongRowBytes) {
        BRAID_TRY(WriteLongRow(encoders, row, row_bytes));
      } else {
        BRAID_TRY(WriteRow(encoders, row));
      }
    }
    statistics_.Update(*batch.rows);
    ReleasePages(*batch.rows);
    row_count_ += batch.rows->num_rows();
    return Ok();
  }

  std::int64_t estimated_bytes() const override {
    // A started block has 64,000 bytes at most, uncompressed.
    return container_.flushed_bytes();
  }

  Result<WrittenFile> Finish() override {
    BRAID_TRY_ASSIGN(const std::int64_t size, container_.Finish());
    return WrittenFile{.size_bytes = size, .row_count = row_count_, .columns = statistics_.Finish()};
  }

 private:
  Status WriteRow(const std::vector<EncoderPtr>& encoders, std::int64_t row) {
    AvroEncoder out(container_.block());
    for (const EncoderPtr& encoder : encoders) encoder->Encode(row, out);
    return container_.EndRecord();
  }

  /// As a block of its own, which is in memory twice beside the row: as it is, and compressed.
  Status WriteLongRow(const std::vector<EncoderPtr>& encoders, std::int64_t row, std::int64_t row_bytes) {
    BRAID_TRY(container_.EndBlock());
    const MemoryShare share(&LongRowMemory(), 2 * row_bytes);
    ReserveForLong(static_cast<std::size_t>(row_bytes), container_.block());
    return WriteRow(encoders, row);
  }

  std::vector<DataField> fields_;
  StatisticsCollector statistics_;
  AvroCompressor compressor_;  // before the container, which borrows it
  AvroContainerWriter container_;
  std::int64_t row_count_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileWriter>> OpenAvroWriter(FileSystem& file_system, std::string_view path,
                                                   std::span<const DataField> fields, const Options& options) {
  BRAID_TRY_ASSIGN(const std::string schema_json, MakeAvroSchemaJson(fields));
  BRAID_TRY_ASSIGN(const AvroContainerWriter::Options settings, ReadSettings(options));
  BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> file, file_system.Create(path));
  return std::make_unique<AvroWriter>(std::vector<DataField>(fields.begin(), fields.end()), std::move(file),
                                      schema_json, settings);
}

}  // namespace braid
