#pragma once

#include <string>
#include <string_view>

namespace braid {

/// Whether the text is whole, shortest-form UTF-8 without surrogates.
bool IsUtf8(std::string_view text);
/// The text with U+FFFD for every broken sequence, as Java decodes such bytes.
std::string RepairUtf8(std::string_view text);

}  // namespace braid
