#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <parquet/metadata.h>

namespace braid {

/// The leaves of wanted columns, one list a column; of a column that the file lacks none.
using ParquetLeaves = std::vector<std::vector<int>>;

/// So many rows, at most `most` and at least one, that the wanted columns of a batch take no more than kMaxBatchBytes, if
/// rows are equally long. Of byte arrays in dictionaries it knows what the footer tells.
std::int64_t BatchRowsOf(const parquet::RowGroupMetaData& group, const ParquetLeaves& leaves, std::int64_t most);

/// Whether the column is one long value that is better taken out of its page uncopied. From far away (each read a request
/// over a network) the library fetches pages faster.
bool IsReadByPage(const parquet::RowGroupMetaData& group, const std::vector<int>& leaves, bool is_far);

/// What a row takes while it is read: compressed and decompressed, and decoded unless its page is taken. 0 where rows are
/// shorter than kLongRowBytes.
std::int64_t LongRowBytesOf(const parquet::RowGroupMetaData& group, const ParquetLeaves& leaves, bool is_far);

}  // namespace braid
