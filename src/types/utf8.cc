#include "types/utf8.h"

#include <cstddef>
#include <cstdlib>

namespace braid {

namespace {

/// Bytes of the UTF-8 sequence at the start of the text: its length if it is whole, else minus the number of bytes that
/// Java's decoder replaces by one U+FFFD.
int SequenceLength(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  int length = 0;
  unsigned least = 0x80;  // bounds of the second byte: no surrogates, nothing overlong, nothing beyond U+10FFFF
  unsigned most = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) least = 0xA0;
    if (lead == 0xED) most = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) least = 0x90;
    if (lead == 0xF4) most = 0x8F;
  } else {
    return -1;
  }
  for (int i = 1; i < length; ++i) {
    const unsigned next = byte(static_cast<std::size_t>(i));
    if (next < least || next > most) return -i;
    least = 0x80;
    most = 0xBF;
  }
  return length;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const int length = SequenceLength(text);
    if (length < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return true;
}

std::string RepairUtf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const int length = SequenceLength(text);
    const std::size_t consumed = static_cast<std::size_t>(std::abs(length));
    if (length > 0) {
      out += text.substr(0, consumed);
    } else {
      out += "\xEF\xBF\xBD";
    }
    text.remove_prefix(consumed);
  }
  return out;
}

}  // namespace braid
