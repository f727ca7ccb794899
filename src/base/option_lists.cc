#include "base/option_lists.h"

#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {

std::vector<std::string> ParseList(std::string_view text) {
  std::vector<std::string> parts = Split(text, ',');
  for (std::string& part : parts) part = std::string(Trim(part));
  return parts;
}

Result<Options> ParseOptionPairs(std::string_view text) {
  Options pairs;
  for (const std::string& pair : Split(text, ',')) {
    if (Trim(pair).empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view key = Trim(std::string_view(pair).substr(0, equals));
    if (equals == std::string::npos || key.empty()) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is not of the form key=value", Trim(pair)))
          .Hint("write it as in 'key=value,key=value'");
    }
    pairs.Set(std::string(key), std::string(Trim(std::string_view(pair).substr(equals + 1))));
  }
  return pairs;
}

}  // namespace braid
