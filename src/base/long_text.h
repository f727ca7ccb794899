#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace braid {

// For texts to which values of many megabytes may be appended.

/// Makes room for a value of so many bytes that is appended next, if it is long, and for a little that follows: so the
/// text does not grow to twice the value, and is not copied for it.
void ReserveForLong(std::size_t bytes, std::string& text);

/// Appends the bytes as ToHex gives them.
void AppendHex(std::string_view bytes, std::string& text);

}  // namespace braid
