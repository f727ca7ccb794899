// 64-bit Roaring bitmaps as Java's class Roaring64Bitmap writes them: 0 for an empty one, else 1, 8 bytes for the
// number of keys, the keys and their containers. This is not the portable form of 64-bit bitmaps.

#include <set>

#include "format/roaring64_containers_internal.h"
#include "format/roaring64_keys_internal.h"
#include "format/roaring_union.h"

namespace braid {
namespace {

constexpr std::uint8_t kEmpty = 0;
constexpr std::uint8_t kNotEmpty = 1;

struct Bitmap64 {
  std::uint64_t key_count = 0;
  Roaring64Keys keys;
  Roaring64Containers containers;
};

Error Damaged() { return Error(ErrorCode::kCorruption, "bytes that should be a 64-bit Roaring bitmap are not one"); }

Result<Bitmap64> ReadBitmap(std::string_view bytes) {
  Bitmap64 bitmap;
  if (bytes.empty()) return Damaged();
  LittleEndianReader in(bytes);
  const auto tag = in.Read<std::uint8_t>();
  if (tag == kEmpty) return bitmap;
  if (tag != kNotEmpty) return Damaged();
  bitmap.key_count = in.Read<std::uint64_t>();
  BRAID_TRY_ASSIGN(bitmap.keys, Roaring64Keys::Read(in));
  BRAID_TRY_ASSIGN(bitmap.containers, Roaring64Containers::Read(in));
  // Each key has a container of its own, and none is left over.
  std::set<std::uint64_t> numbers;
  bool found = true;
  bitmap.keys.ForEach([&](const Roaring64Key&, std::uint64_t number) {
    found = found && bitmap.containers.At(number) != nullptr && numbers.insert(number).second;
  });
  if (!found || numbers.size() != bitmap.key_count || numbers.size() != bitmap.containers.size()) return Damaged();
  return bitmap;
}

}  // namespace

Result<std::string> UnionRoaring64Bitmaps(std::string_view a, std::string_view b) {
  BRAID_TRY_ASSIGN(Bitmap64 both, ReadBitmap(a));
  BRAID_TRY_ASSIGN(Bitmap64 other, ReadBitmap(b));
  other.keys.ForEach([&](const Roaring64Key& key, std::uint64_t number) {
    Roaring64Container& container = *other.containers.At(number);
    if (const std::optional<std::uint64_t> mine = both.keys.Find(key)) {
      Roaring64Container& place = *both.containers.At(*mine);
      place = UnionOf(place, container);
    } else {
      both.keys.Insert(key, both.containers.Add(std::move(container)));
      ++both.key_count;
    }
  });
  std::string bytes;
  AppendLittleEndian(both.key_count == 0 ? kEmpty : kNotEmpty, bytes);
  if (both.key_count == 0) return bytes;
  AppendLittleEndian(both.key_count, bytes);
  both.keys.AppendTo(bytes);
  both.containers.MakeRuns();
  both.containers.AppendTo(bytes);
  return bytes;
}

}  // namespace braid
