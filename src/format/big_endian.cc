#include <limits>

#include "format/big_endian_internal.h"

namespace braid {
namespace {

// Modified UTF-8 differs in two ways: U+0000 takes two bytes, and characters above U+FFFF are two surrogates of three.
constexpr std::string_view kZero = "\xC0\x80";

void AppendSurrogate(std::uint32_t surrogate, std::string& out) {
  out += static_cast<char>(0xE0 | surrogate >> 12);
  out += static_cast<char>(0x80 | (surrogate >> 6 & 0x3F));
  out += static_cast<char>(0x80 | (surrogate & 0x3F));
}

std::uint32_t Bits(char byte) { return static_cast<unsigned char>(byte) & 0x3FU; }

// The surrogate that begins at a position of modified UTF-8, of the half that begins with `first`; 0 if there is none.
std::uint32_t SurrogateAt(std::string_view text, std::size_t at, std::uint32_t first) {
  if (at + 3 > text.size() || static_cast<unsigned char>(text[at]) != 0xED) return 0;
  const std::uint32_t unit = 0xD000 | Bits(text[at + 1]) << 6 | Bits(text[at + 2]);
  return (unit & 0xFC00) == first ? unit : 0;
}

std::string FromModified(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t high = SurrogateAt(text, at, 0xD800);
    const std::uint32_t low = high == 0 ? 0 : SurrogateAt(text, at + 3, 0xDC00);
    if (low != 0) {
      const std::uint32_t character = 0x10000 + ((high & 0x3FF) << 10 | (low & 0x3FF));
      out += static_cast<char>(0xF0 | character >> 18);
      for (const int shift : {12, 6, 0}) out += static_cast<char>(0x80 | (character >> shift & 0x3F));
      at += 6;
    } else if (text.substr(at, 2) == kZero) {
      out += '\0';
      at += 2;
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace

Result<std::string> BigEndianReader::ReadText() {
  BRAID_TRY_ASSIGN(const auto length, Read<std::uint16_t>());
  BRAID_TRY_ASSIGN(const std::string_view text, Take(length));
  return FromModified(text);
}

Status AppendText(std::string_view text, std::string& out) {
  std::string modified;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == 0) {
      modified += kZero;
    } else if (byte >= 0xF0 && at + 4 <= text.size()) {
      const std::uint32_t character =
          (byte & 0x07U) << 18 | Bits(text[at + 1]) << 12 | Bits(text[at + 2]) << 6 | Bits(text[at + 3]);
      AppendSurrogate(0xD800 | ((character - 0x10000) >> 10 & 0x3FF), modified);
      AppendSurrogate(0xDC00 | (character & 0x3FF), modified);
      at += 3;
    } else {
      modified += text[at];
    }
  }
  if (modified.size() > std::numeric_limits<std::uint16_t>::max()) {
    return Error(ErrorCode::kInvalidArgument, "a column's name is too long for a file index");
  }
  AppendBigEndian(static_cast<std::uint16_t>(modified.size()), out);
  out += modified;
  return Ok();
}

}  // namespace braid
