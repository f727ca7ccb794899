#include "format/avro_codec.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace braid {
namespace {

constexpr std::array<std::string_view, 4> kCodecNames = {"null", "deflate", "snappy", "zstandard"};

// Java's blocks are about 64 KB; whatever is larger than this is no block but an attack or damage.
constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 30;
constexpr std::size_t kFirstBufferBytes = std::size_t{256} << 10;
// A buffer that one odd block made larger than this is given back with the next block.
constexpr std::size_t kKeptBufferBytes = std::size_t{4} << 20;
// No snappy element yields more than 64 bytes from at least 3, save literals, which yield fewer than they take.
constexpr std::size_t kMaxSnappyRatio = 32;
constexpr std::size_t kSnappyChecksumBytes = 4;

Error BlockError(AvroCodec codec, std::string_view what) {
  return {ErrorCode::kCorruption, fmt::format("a block cannot be decompressed ({}): {}", AvroCodecName(codec), what)};
}

/// Grows without keeping or clearing what it held.
class Buffer {
 public:
  char* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  void EnsureSize(std::size_t size) {
    if (size_ >= size) return;
    data_.reset();
    data_ = std::make_unique_for_overwrite<char[]>(size);
    size_ = size;
  }
  /// Doubles, keeping the first `used` bytes.
  void Grow(std::size_t used) {
    const std::size_t size = std::min(size_ * 2, kMaxBlockBytes);
    auto data = std::make_unique_for_overwrite<char[]>(size);
    std::copy_n(data_.get(), used, data.get());
    data_ = std::move(data);
    size_ = size;
  }
  void StartBlock() {
    ReleaseLong();
    EnsureSize(kFirstBufferBytes);
  }
  void ReleaseLong() {
    if (size_ <= kKeptBufferBytes) return;
    data_.reset();
    size_ = 0;
  }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
};

std::uint32_t Checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Bytef* ZlibInput(std::string_view bytes) {
  // zlib's input pointer is not const unless asked at compile time; it never writes there.
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

}  // namespace

std::string_view AvroCodecName(AvroCodec codec) {
  return kCodecNames[static_cast<std::size_t>(codec)];
}

Result<AvroCodec> ParseAvroCodec(std::string_view name) {
  for (std::size_t i = 0; i < kCodecNames.size(); ++i) {
    if (kCodecNames[i] == name) return static_cast<AvroCodec>(i);
  }
  if (name == "bzip2" || name == "xz") {
    return Error(ErrorCode::kUnsupported, fmt::format("Avro files compressed with {} are not supported", name))
        .Hint("null, deflate, snappy and zstandard are");
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("there is no Avro codec \"{}\"", name))
      .Hint("codecs are null, deflate, snappy and zstandard");
}

struct AvroDecompressor::State {
  ~State() {
    ZSTD_freeDCtx(zstd);
    if (inflater) inflateEnd(&*inflater);
  }

  Result<std::string_view> Zstandard(std::string_view block);
  Result<std::string_view> Deflate(std::string_view block);
  Result<std::string_view> Snappy(std::string_view block);

