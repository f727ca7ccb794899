#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

/// A long text that is a member of a JSON object.
struct LongJsonText {
  std::string name;
  std::span<char> escaped;  ///< in the object, without its quotes
};

/// An object with null in place of its long texts, so that these need not be copied by a parser.
struct ShortenedJson {
  std::string object;
  std::vector<LongJsonText> texts;
};

/// Takes the texts of 1 MiB and more out of the members of an object. nullopt: there are none, or it is no object, or
/// one with a name twice, so that a parser is to look at the whole.
std::optional<ShortenedJson> TakeLongTexts(std::span<char> object);

/// The text takes the place of its escaped form and is returned; nullopt if that is none in JSON.
std::optional<std::string_view> UnescapeInPlace(std::span<char> escaped);

}  // namespace braid
