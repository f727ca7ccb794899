#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <new>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>
#include <parquet/column_writer.h>
#include <parquet/level_conversion.h>
#include <parquet/properties.h>

#include "format/arrow_io.h"
#include "format/parquet_dictionary.h"
#include "format/parquet_error.h"
#include "format/parquet_file_builder.h"
#include "format/parquet_format.h"
#include "format/parquet_levels.h"
#include "format/parquet_long_page.h"
#include "format/parquet_schema.h"
#include "format/statistics.h"
#include "types/batch_bytes.h"
#include "types/buffer_pool.h"
#include "types/parked_values.h"

namespace braid {
namespace {

constexpr std::int64_t kDictionarySampleRows = 8192;
// A column's pages are looked at only between steps.
constexpr std::int64_t kStepRows = 8192;
constexpr std::int64_t kStepBytes = std::int64_t{4} << 20;
constexpr std::int64_t kLongValueBytes = 64 * 1024;
// An open row group lies in memory, and a file being written has one; Java's 128 MiB would be more than all else.
constexpr std::int64_t kRowGroupBytes = std::int64_t{16} << 20;
constexpr std::int64_t kMillisPerDay = 86'400'000;
constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::int64_t kJulianDayOfEpoch = 2'440'588;
constexpr StatisticsRule kParquetStatistics = {.wide_timestamp_bounds = false, .nested_null_counts = false};

struct Codec {
  std::string_view name;  // upper case
  arrow::Compression::type type;
};
// Parquet's "LZ4" means the framing of Hadoop.
constexpr std::array kCodecs = {
    Codec{"NONE", arrow::Compression::UNCOMPRESSED}, Codec{"UNCOMPRESSED", arrow::Compression::UNCOMPRESSED},
    Codec{"ZSTD", arrow::Compression::ZSTD},         Codec{"SNAPPY", arrow::Compression::SNAPPY},
    Codec{"GZIP", arrow::Compression::GZIP},         Codec{"BROTLI", arrow::Compression::BROTLI},
    Codec{"LZ4", arrow::Compression::LZ4_HADOOP},    Codec{"LZ4_RAW", arrow::Compression::LZ4},
};

Result<arrow::Compression::type> ParseCodec(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto codec = std::ranges::find(kCodecs, upper, &Codec::name);
  if (codec != kCodecs.end()) return codec->type;
  return Error(ErrorCode::kUnsupported, fmt::format("Parquet files cannot be written with compression '{}'", name))
      .Hint("use zstd, snappy, gzip, lz4, brotli or none in file.compression");
}

/// How to write, with the defaults of Java's Parquet library.
struct WriteSettings {
  std::shared_ptr<parquet::WriterProperties> properties;
  std::int64_t row_group_bytes = 0;
  int codec_level = arrow::util::kUseDefaultCompressionLevel;
};

Result<bool> GetDictionaryOption(const Options& options, const std::string& column_suffix, bool fallback) {
  return options.GetBool("parquet.enable.dictionary" + column_suffix, fallback);
}

Result<WriteSettings> ReadSettings(const parquet::SchemaDescriptor& schema, const Options& options) {
  parquet::WriterProperties::Builder builder;
  builder.memory_pool(BufferPool());
  // Pages and files of version 1: what Java writes unless told otherwise.
  const std::string version = options.Get("parquet.writer.version", "v1");
  const bool second = version == "v2" || version == "PARQUET_2_0";
  builder.version(second ? parquet::ParquetVersion::PARQUET_2_6 : parquet::ParquetVersion::PARQUET_1_0);
  builder.data_page_version(second ? parquet::ParquetDataPageVersion::V2 : parquet::ParquetDataPageVersion::V1);

  BRAID_TRY_ASSIGN(const arrow::Compression::type codec,
                   ParseCodec(options.Get("parquet.compression", options.Get("file.compression", "zstd"))));
  builder.compression(codec);
  int codec_level = arrow::util::kUseDefaultCompressionLevel;
  if (codec == arrow::Compression::ZSTD) {
    BRAID_TRY_ASSIGN(const std::int64_t table_level, options.GetInt("file.compression.zstd-level", 1));
    BRAID_TRY_ASSIGN(const std::int64_t level, options.GetInt("parquet.compression.codec.zstd.level", table_level));
    codec_level = static_cast<int>(std::clamp<std::int64_t>(level, 1, 22));
    builder.compression_level(codec_level);
  }

  BRAID_TRY_ASSIGN(const std::int64_t page_bytes, options.GetMemorySize("parquet.page.size", std::int64_t{1} << 20));
  BRAID_TRY_ASSIGN(const std::int64_t dictionary_bytes,
                   options.GetMemorySize("parquet.dictionary.page.size", std::int64_t{1} << 20));
  BRAID_TRY_ASSIGN(const std::int64_t page_rows, options.GetInt("parquet.page.row.count.limit", 20'000));
  builder.data_pagesize(std::max<std::int64_t>(page_bytes, 1));
  builder.dictionary_pagesize_limit(std::max<std::int64_t>(dictionary_bytes, 1));
  builder.max_rows_per_page(std::max<std::int64_t>(page_rows, 1));

  BRAID_TRY_ASSIGN(const bool dictionary, GetDictionaryOption(options, "", true));
  if (!dictionary) builder.disable_dictionary();
  for (int i = 0; i < schema.num_columns(); ++i) {
    const std::shared_ptr<parquet::schema::ColumnPath> path = schema.Column(i)->path();
    BRAID_TRY_ASSIGN(const bool column_dictionary, GetDictionaryOption(options, "#" + path->ToDotString(), dictionary));
    if (column_dictionary) builder.enable_dictionary(path);
    if (!column_dictionary) builder.disable_dictionary(path);
    // Arrow's bounds leave NaN out, which Java takes for the largest number: it would not find the rows.
    const parquet::Type::type type = schema.Column(i)->physical_type();
    if (type == parquet::Type::FLOAT || type == parquet::Type::DOUBLE) builder.disable_statistics(path);
  }

  BRAID_TRY_ASSIGN(const std::int64_t block_bytes, options.GetMemorySize("file.block-size", kRowGroupBytes));
  BRAID_TRY_ASSIGN(const std::int64_t row_group_bytes, options.GetMemorySize("parquet.block.size", block_bytes));
  return WriteSettings{.properties = builder.build(),
                       .row_group_bytes = std::max<std::int64_t>(row_group_bytes, 1),
                       .codec_level = codec_level};
}

/// Nanoseconds of the day and Julian day (spec data.md §2.3), the former never negative.
parquet::Int96 ToInt96(Timestamp value) {
  std::int64_t day = value.millis / kMillisPerDay;
  std::int64_t milli_of_day = value.millis % kMillisPerDay;
  if (milli_of_day < 0) {
    --day;
    milli_of_day += kMillisPerDay;
  }
  const std::int64_t nano_of_day = milli_of_day * kNanosPerMilli + value.nanos_of_milli;
  parquet::Int96 result;
  result.value[0] = static_cast<std::uint32_t>(nano_of_day & 0xffffffff);
  result.value[1] = static_cast<std::uint32_t>(nano_of_day >> 32);
  result.value[2] = static_cast<std::uint32_t>(day + kJulianDayOfEpoch);
  return result;
}

/// Writes a leaf of wide timestamps: values without slots for NULL, as the levels tell where those are.
void WriteInt96(const ParquetLeaf& leaf, const std::int16_t* definitions, const std::int16_t* repetitions,
                parquet::ColumnWriter& writer) {
  const auto& array = static_cast<const arrow::StructArray&>(*leaf.values);
  const auto* millis = array.data()->child_data[0]->GetValues<std::int64_t>(1) + array.offset();
  const auto* nanos = array.data()->child_data[1]->GetValues<std::int32_t>(1) + array.offset();
  std::vector<parquet::Int96> values;
  values.reserve(static_cast<std::size_t>(array.length()));
  const parquet::internal::LevelInfo levels = parquet::internal::LevelInfo::ComputeLevelInfo(writer.descr());
  std::int64_t slot = 0;
  for (std::int64_t i = 0; i < leaf.level_count; ++i) {
    const std::int16_t definition = definitions == nullptr ? std::int16_t{0} : definitions[i];
    if (definition < levels.repeated_ancestor_def_level) continue;  // an empty or NULL list has no slot
    if (definition == levels.def_level) values.push_back(ToInt96({millis[slot], nanos[slot]}));
    ++slot;
  }
  static_cast<parquet::Int96Writer&>(writer).WriteBatch(leaf.level_count, definitions, repetitions, values.data());
}

/// Whether the values are far longer than what Parquet keeps as bounds.
bool HasLongValues(const arrow::Array& values) {
  if (!arrow::is_base_binary_like(values.type_id()) || values.length() == 0) return false;
  return static_cast<const arrow::BinaryArray&>(values).total_values_length() / values.length() > kLongValueBytes;
}

/// Whether a leaf of a long row gets a page of its own.
bool IsLongLeaf(const arrow::Array& values) {
  if (!arrow::is_base_binary_like(values.type_id())) return false;
  return static_cast<const arrow::BinaryArray&>(values).total_values_length() >= kLongValueBytes;
}

class ParquetWriter : public FileWriter {
 public:
  ParquetWriter(std::string path, std::vector<DataField> fields, std::shared_ptr<parquet::schema::GroupNode> schema,
                WriteSettings settings, std::unique_ptr<OutputFile> file)
      : path_(std::move(path)),
        fields_(std::move(fields)),
        schema_(std::move(schema)),
        settings_(std::move(settings)),
        file_(std::move(file)),
        statistics_(fields_, kParquetStatistics) {}

  Status Write(const Batch& batch) override {
    if (batch.rows->num_rows() == 0) return Ok();
    return CatchParquet(ArrowTask::kWriting, path_, [&]() -> Status {
      if (builder_ == nullptr) {
        BRAID_TRY_ASSIGN(settings_.properties, PropertiesFor(*batch.rows));
        Start();
      }
      return WriteRows(*batch.rows);
    });
  }

  std::int64_t estimated_bytes() const override { return file_->position() + buffered_bytes(); }
  std::int64_t buffered_bytes() const override { return builder_ == nullptr ? 0 : builder_->buffered_bytes(); }

  Status Flush() override {
    return CatchParquet(ArrowTask::kWriting, path_, [&]() -> Status {
      if (builder_ != nullptr) builder_->CloseBufferedRowGroup();
      return Ok();
    });
  }

  Result<WrittenFile> Finish() override {
    BRAID_TRY(CatchParquet(ArrowTask::kWriting, path_, [&]() -> Status {
      if (builder_ == nullptr) Start();
      std::exchange(builder_, nullptr)->Finish();
      return Ok();
    }));
    WrittenFile written{.size_bytes = file_->position(), .row_count = row_count_, .columns = statistics_.Finish()};
    BRAID_TRY(file_->Close());
    return written;
  }

 private:
  void Start() {
    builder_ = std::make_unique<ParquetFileBuilder>(MakeArrowOutput(*file_), schema_, settings_.properties);
  }

  /// The properties, with dictionaries only where they pay and without bounds of values that are too long for the footer
  /// (Arrow keeps four copies of the longest to find that out), to judge by the file's first rows.
  Result<std::shared_ptr<parquet::WriterProperties>> PropertiesFor(const arrow::RecordBatch& rows) const {
    parquet::SchemaDescriptor schema;
    schema.Init(schema_);
    parquet::WriterProperties::Builder builder(*settings_.properties);
    const std::shared_ptr<arrow::RecordBatch> first = rows.Slice(0, RowsWithin(rows, 0, kDictionarySampleRows, kStepBytes));
    int leaf = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      BRAID_TRY_ASSIGN(const std::vector<ParquetLeaf> leaves,
                       ShredColumn(fields_[i].name, fields_[i].type, first->column(static_cast<int>(i))));
      for (const ParquetLeaf& values : leaves) {
        const std::shared_ptr<parquet::schema::ColumnPath> path = schema.Column(leaf)->path();
        if (!DictionaryPays(*values.values)) builder.disable_dictionary(path);
        if (HasLongValues(*values.values)) builder.disable_statistics(path);
        ++leaf;
      }
    }
    return builder.build();
  }

  Status WriteRows(const arrow::RecordBatch& rows) {
    // A batch may be larger than a row group should be, so look at the size in between.
    for (std::int64_t start = 0, count = 0; start < rows.num_rows(); start += count) {
      count = RowsWithin(rows, start, kStepRows, kStepBytes);
      const std::shared_ptr<arrow::RecordBatch> part = rows.Slice(start, count);
      if (count == 1 && BytesOf(*part).used >= kLongRowBytes) {
        BRAID_TRY(WriteLongRow(*part));
      } else {
        if (!builder_->has_buffered_row_group()) builder_->OpenBufferedRowGroup();
        int leaf = 0;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
          BRAID_TRY(WriteColumn(fields_[i], part->column(static_cast<int>(i)), leaf));
        }
        if (builder_->buffered_bytes() >= settings_.row_group_bytes) builder_->CloseBufferedRowGroup();
      }
      row_count_ += count;
    }
    statistics_.Update(rows);
    return Ok();
  }

  Status WriteColumn(const DataField& field, const std::shared_ptr<arrow::Array>& column, int& next_leaf) {
    BRAID_TRY_ASSIGN(const std::vector<ParquetLeaf> leaves, ShredColumn(field.name, field.type, column));
    for (const ParquetLeaf& leaf : leaves) {
      BRAID_TRY(WriteLeaf(leaf, builder_->column(next_leaf++)));
    }
    return Ok();
  }

  Status WriteLeaf(const ParquetLeaf& leaf, parquet::ColumnWriter& writer) {
    const std::int16_t* definitions = leaf.definition_levels.empty() ? nullptr : leaf.definition_levels.data();
    const std::int16_t* repetitions = leaf.repetition_levels.empty() ? nullptr : leaf.repetition_levels.data();
    if (writer.type() == parquet::Type::INT96) {
      WriteInt96(leaf, definitions, repetitions, writer);
      return Ok();
    }
    BRAID_ARROW_TRY(
        writer.WriteArrow(definitions, repetitions, leaf.level_count, *leaf.values, &context_, leaf.nullable),
        ArrowTask::kWriting, path_);
    return Ok();
  }

  /// Writes a row group of one row, whose long values go to the file one after the other.
  Status WriteLongRow(const arrow::RecordBatch& row) {
    builder_->CloseBufferedRowGroup();
    builder_->OpenRowGroup();
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      BRAID_TRY_ASSIGN(const std::vector<ParquetLeaf> leaves,
                       ShredColumn(fields_[i].name, fields_[i].type, row.column(static_cast<int>(i))));
      for (const ParquetLeaf& leaf : leaves) {
        ParquetFileBuilder::Column column = builder_->NextColumn();
        const parquet::ColumnDescriptor& descriptor = *column.metadata->descr();
        if (IsLongLeaf(*leaf.values)) {
          const auto path = descriptor.path();
          const parquet::WriterProperties& properties = builder_->properties();
          BRAID_ARROW_TRY_ASSIGN(
              const std::int64_t written,
              WriteLongPage(leaf, descriptor, {properties.compression(path), settings_.codec_level}, *column.pages),
              ArrowTask::kWriting, path_);
          bytes += written;
          ReleasePages(*leaf.values);
        } else {
          const auto writer =
              parquet::ColumnWriter::Make(column.metadata, std::move(column.pages), &builder_->properties());
          BRAID_TRY(WriteLeaf(leaf, *writer));
          bytes += writer->Close();
        }
      }
    }
    builder_->CloseRowGroup(1, bytes);
    return Ok();
  }

