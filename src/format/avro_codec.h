#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// How the blocks of an Avro file are compressed.
enum class AvroCodec : std::uint8_t { kNull, kDeflate, kSnappy, kZstandard };

/// The codec's name in a file's `avro.codec`.
std::string_view AvroCodecName(AvroCodec codec);
/// Errors: kUnsupported for bzip2 and xz; kInvalidArgument for a name that Avro does not have.
Result<AvroCodec> ParseAvroCodec(std::string_view name);

/// Decompresses blocks, reusing its buffer and the libraries' contexts. One thread at a time.
class AvroDecompressor {
 public:
  AvroDecompressor();
  ~AvroDecompressor();
  AvroDecompressor(AvroDecompressor&&) noexcept;
  AvroDecompressor& operator=(AvroDecompressor&&) noexcept;

  /// The block's records; valid until the next call and while `block` is (which the codec "null" returns itself).
  /// Never allocates much more than the block truly holds. Errors: kCorruption.
  Result<std::string_view> Decompress(AvroCodec codec, std::string_view block);
  /// Gives back what a long block took; the last block is no longer valid.
  void ReleaseLongBlock();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Compresses blocks, reusing its buffer and the libraries' contexts. One thread at a time.
class AvroCompressor {
 public:
  AvroCompressor();
  ~AvroCompressor();
  AvroCompressor(AvroCompressor&&) noexcept;
  AvroCompressor& operator=(AvroCompressor&&) noexcept;

  /// Appends the compressed form to `out`. `zstd_level` matters for zstandard alone. Errors: kInternal.
  Status Compress(AvroCodec codec, int zstd_level, std::string_view records, std::string& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid
