#include "base/long_text.h"

#include <fmt/format.h>

namespace braid {

void ReserveForLong(std::size_t bytes, std::string& text) {
  constexpr std::size_t kLongBytes = std::size_t{1} << 20;
  constexpr std::size_t kMore = 4096;
  if (bytes >= kLongBytes) text.reserve(text.size() + bytes + kMore);
}

void AppendJsonCharacters(std::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
}

void AppendHex(std::string_view bytes, std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  ReserveForLong(bytes.size() * 2, text);
  const std::size_t start = text.size();
  text.resize(start + bytes.size() * 2);
  char* digit = text.data() + start;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *digit++ = kDigits[byte >> 4];
    *digit++ = kDigits[byte & 15];
  }
}

}  // namespace braid
