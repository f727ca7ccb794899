#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braid {

// For texts to which values of many megabytes may be appended.

/// Makes room for a value of so many bytes that is appended next, if it is long, and for a little that follows: so the
/// text does not grow to twice the value, and is not copied for it.
void ReserveForLong(std::size_t bytes, std::string& text);

/// Empties a text and gives its memory back, which assigning an empty one does not.
inline void Release(std::string& text) {
  std::string().swap(text);
}

/// Appends what stands between the quotes of a JSON string (AppendJsonString), which can be done piece by piece.
void AppendJsonCharacters(std::string_view text, std::string& out);

/// Appends the bytes as ToHex gives them.
void AppendHex(std::string_view bytes, std::string& text);

}  // namespace braid
