#include "base/uuid.h"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

#include "base/result.h"
#include "base/text.h"

namespace braid {
namespace {

std::string PrintUuid(std::span<const std::uint8_t, 16> bytes) {
  std::string uuid;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += fmt::format("{:02x}", bytes[i]);
  }
  return uuid;
}

// SHA-1 (FIPS 180-4), which version 5 prescribes; nothing here rests on its strength.
class Sha1 {
 public:
  explicit Sha1(std::string message) {
    const std::uint64_t bits = message.size() * 8;
    message += '\x80';
    while (message.size() % 64 != 56) message += '\0';
    for (int shift = 56; shift >= 0; shift -= 8) message += static_cast<char>((bits >> shift) & 0xff);
    for (std::size_t block = 0; block < message.size(); block += 64) Add(std::string_view(message).substr(block, 64));
  }

  std::uint8_t byte(std::size_t i) const { return static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4))); }

 private:
  void Add(std::string_view block) {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t i = 0; i < 64; ++i) {
      words[i / 4] = (words[i / 4] << 8) | static_cast<std::uint8_t>(block[i]);
    }
    for (std::size_t i = 16; i < 80; ++i) {
      words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    auto [a, b, c, d, e] = state_;
    for (std::size_t i = 0; i < 80; ++i) {
      const auto [mix, constant] = i < 20   ? std::pair((b & c) | (~b & d), 0x5a827999U)
                                   : i < 40 ? std::pair(b ^ c ^ d, 0x6ed9eba1U)
                                   : i < 60 ? std::pair((b & c) | (b & d) | (c & d), 0x8f1bbcdcU)
                                            : std::pair(b ^ c ^ d, 0xca62c1d6U);
      const std::uint32_t next = std::rotl(a, 5) + mix + e + constant + words[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    const std::array<std::uint32_t, 5> sums = {a, b, c, d, e};
    for (std::size_t i = 0; i < 5; ++i) state_[i] += sums[i];
  }

  std::array<std::uint32_t, 5> state_ = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
};

}  // namespace

std::string RandomUuid() {
  std::array<std::uint8_t, 16> bytes{};
  // Up to 256 bytes come whole and without EINTR (getrandom(2)).
  BRAID_CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  return PrintUuid(bytes);
}

std::string NameUuid(std::string_view name_space, std::string_view name) {
  std::string digits(name_space);
  std::erase(digits, '-');
  const std::optional<std::string> prefix = FromHex(digits);
  BRAID_CHECK(prefix && prefix->size() == 16);
  const Sha1 hash(*prefix + std::string(name));
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = hash.byte(i);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x50);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  return PrintUuid(bytes);
}

}  // namespace braid
