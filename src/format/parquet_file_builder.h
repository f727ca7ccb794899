#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/io/interfaces.h>
#include <parquet/column_writer.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

namespace braid {

/// Puts a Parquet file together, as parquet::ParquetFileWriter does, which however lets nobody write pages of his own
/// and gives all row groups the same properties. The columns of a row group are written either side by side, or one
/// after the other. Throws what the Parquet library throws. One thread.
class ParquetFileBuilder {
 public:
  /// A column of the open row group and where its pages go. Either a parquet::ColumnWriter is made of both, or the
  /// caller writes pages and closes the page writer.
  struct Column {
    parquet::ColumnChunkMetaDataBuilder* metadata;  // the builder's
    std::unique_ptr<parquet::PageWriter> pages;
  };

  ParquetFileBuilder(std::shared_ptr<arrow::io::OutputStream> sink, const parquet::schema::NodePtr& schema,
                     std::shared_ptr<parquet::WriterProperties> properties);

  /// Opens a row group whose columns lie in memory until it is closed.
  void OpenBufferedRowGroup();
  bool has_buffered_row_group() const { return !columns_.empty(); }
  /// Of the open row group, by leaf.
  parquet::ColumnWriter& column(int leaf) { return *columns_[static_cast<std::size_t>(leaf)]; }
  /// Encoded pages of the open row group, and an estimate of what is not encoded yet.
  std::int64_t buffered_bytes() const;
  void CloseBufferedRowGroup();

  /// Opens a row group of columns that go to the file at once. Precondition: none is open.
  void OpenRowGroup();
  /// The next leaf. The one before must be closed.
  Column NextColumn() { return OpenColumn(/*buffered=*/false); }
  /// `bytes`: what the columns took before compression.
  void CloseRowGroup(std::int64_t rows, std::int64_t bytes);

  const parquet::WriterProperties& properties() const { return *properties_; }

  /// Closes the open row group and ends the file. Nothing may follow.
  void Finish();

 private:
  Column OpenColumn(bool buffered);

  std::shared_ptr<arrow::io::OutputStream> sink_;
  parquet::SchemaDescriptor schema_;
  std::shared_ptr<parquet::WriterProperties> properties_;
  std::unique_ptr<parquet::FileMetaDataBuilder> metadata_;
  std::unique_ptr<parquet::PageIndexBuilder> page_index_;
  parquet::RowGroupMetaDataBuilder* group_ = nullptr;  // metadata_'s
  int next_leaf_ = 0;
  std::vector<std::shared_ptr<parquet::ColumnWriter>> columns_;  // of the open buffered row group
};

}  // namespace braid
