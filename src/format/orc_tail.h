#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/util/type_fwd.h>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// The parts of an ORC file's tail (ORC specification v1) that reading single streams needs.
struct OrcTail {
  struct Stripe {
    std::int64_t offset = 0;
    std::int64_t index_bytes = 0;
    std::int64_t data_bytes = 0;
    std::int64_t footer_bytes = 0;
    std::int64_t row_count = 0;
  };
  std::int64_t block_bytes = 0;               ///< size of a compressed chunk before compression
  std::shared_ptr<arrow::util::Codec> codec;  ///< null: not compressed
  std::vector<Stripe> stripes;
  std::size_t column_count = 0;             ///< of all levels, the root included
  std::vector<std::uint32_t> root_columns;  ///< column id of each top-level field
};

/// Errors: kCorruption; kUnsupported, naming the compression.
Result<OrcTail> ReadOrcTail(const InputFile& file, std::string_view path);

/// Where a stripe keeps the streams of its columns.
struct OrcStripeFooter {
  enum class StreamKind : std::uint8_t { kPresent = 0, kData = 1, kSecondary = 5 };
  struct Stream {
    std::uint64_t kind = 0;
    std::uint64_t column = 0;
    std::int64_t offset = 0;  ///< in the file
    std::int64_t bytes = 0;
  };
  std::vector<Stream> streams;
  std::vector<std::uint64_t> encodings;  ///< of each column: 0 and 1 with integers of version 1, 2 and 3 of version 2
  std::string writer_zone;               ///< empty in old files

  /// The column's stream of that kind; null if it has none.
  const Stream* Find(std::uint32_t column, StreamKind kind) const;
};

/// Errors: kCorruption, also if streams do not fit into the stripe or belong to no column, or columns lack an encoding,
/// on which the library would rely.
Result<OrcStripeFooter> ReadOrcStripeFooter(const InputFile& file, const OrcTail& tail, const OrcTail::Stripe& stripe,
                                            std::string_view path);

/// Reads and decompresses a range of the file. Errors: kCorruption.
Result<std::string> ReadOrcBytes(const InputFile& file, const OrcTail& tail, std::int64_t offset,
                                 std::int64_t byte_count, std::string_view path);

}  // namespace braid
