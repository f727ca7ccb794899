#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// Parts between separators, empty ones included; one empty part for an empty text.
std::vector<std::string> Split(std::string_view text, char separator);
std::string Join(std::span<const std::string> parts, std::string_view separator);
/// Without leading and trailing ASCII white space.
std::string_view Trim(std::string_view text);
/// ASCII letters only; other bytes stay.
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

/// The whole text as a decimal integer, or nullopt (empty, white space, sign '+', overflow).
std::optional<std::int64_t> ParseInt64(std::string_view text);

std::string ToHex(std::string_view bytes);  ///< lower case
/// nullopt for an odd length or a character that is no hexadecimal digit.
std::optional<std::string> FromHex(std::string_view hex);

/// The candidate nearest to a misspelt name, ignoring case, or nullopt if none is near enough to suggest.
std::optional<std::string> NearestName(std::string_view name, std::span<const std::string> candidates);

}  // namespace braid
