#pragma once

#include <string>

#include "base/json.h"

namespace braid {

/// Prints a document as Java's Jackson does by default, so that a table's files look alike whoever wrote them: two
/// spaces a level, `"key" : value`, arrays on the line of their key ("[ {").
std::string PrintLikeJava(const Json& json);

}  // namespace braid
