#include "format/orc_proto.h"

#include <bit>

namespace braid {
namespace {

// Wire types.
constexpr unsigned kVarint = 0;
constexpr unsigned kFixed64 = 1;
constexpr unsigned kLengthDelimited = 2;
constexpr unsigned kFixed32 = 5;

}  // namespace

void AppendVarint(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void OrcMessageWriter::AddTag(unsigned field, unsigned wire_type) {
  AppendVarint((field << 3) | wire_type, bytes_);
}

void OrcMessageWriter::AddNumber(unsigned field, std::uint64_t value) {
  AddTag(field, kVarint);
  AppendVarint(value, bytes_);
}

void OrcMessageWriter::AddSigned(unsigned field, std::int64_t value) {
  AddNumber(field, ZigZagEncode(value));
}

void OrcMessageWriter::AddDouble(unsigned field, double value) {
  AddTag(field, kFixed64);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(bits >> (8 * byte));
}

void OrcMessageWriter::AddBytes(unsigned field, std::string_view bytes) {
  AddTag(field, kLengthDelimited);
  AppendVarint(bytes.size(), bytes_);
  bytes_ += bytes;
}

void OrcMessageWriter::AddPacked(unsigned field, std::span<const std::uint64_t> values) {
  std::string packed;
  for (const std::uint64_t value : values) AppendVarint(value, packed);
  AddBytes(field, packed);
}

std::optional<OrcMessageReader::Field> OrcMessageReader::Next() {
  if (rest_.empty() || broken_) return std::nullopt;
  const std::uint64_t tag = Varint();
  Field field{.number = tag >> 3, .value = 0, .bytes = {}};
  switch (tag & 7) {
    case kVarint: field.value = Varint(); break;
    case kFixed64: field.bytes = Take(8); break;
    case kLengthDelimited: field.bytes = Take(Varint()); break;
    case kFixed32: field.bytes = Take(4); break;
    default: broken_ = true;
  }
  if (broken_) return std::nullopt;
  return field;
}

std::uint64_t OrcMessageReader::Varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  broken_ = true;
  return 0;
}

std::string_view OrcMessageReader::Take(std::uint64_t count) {
  if (count > rest_.size()) {
    broken_ = true;
    return {};
  }
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return bytes;
}

}  // namespace braid
