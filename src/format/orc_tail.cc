#include "format/orc_tail.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "format/orc_proto.h"
#include "format/orc_stream_reader.h"

namespace braid {
namespace {

/// What a file of 100 GB with small stripes needs, far from what a damaged length could ask for.
constexpr std::int64_t kMaxTailBytes = std::int64_t{1} << 28;

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

/// The bytes of all texts or byte strings of a column: a number of its statistics, two levels down.
std::int64_t ParseTextBytes(OrcMessageReader statistics) {
  constexpr std::uint64_t kTexts = 4;
  constexpr std::uint64_t kByteStrings = 8;
  std::int64_t bytes = 0;
  while (const auto field = statistics.Next()) {
    if (field->number != kTexts && field->number != kByteStrings) continue;
    const std::uint64_t sum = field->number == kTexts ? 3 : 1;
    OrcMessageReader values(field->bytes);
    while (const auto value = values.Next()) {
      if (value->number == sum) bytes = ZigZagDecode(value->value);
    }
  }
  return bytes;
}

bool IsWithin(const OrcTail::Stripe& stripe, std::int64_t size) {
  for (const std::int64_t part : {stripe.offset, stripe.index_bytes, stripe.data_bytes, stripe.footer_bytes}) {
    if (part < 0 || part > size) return false;
    size -= part;
  }
  return true;
}

/// What the footer says of stripes leads the reader through the file. Counts their rows.
Status CheckStripes(OrcTail& tail, std::int64_t size, std::string_view path) {
  for (const OrcTail::Stripe& stripe : tail.stripes) {
    if (!IsWithin(stripe, size)) return Damaged(path, "a stripe lies outside of it");
    if (stripe.row_count < 0 || __builtin_add_overflow(tail.row_count, stripe.row_count, &tail.row_count)) {
      return Damaged(path, "a stripe has an impossible number of rows");
    }
  }
  return Ok();
}

Status ParseFooter(std::string_view bytes, OrcTail& tail, std::string_view path) {
  OrcMessageReader message(bytes);
  while (const auto field = message.Next()) {
    if (field->number == 3) tail.stripes.push_back(ParseStripe(OrcMessageReader(field->bytes)));
    if (field->number == 4) {
      std::optional<OrcType> type = DecodeOrcType(field->bytes);
      if (!type) return Damaged(path, "its schema cannot be read");
      tail.types.push_back(*std::move(type));
    }
    if (field->number == 7) tail.text_bytes.push_back(ParseTextBytes(OrcMessageReader(field->bytes)));
  }
  if (message.broken()) return Damaged(path, "its footer cannot be read");
  tail.text_bytes.resize(tail.types.size());
  return Ok();
}

/// What the footer of a stripe says leads the reader through the stripe.
Status CheckStripeFooter(const OrcStripeFooter& footer, bool is_encrypted, const OrcTail& tail,
                         const OrcTail::Stripe& stripe, std::string_view path) {
  constexpr auto kLastEncoding = static_cast<std::uint64_t>(OrcEncoding::kDictionaryV2);
  std::int64_t bytes_left = stripe.index_bytes + stripe.data_bytes;
  for (const OrcStripeFooter::Stream& stream : footer.streams) {
    if (stream.bytes < 0 || stream.bytes > bytes_left) return Damaged(path, "streams are longer than their stripe");
    if (stream.column >= tail.types.size()) return Damaged(path, "a stream belongs to no column");
    bytes_left -= stream.bytes;
  }
  // Encrypted columns have their encodings elsewhere.
  const bool complete = footer.encodings.size() == tail.types.size() || is_encrypted;
  if (!complete || std::ranges::any_of(footer.encodings, [](std::uint64_t kind) { return kind > kLastEncoding; }))
    return Damaged(path, "a stripe does not tell how its columns are encoded");
  return Ok();
}

}  // namespace

const OrcStripeFooter::Stream* OrcStripeFooter::Find(std::uint32_t column, OrcStreamKind kind) const {
  const auto found = std::ranges::find_if(streams, [&](const Stream& stream) {
    return stream.column == column && stream.kind == static_cast<std::uint64_t>(kind);
  });
  return found == streams.end() ? nullptr : &*found;
}

Result<std::string> ReadOrcBytes(const InputFile& file, const OrcTail& tail, std::int64_t offset,
                                 std::int64_t byte_count, std::string_view path) {
  BRAID_TRY_ASSIGN(std::string bytes, ReadRange(file, offset, byte_count, path));
  if (tail.decompressor == nullptr) return bytes;
  OrcStreamReader stream(std::move(bytes), tail.decompressor);
  std::string result;
  while (true) {
    const std::string_view block = stream.Peek(1);
    if (block.empty()) break;
    result += block;
    stream.Consume(block.size());
    if (std::ssize(result) > kMaxTailBytes) return Damaged(path, "a footer of it is too long");
  }
  if (stream.is_damaged()) return stream.Failure(path, {});
  return result;
}

Result<OrcTail> ReadOrcTail(const InputFile& file, std::string_view path) {
  const std::int64_t size = file.size_bytes();
  if (size < 4) return Damaged(path, "it is too short for an ORC file");
  BRAID_TRY_ASSIGN(const std::string last, ReadRange(file, size - 1, 1, path));
  const std::int64_t postscript_bytes = static_cast<unsigned char>(last[0]);
  BRAID_TRY_ASSIGN(const std::string postscript, ReadRange(file, size - 1 - postscript_bytes, postscript_bytes, path));

  OrcTail tail;
  std::int64_t footer_bytes = -1;
  std::uint64_t compression = 0;
  std::int64_t block_bytes = 0;
  OrcMessageReader message(postscript);
  while (const auto field = message.Next()) {
    if (field->number == 1) footer_bytes = static_cast<std::int64_t>(field->value);
    if (field->number == 2) compression = field->value;
    if (field->number == 3) block_bytes = static_cast<std::int64_t>(field->value);
  }
  if (message.broken() || footer_bytes < 0 || footer_bytes > kMaxTailBytes || block_bytes < 0 ||
      block_bytes > kMaxOrcBlockBytes) {
    return Damaged(path, "its postscript cannot be read");
  }
  BRAID_TRY_ASSIGN(tail.decompressor, OrcDecompressor::Make(compression, block_bytes, path));
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
      std::uint64_t dictionary_size = 0;
      while (const auto part = child.Next()) {
        if (part->number == 1) encoding = part->value;
        if (part->number == 2) dictionary_size = part->value;
      }
      footer.encodings.push_back(encoding);
      footer.dictionary_sizes.push_back(dictionary_size);
    }
  }
  if (message.broken()) return Damaged(path, "the footer of a stripe cannot be read");
  BRAID_TRY(CheckStripeFooter(footer, is_encrypted, tail, stripe, path));
  return footer;
}

}  // namespace braid
