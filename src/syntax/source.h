#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "syntax/tree.h"

namespace braid::syntax {

/// A place in a text as people count: both from 1, the column in characters (UTF-8 code points).
struct LineColumn {
  std::size_t line = 1;
  std::size_t column = 1;

  friend bool operator==(const LineColumn&, const LineColumn&) = default;
};

/// The place of a position; the end of the text for positions beyond it.
LineColumn LineColumnOf(std::string_view source, Position position);

/// An error that shows the place: the message, then "at line 2, column 8", the source line and a caret below it.
///
/// For analysis too: `source` is the text that the position was parsed from. Long lines are cut around the caret.
Error ErrorAt(ErrorCode code, std::string_view source, Position position, std::string_view message);

/// ErrorAt with kInvalidArgument.
Error SyntaxErrorAt(std::string_view source, Position position, std::string_view message);

}  // namespace braid::syntax
