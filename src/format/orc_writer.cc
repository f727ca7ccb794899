#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include <arrow/adapters/orc/adapter.h>
#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include "format/arrow_io.h"
#include "format/field_ids.h"
#include "format/orc_error.h"
#include "format/orc_format.h"
#include "format/statistics.h"

namespace braid {
namespace {

struct Codec {
  std::string_view name;  // upper case
  arrow::Compression::type type;
};
constexpr std::array kCodecs = {
    Codec{"NONE", arrow::Compression::UNCOMPRESSED}, Codec{"UNCOMPRESSED", arrow::Compression::UNCOMPRESSED},
    Codec{"ZSTD", arrow::Compression::ZSTD},         Codec{"SNAPPY", arrow::Compression::SNAPPY},
    Codec{"ZLIB", arrow::Compression::GZIP},         Codec{"LZ4", arrow::Compression::LZ4},
};

Result<arrow::Compression::type> ParseCodec(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto codec = std::ranges::find(kCodecs, upper, &Codec::name);
  if (codec != kCodecs.end()) return codec->type;
  return Error(ErrorCode::kUnsupported, fmt::format("ORC files cannot be written with compression '{}'", name))
      .Hint("use zstd, snappy, zlib, lz4 or none in file.compression");
}

/// The settings of Java's ORC library, with its defaults.
Result<arrow::adapters::orc::WriteOptions> ReadSettings(const Options& options) {
  arrow::adapters::orc::WriteOptions settings;
  BRAID_TRY_ASSIGN(settings.compression,
                   ParseCodec(options.Get("orc.compress", options.Get("file.compression", "zstd"))));
  BRAID_TRY_ASSIGN(const std::int64_t block_bytes, options.GetMemorySize("file.block-size", std::int64_t{64} << 20));
  BRAID_TRY_ASSIGN(settings.stripe_size, options.GetMemorySize("orc.stripe.size", block_bytes));
  BRAID_TRY_ASSIGN(settings.compression_block_size,
                   options.GetMemorySize("orc.compress.size", std::int64_t{256} << 10));
  BRAID_TRY_ASSIGN(settings.row_index_stride, options.GetInt("orc.row.index.stride", 10'000));
  settings.dictionary_key_size_threshold = 0.8;
  return settings;
}

/// How a column goes into Arrow's adapter.
std::shared_ptr<arrow::DataType> OrcType(const DataType& type, std::int32_t field_id, int depth);

std::shared_ptr<arrow::Field> OrcField(const std::string& name, const DataType& type, std::int32_t id,
                                       std::int32_t parent_id, int depth) {
  return arrow::field(name, OrcType(type, parent_id, depth), true,
                      arrow::key_value_metadata({"paimon.id"}, {std::to_string(id)}));
}

std::shared_ptr<arrow::DataType> MapType(const DataType& key, const DataType& value, std::int32_t field_id, int depth) {
  const auto value_field = OrcField("value", value, ElementFieldId(field_id, depth), field_id, depth);
  const auto key_field = OrcField("key", key, KeyFieldId(field_id, depth), field_id, depth)->WithNullable(false);
  return std::make_shared<arrow::MapType>(arrow::field("entries", arrow::struct_({key_field, value_field}), false),
                                          false);
}

std::shared_ptr<arrow::DataType> OrcType(const DataType& type, std::int32_t field_id, int depth) {
  switch (type.kind()) {
    case TypeKind::kTime: return arrow::int32();
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      if (type.precision() <= 6) return ToArrowType(type);
      return arrow::timestamp(arrow::TimeUnit::NANO, type.kind() == TypeKind::kTimestamp ? "" : "UTC");
    case TypeKind::kArray: {
      const int child = depth + 1;
      return arrow::list(OrcField("item", type.element(), ElementFieldId(field_id, child), field_id, child));
    }
    case TypeKind::kMap: return MapType(type.key(), type.element(), field_id, depth + 1);
    case TypeKind::kMultiset: return MapType(type.element(), DataType::Int().NotNull(), field_id, depth + 1);
    case TypeKind::kRow: {
      arrow::FieldVector fields;
      for (const DataField& field : type.fields()) {
        fields.push_back(OrcField(field.name, field.type, field.id.value(), field.id.value(), 0));
      }
      return arrow::struct_(fields);
    }
    default: return ToArrowType(type);
  }
}

Status CheckType(std::string_view column, const DataType& type) {
  if (type.kind() == TypeKind::kVariant || type.kind() == TypeKind::kVector) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("column {} has a type that ORC files cannot hold: {}", column, type.ToString()))
        .Hint("set file.format to parquet");
  }
  switch (type.kind()) {
    case TypeKind::kArray:
    case TypeKind::kMultiset: return CheckType(column, type.element());
    case TypeKind::kMap: BRAID_TRY(CheckType(column, type.key())); return CheckType(column, type.element());
    case TypeKind::kRow:
      for (const DataField& field : type.fields()) BRAID_TRY(CheckType(column, field.type));
      return Ok();
    default: return Ok();
  }
}

Error Unwritable(std::string_view column, std::string_view what) {
  return Error(ErrorCode::kUnsupported,
               fmt::format("column {} holds a timestamp {}, which cannot be written to ORC files yet", column, what))
      .Hint("set file.format to parquet");
}

constexpr std::string_view kFractionBefore1970 = "with a fraction of a second before 1970";

/// Wide timestamps as 64-bit nanoseconds, all that Arrow's adapter takes.
Result<std::shared_ptr<arrow::ArrayData>> ToNanos(std::string_view column, const arrow::ArrayData& data,
                                                  const std::shared_ptr<arrow::DataType>& type) {
  const arrow::StructArray array(data.Copy());
  const auto* millis = data.child_data[0]->GetValues<std::int64_t>(1) + data.offset;
  const auto* nanos = data.child_data[1]->GetValues<std::int32_t>(1) + data.offset;
  arrow::TimestampBuilder builder(type, arrow::default_memory_pool());
  arrow::Status status = builder.Reserve(array.length());
  for (std::int64_t i = 0; status.ok() && i < array.length(); ++i) {
    if (array.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const Int128 value = static_cast<Int128>(millis[i]) * 1'000'000 + nanos[i];
    if (value != static_cast<std::int64_t>(value)) return Unwritable(column, "of nanoseconds outside 1678 to 2261");
    if (value < 0 && value % 1'000'000'000 != 0) return Unwritable(column, kFractionBefore1970);
    builder.UnsafeAppend(static_cast<std::int64_t>(value));
  }
  std::shared_ptr<arrow::Array> result;
  if (status.ok()) status = builder.Finish(&result);
  if (!status.ok()) return Error(ErrorCode::kUnavailable, "out of memory for a column");
  return result->data();
}

/// Arrow's adapter stores negative nanoseconds for fractions before 1970, which other readers take for something else.
Status CheckFractions(std::string_view column, const arrow::ArrayData& data) {
  const arrow::TimestampArray array(data.Copy());
  const std::int64_t units =
      static_cast<const arrow::TimestampType&>(*array.type()).unit() == arrow::TimeUnit::MILLI ? 1000 : 1'000'000;
  for (std::int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i) && array.Value(i) < 0 && array.Value(i) % units != 0)
      return Unwritable(column, kFractionBefore1970);
  }
  return Ok();
}

/// The column in the layout of OrcType. `type` is the one that OrcType gave.
Result<std::shared_ptr<arrow::ArrayData>> ToOrcLayout(std::string_view column,
                                                      const std::shared_ptr<arrow::ArrayData>& data,
                                                      const std::shared_ptr<arrow::DataType>& type) {
  if (type->id() == arrow::Type::TIMESTAMP) {
    if (data->type->id() == arrow::Type::STRUCT) return ToNanos(column, *data, type);
    BRAID_TRY(CheckFractions(column, *data));
  }
  std::shared_ptr<arrow::ArrayData> result = data->Copy();
  result->type = type;
  for (int i = 0; i < type->num_fields(); ++i) {
    std::shared_ptr<arrow::ArrayData>& child = result->child_data[static_cast<std::size_t>(i)];
    BRAID_TRY_ASSIGN(child, ToOrcLayout(column, child, type->field(i)->type()));
  }
  return result;
}

/// A nested column that is no slice, at no depth: the adapter forgets a ROW's offset, and checks should see no other
/// rows.
Result<std::shared_ptr<arrow::ArrayData>> WithoutOffsets(const std::shared_ptr<arrow::Array>& column) {
  if (column->num_fields() == 0) return column->data();
  auto copy = arrow::Concatenate({column});
  if (!copy.ok()) return Error(ErrorCode::kUnavailable, "out of memory for a column");
  return (*copy)->data();
}

std::int64_t BytesOf(const arrow::ArrayData& data) {
  std::int64_t bytes = 0;
  for (const auto& buffer : data.buffers) bytes += buffer == nullptr ? 0 : buffer->size();
  for (const auto& child : data.child_data) bytes += BytesOf(*child);
  return bytes;
}

class OrcWriter : public FileWriter {
 public:
  OrcWriter(std::string path, std::vector<DataField> fields, std::unique_ptr<OutputFile> file)
      : path_(std::move(path)), fields_(std::move(fields)), file_(std::move(file)), statistics_(fields_, {}) {
    arrow::FieldVector columns;
    for (const DataField& field : fields_) {
      columns.push_back(OrcField(field.name, field.type, field.id.value(), field.id.value(), 0));
    }
    schema_ = arrow::schema(columns);
  }

