#pragma once

// Numbers and names as Java's DataOutput writes them, which file indexes are made of.

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace braid {

/// Reads bytes from front to back. Errors: kCorruption where they end too early.
class BigEndianReader {
 public:
  /// The bytes must outlive the reader and what it returns.
  explicit BigEndianReader(std::string_view bytes) : rest_(bytes) {}

  /// An integer of 1 to 8 bytes.
  template <typename Number>
  Result<Number> Read() {
    BRAID_TRY_ASSIGN(const std::string_view bytes, Take(sizeof(Number)));
    std::make_unsigned_t<Number> number = 0;
    for (const char byte : bytes) {
      number = static_cast<std::make_unsigned_t<Number>>(number << 8 | static_cast<unsigned char>(byte));
    }
    return static_cast<Number>(number);
  }

  /// So many bytes, none negative.
  Result<std::string_view> Take(std::int64_t count) {
    if (count < 0 || static_cast<std::uint64_t>(count) > rest_.size()) {
      return Error(ErrorCode::kCorruption, "a file index ends too early");
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  /// Text in modified UTF-8 behind its length, as UTF-8.
  Result<std::string> ReadText();

  /// What is left; may be shortened by who reads it otherwise.
  std::string_view& rest() { return rest_; }

 private:
  std::string_view rest_;
};

template <typename Number>
void AppendBigEndian(Number number, std::string& out) {
  const auto bits = static_cast<std::uint64_t>(number);
  for (int byte = static_cast<int>(sizeof(Number)) - 1; byte >= 0; --byte) out += static_cast<char>(bits >> 8 * byte);
}

/// Appends UTF-8 as modified UTF-8 behind its length. Errors: kInvalidArgument for more than 65535 bytes.
Status AppendText(std::string_view text, std::string& out);

}  // namespace braid
