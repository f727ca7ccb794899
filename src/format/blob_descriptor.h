#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// Where a BLOB value lies (Java's BlobDescriptor): some bytes of a file.
struct BlobDescriptor {
  std::string uri;           ///< of the file
  std::int64_t offset = 0;   ///< of the first byte, from 0
  std::int64_t length = -1;  ///< in bytes; -1: to the end of the file

  friend bool operator==(const BlobDescriptor&, const BlobDescriptor&) = default;
};

/// Whether the bytes begin as a descriptor that names itself one does. Java takes such bytes for one, and all others for
/// a value, where either may come.
bool IsBlobDescriptor(std::string_view bytes);

/// Versions 1, whose bytes do not tell what they are, and 2. Bytes behind the descriptor are passed over, as Java does.
/// Errors: kUnsupported for later versions; kCorruption.
Result<BlobDescriptor> ParseBlobDescriptor(std::string_view bytes);

/// As version 2.
std::string PrintBlobDescriptor(const BlobDescriptor& descriptor);

}  // namespace braid