  Status Start(const arrow::adapters::orc::WriteOptions& settings) {
    return CatchOrc(ArrowTask::kWriting, path_, failure_, [&]() -> Status {
      stream_ = MakeArrowOutput(*file_, &failure_);
      BRAID_ARROW_TRY_ASSIGN(writer_, arrow::adapters::orc::ORCFileWriter::Open(stream_.get(), settings),
                             ArrowTask::kWriting, path_);
      // Without rows the adapter would not learn the schema.
      return WriteRows({.rows = EmptyRows(), .kinds = nullptr});
    });
  }

  Status Write(const Batch& batch) override {
    if (batch.rows->num_rows() == 0) return Ok();
    BRAID_TRY(CheckNulls(*batch.rows));
    BRAID_TRY(CatchOrc(ArrowTask::kWriting, path_, failure_, [&] { return WriteRows(batch); }));
    statistics_.Update(*batch.rows);
    row_count_ += batch.rows->num_rows();
    return Ok();
  }

  std::int64_t estimated_bytes() const override {
    // The stripe being built is in memory; what earlier stripes shrank to tells what it will take, at first half.
    const double ratio = flushed_raw_bytes_ == 0
                             ? 0.5
                             : static_cast<double>(file_->position()) / static_cast<double>(flushed_raw_bytes_);
    return file_->position() + static_cast<std::int64_t>(static_cast<double>(pending_raw_bytes_) * ratio);
  }

