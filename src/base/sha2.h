#pragma once

#include <string>
#include <string_view>

namespace braid {

/// SHA-2 of these lengths in bits (FIPS 180-4): 224, 256, 384, 512, as lower-case hexadecimal digits.
std::string Sha2Hex(std::string_view bytes, int bits);

}  // namespace braid
