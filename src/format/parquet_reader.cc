#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>
#include <parquet/size_statistics.h>

#include "format/arrow_io.h"
#include "format/convert_column.h"
#include "format/parquet_error.h"
#include "format/parquet_format.h"
#include "format/parquet_int96.h"
#include "format/parquet_limits.h"
#include "format/parquet_long_value.h"
#include "format/parquet_pruning.h"
#include "format/parquet_schema.h"
#include "io/storage_traits.h"
#include "types/batch_bytes.h"
#include "types/buffer_pool.h"
#include "types/long_rows.h"
#include "types/parked_values.h"

namespace braid {
namespace {

constexpr std::int64_t kFarHoleBytes = 256 * 1024;  // so much that is not wanted is cheaper than another request
constexpr std::int64_t kFarRangeBytes = 16 * 1024 * 1024;
constexpr std::int64_t kMostChunkBytes = std::int64_t{1} << 40;  // whatever a damaged footer says
constexpr std::int64_t kReadBufferBytes = 256 * 1024;  // of each column, instead of whole column chunks

/// Makes Arrow accept maps of optional keys. Only the footer's copy in memory changes, before anything else uses it.
void AcceptOptionalKeys(parquet::FileMetaData& metadata) {
  parquet::schema::NodePtr root = DescribeOptionalKeyMapsAsLists(*metadata.schema()->group_node());
  if (root == nullptr) return;
  parquet::SchemaDescriptor schema;
  schema.Init(std::move(root));
  // FileMetaData has no setter; the schema is a member that is not const itself.
  *const_cast<parquet::SchemaDescriptor*>(metadata.schema()) = schema;
}

std::string_view CodecName(parquet::Compression::type codec) {
  return codec == parquet::Compression::LZO ? std::string_view("lzo") : "unknown";
}

class ParquetReader : public FileReader {
 public:
  /// `is_far`: each read is a request over a network.
  ParquetReader(std::string path, FileReadRequest request, bool is_far)
      : path_(std::move(path)), request_(std::move(request)), is_far_(is_far) {}

  Status Open(std::unique_ptr<InputFile> file) {
    return CatchParquet(ArrowTask::kReading, path_, [&]() -> Status {
      parquet::ReaderProperties properties(page_pool_.get());
      // From far away that would be a request more.
      if (!is_far_) {
        BRAID_TRY_ASSIGN(const std::int32_t longest, LongestFooterList(*file));
        properties.set_thrift_container_size_limit(longest);
      }
      properties.enable_buffered_stream();
      properties.set_buffer_size(kReadBufferBytes);
      auto raw = parquet::ParquetFileReader::Open(MakeArrowInput(std::move(file)), properties);
      page_pool_->set_limit_bytes(LargestPageBytes(*raw->metadata()));
      AcceptOptionalKeys(*raw->metadata());
      parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/false);
      // From far away the wanted columns of a row group come together, in few large requests.
      arrow_properties.set_pre_buffer(is_far_);
      arrow_properties.set_cache_options(
          {.hole_size_limit = kFarHoleBytes, .range_size_limit = kFarRangeBytes, .lazy = false, .prefetch_limit = 0});
      BRAID_ARROW_TRY_ASSIGN(
          reader_, parquet::arrow::FileReader::Make(BufferPool(), std::move(raw), arrow_properties),
          ArrowTask::kReading, path_);
      FindColumns();
      return CheckCodecs();
    });
  }

  Result<std::optional<Batch>> Next() override {
    return CatchParquet(ArrowTask::kReading, path_, [&]() -> Result<std::optional<Batch>> {
      while (rows_left_ == 0) {
        if (next_group_ >= metadata().num_row_groups()) return std::optional<Batch>();
        BRAID_TRY(StartRowGroup());
      }
      return ReadBatch();
    });
  }

  std::int64_t first_row_of_last_batch() const override { return first_row_; }

 private:
  const parquet::FileMetaData& metadata() const { return *reader_->parquet_reader()->metadata(); }

  /// The file's leaves of each wanted column; none if the file lacks it.
  void FindColumns() {
    const parquet::SchemaDescriptor& schema = *metadata().schema();
    leaves_.resize(request_.columns.size());
    for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
      if (const auto column = FindField(request_.columns, schema.GetColumnRoot(leaf)->name())) {
        leaves_[*column].push_back(leaf);
      }
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (!leaves_[i].empty() && !HasInt96(schema, leaves_[i])) plain_columns_.push_back(i);
    }
    // Arrow wants leaves in the file's order and returns columns in that order.
    std::ranges::sort(plain_columns_, {}, [this](std::size_t column) { return leaves_[column].front(); });
  }

