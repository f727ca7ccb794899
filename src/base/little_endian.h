#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace braid {

/// Reads little-endian numbers from front to back. Once the bytes have ended it gives zeros, and `failed()` says so.
class LittleEndianReader {
 public:
  /// The bytes must outlive the reader and what it returns.
  explicit LittleEndianReader(std::string_view bytes) : rest_(bytes) {}

  /// An integer or a floating-point number.
  template <typename Number>
  Number Read() {
    Number number{};
    const std::string_view bytes = Take(sizeof(Number));
    if (!bytes.empty()) std::memcpy(&number, bytes.data(), sizeof(Number));  // x86-64 and ARM64 are little-endian
    return number;
  }

  /// So many bytes; none where there are fewer.
  std::string_view Take(std::size_t count) {
    if (failed_ || count > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  /// What is left.
  std::string_view rest() const { return rest_; }
  bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

template <typename Number>
void AppendLittleEndian(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));  // x86-64 and ARM64 are little-endian
}

/// The number at a position of bytes that reach so far.
template <typename Number>
Number LittleEndianAt(std::string_view bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

}  // namespace braid
