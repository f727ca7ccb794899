#include "format/orc_codec.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <arrow/result.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>
#include <zstd.h>

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
    CodecName{"LZO", 3, arrow::Compression::LZO},
    CodecName{"LZ4", 4, arrow::Compression::LZ4},
    CodecName{"ZSTD", 5, arrow::Compression::ZSTD},
};

/// As Java where `orc.compression.strategy` is SPEED, its default.
constexpr int kZlibLevel = 2;

arrow::Result<std::unique_ptr<arrow::util::Codec>> MakeCodec(arrow::Compression::type type, int zstd_level) {
  if (type == arrow::Compression::UNCOMPRESSED) return nullptr;
  if (type == arrow::Compression::GZIP) {
    arrow::util::GZipCodecOptions raw_deflate;
    raw_deflate.compression_level = kZlibLevel;
    raw_deflate.gzip_format = arrow::util::GZipFormat::DEFLATE;
    return arrow::util::Codec::Create(type, raw_deflate);
  }
  if (type == arrow::Compression::ZSTD) return arrow::util::Codec::Create(type, zstd_level);
  return arrow::util::Codec::Create(type);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

void OrcChunkHeader::Append(std::string& out) const {
  const std::size_t header = (chunk_bytes << 1) | (is_original ? 1 : 0);
  for (unsigned shift = 0; shift < 24; shift += 8) out += static_cast<char>(header >> shift);
}

OrcChunkHeader OrcChunkHeader::Parse(std::string_view bytes) {
  const auto byte = [&bytes](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
  };
  const std::uint32_t header = byte(0) | (byte(1) << 8) | (byte(2) << 16);
  return {.chunk_bytes = header >> 1, .is_original = (header & 1) != 0};
}

OrcCompressor::OrcCompressor(std::uint64_t kind, std::size_t block_bytes, std::unique_ptr<arrow::util::Codec> codec)
    : kind_(kind), block_bytes_(block_bytes), codec_(std::move(codec)) {}
OrcCompressor::OrcCompressor(OrcCompressor&&) noexcept = default;
OrcCompressor::~OrcCompressor() = default;

Result<OrcCompressor> OrcCompressor::Make(std::string_view name, int level, std::int64_t block_bytes) {
  const auto* found =
      std::ranges::find(kCodecNames, Lower(name), [](const CodecName& codec) { return Lower(codec.name); });
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
  chunk.reserve(OrcChunkHeader::kBytes + content.size());
  OrcChunkHeader{.chunk_bytes = content.size(), .is_original = original}.Append(chunk);
  chunk += content;
  return chunk;
}

/// One of the two.
struct OrcDecompressor::Contexts {
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> zstd{nullptr, &ZSTD_freeDCtx};
  std::unique_ptr<arrow::util::Codec> codec;
};

OrcDecompressor::OrcDecompressor(std::size_t block_bytes, std::unique_ptr<Contexts> contexts)
    : block_bytes_(block_bytes), contexts_(std::move(contexts)) {}
OrcDecompressor::~OrcDecompressor() = default;

Result<std::shared_ptr<OrcDecompressor>> OrcDecompressor::Make(std::uint64_t kind, std::int64_t block_bytes,
                                                               std::string_view path) {
  if (kind == 0) return std::shared_ptr<OrcDecompressor>();
  const auto* found = std::ranges::find(kCodecNames, kind, &CodecName::kind);
  auto contexts = std::make_unique<Contexts>();
  if (found != kCodecNames.end() && found->type == arrow::Compression::ZSTD) {
    contexts->zstd.reset(ZSTD_createDCtx());
    if (contexts->zstd == nullptr) return Error(ErrorCode::kUnavailable, "out of memory for decompression");
  } else {
    auto codec = found == kCodecNames.end() ? arrow::Status::NotImplemented("") : MakeCodec(found->type, 0);
    if (!codec.ok()) {
      return Error(ErrorCode::kUnsupported,
                   fmt::format("{} is compressed with {}, which cannot be read", path,
                               found == kCodecNames.end() ? "an unknown codec" : Lower(found->name)))
          .Hint("rewrite the file with another compression, such as zstd");
    }
    contexts->codec = std::move(codec).ValueUnsafe();
  }
  return std::shared_ptr<OrcDecompressor>(
      new OrcDecompressor(static_cast<std::size_t>(block_bytes), std::move(contexts)));
}

std::optional<std::string_view> OrcDecompressor::Decompress(std::string_view chunk) {
  if (block_ == nullptr) block_ = std::make_unique_for_overwrite<char[]>(block_bytes_);
  if (contexts_->zstd != nullptr) {
    const std::size_t size =
        ZSTD_decompressDCtx(contexts_->zstd.get(), block_.get(), block_bytes_, chunk.data(), chunk.size());
    if (ZSTD_isError(size) != 0) return std::nullopt;
    return std::string_view(block_.get(), size);
  }
  const auto written = contexts_->codec->Decompress(
      static_cast<std::int64_t>(chunk.size()), reinterpret_cast<const std::uint8_t*>(chunk.data()),
      static_cast<std::int64_t>(block_bytes_), reinterpret_cast<std::uint8_t*>(block_.get()));
  if (!written.ok()) return std::nullopt;
  return std::string_view(block_.get(), static_cast<std::size_t>(*written));
}

}  // namespace braid
