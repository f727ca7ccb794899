#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/arrow/reader.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>

#include "base/result.h"
#include "format/parquet_column_stream.h"

namespace braid {

/// Reads a top-level column of one row group that holds INT96 timestamps, itself or nested in it, exactly.
///
/// Arrow's reader turns INT96 into 64-bit nanoseconds, which end in 2262, and takes the negative nanoseconds of the day
/// that Java writes before 1970 for huge ones. So Arrow's columns serve for their structure and their other leaves
/// alone, and the INT96 values are decoded here. One thread at a time.
class Int96ColumnReader : public PiecewiseColumnStream {
 public:
  /// Of the leaves `leaf_indices` (all that the column has, ascending) of the row group. Throws what the Parquet
  /// library throws.
  static arrow::Result<std::unique_ptr<Int96ColumnReader>> Open(parquet::arrow::FileReader& reader, int row_group,
                                                                const std::vector<int>& leaf_indices, std::string path);

 protected:
  /// Leaves of INT96 are struct<millis, nanos>.
  Result<std::shared_ptr<arrow::Array>> NextPiece() override;

 private:
  explicit Int96ColumnReader(std::string path) : PiecewiseColumnStream(std::move(path)) {}

  std::unique_ptr<arrow::RecordBatchReader> structure_;
  /// One a leaf; null where the leaf is no INT96.
  std::vector<std::shared_ptr<parquet::internal::RecordReader>> leaves_;
};

/// Whether some of the leaves of the file are INT96.
bool HasInt96(const parquet::SchemaDescriptor& schema, const std::vector<int>& leaf_indices);

}  // namespace braid
