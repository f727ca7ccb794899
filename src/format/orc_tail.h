#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/orc_codec.h"
#include "format/orc_numbers.h"
#include "format/orc_schema.h"
#include "io/file_system.h"

namespace braid {

/// The parts of an ORC file's tail (ORC specification v1) that reading needs.
struct OrcTail {
  struct Stripe {
    std::int64_t offset = 0;
    std::int64_t index_bytes = 0;
    std::int64_t data_bytes = 0;
    std::int64_t footer_bytes = 0;
    std::int64_t row_count = 0;
  };
  std::shared_ptr<OrcDecompressor> decompressor;  ///< null: not compressed
  std::vector<Stripe> stripes;
  std::vector<OrcType> types;  ///< of all levels, by column id; the first one is the root
  /// Bytes of all texts or byte strings of each column, by column id; 0 where the file does not tell, or is of no such
  /// type.
  std::vector<std::int64_t> text_bytes;
  std::int64_t row_count = 0;  ///< of all stripes
};

/// Errors: kCorruption; kUnsupported, naming the compression.
Result<OrcTail> ReadOrcTail(const InputFile& file, std::string_view path);

/// Where a stripe keeps the streams of its columns.
struct OrcStripeFooter {
  struct Stream {
    std::uint64_t kind = 0;
    std::uint64_t column = 0;
    std::int64_t offset = 0;  ///< in the file
    std::int64_t bytes = 0;
  };
  std::vector<Stream> streams;
  std::vector<std::uint64_t> encodings;         ///< of each column, numbers of OrcEncoding
  std::vector<std::uint64_t> dictionary_sizes;  ///< of each column; 0 where it has none
  std::string writer_zone;                      ///< empty in old files

  /// The column's stream of that kind; null if it has none.
  const Stream* Find(std::uint32_t column, OrcStreamKind kind) const;
};

/// Errors: kCorruption, also if streams do not fit into the stripe or belong to no column, or columns lack an encoding.
Result<OrcStripeFooter> ReadOrcStripeFooter(const InputFile& file, const OrcTail& tail, const OrcTail::Stripe& stripe,
                                            std::string_view path);

/// Reads and decompresses a range of the file, which holds a footer or an index. Errors: kCorruption.
Result<std::string> ReadOrcBytes(const InputFile& file, const OrcTail& tail, std::int64_t offset,
                                 std::int64_t byte_count, std::string_view path);

}  // namespace braid
