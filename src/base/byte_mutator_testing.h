#pragma once

// Damages bytes by chance, for tests of what reads foreign bytes; include only from tests.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace braid {

/// Changes bytes a little, always the same way from the same seed. One thread.
class ByteMutator {
 public:
  explicit ByteMutator(std::uint32_t seed) : random_(seed) {}

  /// Less than `end`, which is above 0.
  std::size_t Below(std::size_t end) { return random_() % end; }

  /// The bytes with one to four changes.
  std::string Mutate(std::string bytes) {
    for (std::size_t changes = 1 + Below(4); changes > 0; --changes) Change(bytes);
    return bytes;
  }

 private:
  void Change(std::string& bytes) {
    if (bytes.empty()) bytes.push_back(Byte());
    const std::size_t at = Below(bytes.size());
    const std::size_t count = 1 + Below(std::min<std::size_t>(bytes.size() - at, 16));
    switch (Below(8)) {
      case 0: bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ 1U << Below(8)); return;
      case 1: bytes[at] = Byte(); return;
      case 2: bytes.resize(at); return;
      case 3: bytes.erase(at, count); return;
      case 4: bytes.insert(Below(bytes.size()), bytes.substr(at, count)); return;
      case 5: bytes.insert(at, count, Byte()); return;
      // Numbers at their limits, of either byte order.
      case 6: bytes.replace(at, count, count, Extreme()); return;
      default: bytes[at] = Extreme(); bytes.replace(at + 1, count - 1, count - 1, Extreme()); return;
    }
  }

  char Byte() { return static_cast<char>(random_()); }
  char Extreme() {
    constexpr unsigned char kExtremes[] = {0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF};
    return static_cast<char>(kExtremes[Below(sizeof(kExtremes))]);
  }

  std::mt19937 random_;
};

}  // namespace braid