  Buffer buffer;
  ZSTD_DCtx* zstd = nullptr;
  std::optional<z_stream> inflater;
};

AvroDecompressor::AvroDecompressor() : state_(std::make_unique<State>()) {}
AvroDecompressor::~AvroDecompressor() = default;
AvroDecompressor::AvroDecompressor(AvroDecompressor&&) noexcept = default;
AvroDecompressor& AvroDecompressor::operator=(AvroDecompressor&&) noexcept = default;

Result<std::string_view> AvroDecompressor::Decompress(AvroCodec codec, std::string_view block) {
  if (codec == AvroCodec::kNull) return block;
  state_->buffer.StartBlock();
  switch (codec) {
    case AvroCodec::kZstandard: return state_->Zstandard(block);
    case AvroCodec::kDeflate: return state_->Deflate(block);
    default: return state_->Snappy(block);
  }
}

void AvroDecompressor::ReleaseLongBlock() {
  state_->buffer.ReleaseLong();
}

Result<std::string_view> AvroDecompressor::State::Zstandard(std::string_view block) {
  if (zstd == nullptr) zstd = ZSTD_createDCtx();
  if (zstd == nullptr) return Error(ErrorCode::kInternal, "zstd cannot make a decompression context");
  // Java's frames do not say how much they hold, so try, and grow only when a frame has truly filled the buffer.
  while (true) {
    const std::size_t size = ZSTD_decompressDCtx(zstd, buffer.data(), buffer.size(), block.data(), block.size());
    if (!ZSTD_isError(size)) return std::string_view(buffer.data(), size);
    if (ZSTD_getErrorCode(size) != ZSTD_error_dstSize_tooSmall || buffer.size() >= kMaxBlockBytes) {
      return BlockError(AvroCodec::kZstandard, ZSTD_getErrorName(size));
    }
    buffer.EnsureSize(std::min(buffer.size() * 4, kMaxBlockBytes));
  }
}

Result<std::string_view> AvroDecompressor::State::Deflate(std::string_view block) {
  constexpr int kRawDeflate = -15;  // Avro's blocks have neither zlib's nor gzip's frame
  if (!inflater) {
    inflater.emplace();
    if (inflateInit2(&*inflater, kRawDeflate) != Z_OK) {
      inflater.reset();
      return Error(ErrorCode::kInternal, "zlib cannot make a decompression context");
    }
  } else {
    inflateReset(&*inflater);
  }
  if (block.size() > kMaxBlockBytes) return BlockError(AvroCodec::kDeflate, "it is too large");
  inflater->next_in = ZlibInput(block);
  inflater->avail_in = static_cast<uInt>(block.size());
  std::size_t used = 0;
  while (true) {
    inflater->next_out = reinterpret_cast<Bytef*>(buffer.data() + used);
    inflater->avail_out = static_cast<uInt>(buffer.size() - used);
    const int outcome = inflate(&*inflater, Z_FINISH);
    used = buffer.size() - inflater->avail_out;
    if (outcome == Z_STREAM_END) return std::string_view(buffer.data(), used);
    if (outcome != Z_OK && outcome != Z_BUF_ERROR) return BlockError(AvroCodec::kDeflate, "its bytes are damaged");
    if (inflater->avail_out != 0) return BlockError(AvroCodec::kDeflate, "it ends early");
    if (buffer.size() >= kMaxBlockBytes) return BlockError(AvroCodec::kDeflate, "it holds more than 1 GiB");
    buffer.Grow(used);
  }
}

Result<std::string_view> AvroDecompressor::State::Snappy(std::string_view block) {
  std::size_t size = 0;
  if (block.size() < kSnappyChecksumBytes) return BlockError(AvroCodec::kSnappy, "it has no checksum");
  const std::string_view compressed = block.substr(0, block.size() - kSnappyChecksumBytes);
  if (!snappy::GetUncompressedLength(compressed.data(), compressed.size(), &size) || size > kMaxBlockBytes ||
      size > compressed.size() * kMaxSnappyRatio) {
    return BlockError(AvroCodec::kSnappy, "its length is wrong");
  }
  buffer.EnsureSize(size);
  if (!snappy::RawUncompress(compressed.data(), compressed.size(), buffer.data())) {
    return BlockError(AvroCodec::kSnappy, "its bytes are damaged");
  }
  const std::string_view records(buffer.data(), size);
  std::uint32_t expected = 0;
  for (const char byte : block.substr(compressed.size())) expected = expected << 8 | static_cast<unsigned char>(byte);
  if (Checksum(records) != expected) return BlockError(AvroCodec::kSnappy, "its checksum is wrong");
  return records;
}

struct AvroCompressor::State {
  ~State() { ZSTD_freeCCtx(zstd); }

  ZSTD_CCtx* zstd = nullptr;
};

AvroCompressor::AvroCompressor() : state_(std::make_unique<State>()) {}
AvroCompressor::~AvroCompressor() = default;
AvroCompressor::AvroCompressor(AvroCompressor&&) noexcept = default;
AvroCompressor& AvroCompressor::operator=(AvroCompressor&&) noexcept = default;

namespace {

Status CompressDeflate(std::string_view records, std::string& out) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error(ErrorCode::kInternal, "zlib cannot make a compression context");
  }
  const std::size_t start = out.size();
  out.resize(start + deflateBound(&stream, records.size()));
  stream.next_in = ZlibInput(records);
  stream.avail_in = static_cast<uInt>(records.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data() + start);
  stream.avail_out = static_cast<uInt>(out.size() - start);
  const int outcome = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  if (outcome != Z_STREAM_END) return Error(ErrorCode::kInternal, "zlib cannot compress a block");
  return Ok();
}

void CompressSnappy(std::string_view records, std::string& out) {
  const std::size_t start = out.size();
  out.resize(start + snappy::MaxCompressedLength(records.size()));
  std::size_t size = 0;
  snappy::RawCompress(records.data(), records.size(), out.data() + start, &size);
  out.resize(start + size);
  const std::uint32_t checksum = Checksum(records);
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(checksum >> shift & 0xff));
}

}  // namespace

Status AvroCompressor::Compress(AvroCodec codec, int zstd_level, std::string_view records, std::string& out) {
  switch (codec) {
    case AvroCodec::kNull: out.append(records); return Ok();
    case AvroCodec::kDeflate: return CompressDeflate(records, out);
    case AvroCodec::kSnappy: CompressSnappy(records, out); return Ok();
    case AvroCodec::kZstandard: break;
  }
  if (state_->zstd == nullptr) state_->zstd = ZSTD_createCCtx();
  if (state_->zstd == nullptr) return Error(ErrorCode::kInternal, "zstd cannot make a compression context");
  const std::size_t start = out.size();
  out.resize(start + ZSTD_compressBound(records.size()));
  const std::size_t size = ZSTD_compressCCtx(state_->zstd, out.data() + start, out.size() - start, records.data(),
                                             records.size(), zstd_level);
  if (ZSTD_isError(size)) {
    return Error(ErrorCode::kInternal, fmt::format("zstd cannot compress a block: {}", ZSTD_getErrorName(size)));
  }
  out.resize(start + size);
  return Ok();
}

}  // namespace braid
