#include "syntax/source.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid::syntax {
namespace {

// Longest piece of a source line that an error shows, in bytes.
constexpr std::size_t kShownBytes = 100;

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::size_t CountCharacters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

// Moves an index back to the first byte of its character.
std::size_t CharacterStart(std::string_view text, std::size_t index) {
  while (index > 0 && index < text.size() && IsContinuation(text[index])) --index;
  return index;
}

// The line that holds the offset, as [begin, end).
std::pair<std::size_t, std::size_t> LineAround(std::string_view source, std::size_t offset) {
  const std::size_t before = offset == 0 ? std::string_view::npos : source.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::size_t end = std::min(source.find('\n', offset), source.size());
  if (end > begin && source[end - 1] == '\r') --end;
  return {begin, end};
}

// A text as a terminal can show it: a control character or a byte that is no UTF-8 as '?', a tab as a space.
std::string Shown(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    std::size_t end = i + 1;
    while (end < text.size() && end < i + length && IsContinuation(text[end])) ++end;
    const bool whole = length > 0 && end == i + length;
    const bool control =
        first < 0x20 || first == 0x7F || (first == 0xC2 && whole && static_cast<unsigned char>(text[i + 1]) < 0xA0);
    if (first == '\t') {
      shown += ' ';
    } else if (first == '\n' || (whole && !control)) {
      shown += text.substr(i, length);
    } else {
      shown += '?';
    }
    i = end;
  }
  return shown;
}

}  // namespace

LineColumn LineColumnOf(std::string_view source, Position position) {
  const std::size_t offset = std::min(position.offset, source.size());
  const std::size_t begin = LineAround(source, offset).first;
  return {.line = static_cast<std::size_t>(
                      std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(begin), '\n')) +
                  1,
          .column = CountCharacters(source.substr(begin, offset - begin)) + 1};
}

Error ErrorAt(ErrorCode code, std::string_view source, Position position, std::string_view message) {
  const std::size_t offset = std::min(position.offset, source.size());
  auto [begin, end] = LineAround(source, offset);
  const LineColumn place = LineColumnOf(source, position);
  std::string_view lead;
  std::string_view trail;
  if (end - begin > kShownBytes) {
    if (offset - begin > kShownBytes / 2) {
      begin = CharacterStart(source, offset - kShownBytes / 2);
      lead = "...";
    }
    if (end - begin > kShownBytes) {
      end = CharacterStart(source, begin + kShownBytes);
      trail = "...";
    }
  }
  const std::string line = Shown(source.substr(begin, end - begin));
  const std::size_t caret = lead.size() + CountCharacters(Shown(source.substr(begin, std::max(offset, begin) - begin)));
  return Error(code, fmt::format("{}, at line {}, column {}\n    {}{}{}\n    {:>{}}", Shown(message), place.line,
                                 place.column, lead, line, trail, '^', caret + 1));
}

Error SyntaxErrorAt(std::string_view source, Position position, std::string_view message) {
  return ErrorAt(ErrorCode::kInvalidArgument, source, position, message);
}

}  // namespace braid::syntax
