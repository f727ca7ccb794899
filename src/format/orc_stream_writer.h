#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/orc_codec.h"

namespace braid {

/// Where a reader can start: what a row index says of the streams of one column, in the order of the streams.
using OrcPositions = std::vector<std::uint64_t>;

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
