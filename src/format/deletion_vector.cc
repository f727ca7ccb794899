#include "format/deletion_vector.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "base/little_endian.h"
#include "format/roaring_bytes_internal.h"

namespace braid {

namespace {

constexpr std::uint32_t kMagic32 = 1581511376;  // stored big-endian
constexpr std::uint32_t kMagic64 = 1681511377;  // stored little-endian
constexpr std::int32_t kMaxBytes = 1 << 30;
constexpr std::uint32_t kMaxUpperHalf = 1 << 16;  // of a position: no file has 2^48 rows

std::uint32_t ReadBigEndian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

void AppendBigEndian(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

Error Damaged(std::string_view what) {
  return Error(ErrorCode::kCorruption, fmt::format("a deletion vector is damaged: {}", what));
}

Result<Roaring> TakeBitmap(std::string_view& bytes) {
  Result<Roaring> bitmap = TakeRoaring(bytes);
  if (!bitmap) return Damaged("its bitmap cannot be read");
  return bitmap;
}

}  // namespace

struct DeletionVector::Bitmap {
  // Bitmaps by the upper 32 bits of the position, ascending; a 32-bit vector has the first one alone.
  std::vector<std::pair<std::uint32_t, Roaring>> parts;
};

DeletionVector::DeletionVector(std::shared_ptr<const Bitmap> bitmap) : bitmap_(std::move(bitmap)) {}

DeletionVector::DeletionVector() : bitmap_(std::make_shared<const Bitmap>()) {}

bool operator==(const DeletionVector& a, const DeletionVector& b) {
  const auto same = [](const auto& x, const auto& y) { return x.first == y.first && x.second == y.second; };
  return std::equal(a.bitmap_->parts.begin(), a.bitmap_->parts.end(), b.bitmap_->parts.begin(), b.bitmap_->parts.end(),
                    same);
}

DeletionVector DeletionVector::With(std::span<const std::int64_t> positions) const {
  std::map<std::uint32_t, Roaring> parts(bitmap_->parts.begin(), bitmap_->parts.end());
  for (const std::int64_t position : positions) {
    parts[static_cast<std::uint32_t>(position >> 32)].add(static_cast<std::uint32_t>(position));
  }
  auto bitmap = std::make_shared<Bitmap>();
  for (auto& [key, part] : parts) {
    part.runOptimize();
    bitmap->parts.emplace_back(key, std::move(part));
  }
  return DeletionVector(std::move(bitmap));
}

Result<EncodedDeletionVector> EncodeDeletionVector(const DeletionVector& vector, bool bitmap64) {
  std::string payload;
  const auto& parts = vector.bitmap_->parts;
  if (bitmap64) {
    AppendLittleEndian(kMagic64, payload);
    // As Java's array of bitmaps: one for each upper half up to the greatest, empty ones too.
    const std::uint64_t count = parts.empty() ? 0 : std::uint64_t{parts.back().first} + 1;
    AppendLittleEndian(count, payload);
    auto part = parts.begin();
    for (std::uint32_t key = 0; key < count && payload.size() <= std::size_t{kMaxBytes}; ++key) {
      AppendLittleEndian(key, payload);
      AppendRoaring(part->first == key ? (part++)->second : Roaring(), payload);
    }
  } else {
    const bool fits = parts.empty() || (parts.back().first == 0 && parts.back().second.maximum() <= INT32_MAX);
    if (!fits) {
      return Error(ErrorCode::kInvalidArgument, "a deleted row lies beyond the 2147483647th of its file")
          .Hint("set the table's option deletion-vectors.bitmap64 to true");
    }
    AppendBigEndian(payload, kMagic32);
    AppendRoaring(parts.empty() ? Roaring() : parts.front().second, payload);
  }
  if (payload.size() > static_cast<std::size_t>(kMaxBytes)) {
    return Error(ErrorCode::kInvalidArgument, "a deletion vector is larger than 1 GB");
  }
  EncodedDeletionVector encoded;
  AppendBigEndian(encoded.bytes, static_cast<std::uint32_t>(payload.size()));
  encoded.bytes += payload;
  AppendBigEndian(encoded.bytes, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(payload.data()),
                                                                  static_cast<uInt>(payload.size()))));
  encoded.length = static_cast<std::int32_t>(payload.size()) + (bitmap64 ? 8 : 0);
  return encoded;
}

