#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <parquet/column_reader.h>
#include <parquet/metadata.h>

namespace braid {

/// Whether a column chunk is one long value of BYTES or STRING on a plain page, as WriteLongPage writes it.
bool IsLongValue(const parquet::ColumnChunkMetaData& chunk, const parquet::ColumnDescriptor& column);

/// Reads the value of such a chunk as an array of one row: BINARY, or STRING where the file says so.
///
/// The value stays where the page was decompressed to, so beside the page's compressed form, which goes, it is in
/// memory once; parquet::ColumnReader would copy it, into a buffer that grows. `pool`, which the pages are from, lives
/// as long as the array. Errors: Invalid for a damaged page; throws what the Parquet library throws.
arrow::Result<std::shared_ptr<arrow::Array>> ReadLongValue(parquet::PageReader& pages,
                                                           const parquet::ColumnDescriptor& column,
                                                           std::shared_ptr<arrow::MemoryPool> pool);

}  // namespace braid
