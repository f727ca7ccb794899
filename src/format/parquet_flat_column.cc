#include "format/parquet_flat_column.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer_builder.h>
#include <arrow/util/bit_run_reader.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>
#include <parquet/column_page.h>
#include <parquet/file_reader.h>

#include "base/little_endian.h"
#include "format/arrow_io.h"
#include "format/parquet_places_internal.h"
#include "format/parquet_runs.h"
#include "format/parquet_values.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::size_t kLengthBytes = 4;

bool IsKnown(parquet::Encoding::type encoding) {
  switch (encoding) {
    case parquet::Encoding::PLAIN:
    case parquet::Encoding::PLAIN_DICTIONARY:
    case parquet::Encoding::RLE_DICTIONARY:
    case parquet::Encoding::RLE:
    case parquet::Encoding::BIT_PACKED:  // of levels; Java names it even where there are none
      return true;
    default: return false;
  }
}

bool IsDictionary(parquet::Encoding::type encoding) {
  return encoding == parquet::Encoding::PLAIN_DICTIONARY || encoding == parquet::Encoding::RLE_DICTIONARY;
}

std::string_view BytesOf(const parquet::Page& page) {
  return {reinterpret_cast<const char*>(page.data()), static_cast<std::size_t>(page.size())};
}

class FlatColumn : public ParquetColumnStream {
 public:
  FlatColumn(std::string path, std::unique_ptr<parquet::PageReader> pages, std::unique_ptr<ParquetValues> values,
             const parquet::ColumnDescriptor& column, bool has_texts_in_dictionary)
      : ParquetColumnStream(std::move(path)),
        pages_(std::move(pages)),
        values_(std::move(values)),
        column_(column),
        has_texts_in_dictionary_(has_texts_in_dictionary) {
    // Pages of which no row is wanted are left out before they are decompressed.
    pages_->set_data_page_filter([this](const parquet::DataPageStats& page) {
      if (page.num_values > to_skip_) return false;
      to_skip_ -= page.num_values;
      return true;
    });
  }

  Result<std::shared_ptr<arrow::Array>> Read(std::int64_t rows) override {
    BRAID_ARROW_TRY(Append(rows), ArrowTask::kReading, path());
    return Finish();
  }

  Status Skip(std::int64_t rows) override {
    to_skip_ += rows;  // when the next rows are wanted
    return Ok();
  }

  Result<std::shared_ptr<arrow::Array>> ReadSome(std::span<const std::int32_t> offsets, std::int64_t rows) override {
    std::int64_t passed = 0;
    BRAID_TRY(ForEachRun(offsets, [&](std::int64_t first, std::int64_t count) -> Status {
      to_skip_ += first - passed;
      BRAID_ARROW_TRY(Append(count), ArrowTask::kReading, path());
      passed = first + count;
      return Ok();
    }));
    to_skip_ += rows - passed;
    return Finish();
  }

  Result<std::int64_t> MostRowsAtOnce() override {
    if (has_texts_in_dictionary_ && !is_started_) BRAID_ARROW_TRY(StartPage(), ArrowTask::kReading, path());
    const std::int64_t longest = values_->longest_entry_bytes();
    return longest == 0 ? std::numeric_limits<std::int64_t>::max() : std::max<std::int64_t>(1, kMostBytesAtOnce / longest);
  }

 private:
  static constexpr std::int64_t kMostBytesAtOnce = std::numeric_limits<std::int32_t>::max() / 2;

  Result<std::shared_ptr<arrow::Array>> Finish() {
    std::shared_ptr<arrow::Buffer> validity;
    if (null_count_ > 0) {
      BRAID_ARROW_TRY_ASSIGN(validity, validity_.Finish(/*shrink_to_fit=*/false), ArrowTask::kReading, path());
    }
    const std::int64_t count = std::exchange(length_, 0);
    BRAID_ARROW_TRY_ASSIGN(auto array, values_->Finish(count, std::move(validity), std::exchange(null_count_, 0)),
                           ArrowTask::kReading, path());
    return array;
  }

  arrow::Status Append(std::int64_t rows) {
    if (rows == 0) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(SkipNow());
    while (rows > 0) {
      if (left_in_page_ == 0) {
        ARROW_RETURN_NOT_OK(StartPage());
        continue;
      }
      const std::int64_t count = std::min(rows, left_in_page_);
      ARROW_RETURN_NOT_OK(AppendOfPage(count));
      rows -= count;
    }
    return arrow::Status::OK();
  }