Result<DeletionVector> DeletionVector::Parse(std::string_view data) {
  if (data.size() < 4) return Damaged("it has no magic number");
  auto bitmap = std::make_shared<Bitmap>();
  if (ReadBigEndian(data, 0) == kMagic32) {
    data.remove_prefix(4);
    BRAID_TRY_ASSIGN(Roaring part, TakeBitmap(data));
    bitmap->parts.emplace_back(0, std::move(part));
    return DeletionVector(std::move(bitmap));
  }
  if (LittleEndianAt<std::uint32_t>(data, 0) != kMagic64) return Damaged("its magic number is unknown");
  if (data.size() < 12) return Damaged("it ends too early");
  const auto count = LittleEndianAt<std::uint64_t>(data, 4);
  data.remove_prefix(12);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (data.size() < 4) return Damaged("it ends too early");
    const auto key = LittleEndianAt<std::uint32_t>(data, 0);
    data.remove_prefix(4);
    if (!bitmap->parts.empty() && key <= bitmap->parts.back().first) return Damaged("its bitmaps are out of order");
    // Written again, there is a bitmap for each upper half up to this one.
    if (key > kMaxUpperHalf) return Damaged("it names rows that no file has");
    BRAID_TRY_ASSIGN(Roaring part, TakeBitmap(data));
    bitmap->parts.emplace_back(key, std::move(part));
  }
  return DeletionVector(std::move(bitmap));
}

bool DeletionVector::Contains(std::int64_t position) const {
  const auto upper = static_cast<std::uint32_t>(position >> 32);
  for (const auto& [key, part] : bitmap_->parts) {
    if (key == upper) return part.contains(static_cast<std::uint32_t>(position));
  }
  return false;
}

std::int64_t DeletionVector::cardinality() const {
  std::int64_t rows = 0;
  for (const auto& [key, part] : bitmap_->parts) rows += static_cast<std::int64_t>(part.cardinality());
  return rows;
}

Result<DeletionVector> ReadDeletionVector(const FileSystem& fs, std::string_view path, std::int64_t offset) {
  const auto read = [&]() -> Result<DeletionVector> {
    BRAID_TRY_ASSIGN(const auto file, fs.Open(path));
    const auto bytes_at = [&](std::int64_t at, std::int32_t count) -> Result<std::string> {
      std::string bytes(static_cast<std::size_t>(count), '\0');
      BRAID_TRY(file->ReadAt(at, std::as_writable_bytes(std::span(bytes))));
      return bytes;
    };
    BRAID_TRY_ASSIGN(const std::string size_bytes, bytes_at(offset, 4));
    const auto size = static_cast<std::int32_t>(ReadBigEndian(size_bytes, 0));
    if (size < 4 || size > kMaxBytes || offset + 8 + size > file->size_bytes())
      return Damaged("its size is impossible");
    BRAID_TRY_ASSIGN(const std::string data, bytes_at(offset + 4, size + 4));
    const std::string_view bitmap = std::string_view(data).substr(0, static_cast<std::size_t>(size));
    const auto crc =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(bitmap.data()), static_cast<uInt>(size)));
    if (crc != ReadBigEndian(data, static_cast<std::size_t>(size))) return Damaged("its checksum does not match");
    return DeletionVector::Parse(bitmap);
  };
  return read().Context(fmt::format("while reading {} at byte {}", path, offset));
}

}  // namespace braid
