#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

/// A pattern of java.util.regex, as Flink's regular expression functions take it.
///
/// Matches as Java does: leftmost, then the first alternative that succeeds, over code points. Supported: everything
/// but intersections of classes, Unicode scripts and blocks, and the flags x, u, d. Patterns without back references
/// and look-around take time linear in pattern times text, others may take exponential time as they do in Java, and end
/// with an error after 50 million steps. Immutable; any thread.
class JavaRegex {
 public:
  /// Errors: kInvalidArgument if Java refuses the pattern; kUnsupported for what is left out. Both name the pattern.
  static Result<JavaRegex> Compile(std::string_view pattern);

  /// Byte positions of a match and its groups; group 0 is the match. npos where a group took no part.
  struct Match {
    std::vector<std::size_t> begin;
    std::vector<std::size_t> end;

    std::size_t group_count() const { return begin.size() - 1; }
    bool took_part(std::size_t group) const { return end[group] != std::string_view::npos; }
    std::string_view group(std::string_view text, std::size_t index) const {
      return text.substr(begin[index], end[index] - begin[index]);
    }
  };

  /// The first match that begins at byte `from` or later. Errors: kInvalidArgument if it takes too many steps.
  Result<std::optional<Match>> Find(std::string_view text, std::size_t from = 0) const;
  /// Whether the whole text matches.
  Result<bool> Matches(std::string_view text) const;
  /// All matches, each from the end of the one before; after an empty one a code point later, as Matcher.find does.
  Result<std::vector<Match>> FindAll(std::string_view text) const;

  std::size_t group_count() const;

  struct Program;

 private:
  explicit JavaRegex(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

}  // namespace braid
