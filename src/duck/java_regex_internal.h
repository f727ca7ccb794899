#pragma once

// The program that a pattern compiles to.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "duck/java_regex.h"

namespace braid {

/// Code points of a character class.
struct RegexClass {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  // inclusive
  bool negated = false;

  bool Holds(std::uint32_t c) const {
    for (const auto& [low, high] : ranges) {
      if (c >= low && c <= high) return !negated;
    }
    return negated;
  }
};

struct RegexInstruction {
  enum class Op : std::uint8_t {
    kChar,         // x: code point
    kCharNoCase,   // x: code point in lower case
    kClass,        // x: index
    kAny,          // any code point
    kAnyInLine,    // but line terminators
    kSplit,        // try x, then y
    kJump,         // x
    kSave,         // x: slot
    kMark,         // x: register takes the position
    kLoopIfMoved,  // to y unless the position is still that of register x
    kLineBegin,
    kLineEnd,
    kTextBegin,
    kTextEnd,
    kTextEndOrLastLine,
    kWordBoundary,
    kNoWordBoundary,
    kBackReference,  // x: group; y: 1 if case does not matter
    kLookAhead,      // the following up to kSucceed must match; then to x. y: 1 if it must not
    kLookBehind,     // likewise, ending here
    kAtomic,         // the following up to kSucceed matches without coming back; then to x
    kSucceed,        // end of the pattern or of a part
  };
  Op op;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

struct JavaRegex::Program {
  std::string pattern;
  std::vector<RegexInstruction> code;
  std::vector<RegexClass> classes;
  std::size_t groups = 0;      // without the whole match
  std::size_t registers = 0;   // for kMark
  bool simple = true;          // no back reference, look-around or atomic group: states may be visited once
  std::string literal_prefix;  // bytes that every match begins with
};

/// Parses and compiles. Errors as for JavaRegex::Compile.
Result<JavaRegex::Program> CompileRegex(std::string_view pattern);

}  // namespace braid