  /// Passes over the rows that were not wanted before those that are.
  arrow::Status SkipNow() {
    while (to_skip_ > 0) {
      if (left_in_page_ == 0) {
        ARROW_RETURN_NOT_OK(StartPage());
        continue;
      }
      const std::int64_t count = std::min(to_skip_, left_in_page_);
      ARROW_RETURN_NOT_OK(values_->Skip(ValuesAmong(count)));
      Advance(count);
      to_skip_ -= count;
    }
    return arrow::Status::OK();
  }

  void Advance(std::int64_t rows) {
    next_in_page_ += rows;
    left_in_page_ -= rows;
  }

  /// How many of the page's next rows are not NULL.
  std::int64_t ValuesAmong(std::int64_t rows) const {
    if (!page_has_nulls_) return rows;
    return arrow::internal::CountSetBits(page_validity_.data(), next_in_page_, rows);
  }

  arrow::Status AppendOfPage(std::int64_t rows) {
    const std::int64_t nulls = rows - ValuesAmong(rows);
    if (nulls == 0) {
      ARROW_RETURN_NOT_OK(values_->Append(rows));
      if (null_count_ > 0) ARROW_RETURN_NOT_OK(validity_.Append(rows, true));
    } else {
      if (null_count_ == 0) ARROW_RETURN_NOT_OK(validity_.Append(length_, true));
      ARROW_RETURN_NOT_OK(validity_.Reserve(rows));
      validity_.UnsafeAppend(page_validity_.data(), next_in_page_, rows);
      ARROW_RETURN_NOT_OK(AppendWithNulls(rows));
      null_count_ += nulls;
    }
    length_ += rows;
    Advance(rows);
    return arrow::Status::OK();
  }

  arrow::Status AppendWithNulls(std::int64_t rows) {
    arrow::internal::BitRunReader runs(page_validity_.data(), next_in_page_, rows);
    for (arrow::internal::BitRun run = runs.NextRun(); run.length > 0; run = runs.NextRun()) {
      ARROW_RETURN_NOT_OK(run.set ? values_->Append(run.length) : values_->AppendNulls(run.length));
    }
    return arrow::Status::OK();
  }

  /// Goes on with the next page that to_skip_ does not cover whole; it may be a dictionary, or one without values.
  arrow::Status StartPage() {
    page_ = pages_->NextPage();
    if (page_ == nullptr) return DamagedPage("a column has fewer rows than its row group");
    switch (page_->type()) {
      case parquet::PageType::DICTIONARY_PAGE: return StartDictionary(static_cast<const parquet::DictionaryPage&>(*page_));
      case parquet::PageType::DATA_PAGE:
      case parquet::PageType::DATA_PAGE_V2: return StartValues(static_cast<const parquet::DataPage&>(*page_));
      default: return arrow::Status::OK();
    }
  }

  arrow::Status StartDictionary(const parquet::DictionaryPage& page) {
    if (std::exchange(is_started_, true)) return DamagedPage("a dictionary stands behind values");
    if (page.encoding() != parquet::Encoding::PLAIN && page.encoding() != parquet::Encoding::PLAIN_DICTIONARY) {
      return DamagedPage("a dictionary is not plain");
    }
    return values_->SetDictionary(BytesOf(page), page.num_values());
  }

  arrow::Status StartValues(const parquet::DataPage& page) {
    const bool is_boolean = column_.physical_type() == parquet::Type::BOOLEAN;
    const bool is_known = page.encoding() == parquet::Encoding::PLAIN ||
                          (is_boolean ? page.encoding() == parquet::Encoding::RLE : IsDictionary(page.encoding()));
    if (!is_known) {
      return arrow::Status::NotImplemented("a page in the encoding ", parquet::EncodingToString(page.encoding()),
                                           ", which the footer does not name");
    }
    if (page.num_values() < 0) return DamagedPage("it has a negative number of values");
    is_started_ = true;
    std::string_view bytes = BytesOf(page);
    next_in_page_ = 0;
    page_has_nulls_ = false;
    left_in_page_ = page.num_values();
    if (page.type() == parquet::PageType::DATA_PAGE) {
      ARROW_RETURN_NOT_OK(StartLevels(static_cast<const parquet::DataPageV1&>(page), bytes));
    } else {
      ARROW_RETURN_NOT_OK(StartLevels(static_cast<const parquet::DataPageV2&>(page), bytes));
    }
    return values_->StartPage(page.encoding(), bytes);
  }

