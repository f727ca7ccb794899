#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/avro_codec.h"
#include "io/file_system.h"

namespace braid {

inline constexpr std::string_view kAvroMagic{"Obj\1", 4};
inline constexpr std::size_t kAvroSyncBytes = 16;

/// The start of an Avro object container file.
struct AvroHeader {
  std::string_view schema_json;  ///< borrowed from the bytes parsed
  AvroCodec codec = AvroCodec::kNull;
  std::string_view sync;       ///< the marker behind every block; borrowed likewise
  std::size_t size_bytes = 0;  ///< of the header: where the first block starts
};
/// Reads the header at the start of the bytes. Errors: kCorruption with the offset; kUnsupported for a codec
/// (ParseAvroCodec).
Result<AvroHeader> ParseAvroHeader(std::string_view bytes);

/// A block of records.
struct AvroBlock {
  std::int64_t record_count = 0;  ///< as the file claims; check it against what the block holds
  std::string_view bytes{};       ///< as stored, compressed
  std::size_t offset = 0;         ///< of the block's start in the file
};
/// Reads the block that starts at an offset, checks the marker behind it and moves the offset past that.
/// Errors: kCorruption with the offset.
Result<AvroBlock> ParseAvroBlock(std::string_view file, std::string_view sync, std::size_t& offset);

/// An Avro object container file in memory, with its blocks found but not yet decompressed, so that several threads can
/// decode different ones. Immutable; any thread.
class AvroContainer {
 public:
  /// Takes the whole file. Errors: those of ParseAvroHeader and ParseAvroBlock; they do not name the file.
  static Result<AvroContainer> Open(std::string bytes);

  const AvroHeader& header() const { return header_; }
  std::span<const AvroBlock> blocks() const { return blocks_; }

 private:
  AvroContainer() = default;

  std::shared_ptr<const std::string> bytes_;  // what the header and the blocks point into
  AvroHeader header_;
  std::vector<AvroBlock> blocks_;
};

/// Writes an Avro object container file. One thread.
///
/// Usage: append one record to `block()`, call EndRecord, and so on; then Finish. Blocks end at 64,000 bytes, as Java's
/// do.
class AvroContainerWriter {
 public:
  struct Options {
    AvroCodec codec = AvroCodec::kZstandard;
    int zstd_level = 1;
  };
  /// `compressor` is borrowed until the writer is gone.
  AvroContainerWriter(std::unique_ptr<OutputFile> file, std::string_view schema_json, const Options& options,
                      AvroCompressor& compressor);

  std::string& block() { return block_; }
  Status EndRecord();
  /// Ends the block, if it has records, so that the next record is in another one.
  Status EndBlock();
  /// Bytes of the header and of the blocks that are complete.
  std::int64_t flushed_bytes() const { return flushed_bytes_; }
  /// Ends the last block and closes the file, unsynced. Returns its size in bytes. Nothing may follow.
  Result<std::int64_t> Finish();

 private:
  Status WritePending();

  std::unique_ptr<OutputFile> file_;
  Options options_;
  AvroCompressor& compressor_;
  std::string sync_;
  std::string block_;  // records of the current block
  std::int64_t block_records_ = 0;
  std::string compressed_;
  std::string pending_;  // complete blocks that are not yet in the file, so that a small file takes one append
  std::int64_t flushed_bytes_ = 0;
};

}  // namespace braid