  Status CheckCodecs() const {
    if (metadata().num_row_groups() == 0) return Ok();
    const std::unique_ptr<parquet::RowGroupMetaData> group = metadata().RowGroup(0);
    for (const std::vector<int>& leaves : leaves_) {
      for (const int leaf : leaves) {
        const parquet::Compression::type codec = group->ColumnChunk(leaf)->compression();
        if (parquet::IsCodecSupported(codec)) continue;
        return Error(ErrorCode::kUnsupported,
                     fmt::format("{} is compressed with {}, which cannot be read", path_, CodecName(codec)))
            .Hint("rewrite the file with another compression, such as zstd");
      }
    }
    return Ok();
  }

  Status StartRowGroup() {
    const int group = next_group_++;
    const std::int64_t row_count = metadata().RowGroup(group)->num_rows();
    const std::int64_t first = next_group_first_row_;
    if (row_count < 0 || __builtin_add_overflow(first, row_count, &next_group_first_row_)) {
      return Error(ErrorCode::kCorruption, fmt::format("{} is damaged: a row group has an impossible number of rows", path_));
    }
    if (request_.filter != nullptr && !RowGroupMayMatch(metadata(), group, request_.columns, *request_.filter)) {
      return Ok();
    }
    if (request_.rows && !request_.rows->HasAny(first, row_count)) return Ok();
    const std::unique_ptr<parquet::RowGroupMetaData> described = metadata().RowGroup(group);
    batch_rows_ = BatchRowsOf(*described);
    long_row_bytes_ = LongRowBytesOf(*described);
    reader_->set_batch_size(batch_rows_);
    group_ = group;
    long_columns_.clear();
    group_columns_.clear();
    std::vector<int> plain_leaves;
    for (const std::size_t column : plain_columns_) {
      const bool is_long = IsReadByPage(*described, leaves_[column].front());
      (is_long ? long_columns_ : group_columns_).push_back(column);
      if (!is_long) plain_leaves.insert(plain_leaves.end(), leaves_[column].begin(), leaves_[column].end());
    }
    if (!plain_leaves.empty()) {
      BRAID_ARROW_TRY_ASSIGN(plain_, reader_->GetRecordBatchReader({group}, plain_leaves), ArrowTask::kReading, path_);
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].empty() || !HasInt96(*metadata().schema(), leaves_[i])) continue;
      BRAID_ARROW_TRY_ASSIGN(int96_[i], Int96ColumnReader::Open(*reader_, group, leaves_[i], path_),
                             ArrowTask::kReading, path_);
    }
    rows_left_ = row_count;
    next_row_ = first;
    return Ok();
  }

  /// Lets go of the pages that the column readers hold.
  void EndRowGroup() {
    plain_.reset();
    int96_.clear();
  }

  /// What `measure` says of the wanted leaves, together.
  template <typename Measure>
  std::int64_t SumOfLeaves(const Measure& measure) const {
    std::int64_t bytes = 0;
    for (const std::vector<int>& leaves : leaves_) {
      for (const int leaf : leaves) bytes += measure(leaf);
    }
    return bytes;
  }

  /// Of a row group's rows in memory.
  std::int64_t DecodedBytes(const parquet::RowGroupMetaData& group) const {
    return SumOfLeaves([&](int leaf) { return DecodedBytes(*group.ColumnChunk(leaf)); });
  }

  /// So many rows that a batch takes no more than it may, if rows are equally long.
  std::int64_t BatchRowsOf(const parquet::RowGroupMetaData& group) const {
    const std::int64_t bytes = DecodedBytes(group);
    if (bytes <= 0 || group.num_rows() <= 0) return request_.batch_rows;
    const double fitting = static_cast<double>(group.num_rows()) * (static_cast<double>(kMaxBatchBytes) / static_cast<double>(bytes));
    return static_cast<std::int64_t>(std::clamp(fitting, 1.0, static_cast<double>(request_.batch_rows)));
  }

  /// Whether it is a value that is better taken from its page here. From far away the library fetches pages faster.
  bool IsReadByPage(const parquet::RowGroupMetaData& group, int leaf) const {
    return !is_far_ && group.num_rows() == 1 &&
           IsLongValue(*group.ColumnChunk(leaf), *metadata().schema()->Column(leaf));
  }

  /// What a row takes while it is read: compressed and decompressed, and, by the library, decoded. 0 where rows are short.
  std::int64_t LongRowBytesOf(const parquet::RowGroupMetaData& group) const {
    const std::int64_t rows = std::max<std::int64_t>(group.num_rows(), 1);
    if (DecodedBytes(group) / rows < kLongRowBytes) return 0;
    const auto bytes_of = [&](int leaf) {
      const auto chunk = group.ColumnChunk(leaf);
      const std::int64_t copies = IsReadByPage(group, leaf) ? 1 : 2;
      return std::clamp(chunk->total_compressed_size(), std::int64_t{0}, kMostChunkBytes) + copies * DecodedBytes(*chunk);
    };
    return SumOfLeaves(bytes_of) / rows;
  }

  /// Of the values; of byte arrays in dictionaries only as far as the footer tells.
  static std::int64_t DecodedBytes(const parquet::ColumnChunkMetaData& chunk) {
    const std::shared_ptr<parquet::SizeStatistics> sizes = chunk.size_statistics();
    const std::int64_t values = sizes == nullptr ? 0 : sizes->unencoded_byte_array_data_bytes.value_or(0);
    return std::clamp(std::max(chunk.total_uncompressed_size(), values), std::int64_t{0}, kMostChunkBytes);
  }

  Result<std::optional<Batch>> ReadBatch() {
    const MemoryShare share(long_row_bytes_ > 0 ? &LongRowMemory() : nullptr, long_row_bytes_);
    std::shared_ptr<arrow::RecordBatch> plain;
    std::int64_t row_count = std::min(rows_left_, batch_rows_);
    if (plain_ != nullptr) {
      BRAID_ARROW_TRY(plain_->ReadNext(&plain), ArrowTask::kReading, path_);
      if (plain == nullptr || plain->num_rows() == 0 || plain->num_rows() > rows_left_) {
        return Error(ErrorCode::kCorruption,
                     fmt::format("{} is damaged: a row group has another number of rows than the footer says", path_));
      }
      row_count = plain->num_rows();
    }
    std::vector<std::shared_ptr<arrow::Array>> columns(request_.columns.size());
    for (std::size_t i = 0; i < group_columns_.size(); ++i) {
      columns[group_columns_[i]] = plain->column(static_cast<int>(i));
    }
    for (const std::size_t column : long_columns_) {
      const int leaf = leaves_[column].front();
      const auto pages = reader_->parquet_reader()->RowGroup(group_)->GetColumnPageReader(leaf);
      BRAID_ARROW_TRY_ASSIGN(columns[column],
                             ReadLongValue(*pages, *metadata().schema()->Column(leaf), page_pool_),
                             ArrowTask::kReading, path_);
    }
    for (auto& [column, reader] : int96_) {
      BRAID_TRY_ASSIGN(columns[column], reader->Read(row_count));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const DataField& field = request_.columns[i];
      if (columns[i] == nullptr) {
        BRAID_TRY_ASSIGN(columns[i], MakeConstantColumn(Datum(), field.type, row_count));
      } else {
        BRAID_TRY_ASSIGN(
            columns[i],
            ConvertColumn(field.name, columns[i], field.type).Context(fmt::format("while reading {}", path_)));
      }
    }
    first_row_ = std::exchange(next_row_, next_row_ + row_count);
    rows_left_ -= row_count;
    if (rows_left_ == 0) EndRowGroup();
    plain.reset();
    Batch batch{.rows = arrow::RecordBatch::Make(ToArrowSchema(request_.columns), row_count, std::move(columns)),
                .kinds = nullptr};
    return std::optional(ParkLongValues(batch).batch);
  }

  std::string path_;
  FileReadRequest request_;
  bool is_far_;
  std::shared_ptr<PagePool> page_pool_ = std::make_shared<PagePool>();  // outlives what reads pages
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::vector<std::vector<int>> leaves_;    // one a wanted column
  std::vector<std::size_t> plain_columns_;  // wanted columns that Arrow reads as they are, in the file's order
  int next_group_ = 0;
  std::int64_t next_group_first_row_ = 0;
  // The open row group.
  int group_ = 0;
  std::vector<std::size_t> group_columns_;  // of plain_columns_ those that the library reads
  std::vector<std::size_t> long_columns_;   // and the others
  std::int64_t batch_rows_ = 0;
  std::int64_t long_row_bytes_ = 0;
  std::unique_ptr<arrow::RecordBatchReader> plain_;
  std::map<std::size_t, std::unique_ptr<Int96ColumnReader>> int96_;
  std::int64_t rows_left_ = 0;
  std::int64_t next_row_ = 0;
  std::int64_t first_row_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileReader>> OpenParquetReader(const FileSystem& file_system, std::string_view path,
                                                      const FileReadRequest& request) {
  BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> file, file_system.Open(path));
  auto reader = std::make_unique<ParquetReader>(std::string(path), request, ParallelCalls(file_system) > 1);
  BRAID_TRY(reader->Open(std::move(file)));
  return reader;
}

}  // namespace braid
