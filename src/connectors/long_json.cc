#include "connectors/long_json.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/json.h"
#include "types/utf8.h"

namespace braid {

namespace {

constexpr std::size_t kLongTextBytes = std::size_t{1} << 20;

/// The end of a text whose first character behind the quote is at `from`: where its closing quote is.
std::size_t TextEnd(std::string_view json, std::size_t from) {
  for (std::size_t at = from; at < json.size();) {
    const auto* quote = static_cast<const char*>(std::memchr(json.data() + at, '"', json.size() - at));
    if (quote == nullptr) break;
    const auto end = static_cast<std::size_t>(quote - json.data());
    std::size_t escapes = 0;
    while (end - escapes > from && json[end - escapes - 1] == '\\') ++escapes;
    if (escapes % 2 == 0) return end;
    at = end + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<ShortenedJson> TakeLongTexts(std::span<char> object) {
  const std::string_view json(object.data(), object.size());
  ShortenedJson result;
  std::size_t copied = 0;
  std::size_t depth = 0;
  std::vector<std::string_view> names;  // of the members, with their quotes
  std::vector<std::string_view> long_names;
  bool at_value = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '{' || c == '[') {
      if (depth++ == 0 && c == '[') return std::nullopt;
    } else if (c == '}' || c == ']') {
      if (depth-- == 0) return std::nullopt;
    } else if (depth == 1 && (c == ':' || c == ',')) {
      at_value = c == ':';
    }
    if (c != '"') continue;
    const std::size_t end = TextEnd(json, i + 1);
    if (end == std::string_view::npos) return std::nullopt;
    if (depth == 1 && !at_value) {
      names.push_back(json.substr(i, end + 1 - i));
    } else if (depth == 1 && end - i > kLongTextBytes) {
      if (names.empty()) return std::nullopt;
      const Result<Json> name = ParseJson(names.back());
      if (!name) return std::nullopt;
      result.texts.push_back({name->as_string(), object.subspan(i + 1, end - i - 1)});
      long_names.push_back(names.back());
      result.object += json.substr(copied, i - copied);
      result.object += "null";
      copied = end + 1;
    }
    i = end;
  }
  if (result.texts.empty()) return std::nullopt;
  // Which one counts is for the parser to say.
  for (const std::string_view name : long_names) {
    if (std::ranges::count(names, name) > 1) return std::nullopt;
  }
  result.object += json.substr(copied);
  return result;
}

std::optional<std::string_view> UnescapeInPlace(std::span<char> escaped) {
  constexpr std::size_t kMostEscapeBytes = 12;  // of a character: a pair of surrogates
  std::size_t end = 0;
  for (std::size_t i = 0; i < escaped.size();) {
    if (static_cast<unsigned char>(escaped[i]) < 0x20) return std::nullopt;
    if (escaped[i] != '\\') {
      escaped[end++] = escaped[i++];
      continue;
    }
    const bool is_number = i + 1 < escaped.size() && escaped[i + 1] == 'u';
    std::size_t size = is_number ? 6 : 2;
    // The first of two surrogates: D800 to DBFF.
    if (is_number && i + 3 < escaped.size() && (escaped[i + 2] | 0x20) == 'd' &&
        std::string_view("89abAB").find(escaped[i + 3]) != std::string_view::npos)
      size = kMostEscapeBytes;
    const std::span<char> rest = escaped.subspan(i);
    if (rest.size() < size) return std::nullopt;
    const Result<Json> character = ParseJson('"' + std::string(rest.data(), size) + '"');
    if (!character) return std::nullopt;
    std::ranges::copy(character->as_string(), escaped.begin() + static_cast<std::ptrdiff_t>(end));
    end += character->as_string().size();
    i += size;
  }
  const std::string_view text(escaped.data(), end);
  if (!IsUtf8(text)) return std::nullopt;
  return text;
}

}  // namespace braid
