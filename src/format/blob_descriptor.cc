#include "format/blob_descriptor.h"

#include <fmt/format.h>

#include "base/little_endian.h"

namespace braid {

namespace {

constexpr std::int64_t kMagic = 0x424C4F4244455343;  // "BLOBDESC" from its end
constexpr std::int8_t kVersion = 2;
constexpr std::int8_t kFirstVersionWithMagic = 2;

Error Damaged(std::string_view what) {
  return Error(ErrorCode::kCorruption, fmt::format("a descriptor of a BLOB value is damaged: {}", what));
}

}  // namespace

bool IsBlobDescriptor(std::string_view bytes) {
  LittleEndianReader reader(bytes);
  const auto version = reader.Read<std::int8_t>();
  const auto magic = reader.Read<std::int64_t>();
  return !reader.failed() && version <= kVersion && magic == kMagic;
}

Result<BlobDescriptor> ParseBlobDescriptor(std::string_view bytes) {
  LittleEndianReader reader(bytes);
  const auto version = reader.Read<std::int8_t>();
  if (reader.failed()) return Damaged("it is empty");
  if (version > kVersion) {
    return Error(ErrorCode::kUnsupported, fmt::format("a descriptor of a BLOB value has version {}", version))
        .Hint("versions 1 and 2 are read");
  }
  if (version < 1) return Damaged(fmt::format("its version is {}", version));
  if (version >= kFirstVersionWithMagic && reader.Read<std::int64_t>() != kMagic) return Damaged("it lacks its mark");
  const auto uri_bytes = reader.Read<std::int32_t>();
  if (uri_bytes < 0) return Damaged("the length of its path is negative");
  BlobDescriptor descriptor;
  descriptor.uri = reader.Take(static_cast<std::size_t>(uri_bytes));
  descriptor.offset = reader.Read<std::int64_t>();
  descriptor.length = reader.Read<std::int64_t>();
  if (reader.failed()) return Damaged("it ends early");
  if (descriptor.offset < 0) return Damaged(fmt::format("its offset is {}", descriptor.offset));
  if (descriptor.length < -1) return Damaged(fmt::format("its length is {}", descriptor.length));
  return descriptor;
}

std::string PrintBlobDescriptor(const BlobDescriptor& descriptor) {
  std::string bytes;
  AppendLittleEndian(kVersion, bytes);
  AppendLittleEndian(kMagic, bytes);
  AppendLittleEndian(static_cast<std::int32_t>(descriptor.uri.size()), bytes);
  bytes += descriptor.uri;
  AppendLittleEndian(descriptor.offset, bytes);
  AppendLittleEndian(descriptor.length, bytes);
  return bytes;
}

}  // namespace braid
