#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <parquet/schema.h>
#include <parquet/types.h>

namespace braid {

/// Decodes the values of the pages of one column chunk, NULLs apart, and puts them one after the other into an array.
///
/// Every function checks the bytes that it takes: an error is arrow::Status::Invalid, for damaged pages, or NotImplemented,
/// for an encoding that it does not know. One thread at a time.
class ParquetValues {
 public:
  virtual ~ParquetValues() = default;

  /// Takes over the chunk's dictionary; at most once, before the first page.
  virtual arrow::Status SetDictionary(std::string_view bytes, std::int64_t count) = 0;
  /// Goes on with a page's values. The bytes must stay until the next page.
  virtual arrow::Status StartPage(parquet::Encoding::type encoding, std::string_view bytes) = 0;
  /// Passes over the page's next values.
  virtual arrow::Status Skip(std::int64_t count) = 0;
  /// Appends the page's next values.
  virtual arrow::Status Append(std::int64_t count) = 0;
  /// Appends slots of NULLs.
  virtual arrow::Status AppendNulls(std::int64_t count) = 0;
  /// What a value of the dictionary takes at most; 0 where all values are equally long.
  virtual std::int64_t longest_entry_bytes() const { return 0; }
  /// The `count` values appended since the last call. `validity` may be null.
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Finish(std::int64_t count, std::shared_ptr<arrow::Buffer> validity,
                                                              std::int64_t null_count) = 0;
};

/// Values of `column`, which is no list and has none above it, as `type`, the one that the Parquet library's Arrow reader
/// gives the column. Null where this has no decoder for the two.
std::unique_ptr<ParquetValues> MakeParquetValues(const parquet::ColumnDescriptor& column,
                                                 const std::shared_ptr<arrow::DataType>& type);

}  // namespace braid
