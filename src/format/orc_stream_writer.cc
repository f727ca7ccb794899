#include "format/orc_stream_writer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <arrow/result.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>

namespace braid {
namespace {

struct CodecName {
  std::string_view name;  // upper case
  std::uint64_t kind;
  arrow::Compression::type type;
};
constexpr std::array kCodecNames = {
    CodecName{"NONE", 0, arrow::Compression::UNCOMPRESSED},
    CodecName{"UNCOMPRESSED", 0, arrow::Compression::UNCOMPRESSED},
    CodecName{"ZLIB", 1, arrow::Compression::GZIP},
    CodecName{"SNAPPY", 2, arrow::Compression::SNAPPY},
    CodecName{"LZ4", 4, arrow::Compression::LZ4},
    CodecName{"ZSTD", 5, arrow::Compression::ZSTD},
};

/// As Java where `orc.compression.strategy` is SPEED, its default.
constexpr int kZlibLevel = 2;

arrow::Result<std::unique_ptr<arrow::util::Codec>> MakeCodec(arrow::Compression::type type, int level) {
  if (type == arrow::Compression::UNCOMPRESSED) return nullptr;
  if (type == arrow::Compression::GZIP) {
    arrow::util::GZipCodecOptions raw_deflate;
    raw_deflate.compression_level = kZlibLevel;
    raw_deflate.gzip_format = arrow::util::GZipFormat::DEFLATE;
    return arrow::util::Codec::Create(type, raw_deflate);
  }
  if (type == arrow::Compression::ZSTD) return arrow::util::Codec::Create(type, level);
  return arrow::util::Codec::Create(type);
}

void AppendHeader(std::size_t byte_count, bool original, std::string& out) {
  const std::size_t header = (byte_count << 1) | (original ? 1 : 0);
  for (unsigned shift = 0; shift < 24; shift += 8) out += static_cast<char>(header >> shift);
}

}  // namespace

OrcCompressor::OrcCompressor(std::uint64_t kind, std::size_t block_bytes, std::unique_ptr<arrow::util::Codec> codec)
    : kind_(kind), block_bytes_(block_bytes), codec_(std::move(codec)) {}
OrcCompressor::OrcCompressor(OrcCompressor&&) noexcept = default;
OrcCompressor::~OrcCompressor() = default;

Result<OrcCompressor> OrcCompressor::Make(std::string_view name, int level, std::int64_t block_bytes) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto* found = std::ranges::find(kCodecNames, upper, &CodecName::name);
  if (found != kCodecNames.end()) {
    auto codec = MakeCodec(found->type, level);
    if (codec.ok()) {
      return OrcCompressor(found->kind, static_cast<std::size_t>(block_bytes), std::move(codec).ValueUnsafe());
    }
  }
  return Error(ErrorCode::kUnsupported, fmt::format("ORC files cannot be written with compression '{}'", name))
      .Hint("use zstd, snappy, zlib, lz4 or none in file.compression");
}

std::string OrcCompressor::Compress(std::string_view bytes) const {
  if (is_none()) return std::string(bytes);
  const auto* input = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const auto input_bytes = static_cast<std::int64_t>(bytes.size());
  const std::int64_t capacity = codec_->MaxCompressedLen(input_bytes, input);
  if (scratch_.size() < static_cast<std::size_t>(capacity)) scratch_.resize(static_cast<std::size_t>(capacity));
  const auto compressed =
      codec_->Compress(input_bytes, input, capacity, reinterpret_cast<std::uint8_t*>(scratch_.data()));
  // What does not shrink is kept as it was, and so is what the library cannot compress.
  const bool original = !compressed.ok() || *compressed >= input_bytes;
  const std::string_view content =
      original ? bytes : std::string_view(scratch_).substr(0, static_cast<std::size_t>(*compressed));
  std::string chunk;
  chunk.reserve(3 + content.size());
  AppendHeader(content.size(), original, chunk);
  chunk += content;
  return chunk;
}

void OrcStreamWriter::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (open_.size() == compressor_->block_bytes()) EndChunk();
    const std::size_t taken = std::min(bytes.size(), compressor_->block_bytes() - open_.size());
    open_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
  }
}

void OrcStreamWriter::EndChunk() {
  if (open_.empty()) return;
  done_.chunks.push_back(compressor_->Compress(open_));
  done_.byte_count += static_cast<std::int64_t>(done_.chunks.back().size());
  open_.clear();
}

void OrcStreamWriter::AddPosition(OrcPositions& positions) const {
  const auto done_bytes = static_cast<std::uint64_t>(done_.byte_count);
  if (compressor_->is_none()) {
    positions.push_back(done_bytes + open_.size());
  } else {
    positions.push_back(done_bytes);
    positions.push_back(open_.size());
  }
}

std::int64_t OrcStreamWriter::encoded_bytes() const {
  const auto open_bytes = static_cast<std::int64_t>(open_.size());
  return done_.byte_count + (compressor_->is_none() ? open_bytes : open_bytes / 2);
}

OrcStreamBytes OrcStreamWriter::Finish() {
  EndChunk();
  return std::exchange(done_, {});
}

}  // namespace braid
