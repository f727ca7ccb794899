#pragma once

#include <optional>
#include <string_view>

#include "syntax/statement.h"

namespace braid::syntax {

/// Reads `SET key = value` and `RESET key` whose key or value has no quotes, as shells before Flink 1.14 took them.
///
/// The value is all text up to the `;` or the end, without blanks around it. Nullopt for anything else, quoted forms
/// included.
std::optional<Statement> ParseUnquotedSet(std::string_view sql);

}  // namespace braid::syntax