  /// Takes the levels off the front of `bytes`.
  arrow::Status StartLevels(const parquet::DataPageV1& page, std::string_view& bytes) {
    if (column_.max_definition_level() == 0) return arrow::Status::OK();
    if (page.definition_level_encoding() != parquet::Encoding::RLE) return StartPackedLevels(page, bytes);
    if (bytes.size() < kLengthBytes || LittleEndianAt<std::uint32_t>(bytes, 0) > bytes.size() - kLengthBytes) {
      return DamagedPage("its levels reach beyond its end");
    }
    const std::size_t size = LittleEndianAt<std::uint32_t>(bytes, 0);
    const std::string_view levels = bytes.substr(kLengthBytes, size);
    bytes.remove_prefix(kLengthBytes + size);
    return ReadLevels(levels);
  }

  arrow::Status StartLevels(const parquet::DataPageV2& page, std::string_view& bytes) {
    const std::int32_t size = page.definition_levels_byte_length();
    if (page.repetition_levels_byte_length() != 0 || size < 0 || static_cast<std::size_t>(size) > bytes.size()) {
      return DamagedPage("its levels reach beyond its end");
    }
    const std::string_view levels = bytes.substr(0, static_cast<std::size_t>(size));
    bytes.remove_prefix(levels.size());
    return column_.max_definition_level() == 0 ? arrow::Status::OK() : ReadLevels(levels);
  }

  arrow::Status ReadLevels(std::string_view levels) {
    MakeRoomForLevels();
    if (!ParquetRunReader(levels, 1).ReadBits(page_validity_.data(), 0, left_in_page_)) {
      return DamagedPage("it has fewer levels than values");
    }
    FindNulls();
    return arrow::Status::OK();
  }

  /// In the encoding of the first writers.
  arrow::Status StartPackedLevels(const parquet::DataPageV1& page, std::string_view& bytes) {
    parquet::LevelDecoder decoder;
    const int size = decoder.SetData(page.definition_level_encoding(), column_.max_definition_level(), page.num_values(),
                                     page.data(), page.size());
    std::vector<std::int16_t> levels(static_cast<std::size_t>(left_in_page_));
    if (decoder.Decode(page.num_values(), levels.data()) != page.num_values()) {
      return DamagedPage("it has fewer levels than values");
    }
    bytes.remove_prefix(static_cast<std::size_t>(size));
    MakeRoomForLevels();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      arrow::bit_util::SetBitTo(page_validity_.data(), static_cast<std::int64_t>(i), levels[i] != 0);
    }
    FindNulls();
    return arrow::Status::OK();
  }

  void MakeRoomForLevels() {
    page_validity_.assign(static_cast<std::size_t>(arrow::bit_util::BytesForBits(left_in_page_)), 0);
  }

  void FindNulls() {
    page_has_nulls_ = arrow::internal::CountSetBits(page_validity_.data(), 0, left_in_page_) < left_in_page_;
  }

  std::unique_ptr<parquet::PageReader> pages_;
  std::unique_ptr<ParquetValues> values_;
  const parquet::ColumnDescriptor& column_;
  bool has_texts_in_dictionary_;
  std::int64_t to_skip_ = 0;  // rows before the next that are wanted
  // The open page.
  bool is_started_ = false;  // there was a dictionary or a page of values
  std::shared_ptr<parquet::Page> page_;
  std::int64_t next_in_page_ = 0;
  std::int64_t left_in_page_ = 0;
  bool page_has_nulls_ = false;
  std::vector<std::uint8_t> page_validity_;
  // The array that is being made.
  std::int64_t length_ = 0;
  std::int64_t null_count_ = 0;
  arrow::TypedBufferBuilder<bool> validity_{BufferPool()};  // empty as long as there is no NULL
};

}  // namespace

std::unique_ptr<ParquetColumnStream> OpenFlatColumn(std::string path, parquet::RowGroupReader& group, int leaf,
                                                    const std::shared_ptr<arrow::DataType>& type) {
  const parquet::ColumnDescriptor& column = *group.metadata()->schema()->Column(leaf);
  if (column.max_repetition_level() > 0 || column.schema_node()->parent()->parent() != nullptr) return nullptr;
  const std::unique_ptr<parquet::ColumnChunkMetaData> chunk = group.metadata()->ColumnChunk(leaf);
  if (!std::ranges::all_of(chunk->encodings(), IsKnown)) return nullptr;
  std::unique_ptr<ParquetValues> values = MakeParquetValues(column, type);
  if (values == nullptr) return nullptr;
  return std::make_unique<FlatColumn>(std::move(path), group.GetColumnPageReader(leaf), std::move(values), column,
                                      column.physical_type() == parquet::Type::BYTE_ARRAY && chunk->has_dictionary_page());
}

}  // namespace braid
