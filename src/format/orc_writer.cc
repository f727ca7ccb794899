#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "format/orc_file_writer.h"
#include "format/orc_format.h"
#include "format/orc_schema.h"
#include "format/statistics.h"
#include "types/number_text.h"
#include "types/parked_values.h"

namespace braid {
namespace {

constexpr std::int64_t kMaxBlockBytes = (std::int64_t{1} << 23) - 1;

/// How large a chunk is before compression: smaller than asked for where many columns share a stripe, as in Java.
Result<std::int64_t> ReadBlockBytes(const Options& options, std::int64_t stripe_bytes, std::size_t column_count) {
  BRAID_TRY_ASSIGN(const std::int64_t wanted, options.GetMemorySize("orc.compress.size", std::int64_t{256} << 10));
  BRAID_TRY_ASSIGN(const bool enforced, options.GetBool("orc.buffer.size.enforce", false));
  if (enforced) return std::clamp<std::int64_t>(wanted, 1, kMaxBlockBytes);
  const auto share = static_cast<std::uint64_t>(stripe_bytes) / (20 * column_count);
  const auto fitting =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::bit_ceil(std::max<std::uint64_t>(share, 1))),
                               std::int64_t{4} << 10, std::int64_t{256} << 10);
  return std::clamp<std::int64_t>(std::min(wanted, fitting), 1, kMaxBlockBytes);
}

/// The settings of Java's ORC library, with its defaults.
Result<OrcFileSettings> ReadSettings(const Options& options) {
  OrcFileSettings settings;
  BRAID_TRY_ASSIGN(const std::int64_t block_bytes, options.GetMemorySize("file.block-size", settings.stripe_bytes));
  BRAID_TRY_ASSIGN(settings.stripe_bytes, options.GetMemorySize("orc.stripe.size", block_bytes));
  settings.stripe_bytes = std::max<std::int64_t>(settings.stripe_bytes, 1);
  BRAID_TRY_ASSIGN(settings.row_index_stride, options.GetInt("orc.row.index.stride", settings.row_index_stride));
  BRAID_TRY_ASSIGN(const bool has_index, options.GetBool("orc.create.index", true));
  settings.row_index_stride = has_index ? std::max<std::int64_t>(settings.row_index_stride, 0) : 0;
  if (const auto text = options.Find("orc.dictionary.key.threshold"))
    settings.dictionary_threshold = ParseJavaFloating<double>(*text).value_or(settings.dictionary_threshold);
  const std::string columns = options.Get("orc.bloom.filter.columns", "");
  for (std::string_view names = columns; !names.empty();) {
    const std::string_view name = names.substr(0, names.find(','));
    settings.bloom_filter_columns.emplace_back(name);
    names.remove_prefix(std::min(name.size() + 1, names.size()));
  }
  if (const auto text = options.Find("orc.bloom.filter.fpp")) {
    const double fpp = ParseJavaFloating<double>(*text).value_or(0);
    if (!(fpp > 0 && fpp < 1)) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("option orc.bloom.filter.fpp is '{}', not a number between 0 and 1", *text));
    }
    settings.bloom_filter_fpp = fpp;
  }
  return settings;
}

Result<OrcCompressor> MakeCompressor(const Options& options, std::int64_t stripe_bytes, std::size_t column_count) {
  BRAID_TRY_ASSIGN(const std::int64_t block_bytes, ReadBlockBytes(options, stripe_bytes, column_count));
  BRAID_TRY_ASSIGN(const std::int64_t table_level, options.GetInt("file.compression.zstd-level", 1));
  BRAID_TRY_ASSIGN(const std::int64_t level, options.GetInt("orc.compression.zstd.level", table_level));
  return OrcCompressor::Make(options.Get("orc.compress", options.Get("file.compression", "zstd")),
                             static_cast<int>(std::clamp<std::int64_t>(level, 1, 22)), block_bytes);
}

class OrcWriter : public FileWriter {
 public:
  OrcWriter(std::vector<DataField> fields, std::unique_ptr<OutputFile> file, OrcCompressor compressor,
            const OrcFileSettings& settings)
      : fields_(std::move(fields)),
        file_(std::move(file)),
        writer_(*file_, std::move(compressor), fields_, settings),
        statistics_(fields_, {}) {}

  Status Write(const Batch& batch) override {
    if (batch.rows->num_rows() == 0) return Ok();
    BRAID_TRY(CheckNulls(*batch.rows));
    BRAID_TRY(writer_.Write(*batch.rows));
    statistics_.Update(*batch.rows);
    ReleasePages(*batch.rows);
    row_count_ += batch.rows->num_rows();
    return Ok();
  }

  std::int64_t estimated_bytes() const override { return file_->position() + writer_.encoded_bytes(); }
  std::int64_t buffered_bytes() const override { return writer_.memory_bytes(); }
  Status Flush() override { return writer_.EndStripe(); }

  Result<WrittenFile> Finish() override {
    BRAID_TRY(writer_.Finish());
    WrittenFile written{.size_bytes = file_->position(), .row_count = row_count_, .columns = statistics_.Finish()};
    CorrectTimestamps(written.columns);
    BRAID_TRY(file_->Close());
    return written;
  }

 private:
  /// Bounds of timestamps as they will be read, which for the last second before 1970 is not as they were written.
  void CorrectTimestamps(std::vector<ColumnStatistics>& columns) const {
    const std::vector<const OrcStatistics*> statistics = writer_.FileStatistics();
    std::size_t column = 1;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const TypeKind kind = fields_[i].type.kind();
      if (kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampLtz) {
        const auto& bounds = statistics[column]->bounds<OrcTimestampBounds>();
        if (bounds.min) columns[i].min = *bounds.min;
        if (bounds.max) columns[i].max = *bounds.max;
      }
      column += EncodeOrcTypes(std::span(fields_).subspan(i, 1)).size() - 1;
    }
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

  std::vector<DataField> fields_;
  std::unique_ptr<OutputFile> file_;
  OrcFileWriter writer_;
  StatisticsCollector statistics_;
  std::int64_t row_count_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileWriter>> OpenOrcWriter(FileSystem& file_system, std::string_view path,
                                                  std::span<const DataField> fields, const Options& options) {
  for (const DataField& field : fields) BRAID_TRY(CheckOrcType(field.name, field.type));
  BRAID_TRY_ASSIGN(const OrcFileSettings settings, ReadSettings(options));
  BRAID_TRY_ASSIGN(OrcCompressor compressor,
                   MakeCompressor(options, settings.stripe_bytes, EncodeOrcTypes(fields).size()));
  BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> file, file_system.Create(path));
  return std::make_unique<OrcWriter>(std::vector<DataField>(fields.begin(), fields.end()), std::move(file),
                                     std::move(compressor), settings);
}

}  // namespace braid
