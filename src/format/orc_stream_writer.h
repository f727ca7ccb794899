#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/util/type_fwd.h>

#include "base/result.h"

namespace braid {

/// Where a reader can start: what a row index says of the streams of one column, in the order of the streams.
using OrcPositions = std::vector<std::uint64_t>;

/// Compresses the chunks of one file. One thread at a time.
class OrcCompressor {
 public:
  /// `name` in any case: none, uncompressed, zstd, snappy, zlib or lz4. `level` counts for zstd alone; `block_bytes` is
  /// the size of a chunk before compression, below 8 MiB (three bytes hold it). Errors: kUnsupported, naming the
  /// compression.
  static Result<OrcCompressor> Make(std::string_view name, int level, std::int64_t block_bytes);

  OrcCompressor(OrcCompressor&&) noexcept;
  ~OrcCompressor();

  /// The number that the postscript has for it.
  std::uint64_t kind() const { return kind_; }
  std::size_t block_bytes() const { return block_bytes_; }
  bool is_none() const { return codec_ == nullptr; }

  /// One chunk of at most block_bytes(), with its header; the bytes themselves if there is no compression.
  std::string Compress(std::string_view bytes) const;

 private:
  OrcCompressor(std::uint64_t kind, std::size_t block_bytes, std::unique_ptr<arrow::util::Codec> codec);

  std::uint64_t kind_;
  std::size_t block_bytes_;
  std::unique_ptr<arrow::util::Codec> codec_;
  mutable std::string scratch_;
};

/// A stream as it goes into the file, in pieces.
struct OrcStreamBytes {
  std::vector<std::string> chunks;
  std::int64_t byte_count = 0;
};

/// Gathers the bytes of one stream of a stripe and compresses them chunk by chunk. One thread at a time.
class OrcStreamWriter {
 public:
  /// The compressor must outlive the writer.
  explicit OrcStreamWriter(const OrcCompressor& compressor) : compressor_(&compressor) {}

  void Append(std::string_view bytes);
  /// Appends where the next byte will go: offset of its chunk and offset in the chunk; without compression one offset.
  void AddPosition(OrcPositions& positions) const;
  /// About what the stream would take in the file if it ended here.
  std::int64_t encoded_bytes() const;
  std::int64_t memory_bytes() const { return done_.byte_count + static_cast<std::int64_t>(open_.capacity()); }
  /// Ends the stream and starts the next stripe's.
  OrcStreamBytes Finish();

 private:
  void EndChunk();

  const OrcCompressor* compressor_;
  std::string open_;  // at most one chunk
  OrcStreamBytes done_;
};

}  // namespace braid
