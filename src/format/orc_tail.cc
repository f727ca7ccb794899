#include "format/orc_tail.h"

#include <algorithm>
#include <utility>

#include <arrow/result.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>

#include "format/orc_proto.h"

namespace braid {
namespace {

/// What a file of 100 GB with small stripes needs, far from what a damaged length could ask for.
constexpr std::int64_t kMaxTailBytes = std::int64_t{1} << 28;
constexpr std::int64_t kMaxBlockBytes = std::int64_t{1} << 23;  // three bytes hold a chunk's length

Error Damaged(std::string_view path, std::string_view what) {
  return Error(ErrorCode::kCorruption, fmt::format("{} is damaged: {}", path, what));
}

Result<std::string> ReadRange(const InputFile& file, std::int64_t offset, std::int64_t byte_count,
                              std::string_view path) {
  if (offset < 0 || byte_count < 0 || offset > file.size_bytes() || byte_count > file.size_bytes() - offset) {
    return Damaged(path, "it points beyond its end");
  }
  std::string bytes(static_cast<std::size_t>(byte_count), '\0');
  BRAID_TRY(file.ReadAt(offset, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

/// Fills the start of `block`; the number of bytes filled.
Result<std::size_t> DecompressChunk(arrow::util::Codec& codec, std::string_view chunk, std::string& block,
                                    std::string_view path) {
  const auto input_bytes = static_cast<std::int64_t>(chunk.size());
  const auto* input = reinterpret_cast<const std::uint8_t*>(chunk.data());
  const auto capacity = static_cast<std::int64_t>(block.size());
  auto* output = reinterpret_cast<std::uint8_t*>(block.data());
  if (codec.compression_type() == arrow::Compression::ZSTD) {
    // In one step Arrow wants to know the size beforehand.
    const auto stream = codec.MakeDecompressor();
    if (!stream.ok()) return Damaged(path, "a compressed chunk cannot be read");
    const auto done = (*stream)->Decompress(input_bytes, input, capacity, output);
    if (!done.ok() || done->bytes_read != input_bytes) return Damaged(path, "a compressed chunk cannot be read");
    return static_cast<std::size_t>(done->bytes_written);
  }
  const auto written = codec.Decompress(input_bytes, input, capacity, output);
  if (!written.ok()) return Damaged(path, "a compressed chunk cannot be read");
  return static_cast<std::size_t>(*written);
}

Result<std::string> Decompress(const OrcTail& tail, std::string_view bytes, std::string_view path) {
  if (tail.codec == nullptr) return std::string(bytes);
  std::string result;
  std::string block(static_cast<std::size_t>(tail.block_bytes), '\0');
  while (!bytes.empty()) {
    if (bytes.size() < 3) return Damaged(path, "a compressed chunk breaks off");
    const auto byte = [&bytes](std::size_t i) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
    };
    const std::uint32_t header = byte(0) | (byte(1) << 8) | (byte(2) << 16);
    const std::size_t size = header >> 1;
    if (size > bytes.size() - 3) return Damaged(path, "a compressed chunk breaks off");
    const std::string_view chunk = bytes.substr(3, size);
    if ((header & 1) != 0) {
      result += chunk;
    } else {
      BRAID_TRY_ASSIGN(const std::size_t written, DecompressChunk(*tail.codec, chunk, block, path));
      result.append(block, 0, written);
    }
    bytes.remove_prefix(3 + size);
  }
  return result;
}

Result<std::shared_ptr<arrow::util::Codec>> MakeCodec(std::uint64_t kind, std::string_view path) {
  arrow::Result<std::unique_ptr<arrow::util::Codec>> codec = arrow::Status::NotImplemented("");
  switch (kind) {
    case 0: return std::shared_ptr<arrow::util::Codec>();
    case 1: {
      arrow::util::GZipCodecOptions raw_deflate;
      raw_deflate.gzip_format = arrow::util::GZipFormat::DEFLATE;
      codec = arrow::util::Codec::Create(arrow::Compression::GZIP, raw_deflate);
      break;
    }
    case 2: codec = arrow::util::Codec::Create(arrow::Compression::SNAPPY); break;
    case 4: codec = arrow::util::Codec::Create(arrow::Compression::LZ4); break;
    case 5: codec = arrow::util::Codec::Create(arrow::Compression::ZSTD); break;
    default: break;
  }
  if (codec.ok()) return std::shared_ptr<arrow::util::Codec>(std::move(codec).ValueUnsafe());
  return Error(ErrorCode::kUnsupported, fmt::format("{} is compressed with {}, which cannot be read", path,
                                                    kind == 3 ? "lzo" : "an unknown codec"))
      .Hint("rewrite the file with another compression, such as zstd");
}

OrcTail::Stripe ParseStripe(OrcMessageReader message) {
  OrcTail::Stripe stripe;
  while (const auto field = message.Next()) {
    const auto value = static_cast<std::int64_t>(field->value);
    switch (field->number) {
      case 1: stripe.offset = value; break;
      case 2: stripe.index_bytes = value; break;
      case 3: stripe.data_bytes = value; break;
      case 4: stripe.footer_bytes = value; break;
      case 5: stripe.row_count = value; break;
      default: break;
    }
  }
  return stripe;
}

/// Column ids of the children of the root, the first type in the footer.
std::vector<std::uint32_t> ParseRootType(OrcMessageReader message) {
  std::vector<std::uint32_t> columns;
  while (const auto field = message.Next()) {
    if (field->number != 2) continue;
    if (field->bytes.empty()) {
      columns.push_back(static_cast<std::uint32_t>(field->value));
      continue;
    }
    OrcMessageReader packed(field->bytes);
    while (!packed.empty() && !packed.broken()) columns.push_back(static_cast<std::uint32_t>(packed.Varint()));
  }
  return columns;
}

bool IsWithin(const OrcTail::Stripe& stripe, std::int64_t size) {
  for (const std::int64_t part : {stripe.offset, stripe.index_bytes, stripe.data_bytes, stripe.footer_bytes}) {
    if (part < 0 || part > size) return false;
    size -= part;
  }
  return true;
}

/// What the footer says of stripes leads the reader through the file.
Status CheckStripes(const OrcTail& tail, std::int64_t size, std::string_view path) {
  std::int64_t row_count = 0;
  for (const OrcTail::Stripe& stripe : tail.stripes) {
    if (!IsWithin(stripe, size)) return Damaged(path, "a stripe lies outside of it");
    if (stripe.row_count < 0 || __builtin_add_overflow(row_count, stripe.row_count, &row_count)) {
      return Damaged(path, "a stripe has an impossible number of rows");
    }
  }
  return Ok();
}

Status ParseFooter(std::string_view bytes, OrcTail& tail, std::string_view path) {
  OrcMessageReader message(bytes);
  while (const auto field = message.Next()) {
    if (field->number == 3) tail.stripes.push_back(ParseStripe(OrcMessageReader(field->bytes)));
    if (field->number == 4 && tail.column_count++ == 0)
      tail.root_columns = ParseRootType(OrcMessageReader(field->bytes));
  }
  if (message.broken()) return Damaged(path, "its footer cannot be read");
  return Ok();
}

/// What the footer of a stripe says leads the reader through the stripe.
Status CheckStripeFooter(const OrcStripeFooter& footer, bool is_encrypted, const OrcTail& tail,
                         const OrcTail::Stripe& stripe, std::string_view path) {
  constexpr std::uint64_t kLastEncoding = 3;
  std::int64_t bytes_left = stripe.index_bytes + stripe.data_bytes;
  for (const OrcStripeFooter::Stream& stream : footer.streams) {
    if (stream.bytes < 0 || stream.bytes > bytes_left) return Damaged(path, "streams are longer than their stripe");
    if (stream.column >= tail.column_count) return Damaged(path, "a stream belongs to no column");
    bytes_left -= stream.bytes;
  }
  // Encrypted columns have their encodings elsewhere.
  const bool complete = footer.encodings.size() == tail.column_count || is_encrypted;
  if (!complete || std::ranges::any_of(footer.encodings, [](std::uint64_t kind) { return kind > kLastEncoding; }))
    return Damaged(path, "a stripe does not tell how its columns are encoded");
  return Ok();
}

}  // namespace

const OrcStripeFooter::Stream* OrcStripeFooter::Find(std::uint32_t column, StreamKind kind) const {
  const auto found = std::ranges::find_if(streams, [&](const Stream& stream) {
    return stream.column == column && stream.kind == static_cast<std::uint64_t>(kind);
  });
  return found == streams.end() ? nullptr : &*found;
}

Result<std::string> ReadOrcBytes(const InputFile& file, const OrcTail& tail, std::int64_t offset,
                                 std::int64_t byte_count, std::string_view path) {
  BRAID_TRY_ASSIGN(const std::string bytes, ReadRange(file, offset, byte_count, path));
  return Decompress(tail, bytes, path);
}

Result<OrcTail> ReadOrcTail(const InputFile& file, std::string_view path) {
  const std::int64_t size = file.size_bytes();
  if (size < 4) return Damaged(path, "it is too short for an ORC file");
  BRAID_TRY_ASSIGN(const std::string last, ReadRange(file, size - 1, 1, path));
  const std::int64_t postscript_bytes = static_cast<unsigned char>(last[0]);
  BRAID_TRY_ASSIGN(const std::string postscript, ReadRange(file, size - 1 - postscript_bytes, postscript_bytes, path));

  OrcTail tail;
  std::int64_t footer_bytes = -1;
  std::uint64_t codec = 0;
  OrcMessageReader message(postscript);
  while (const auto field = message.Next()) {
    if (field->number == 1) footer_bytes = static_cast<std::int64_t>(field->value);
    if (field->number == 2) codec = field->value;
    if (field->number == 3) tail.block_bytes = static_cast<std::int64_t>(field->value);
  }
  if (message.broken() || footer_bytes < 0 || footer_bytes > kMaxTailBytes || tail.block_bytes < 0 ||
      tail.block_bytes > kMaxBlockBytes) {
    return Damaged(path, "its postscript cannot be read");
  }
  BRAID_TRY_ASSIGN(tail.codec, MakeCodec(codec, path));
  BRAID_TRY_ASSIGN(const std::string footer,
                   ReadOrcBytes(file, tail, size - 1 - postscript_bytes - footer_bytes, footer_bytes, path));
  BRAID_TRY(ParseFooter(footer, tail, path));
  BRAID_TRY(CheckStripes(tail, size, path));
  return tail;
}

Result<OrcStripeFooter> ReadOrcStripeFooter(const InputFile& file, const OrcTail& tail, const OrcTail::Stripe& stripe,
                                            std::string_view path) {
  BRAID_TRY_ASSIGN(
      const std::string bytes,
      ReadOrcBytes(file, tail, stripe.offset + stripe.index_bytes + stripe.data_bytes, stripe.footer_bytes, path));
  OrcStripeFooter footer;
  bool is_encrypted = false;
  std::int64_t offset = stripe.offset;
  OrcMessageReader message(bytes);
  while (const auto field = message.Next()) {
    if (field->number == 3) footer.writer_zone = field->bytes;
    is_encrypted |= field->number == 4;
    OrcMessageReader child(field->bytes);
    if (field->number == 1) {
      OrcStripeFooter::Stream stream;
      while (const auto part = child.Next()) {
        if (part->number == 1) stream.kind = part->value;
        if (part->number == 2) stream.column = part->value;
        if (part->number == 3) stream.bytes = static_cast<std::int64_t>(part->value);
      }
      if (stream.bytes < 0 || stream.bytes > file.size_bytes())
        return Damaged(path, "a stream is longer than the file");
      stream.offset = std::exchange(offset, offset + stream.bytes);
      footer.streams.push_back(stream);
    }
    if (field->number == 2) {
      std::uint64_t encoding = 0;
      while (const auto part = child.Next()) {
        if (part->number == 1) encoding = part->value;
      }
      footer.encodings.push_back(encoding);
    }
  }
  if (message.broken()) return Damaged(path, "the footer of a stripe cannot be read");
  BRAID_TRY(CheckStripeFooter(footer, is_encrypted, tail, stripe, path));
  return footer;
}

}  // namespace braid