  Result<WrittenFile> Finish() override {
    BRAID_TRY(CatchOrc(ArrowTask::kWriting, path_, failure_, [&]() -> Status {
      BRAID_ARROW_TRY(writer_->Close(), ArrowTask::kWriting, path_);
      return Ok();
    }));
    WrittenFile written{.size_bytes = file_->position(), .row_count = row_count_, .columns = statistics_.Finish()};
    BRAID_TRY(file_->Close());
    return written;
  }

 private:
  std::shared_ptr<arrow::RecordBatch> EmptyRows() const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const DataField& field : fields_) {
      columns.push_back(arrow::MakeEmptyArray(ToArrowType(field.type)).ValueOrDie());
    }
    return arrow::RecordBatch::Make(ToArrowSchema(fields_), 0, std::move(columns));
  }

  Status CheckNulls(const arrow::RecordBatch& rows) const {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (!fields_[i].type.nullable() && rows.column(static_cast<int>(i))->null_count() > 0) {
        return Error(ErrorCode::kInvalidArgument,
                     fmt::format("column {} is NOT NULL, but a row has NULL there", fields_[i].name));
      }
    }
    return Ok();
  }

  Status WriteRows(const Batch& batch) {
    std::vector<std::shared_ptr<arrow::ArrayData>> columns;
    std::int64_t raw_bytes = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto column = static_cast<int>(i);
      BRAID_TRY_ASSIGN(std::shared_ptr<arrow::ArrayData> data, WithoutOffsets(batch.rows->column(column)));
      BRAID_TRY_ASSIGN(data, ToOrcLayout(fields_[i].name, data, schema_->field(column)->type()));
      raw_bytes += BytesOf(*data);
      columns.push_back(std::move(data));
    }
    const auto rows = arrow::RecordBatch::Make(schema_, batch.rows->num_rows(), std::move(columns));
    const std::int64_t before = file_->position();
    BRAID_ARROW_TRY(writer_->Write(*rows), ArrowTask::kWriting, path_);
    pending_raw_bytes_ += raw_bytes;
    if (file_->position() > before && batch.rows->num_rows() > 0)
      flushed_raw_bytes_ += std::exchange(pending_raw_bytes_, 0);
    return Ok();
  }

  std::string path_;
  std::vector<DataField> fields_;
  std::unique_ptr<OutputFile> file_;
  StatisticsCollector statistics_;
  std::shared_ptr<arrow::Schema> schema_;
  StorageFailure failure_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
  std::unique_ptr<arrow::adapters::orc::ORCFileWriter> writer_;
  std::int64_t row_count_ = 0;
  std::int64_t pending_raw_bytes_ = 0;
  std::int64_t flushed_raw_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileWriter>> OpenOrcWriter(FileSystem& file_system, std::string_view path,
                                                  std::span<const DataField> fields, const Options& options) {
  for (const DataField& field : fields) BRAID_TRY(CheckType(field.name, field.type));
  BRAID_TRY_ASSIGN(const arrow::adapters::orc::WriteOptions settings, ReadSettings(options));
  BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> file, file_system.Create(path));
  auto writer = std::make_unique<OrcWriter>(std::string(path), std::vector<DataField>(fields.begin(), fields.end()),
                                            std::move(file));
  BRAID_TRY(writer->Start(settings));
  return writer;
}

}  // namespace braid
