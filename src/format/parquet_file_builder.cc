#include "format/parquet_file_builder.h"

#include <utility>

#include <arrow/util/compression.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>

namespace braid {

ParquetFileBuilder::ParquetFileBuilder(std::shared_ptr<arrow::io::OutputStream> sink,
                                       const parquet::schema::NodePtr& schema,
                                       std::shared_ptr<parquet::WriterProperties> properties)
    : sink_(std::move(sink)), properties_(std::move(properties)) {
  schema_.Init(schema);
  metadata_ = parquet::FileMetaDataBuilder::Make(&schema_, properties_);
  page_index_ = parquet::PageIndexBuilder::Make(&schema_);
  PARQUET_THROW_NOT_OK(sink_->Write(parquet::kParquetMagic, sizeof(parquet::kParquetMagic)));
}

void ParquetFileBuilder::OpenRowGroup() {
  group_ = metadata_->AppendRowGroup();
  page_index_->AppendRowGroup();
  next_leaf_ = 0;
}

ParquetFileBuilder::Column ParquetFileBuilder::OpenColumn(bool buffered) {
  const int leaf = next_leaf_++;
  parquet::ColumnChunkMetaDataBuilder* metadata = group_->NextColumnChunk();
  const parquet::ColumnProperties& column = properties_->column_properties(schema_.Column(leaf)->path());
  const bool indexed = column.page_index_enabled();
  const arrow::util::CodecOptions codec =
      column.codec_options() ? *column.codec_options() : arrow::util::CodecOptions();
  return {metadata, parquet::PageWriter::Open(sink_, column.compression(), metadata, /*row_group_ordinal=*/-1,
                                              static_cast<std::int16_t>(leaf), properties_->memory_pool(), buffered,
                                              /*header_encryptor=*/nullptr, /*data_encryptor=*/nullptr,
                                              properties_->page_checksum_enabled(),
                                              indexed ? page_index_->GetColumnIndexBuilder(leaf) : nullptr,
                                              indexed ? page_index_->GetOffsetIndexBuilder(leaf) : nullptr, codec)};
}

void ParquetFileBuilder::OpenBufferedRowGroup() {
  OpenRowGroup();
  for (int leaf = 0; leaf < schema_.num_columns(); ++leaf) {
    Column column = OpenColumn(/*buffered=*/true);
    columns_.push_back(parquet::ColumnWriter::Make(column.metadata, std::move(column.pages), properties_.get()));
  }
}

std::int64_t ParquetFileBuilder::buffered_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& column : columns_) {
    bytes += column->total_compressed_bytes() + column->total_compressed_bytes_written() +
             column->estimated_buffered_def_level_bytes() + column->estimated_buffered_rep_level_bytes() +
             column->estimated_buffered_value_bytes() + column->estimated_buffered_dict_bytes();
  }
  return bytes;
}

void ParquetFileBuilder::CloseBufferedRowGroup() {
  const auto columns = std::exchange(columns_, {});
  if (columns.empty()) return;
  const std::int64_t rows = columns[0]->rows_written();
  std::int64_t bytes = 0;
  for (const auto& column : columns) {
    if (column->rows_written() != rows) throw parquet::ParquetException("the columns of a row group differ in rows");
    bytes += column->Close();
  }
  CloseRowGroup(rows, bytes);
}

void ParquetFileBuilder::CloseRowGroup(std::int64_t rows, std::int64_t bytes) {
  group_->set_num_rows(rows);
  group_->Finish(bytes);
}

void ParquetFileBuilder::Finish() {
  CloseBufferedRowGroup();
  page_index_->Finish();
  const parquet::PageIndexBuilder::WriteResult index = page_index_->WriteTo(sink_.get());
  metadata_->SetIndexLocations(parquet::IndexKind::kColumnIndex, index.column_index_locations);
  metadata_->SetIndexLocations(parquet::IndexKind::kOffsetIndex, index.offset_index_locations);
  parquet::WriteFileMetaData(*metadata_->Finish(), sink_.get());
}

}  // namespace braid