  std::string path_;
  std::vector<DataField> fields_;
  std::shared_ptr<parquet::schema::GroupNode> schema_;
  WriteSettings settings_;
  std::unique_ptr<OutputFile> file_;
  StatisticsCollector statistics_;
  std::shared_ptr<parquet::ArrowWriterProperties> arrow_properties_ = parquet::default_arrow_writer_properties();
  parquet::ArrowWriteContext context_{BufferPool(), arrow_properties_.get()};
  std::unique_ptr<ParquetFileBuilder> builder_;  // from the first rows on
  std::int64_t row_count_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileWriter>> OpenParquetWriter(FileSystem& file_system, std::string_view path,
                                                      std::span<const DataField> fields, const Options& options) {
  BRAID_TRY_ASSIGN(const std::shared_ptr<parquet::schema::GroupNode> schema, MakeParquetSchema(fields));
  parquet::SchemaDescriptor descriptor;
  descriptor.Init(schema);
  BRAID_TRY_ASSIGN(WriteSettings settings, ReadSettings(descriptor, options));
  BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> file, file_system.Create(path));
  return std::make_unique<ParquetWriter>(std::string(path), std::vector<DataField>(fields.begin(), fields.end()),
                                         schema, std::move(settings), std::move(file));
}

}  // namespace braid
