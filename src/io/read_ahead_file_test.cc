#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/read_ahead_file_internal.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::int64_t kKb = 1024;

// Byte i is i mod 251, so that every range of the file is told from its neighbours.
std::string Content(std::int64_t offset, std::int64_t byte_count) {
  std::string bytes(static_cast<std::size_t>(byte_count), '\0');
  for (std::int64_t i = 0; i < byte_count; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>((offset + i) % 251);
  return bytes;
}

// Shared with what is fetched ahead, which may end after the test.
struct Store {
  std::mutex mutex;  // guards what follows
  std::vector<std::pair<std::int64_t, std::int64_t>> fetched;
  bool fails = false;
};

class ReadAheadFileTest : public testing::Test {
 protected:
  ReadAheadFile Open(std::int64_t size_bytes, std::int64_t known_at_end) const {
    auto fetch = [store = store_](std::int64_t offset, std::int64_t byte_count) -> Result<std::string> {
      const std::lock_guard lock(store->mutex);
      store->fetched.emplace_back(offset, byte_count);
      if (store->fails) return Error(ErrorCode::kUnavailable, "no answer");
      return Content(offset, byte_count);
    };
    return ReadAheadFile("s3://b/f", size_bytes, Content(size_bytes - known_at_end, known_at_end), std::move(fetch));
  }

  static std::string Read(const ReadAheadFile& file, std::int64_t offset, std::int64_t byte_count) {
    std::string bytes(static_cast<std::size_t>(byte_count), ' ');
    EXPECT_THAT(file.ReadAt(offset, std::as_writable_bytes(std::span(bytes))), IsOk());
    return bytes;
  }

  std::vector<std::pair<std::int64_t, std::int64_t>> Fetched() const {
    const std::lock_guard lock(store_->mutex);
    auto fetched = store_->fetched;
    std::sort(fetched.begin(), fetched.end());
    return fetched;
  }

  const std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

TEST_F(ReadAheadFileTest, FetchesNothingOfWhatIsKnown) {
  const ReadAheadFile file = Open(1000, 200);
  EXPECT_EQ(Read(file, 800, 200), Content(800, 200));
  EXPECT_EQ(Read(file, 900, 50), Content(900, 50));
  EXPECT_THAT(Fetched(), IsEmpty());
}

TEST_F(ReadAheadFileTest, PutsARangeTogetherThatReachesIntoWhatIsKnown) {
  const ReadAheadFile file = Open(1000, 200);
  EXPECT_EQ(Read(file, 700, 300), Content(700, 300));
  EXPECT_THAT(Fetched(), ElementsAre(Pair(700, 100)));
}

TEST_F(ReadAheadFileTest, ServesSmallReadsFromOneRequest) {
  const ReadAheadFile file = Open(10'000 * kKb, 0);
  for (std::int64_t offset = 0; offset < 512 * kKb; offset += kKb) EXPECT_EQ(Read(file, offset, kKb), Content(offset, kKb));
  EXPECT_THAT(Fetched(), ElementsAre(Pair(0, 512 * kKb)));
}

TEST_F(ReadAheadFileTest, AsksForMoreTheLongerItIsReadInOrder) {
  const std::int64_t size = 40'000 * kKb;
  {
    const ReadAheadFile file = Open(size, 0);
    for (std::int64_t offset = 0; offset < size; offset += 100 * kKb) EXPECT_EQ(Read(file, offset, 100 * kKb), Content(offset, 100 * kKb));
  }
  // 0.5 + 1 + 2 + 4 MiB and then 4 MiB each; every byte once.
  EXPECT_EQ(Fetched().size(), 4U + (40'000 - 7'680 + 4'095) / 4'096);
  std::int64_t total = 0;
  for (const auto& [offset, byte_count] : Fetched()) total += byte_count;
  EXPECT_EQ(total, size);
}

TEST_F(ReadAheadFileTest, FetchesALargeReadInPieces) {
  const ReadAheadFile file = Open(10'000 * kKb, 0);
  EXPECT_EQ(Read(file, 5, 5'000 * kKb), Content(5, 5'000 * kKb));
  EXPECT_THAT(Fetched(), ElementsAre(Pair(5, 2'048 * kKb), Pair(5 + 2'048 * kKb, 2'048 * kKb), Pair(5 + 4'096 * kKb, 904 * kKb)));
}

TEST_F(ReadAheadFileTest, ReadsAgainAfterAFailure) {
  const ReadAheadFile file = Open(1000, 0);
  store_->fails = true;
  std::string bytes(10, ' ');
  EXPECT_THAT(file.ReadAt(0, std::as_writable_bytes(std::span(bytes))), IsError(ErrorCode::kUnavailable));
  store_->fails = false;
  EXPECT_EQ(Read(file, 0, 10), Content(0, 10));
}

TEST_F(ReadAheadFileTest, ReportsReadingBehindTheEndAsCorruption) {
  const ReadAheadFile file = Open(10, 0);
  std::string bytes(4, ' ');
  EXPECT_THAT(file.ReadAt(8, std::as_writable_bytes(std::span(bytes))), IsError(ErrorCode::kCorruption));
}

TEST_F(ReadAheadFileTest, IsReadByManyThreads) {
  const std::int64_t size = 8'000 * kKb;
  const ReadAheadFile file = Open(size, 1000);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> readers;
  for (std::int64_t reader = 0; reader < 8; ++reader) {
    readers.emplace_back([&, reader] {
      for (std::int64_t offset = reader * 777; offset + 30'000 < size; offset += 130'000 + reader) {
        if (Read(file, offset, 30'000) != Content(offset, 30'000)) ++wrong;
      }
    });
  }
  readers.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace braid
