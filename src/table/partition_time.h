#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

/// Reads local times out of texts by a pattern of java.time's DateTimeFormatter, as strictly as Java does by default: a
/// time of day may be left out, a part of the date may not. Immutable; any thread.
class JavaTimePattern {
 public:
  /// Errors: kInvalidArgument for an open quote or a letter too often; kUnsupported for letters other than y u M d H m s
  /// S, names of months, and optional sections.
  static Result<JavaTimePattern> Compile(std::string_view pattern);

  /// Milliseconds of the local time as if it were UTC; nullopt if the text does not fit as a whole.
  std::optional<std::int64_t> Read(std::string_view text) const;

 private:
  struct Piece {
    char letter = 0;  // 0: literal text
    int count = 0;
    std::string literal{};
  };
  std::vector<Piece> pieces_;
};

/// The time that the values of a partition mean (spec data.md §13.3).
class PartitionTime {
 public:
  /// `pattern`: text with "$column" for values; nullopt: the first column's value. `formatter`: a JavaTimePattern;
  /// nullopt: "yyyy-MM-dd", possibly with " HH:mm:ss" and a fraction, where 2024-2-30 counts as March 1st. Errors: as
  /// JavaTimePattern::Compile.
  static Result<PartitionTime> Make(std::optional<std::string> pattern, const std::optional<std::string>& formatter);

  /// In milliseconds of the local time as if it were UTC, from the texts of the partition's values (nullopt: NULL); nullopt
  /// if they mean no time.
  std::optional<std::int64_t> Of(std::span<const std::string> columns,
                                 std::span<const std::optional<std::string>> values) const;

 private:
  std::optional<std::string> pattern_;
  std::optional<JavaTimePattern> formatter_;
};

}  // namespace braid
