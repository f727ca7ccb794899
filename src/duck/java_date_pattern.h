#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

/// A pattern of java.time's DateTimeFormatter in the US locale, as DATE_FORMAT and TO_TIMESTAMP take it. Immutable; any
/// thread.
class JavaDatePattern {
 public:
  /// Errors: kInvalidArgument for letters that Java does not know; kUnsupported for those of zones and text forms that
  /// are left out.
  static Result<JavaDatePattern> Compile(std::string_view pattern);

  /// Appends a local date-time, given in nanoseconds since 1970-01-01T00:00:00 as seconds and rest.
  void Format(std::int64_t seconds, std::int32_t nanos, std::string& out) const;

  /// A local date-time.
  struct Parsed {
    std::int64_t seconds;
    std::int32_t nanos;
  };
  /// Reads a whole text; fields that the pattern lacks are those of 1970-01-01 00:00:00. nullopt if it does not fit.
  std::optional<Parsed> Parse(std::string_view text) const;

 private:
  struct Piece {
    char letter;  // 0: literal text
    int count;
    std::string literal;
  };
  std::vector<Piece> pieces_;
};

}  // namespace braid
