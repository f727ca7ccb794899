#pragma once

// Code points of UTF-8 text. Texts are valid, as every text that DuckDB holds.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace braid {

inline bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Bytes of the code point that starts with this byte.
inline std::size_t CodePointSize(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

inline std::int64_t CountCodePoints(std::string_view text) {
  std::int64_t count = 0;
  for (const char c : text) count += IsContinuation(c) ? 0 : 1;
  return count;
}

/// Byte position of a code point, from 0 on; the text's size if there are fewer.
inline std::size_t OffsetOfCodePoint(std::string_view text, std::int64_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += CodePointSize(text[at]);
  return at < text.size() ? at : text.size();
}

/// The code point that starts at this byte.
inline std::uint32_t CodePointAt(std::string_view text, std::size_t at) {
  const std::size_t size = CodePointSize(text[at]);
  const auto first = static_cast<unsigned char>(text[at]);
  if (size == 1) return first;
  std::uint32_t value = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size && at + i < text.size(); ++i)
    value = (value << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return value;
}

inline void AppendCodePoint(std::uint32_t value, std::string& out) {
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0U | (value >> 6));
    out += static_cast<char>(0x80U | (value & 0x3FU));
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0U | (value >> 12));
    out += static_cast<char>(0x80U | ((value >> 6) & 0x3FU));
    out += static_cast<char>(0x80U | (value & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | (value >> 18));
    out += static_cast<char>(0x80U | ((value >> 12) & 0x3FU));
    out += static_cast<char>(0x80U | ((value >> 6) & 0x3FU));
    out += static_cast<char>(0x80U | (value & 0x3FU));
  }
}

}  // namespace braid
