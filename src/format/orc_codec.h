#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/util/type_fwd.h>

#include "base/result.h"

namespace braid {

// Streams and footers of an ORC file are cut into blocks, each of which is compressed to a chunk of its own (ORC
// specification v1, "Compression").

/// Three bytes hold the length of a chunk, so no block has reason to be longer.
inline constexpr std::int64_t kMaxOrcBlockBytes = std::int64_t{1} << 23;

/// What comes before each chunk.
struct OrcChunkHeader {
  static constexpr std::size_t kBytes = 3;
  std::size_t chunk_bytes = 0;  ///< behind the header
  bool is_original = false;     ///< the chunk is the block as it was

  void Append(std::string& out) const;
  /// Precondition: kBytes bytes.
  static OrcChunkHeader Parse(std::string_view bytes);
};

/// Compresses the blocks of one file. One thread at a time.
class OrcCompressor {
 public:
  /// `name` in any case: none, uncompressed, zstd, snappy, zlib or lz4. `level` counts for zstd alone; `block_bytes` is
  /// the size of a block, below 8 MiB. Errors: kUnsupported, naming the compression.
  static Result<OrcCompressor> Make(std::string_view name, int level, std::int64_t block_bytes);

  OrcCompressor(OrcCompressor&&) noexcept;
  ~OrcCompressor();

  /// The number that the postscript has for it.
  std::uint64_t kind() const { return kind_; }
  std::size_t block_bytes() const { return block_bytes_; }
  bool is_none() const { return codec_ == nullptr; }

  /// One block of at most block_bytes() as a chunk, with its header; the bytes themselves if there is no compression.
  std::string Compress(std::string_view bytes) const;

 private:
  OrcCompressor(std::uint64_t kind, std::size_t block_bytes, std::unique_ptr<arrow::util::Codec> codec);

  std::uint64_t kind_;
  std::size_t block_bytes_;
  std::unique_ptr<arrow::util::Codec> codec_;
  mutable std::string scratch_;
};

/// Decompresses the chunks of one file, with one context of the library and one buffer for all. One thread at a time.
class OrcDecompressor {
 public:
  /// `kind` is the postscript's number; null: the file is not compressed. `block_bytes` is at most kMaxOrcBlockBytes.
  /// Errors: kUnsupported, naming the file and the compression.
  static Result<std::shared_ptr<OrcDecompressor>> Make(std::uint64_t kind, std::int64_t block_bytes,
                                                       std::string_view path);
  ~OrcDecompressor();

  /// The block of a chunk that is not an original one; valid until the next call. nullopt: the chunk is damaged, or
  /// holds more than a block.
  std::optional<std::string_view> Decompress(std::string_view chunk);

 private:
  struct Contexts;
  OrcDecompressor(std::size_t block_bytes, std::unique_ptr<Contexts> contexts);

  std::size_t block_bytes_;
  std::unique_ptr<char[]> block_;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace braid
