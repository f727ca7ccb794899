#include "base/memory_budget.h"

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(MemoryBudgetTest, GrantsMoreThanAllToWhoIsAlone) {
  MemoryBudget budget(10);
  EXPECT_TRUE(budget.TryReserve(25));
  EXPECT_FALSE(budget.TryReserve(1));
  budget.Release(25);
  EXPECT_TRUE(budget.TryReserve(6));
  EXPECT_FALSE(budget.TryReserve(5));
  EXPECT_TRUE(budget.TryReserve(4));
}

TEST(MemoryBudgetTest, LetsThoseThroughOneByOneWhoEachNeedMoreThanAll) {
  MemoryBudget budget(10);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const MemoryShare share(&budget, 100);
        most = std::max(most.load(), ++inside);
        std::this_thread::yield();
        --inside;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(budget.used_bytes(), 0);
}

// Two threads that never both let go would keep a large request waiting for ever.
TEST(MemoryBudgetTest, DoesNotPassOverWhoNeedsMuch) {
  MemoryBudget budget(10);
  std::atomic<bool> large_is_done = false;
  std::latch both_hold(2);
  std::vector<std::jthread> small;
  for (int thread = 0; thread < 2; ++thread) {
    small.emplace_back([&] {
      auto held = std::make_unique<MemoryShare>(&budget, 1);
      both_hold.arrive_and_wait();
      while (!large_is_done) {
        held.reset();
        held = std::make_unique<MemoryShare>(&budget, 1);
      }
    });
  }
  std::jthread large([&] {
    both_hold.wait();  // else it could come to stand before one that the other waits for
    const MemoryShare share(&budget, 10);
    large_is_done = true;
  });
  large.join();
  EXPECT_TRUE(large_is_done);
}

}  // namespace
}  // namespace braid
