#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "cli/result_printer.h"

namespace braid {

namespace {

using Range = std::pair<char32_t, char32_t>;

// Wide and full-width blocks of Unicode's EastAsianWidth.txt, ascending.
constexpr std::array<Range, 19> kWide = {{{0x1100, 0x115F},
                                          {0x231A, 0x231B},
                                          {0x2329, 0x232A},
                                          {0x23E9, 0x23EC},
                                          {0x25FD, 0x25FE},
                                          {0x2614, 0x2615},
                                          {0x2648, 0x2653},
                                          {0x26AA, 0x26AB},
                                          {0x2705, 0x2705},
                                          {0x274C, 0x274C},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0x33FF},
                                          {0x3400, 0x4DBF},
                                          {0x4E00, 0xA4CF},
                                          {0xA960, 0xA97C},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF01, 0xFF60}}};
constexpr std::array<Range, 4> kWideBeyond = {
    {{0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 5> kCombining = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};

template <typename Ranges>
bool IsIn(const Ranges& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& range) { return range.first <= c && c <= range.second; });
}

std::size_t WidthOf(char32_t c) {
  if (c < 0x300) return 1;
  if (IsIn(kCombining, c)) return 0;
  return IsIn(kWide, c) || IsIn(kWideBeyond, c) ? 2 : 1;
}

// The character at a place and the bytes that it has; a broken byte stands for itself.
std::pair<char32_t, std::size_t> CharacterAt(std::string_view text, std::size_t at) {
  const auto first = static_cast<std::uint8_t>(text[at]);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  if (length == 1 || at + length > text.size()) return {first, 1};
  auto c = static_cast<char32_t>(first & (0x7F >> length));
  for (std::size_t i = 1; i < length; ++i) c = (c << 6) | (static_cast<std::uint8_t>(text[at + i]) & 0x3F);
  return {c, length};
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto [c, length] = CharacterAt(text, at);
    width += WidthOf(c);
    at += length;
  }
  return width;
}

std::string FitDisplayWidth(std::string_view text, std::size_t width) {
  // Of a long text no more is looked at than is shown.
  std::size_t taken = 0;
  std::size_t cut = 0;  // behind what three dots fit
  for (std::size_t at = 0; at < text.size();) {
    const auto [c, length] = CharacterAt(text, at);
    taken += WidthOf(c);
    if (taken > width) return width < 3 ? std::string(width, '.') : std::string(text.substr(0, cut)) + "...";
    at += length;
    if (taken + 3 <= width) cut = at;
  }
  return std::string(text);
}

}  // namespace braid
