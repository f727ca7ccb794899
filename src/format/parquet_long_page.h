#pragma once

#include <cstdint>

#include <arrow/status.h>
#include <arrow/util/compression.h>
#include <parquet/column_writer.h>
#include <parquet/schema.h>

#include "format/parquet_levels.h"

namespace braid {

/// How a column's pages are compressed.
struct PageCodec {
  arrow::Compression::type type = arrow::Compression::UNCOMPRESSED;
  int level = 0;  ///< where the codec has levels
};

/// Writes a leaf of one row as one plain page of version 1 and closes the column; returns its bytes before compression.
///
/// Beside the values themselves only the page's compressed form is in memory, or, with a codec that cannot be fed in
/// pieces (Snappy, LZ4), also the page before. parquet::ColumnWriter holds a long value four to eight times: in its
/// encoder, in the page, compressed, in the row group, and as bounds. Throws what the Parquet library throws.
/// Precondition: the values are BYTES or STRING.
arrow::Result<std::int64_t> WriteLongPage(const ParquetLeaf& leaf, const parquet::ColumnDescriptor& column,
                                          const PageCodec& codec, parquet::PageWriter& pages);

}  // namespace braid
