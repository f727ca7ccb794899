#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
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

#include "format/arrow_io.h"
#include "format/convert_column.h"
#include "format/parquet_column_stream.h"
#include "format/parquet_error.h"
#include "format/parquet_format.h"
#include "format/parquet_limits.h"
#include "format/parquet_pruning.h"
#include "format/parquet_row_sizes.h"
#include "format/parquet_schema.h"
#include "io/storage_traits.h"
#include "types/buffer_pool.h"
#include "types/long_rows.h"
#include "types/parked_values.h"

namespace braid {
namespace {

constexpr std::int64_t kFarHoleBytes = 256 * 1024;  // so much that is not wanted is cheaper than another request
constexpr std::int64_t kFarRangeBytes = 16 * 1024 * 1024;
constexpr std::int64_t kReadBufferBytes = 256 * 1024;  // of each column, instead of whole column chunks
constexpr std::int64_t kMostPassed = std::int64_t{1} << 30;  // rows, so that offsets fit
constexpr std::size_t kRowsWorthChoosing = 4;  // more than one of so many: reading all and leaving out later is faster

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
  ParquetReader(std::string path, FileReadRequest request, bool is_far) : request_(std::move(request)), is_far_(is_far) {
    file_.path = std::move(path);
    file_.page_pool = page_pool_;
  }

  Status Open(std::unique_ptr<InputFile> file) {
    return CatchParquet(ArrowTask::kReading, file_.path, [&]() -> Status {
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
      const parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/false);
      BRAID_ARROW_TRY_ASSIGN(
          file_.reader, parquet::arrow::FileReader::Make(BufferPool(), std::move(raw), arrow_properties),
          ArrowTask::kReading, file_.path);
      FindColumns();
      return CheckCodecs();
    });
  }

  Result<std::optional<Batch>> Next() override {
    return CatchParquet(ArrowTask::kReading, file_.path, [&]() -> Result<std::optional<Batch>> {
      for (;;) {
        while (rows_left_ == 0) {
          if (next_group_ >= metadata().num_row_groups()) return std::optional<Batch>();
          BRAID_TRY(StartRowGroup());
        }
        BRAID_TRY_ASSIGN(std::optional<Batch> batch, chooses_rows_ ? ReadChosen() : ReadAll());
        if (rows_left_ == 0) streams_.clear();  // lets go of the pages that they hold
        if (batch) return std::optional(ParkLongValues(*batch).batch);
      }
    });
  }

  std::int64_t first_row_of_last_batch() const override { return first_row_; }
  std::span<const std::int64_t> positions_of_last_batch() const override { return positions_; }

 private:
  const parquet::FileMetaData& metadata() const { return *file_.reader->parquet_reader()->metadata(); }

