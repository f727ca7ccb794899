#pragma once

#include <string_view>

namespace braid::syntax {

/// True for the words, in capitals, that Flink lets no one use as a name without back quotes.
bool IsReservedWord(std::string_view word);

/// True for reserved words, in capitals, that may still be called: COUNT(…), LEFT(…), YEAR(…).
bool IsReservedFunctionName(std::string_view word);

/// True for functions, in capitals, that are written without parentheses: CURRENT_DATE, LOCALTIMESTAMP.
bool IsContextVariable(std::string_view word);

/// True for words, in capitals, that are no reserved ones and yet would change the meaning of some place if printed
/// bare as a name.
bool IsContextualWord(std::string_view word);

}  // namespace braid::syntax
