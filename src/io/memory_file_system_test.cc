#include "io/memory_file_system.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MemoryFileSystemTest, RecordsWhatWasRead) {
  MemoryFileSystem fs;
  ASSERT_THAT(fs.Replace("/t/a", "1"), IsOk());
  ASSERT_THAT(fs.Replace("/t/b", "2"), IsOk());
  ASSERT_THAT(fs.ReadAll("/t/b"), IsOk());
  ASSERT_THAT(fs.Open("/t/a"), IsOk());
  ASSERT_THAT(fs.List("/t"), IsOk());
  EXPECT_THAT(fs.TakeReads(), ElementsAre("/t/b", "/t/a"));
  EXPECT_THAT(fs.TakeReads(), IsEmpty());
}

TEST(MemoryFileSystemTest, NamesAllFilesInOrder) {
  MemoryFileSystem fs;
  ASSERT_THAT(fs.Replace("/t/b/x", ""), IsOk());
  ASSERT_THAT(fs.CreateAtomically("/t/a", ""), IsOk());
  ASSERT_THAT(fs.CreateDirectories("/t/empty"), IsOk());
  EXPECT_THAT(fs.AllFiles(), ElementsAre("/t/a", "/t/b/x"));
}

TEST(MemoryFileSystemTest, TakesTimesFromTheClock) {
  ManualClock clock(1000);
  MemoryFileSystem fs(clock);
  ASSERT_THAT(fs.Replace("/f", ""), IsOk());
  clock.Advance(5);
  EXPECT_EQ(fs.Stat("/f")->modified_ms, 1000);
  ASSERT_THAT(fs.Replace("/f", ""), IsOk());
  EXPECT_EQ(fs.Stat("/f")->modified_ms, 1005);
}

}  // namespace
}  // namespace braid
