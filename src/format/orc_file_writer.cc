#include "format/orc_file_writer.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "format/orc_proto.h"
#include "format/orc_schema.h"
#include "types/batch_bytes.h"
#include "types/buffer_pool.h"
#include "types/long_rows.h"

namespace braid {
namespace {

constexpr std::string_view kMagic = "ORC";
/// Written at once, so that a stripe is not much larger than it should be.
constexpr std::int64_t kStepRows = 4096;
constexpr std::int64_t kStepBytes = std::int64_t{4} << 20;
constexpr std::string_view kWriterZone = "UTC";

// Who writes, as the tail tells it. There is no number for this program; that of the C++ library says that statistics
// are to be trusted, of timestamps too.
constexpr std::uint64_t kCppWriter = 1;
constexpr std::uint64_t kWriterVersion = 6;
constexpr std::string_view kSoftware = "Braid";
/// What Java says: days and instants are taken as they are.
constexpr std::uint64_t kJulianGregorianCalendar = 1;

/// Ids of the columns of the fields with these names, and of those below them.
std::set<std::uint32_t> ColumnsOf(std::span<const DataField> fields, const std::vector<std::string>& names) {
  std::set<std::uint32_t> columns;
  std::uint32_t next = 1;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto end = next + static_cast<std::uint32_t>(EncodeOrcTypes(fields.subspan(i, 1)).size() - 1);
    const bool wanted = std::ranges::find(names, fields[i].name) != names.end();
    for (; next < end; ++next) {
      if (wanted) columns.insert(next);
    }
  }
  return columns;
}

DataType RootType(std::span<const DataField> fields) {
  return DataType::Row({fields.begin(), fields.end()});
}

}  // namespace

OrcFileWriter::OrcFileWriter(OutputFile& file, OrcCompressor compressor, std::span<const DataField> fields,
                             const OrcFileSettings& settings)
    : file_(file), compressor_(std::move(compressor)), settings_(settings), types_(EncodeOrcTypes(fields)) {
  std::uint32_t next_column = 0;
  root_ = MakeOrcColumnWriter(RootType(fields),
                              {.compressor = compressor_,
                               .row_index = settings.row_index_stride > 0,
                               .dictionary_threshold = settings.dictionary_threshold,
                               .bloom_filter_columns = ColumnsOf(fields, settings.bloom_filter_columns),
                               .bloom_filter_values = settings.row_index_stride,
                               .bloom_filter_fpp = settings.bloom_filter_fpp},
                              next_column);
}

Status OrcFileWriter::WriteHeader() {
  return file_.position() == 0 ? file_.Append(kMagic) : Ok();
}

Status OrcFileWriter::Write(const arrow::RecordBatch& rows) {
  const std::shared_ptr<arrow::ArrayData> data = arrow::ArrayData::Make(
      arrow::struct_(rows.schema()->fields()), rows.num_rows(), {nullptr}, rows.column_data(), 0);
  for (std::int64_t start = 0, count = 0; start < rows.num_rows(); start += count) {
    const std::int64_t group_rows =
        settings_.row_index_stride > 0 ? settings_.row_index_stride - rows_in_group_ : kStepRows;
    count = RowsWithin(rows, start, std::min(kStepRows, group_rows), kStepBytes);
    if (count == 1) {
      const std::int64_t row_bytes = BytesOf(*rows.Slice(start, 1)).used;
      if (row_bytes >= kLongRowBytes) {
        BRAID_TRY(WriteLongRow(*data, start, row_bytes));
        continue;
      }
    }
    root_->Write(*data, start, count);
    rows_in_stripe_ += count;
    rows_in_group_ += count;
    if (rows_in_group_ == settings_.row_index_stride) {
      root_->EndRowGroup();
      rows_in_group_ = 0;
    }
    if (root_->memory_bytes() >= settings_.stripe_bytes) BRAID_TRY(EndStripe());
  }
  return Ok();
}

Status OrcFileWriter::WriteLongRow(const arrow::ArrayData& rows, std::int64_t row, std::int64_t row_bytes) {
  BRAID_TRY(EndStripe());
  const MemoryShare share(&LongRowMemory(), row_bytes);
  root_->Write(rows, row, 1);
  rows_in_stripe_ = 1;
  rows_in_group_ = 1;
  BRAID_TRY(EndStripe());
  ReleaseFreedMemory();  // its chunks were many small pieces
  return Ok();
}

Status OrcFileWriter::EndStripe() {
  if (rows_in_stripe_ == 0) return Ok();
  if (rows_in_group_ > 0) root_->EndRowGroup();
  rows_in_group_ = 0;
  OrcStripe stripe;
  root_->FinishStripe(stripe);
  BRAID_TRY(WriteStripe(std::move(stripe)));
  row_count_ += std::exchange(rows_in_stripe_, 0);
  return Ok();
}

