#pragma once

#include <string_view>

#include "base/options.h"
#include "base/result.h"

namespace braid {

/// "key=value,key=value"; blanks around keys and values do not count. Errors: kInvalidArgument, naming the pair that is
/// none.
Result<Options> ParseOptionPairs(std::string_view text);

}  // namespace braid