  /// The file's leaves of each wanted column, none if the file lacks it, and which columns tell what rows are wanted.
  void FindColumns() {
    const parquet::SchemaDescriptor& schema = *metadata().schema();
    leaves_.resize(request_.columns.size());
    for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
      if (const auto column = FindField(request_.columns, schema.GetColumnRoot(leaf)->name())) {
        leaves_[*column].push_back(leaf);
      }
    }
    if (!request_.drops_rows) return;
    std::vector<std::string> names;
    for (const DataField& field : request_.columns) names.push_back(field.name);
    row_filter_ = request_.filter == nullptr ? nullptr : Predicate::Project(request_.filter, names);
    chooses_rows_ = row_filter_ != nullptr || request_.rows.has_value();
    if (row_filter_ == nullptr) return;
    std::vector<DataField> tested;
    for (const std::string& name : row_filter_->Columns()) {
      filter_columns_.push_back(*FindField(request_.columns, name));
      tested.push_back(request_.columns[filter_columns_.back()]);
    }
    filter_schema_ = ToArrowSchema(tested);
  }

  Status CheckCodecs() const {
    if (metadata().num_row_groups() == 0) return Ok();
    const std::unique_ptr<parquet::RowGroupMetaData> group = metadata().RowGroup(0);
    for (const std::vector<int>& leaves : leaves_) {
      for (const int leaf : leaves) {
        const parquet::Compression::type codec = group->ColumnChunk(leaf)->compression();
        if (parquet::IsCodecSupported(codec)) continue;
        return Error(ErrorCode::kUnsupported,
                     fmt::format("{} is compressed with {}, which cannot be read", file_.path, CodecName(codec)))
            .Hint("rewrite the file with another compression, such as zstd");
      }
    }
    return Ok();
  }

  Status StartRowGroup() {
    const int group = next_group_++;
    const std::unique_ptr<parquet::RowGroupMetaData> described = metadata().RowGroup(group);
    const std::int64_t row_count = described->num_rows();
    const std::int64_t first = next_group_first_row_;
    if (row_count < 0 || __builtin_add_overflow(first, row_count, &next_group_first_row_)) {
      return Error(ErrorCode::kCorruption,
                   fmt::format("{} is damaged: a row group has an impossible number of rows", file_.path));
    }
    if (row_count == 0) return Ok();
    if (request_.filter != nullptr && !RowGroupMayMatch(metadata(), group, request_.columns, *request_.filter)) {
      return Ok();
    }
    if (request_.rows && !request_.rows->HasAny(first, row_count)) return Ok();
    batch_rows_ = BatchRowsOf(*described, leaves_, request_.batch_rows);
    long_row_bytes_ = LongRowBytesOf(*described, leaves_, is_far_);
    file_.reader->set_batch_size(batch_rows_);
    if (is_far_) FetchColumns(group);
    streams_.clear();
    for (const std::vector<int>& leaves : leaves_) {
      std::unique_ptr<ParquetColumnStream> stream;
      if (!leaves.empty()) {
        BRAID_TRY_ASSIGN(stream, OpenParquetColumn(file_, group, leaves, IsReadByPage(*described, leaves, is_far_)));
        BRAID_TRY_ASSIGN(const std::int64_t most, stream->MostRowsAtOnce());
        batch_rows_ = std::min(batch_rows_, most);
      }
      streams_.push_back(std::move(stream));
    }
    rows_left_ = row_count;
    next_row_ = first;
    return Ok();
  }

  /// From far away the wanted columns of a row group come together, in few large requests.
  void FetchColumns(int group) {
    std::vector<int> wanted;
    for (const std::vector<int>& leaves : leaves_) wanted.insert(wanted.end(), leaves.begin(), leaves.end());
    if (wanted.empty()) return;
    file_.reader->parquet_reader()->PreBuffer(
        {group}, wanted, arrow::io::default_io_context(),
        {.hole_size_limit = kFarHoleBytes, .range_size_limit = kFarRangeBytes, .lazy = false, .prefetch_limit = 0});
  }

  /// A column of the file as the one that was asked for; NULLs where the file lacks it.
  Result<std::shared_ptr<arrow::Array>> Finish(std::size_t column, std::shared_ptr<arrow::Array> read, std::int64_t rows) const {
    const DataField& field = request_.columns[column];
    if (read == nullptr) return MakeConstantColumn(Datum(), field.type, rows);
    return ConvertColumn(field.name, read, field.type).Context(fmt::format("while reading {}", file_.path));
  }

  Result<std::shared_ptr<arrow::Array>> Read(std::size_t column, std::int64_t rows) {
    std::shared_ptr<arrow::Array> read;
    if (streams_[column] != nullptr) {
      BRAID_TRY_ASSIGN(read, streams_[column]->Read(rows));
    }
    return Finish(column, std::move(read), rows);
  }

  Batch MakeBatch(std::vector<std::shared_ptr<arrow::Array>> columns, std::int64_t rows) const {
    return {.rows = arrow::RecordBatch::Make(schema_, rows, std::move(columns)), .kinds = nullptr};
  }

  /// The next rows as they come.
  Result<std::optional<Batch>> ReadAll() {
    const MemoryShare share(long_row_bytes_ > 0 ? &LongRowMemory() : nullptr, long_row_bytes_);
    const std::int64_t rows = std::min(rows_left_, batch_rows_);
    std::vector<std::shared_ptr<arrow::Array>> columns(request_.columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      BRAID_TRY_ASSIGN(columns[i], Read(i, rows));
    }
    first_row_ = std::exchange(next_row_, next_row_ + rows);
    rows_left_ -= rows;
    return std::optional(MakeBatch(std::move(columns), rows));
  }

  /// Rows chosen out of those passed over.
  struct ChosenRows {
    std::vector<std::int32_t> offsets;  // from the first of those passed over
    std::vector<arrow::ArrayVector> filter_columns;  // of the chosen rows, in pieces
    std::int64_t passed = 0;
  };

  /// The next rows that are wanted; none if the row group has none any more. The columns of the filter are read first, and
  /// of the others only what is wanted.
  Result<std::optional<Batch>> ReadChosen() {
    const MemoryShare share(long_row_bytes_ > 0 ? &LongRowMemory() : nullptr, long_row_bytes_);
    const std::int64_t first = next_row_;
    ChosenRows chosen;
    chosen.filter_columns.resize(filter_columns_.size());
    // A batch is full when half of it is, so that what is looked at is never but a few rows.
    while (rows_left_ > 0 && chosen.passed < kMostPassed &&
           static_cast<std::int64_t>(chosen.offsets.size()) <= batch_rows_ / 2) {
      BRAID_TRY(ChooseAmong(std::min(rows_left_, batch_rows_ - static_cast<std::int64_t>(chosen.offsets.size())), chosen));
    }
    if (chosen.offsets.empty()) {
      return rows_left_ > 0 ? SkipOthers(chosen.passed) : std::optional<Batch>();
    }
    const auto rows = static_cast<std::int64_t>(chosen.offsets.size());
    std::vector<std::shared_ptr<arrow::Array>> columns(request_.columns.size());
    for (std::size_t i = 0; i < filter_columns_.size(); ++i) {
      BRAID_ARROW_TRY_ASSIGN(columns[filter_columns_[i]], arrow::Concatenate(chosen.filter_columns[i], BufferPool()),
                             ArrowTask::kReading, file_.path);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] != nullptr) continue;
      std::shared_ptr<arrow::Array> read;
      if (streams_[i] != nullptr) {
        const bool takes_all = rows == chosen.passed;
        BRAID_TRY_ASSIGN(read, takes_all ? streams_[i]->Read(rows) : streams_[i]->ReadSome(chosen.offsets, chosen.passed));
      }
      BRAID_TRY_ASSIGN(columns[i], Finish(i, std::move(read), rows));
    }
    positions_.clear();
    if (rows < chosen.passed) {
      for (const std::int32_t offset : chosen.offsets) positions_.push_back(first + offset);
    }
    first_row_ = first + chosen.offsets.front();
    return std::optional(MakeBatch(std::move(columns), rows));
  }

  /// Passes over rows in the columns that are not the filter's.
  Result<std::optional<Batch>> SkipOthers(std::int64_t rows) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i] != nullptr && std::ranges::find(filter_columns_, i) == filter_columns_.end()) {
        BRAID_TRY(streams_[i]->Skip(rows));
      }
    }
    return std::optional<Batch>();
  }

  /// Looks at the next rows.
  Status ChooseAmong(std::int64_t rows, ChosenRows& chosen) {
    const std::int64_t first = std::exchange(next_row_, next_row_ + rows);
    const auto offset = static_cast<std::int32_t>(std::exchange(chosen.passed, chosen.passed + rows));
    rows_left_ -= rows;
    if (request_.rows && !request_.rows->HasAny(first, rows)) {
      for (const std::size_t column : filter_columns_) {
        if (streams_[column] != nullptr) BRAID_TRY(streams_[column]->Skip(rows));
      }
      return Ok();
    }
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const std::size_t column : filter_columns_) {
      BRAID_TRY_ASSIGN(auto read, Read(column, rows));
      columns.push_back(std::move(read));
    }
    const Batch tested{.rows = arrow::RecordBatch::Make(filter_schema_, rows, std::move(columns)), .kinds = nullptr};
    BRAID_TRY_ASSIGN(const std::vector<std::int32_t> wanted, Choose(tested, first));
    if (wanted.empty()) return Ok();
    const bool takes_all = static_cast<std::int64_t>(wanted.size()) == rows;
    Batch taken = tested;
    if (!takes_all) {
      BRAID_TRY_ASSIGN(taken, TakeRows(tested, wanted));
    }
    for (const std::int32_t row : wanted) chosen.offsets.push_back(offset + row);
    for (std::size_t i = 0; i < filter_columns_.size(); ++i) {
      chosen.filter_columns[i].push_back(taken.rows->column(static_cast<int>(i)));
    }
    return Ok();
  }

  /// Which of the rows are wanted; all of them where leaving some out would not pay.
  Result<std::vector<std::int32_t>> Choose(const Batch& tested, std::int64_t first) const {
    const auto all = [&] {
      std::vector<std::int32_t> rows(static_cast<std::size_t>(tested.row_count()));
      std::iota(rows.begin(), rows.end(), 0);
      return rows;
    };
    std::vector<std::int32_t> wanted;
    if (row_filter_ != nullptr) {
      BRAID_TRY_ASSIGN(wanted, row_filter_->Select(tested));
    } else {
      wanted = all();
    }
    if (request_.rows) {
      std::erase_if(wanted, [this, first](std::int32_t row) { return !request_.rows->Contains(first + row); });
    }
    const bool pays = wanted.size() * kRowsWorthChoosing <= static_cast<std::size_t>(tested.row_count());
    return pays ? std::move(wanted) : all();
  }

  FileReadRequest request_;
  bool is_far_;
  std::shared_ptr<arrow::Schema> schema_ = ToArrowSchema(request_.columns);
  std::shared_ptr<PagePool> page_pool_ = std::make_shared<PagePool>();  // outlives what reads pages
  OpenParquetFile file_;
  ParquetLeaves leaves_;
  // Which rows are wanted, if not all are.
  bool chooses_rows_ = false;
  PredicatePtr row_filter_;                  // may be null
  std::vector<std::size_t> filter_columns_;  // wanted columns that it tests
  std::shared_ptr<arrow::Schema> filter_schema_ = arrow::schema(arrow::FieldVector());
  int next_group_ = 0;
  std::int64_t next_group_first_row_ = 0;
  // The open row group.
  std::vector<std::unique_ptr<ParquetColumnStream>> streams_;  // one a wanted column; null where the file lacks it
  std::int64_t batch_rows_ = 0;
  std::int64_t long_row_bytes_ = 0;
  std::int64_t rows_left_ = 0;
  std::int64_t next_row_ = 0;
  // The last batch.
  std::int64_t first_row_ = 0;
  std::vector<std::int64_t> positions_;
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
