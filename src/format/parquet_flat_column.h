#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>
#include <parquet/column_reader.h>
#include <parquet/metadata.h>

#include "format/parquet_column_stream.h"

namespace braid {

/// Reads a column that is not nested from the pages of its chunk: levels, dictionary and values by own decoders, into
/// arrays at once, and only those of the rows that are wanted. Pages of which no row is wanted are not decompressed.
///
/// Null if the chunk has encodings other than PLAIN, dictionaries and runs of BOOLEANs, or the column another type than
/// MakeParquetValues knows: such columns are the library's to read. `type`: as there.
std::unique_ptr<ParquetColumnStream> OpenFlatColumn(std::string path, parquet::RowGroupReader& group, int leaf,
                                                    const std::shared_ptr<arrow::DataType>& type);

}  // namespace braid
