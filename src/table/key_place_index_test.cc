#include "table/key_place_index.h"

#include <fstream>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "io/file_system.h"
#include "io/temporary_directory.h"

namespace braid {
namespace {

TEST(KeyPlaceIndexTest, FindsWhatAMapFindsWithinItsMemory) {
  const char* text = std::getenv("BRAID_TEST_SEED");
  const unsigned seed = text != nullptr ? static_cast<unsigned>(std::atoi(text)) : std::random_device{}();
  SCOPED_TRACE(testing::Message() << "BRAID_TEST_SEED=" << seed);
  std::mt19937 random(seed);
  BRAID_ASSERT_OK_AND_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::Make());
  constexpr std::int64_t kMemory = 64 << 10;
  KeyPlaceIndex index(JoinPath(folder.path(), "keys"), kMemory);
  std::map<std::string, KeyPlace> model;
  // Keys of all lengths, some of them longer than a block.
  const auto key_of = [](unsigned long number) {
    return fmt::format("{}-{}", number, std::string(number % 1000 == 0 ? 5000 : number % 40, 'x'));
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> keys;
    for (int i = 0; i < 1000; ++i) keys.push_back(key_of(random() % 40'000));
    const auto found = index.Find(keys);
    ASSERT_THAT(found, IsOk());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto expected = model.find(keys[i]);
      ASSERT_EQ((*found)[i], expected == model.end() ? std::nullopt : std::optional(expected->second)) << keys[i];
    }
    for (const std::string& key : keys) {
      if (random() % 3 == 0) continue;
      const KeyPlace place{static_cast<std::int32_t>(random() % 100), static_cast<std::int32_t>(random() % 100)};
      model.insert_or_assign(key, place);
      ASSERT_THAT(index.Put(key, place), IsOk());
    }
    EXPECT_LT(index.memory_bytes(), 3 * kMemory);
  }
  EXPECT_GT(model.size(), 20'000U);
}

TEST(KeyPlaceIndexTest, LeavesNoFile) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::Make());
  {
    KeyPlaceIndex index(folder.path(), 8 << 10);
    for (int i = 0; i < 10'000; ++i) ASSERT_THAT(index.Put(fmt::format("key {}", i), {i, 0}), IsOk());
    EXPECT_THAT(LocalFileSystem()->List(folder.path()), HasValue(testing::Not(testing::IsEmpty())));
  }
  EXPECT_THAT(LocalFileSystem()->List(folder.path()), HasValue(testing::IsEmpty()));
}

// Whoever cleans temporary folders, or a disk that errs, must not make it read beyond what is there.
TEST(KeyPlaceIndexTest, SaysWhenAFileWasChanged) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::Make());
  KeyPlaceIndex index(folder.path(), 8 << 10);
  std::vector<std::string> keys;
  for (int i = 0; i < 2'000; ++i) {
    keys.push_back(fmt::format("key {}", i));
    ASSERT_THAT(index.Put(keys.back(), {i, 0}), IsOk());
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<FileInfo> files, LocalFileSystem()->List(folder.path()));
  for (const FileInfo& file : files) {
    // The length of the first key.
    std::fstream stream(JoinPath(folder.path(), file.name), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(8);
    stream << "\xff\xff\xff\x7f";
  }
  EXPECT_THAT(index.Find(keys), IsError(ErrorCode::kCorruption));
}

}  // namespace
}  // namespace braid
