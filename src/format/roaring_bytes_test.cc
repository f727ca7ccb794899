#include "format/roaring_bytes_internal.h"

#include <random>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "format/roaring_union.h"

namespace braid {
namespace {

std::string BytesOf(const Roaring& bitmap) {
  std::string bytes;
  AppendRoaring(bitmap, bytes);
  return bytes;
}

/// Containers of all three kinds: an array, runs, and a bitset.
Roaring MixedBitmap() {
  Roaring bitmap;
  for (const std::uint32_t row : {1U, 5U, 60000U}) bitmap.add(row);
  bitmap.addRange(65536 + 100, 65536 + 9000);
  for (std::uint32_t row = 2 * 65536; row < 3 * 65536; row += 3) bitmap.add(row);
  bitmap.add(0xFFFFFFFF);
  return bitmap;
}

TEST(RoaringBytesTest, ReadsWhatItWrites) {
  for (const Roaring& bitmap : {Roaring(), MixedBitmap(), AllRows(1), AllRows(200000)}) {
    const std::string bytes = BytesOf(bitmap) + "rest";
    std::string_view left = bytes;
    BRAID_ASSERT_OK_AND_ASSIGN(const Roaring read, TakeRoaring(left));
    EXPECT_TRUE(read == bitmap);
    EXPECT_EQ(left, "rest");
  }
}

TEST(RoaringBytesTest, RefusesContainersThatLieAboutThemselves) {
  const auto set16 = [](std::string bytes, std::size_t at, int value) {
    bytes[at] = static_cast<char>(value & 0xFF);
    bytes[at + 1] = static_cast<char>(value >> 8);
    return bytes;
  };
  Roaring array;
  for (const std::uint32_t row : {3U, 9U, 20U}) array.add(row);
  const std::string array_bytes = BytesOf(array);  // cookie, count, key, cardinality - 1, offset, values from byte 16 on
  Roaring bitset;
  for (std::uint32_t row = 0; row < 65536; row += 3) bitset.add(row);
  const std::string bitset_bytes = BytesOf(bitset);
  const std::string run_bytes = BytesOf(AllRows(1000));  // cookie, flags, key, cardinality - 1, runs, first, length - 1
  ASSERT_EQ(run_bytes.size(), 4U + 1 + 4 + 2 + 4);
  struct Case {
    std::string name;
    std::string bytes;
  };
  const std::vector<Case> cases = {
      {"nothing", ""},
      {"an unknown cookie", set16(array_bytes, 0, 12348)},
      {"more containers than there can be", set16(array_bytes, 6, 2)},
      {"an array out of order", set16(array_bytes, 16, 50)},
      {"an array with a value twice", set16(array_bytes, 16, 9)},
      {"a bitset with fewer bits than it says", set16(bitset_bytes, 10, 30000)},
      {"no runs", set16(run_bytes, 9, 0)},
      {"more runs than there are bytes", set16(run_bytes, 9, 2)},
      {"a run beyond its container", set16(set16(run_bytes, 11, 65000), 13, 1000)},
      {"one byte too few", array_bytes.substr(0, array_bytes.size() - 1)},
  };
  for (const Case& c : cases) {
    std::string_view bytes = c.bytes;
    EXPECT_THAT(TakeRoaring(bytes), IsError(ErrorCode::kCorruption)) << c.name;
    EXPECT_THAT(UnionRoaringBitmaps(c.bytes, array_bytes), IsError(ErrorCode::kCorruption)) << c.name;
  }
}

TEST(RoaringBytesTest, EndsInABitmapOrAnErrorWhateverTheBytes) {
  const std::string good = BytesOf(MixedBitmap());
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = good;
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      // Most of the bytes are the bitset's, so the head needs more than its share.
      const std::size_t at = random() % (random() % 2 == 0 ? 60 : bytes.size());
      bytes[at] = static_cast<char>(random());
    }
    bytes.resize(random() % 8 == 0 ? random() % bytes.size() : bytes.size());
    std::string_view left = bytes;
    Result<Roaring> bitmap = TakeRoaring(left);
    if (!bitmap) continue;
    ++read;
    // What the library counts on holds: it can be changed and written.
    Roaring changed = *bitmap | MixedBitmap();
    changed -= *bitmap;
    EXPECT_EQ((*bitmap & changed).cardinality(), 0U);
    EXPECT_LE(BytesOf(*bitmap).size(), bytes.size() + 65536);
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace braid
