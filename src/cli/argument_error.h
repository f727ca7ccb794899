#pragma once

#include "base/result.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace braid {

/// What is wrong with the arguments that the parser refused, in our words, and what helps: kInvalidArgument. `app` is the
/// whole program's, after parsing.
Error ArgumentError(const CLI::App& app, const CLI::ParseError& parsed);

}  // namespace braid
