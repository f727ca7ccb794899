#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"

namespace braid {

/// The parts of "a, b, c" without blanks around them; empty parts count, and an empty text is one.
std::vector<std::string> ParseList(std::string_view text);

/// "key=value,key=value"; blanks around keys and values do not count. Errors: kInvalidArgument, naming the pair that is
/// none.
Result<Options> ParseOptionPairs(std::string_view text);

}  // namespace braid
