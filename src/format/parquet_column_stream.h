#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/type_fwd.h>
#include <parquet/arrow/reader.h>

#include "base/result.h"

namespace braid {

/// A top-level column of one row group, from front to back, as the type that the Parquet library's Arrow reader gives it.
///
/// Throws what the Parquet library throws (CatchParquet). Errors: kCorruption if the row group has fewer rows than it
/// says or is damaged otherwise. One thread at a time.
class ParquetColumnStream {
 public:
  /// `path`: of the file, for errors.
  explicit ParquetColumnStream(std::string path) : path_(std::move(path)) {}
  virtual ~ParquetColumnStream() = default;

  /// The next rows.
  virtual Result<std::shared_ptr<arrow::Array>> Read(std::int64_t rows) = 0;
  /// Passes over rows.
  virtual Status Skip(std::int64_t rows);
  /// Passes over `rows` rows, of which it returns those at these offsets, which ascend.
  virtual Result<std::shared_ptr<arrow::Array>> ReadSome(std::span<const std::int32_t> offsets, std::int64_t rows);
  /// How many rows may be read at once so that their values fit into one array.
  virtual Result<std::int64_t> MostRowsAtOnce() { return std::numeric_limits<std::int64_t>::max(); }

 protected:
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Calls `use(first, count)` for each run of offsets that follow each other, up to the first error.
template <typename Use>
Status ForEachRun(std::span<const std::int32_t> offsets, const Use& use) {
  for (std::size_t i = 0; i < offsets.size();) {
    std::size_t end = i + 1;
    while (end < offsets.size() && offsets[end] == offsets[end - 1] + 1) ++end;
    BRAID_TRY(use(std::int64_t{offsets[i]}, static_cast<std::int64_t>(end - i)));
    i = end;
  }
  return Ok();
}

/// A column that comes in pieces of any length.
class PiecewiseColumnStream : public ParquetColumnStream {
 public:
  using ParquetColumnStream::ParquetColumnStream;

  Result<std::shared_ptr<arrow::Array>> Read(std::int64_t rows) final;

 protected:
  /// The next piece; null at the end of the row group.
  virtual Result<std::shared_ptr<arrow::Array>> NextPiece() = 0;

 private:
  std::shared_ptr<arrow::Array> ahead_;  // read but not yet asked for; may be null
};

/// What is open of a file.
struct OpenParquetFile {
  std::string path;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::shared_ptr<arrow::MemoryPool> page_pool;
};

/// Opens the column of these leaves (all that it has, ascending) by the decoders that fit it: Braid's own where they know
/// the column's type and the encodings of its pages, else the library's. `by_page`: it is one long value (IsLongValue), to
/// be taken out of its page uncopied. The file must outlive the stream.
Result<std::unique_ptr<ParquetColumnStream>> OpenParquetColumn(OpenParquetFile& file, int row_group,
                                                               const std::vector<int>& leaves, bool by_page);

}  // namespace braid