Status OrcFileWriter::WriteStripe(OrcStripe stripe) {
  BRAID_TRY(WriteHeader());
  OrcMessageWriter information;
  information.AddNumber(1, static_cast<std::uint64_t>(file_.position()));
  OrcMessageWriter footer;
  const auto append = [&](const std::vector<OrcStripe::Stream>& streams) -> Result<std::int64_t> {
    std::int64_t byte_count = 0;
    for (const OrcStripe::Stream& stream : streams) {
      OrcMessageWriter message;
      message.AddNumber(1, static_cast<std::uint64_t>(stream.kind));
      message.AddNumber(2, stream.column);
      message.AddNumber(3, static_cast<std::uint64_t>(stream.bytes.byte_count));
      footer.AddBytes(1, message.bytes());
      byte_count += stream.bytes.byte_count;
      for (const std::string& chunk : stream.bytes.chunks) BRAID_TRY(file_.Append(chunk));
    }
    return byte_count;
  };
  BRAID_TRY_ASSIGN(const std::int64_t index_bytes, append(stripe.index));
  BRAID_TRY_ASSIGN(const std::int64_t data_bytes, append(stripe.data));
  for (const std::string& encoding : stripe.encodings) footer.AddBytes(2, encoding);
  footer.AddBytes(3, kWriterZone);
  BRAID_TRY_ASSIGN(const std::int64_t footer_bytes, AppendCompressed(footer.bytes()));

  information.AddNumber(2, static_cast<std::uint64_t>(index_bytes));
  information.AddNumber(3, static_cast<std::uint64_t>(data_bytes));
  information.AddNumber(4, static_cast<std::uint64_t>(footer_bytes));
  information.AddNumber(5, static_cast<std::uint64_t>(rows_in_stripe_));
  stripes_.push_back(information.bytes());
  OrcMessageWriter statistics;
  for (const std::string& column : stripe.statistics) statistics.AddBytes(1, column);
  stripe_statistics_.push_back(statistics.bytes());
  return Ok();
}

Result<std::int64_t> OrcFileWriter::AppendCompressed(std::string_view bytes) {
  OrcStreamWriter stream(compressor_);
  stream.Append(bytes);
  const OrcStreamBytes compressed = stream.Finish();
  for (const std::string& chunk : compressed.chunks) BRAID_TRY(file_.Append(chunk));
  return compressed.byte_count;
}

Status OrcFileWriter::Finish() {
  BRAID_TRY(EndStripe());
  BRAID_TRY(WriteHeader());
  const std::int64_t content_bytes = file_.position();

  OrcMessageWriter metadata;
  for (const std::string& statistics : stripe_statistics_) metadata.AddBytes(1, statistics);
  BRAID_TRY_ASSIGN(const std::int64_t metadata_bytes, AppendCompressed(metadata.bytes()));

  OrcMessageWriter footer;
  footer.AddNumber(1, kMagic.size());
  footer.AddNumber(2, static_cast<std::uint64_t>(content_bytes));
  for (const std::string& stripe : stripes_) footer.AddBytes(3, stripe);
  for (const std::string& type : types_) footer.AddBytes(4, type);
  footer.AddNumber(6, static_cast<std::uint64_t>(row_count_));
  for (const OrcStatistics* column : FileStatistics()) footer.AddBytes(7, column->Encode());
  footer.AddNumber(8, static_cast<std::uint64_t>(settings_.row_index_stride));
  footer.AddNumber(9, kCppWriter);
  footer.AddNumber(11, kJulianGregorianCalendar);
  footer.AddBytes(12, kSoftware);
  BRAID_TRY_ASSIGN(const std::int64_t footer_bytes, AppendCompressed(footer.bytes()));

  OrcMessageWriter postscript;
  postscript.AddNumber(1, static_cast<std::uint64_t>(footer_bytes));
  postscript.AddNumber(2, compressor_.kind());
  if (!compressor_.is_none()) postscript.AddNumber(3, compressor_.block_bytes());
  constexpr std::array<std::uint64_t, 2> kVersion = {0, 12};
  postscript.AddPacked(4, kVersion);
  postscript.AddNumber(5, static_cast<std::uint64_t>(metadata_bytes));
  postscript.AddNumber(6, kWriterVersion);
  postscript.AddBytes(8000, kMagic);
  return file_.Append(postscript.bytes() + static_cast<char>(postscript.bytes().size()));
}

std::vector<const OrcStatistics*> OrcFileWriter::FileStatistics() const {
  std::vector<const OrcStatistics*> statistics;
  root_->AppendFileStatistics(statistics);
  return statistics;
}

}  // namespace braid
