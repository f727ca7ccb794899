#include "base/uuid.h"

#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <sys/random.h>

#include "base/result.h"

namespace braid {

std::string RandomUuid() {
  std::array<std::uint8_t, 16> bytes{};
  // Up to 256 bytes come whole and without EINTR (getrandom(2)).
  BRAID_CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string uuid;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += fmt::format("{:02x}", bytes[i]);
  }
  return uuid;
}

}  // namespace braid
