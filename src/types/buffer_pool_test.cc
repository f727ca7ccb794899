#include "types/buffer_pool.h"

#include <cstdint>
#include <cstring>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

TEST(BufferPoolTest, KeepsWhatABufferHoldsWhileItGrowsAndShrinks) {
  auto made = arrow::AllocateResizableBuffer(0, BufferPool());
  ASSERT_TRUE(made.ok());
  arrow::ResizableBuffer& buffer = **made;
  std::int64_t filled = 0;
  for (const std::int64_t size : {kMiB, 3 * kMiB, 4 * kMiB, 9 * kMiB + 17, 64 * kMiB}) {
    ASSERT_TRUE(buffer.Resize(size).ok());
    std::memset(buffer.mutable_data() + filled, static_cast<int>(size % 251), static_cast<std::size_t>(size - filled));
    filled = size;
  }
  for (const std::int64_t size : {9 * kMiB + 17, 5 * kMiB, 2 * kMiB}) {
    ASSERT_TRUE(buffer.Resize(size, /*shrink_to_fit=*/true).ok());
    EXPECT_EQ(buffer.data()[0], kMiB % 251);
    EXPECT_EQ(buffer.data()[kMiB], 3 * kMiB % 251);
    EXPECT_EQ(buffer.data()[size - 1], (size > 4 * kMiB ? 9 * kMiB + 17 : 3 * kMiB) % 251);
  }
}

TEST(BufferPoolTest, CountsBytesAndForgetsThemWhenTheyAreFreed) {
  const std::int64_t before = BufferPool()->bytes_allocated();
  for (const std::int64_t size : {kMiB, 32 * kMiB}) {
    auto buffer = arrow::AllocateBuffer(size, BufferPool());
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(BufferPool()->bytes_allocated(), before + size);
    EXPECT_GE(BufferPool()->max_memory(), before + size);
    buffer->reset();
    EXPECT_EQ(BufferPool()->bytes_allocated(), before);
  }
}

TEST(BufferPoolTest, TellsThePeakOfAWhile) {
  auto before = arrow::AllocateBuffer(9 * kMiB, BufferPool());
  ASSERT_TRUE(before.ok());
  const BufferPeak peak;
  EXPECT_EQ(peak.bytes(), 0);
  auto growing = arrow::AllocateResizableBuffer(kMiB, BufferPool());
  ASSERT_TRUE(growing.ok() && (*growing)->Resize(30 * kMiB).ok() && (*growing)->Resize(5 * kMiB).ok());
  before->reset();
  EXPECT_EQ(peak.bytes(), 31 * kMiB) << "a small buffer is copied into one of its own";
  EXPECT_EQ(BufferPeak().bytes(), 0);
}

TEST(BufferPoolTest, SaysThatMemoryCannotBeHad) {
  EXPECT_TRUE(arrow::AllocateBuffer(std::int64_t{1} << 60, BufferPool()).status().IsOutOfMemory());
}

}  // namespace
}  // namespace braid
