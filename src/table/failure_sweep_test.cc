// Every storage call of writing, compacting and committing fails once, alone or with all that follow. commit_test.cc has the
// other ways of failing.

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "io/fault_injecting_file_system.h"
#include "table/files_below_testing.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using Fault = FaultInjectingFileSystem::Fault;

class FailureSweepTest : public testing::TestWithParam<Fault> {};

TEST_P(FailureSweepTest, ShowsTheOldRowsOrTheNewOnesAndARetrySucceeds) {
  const std::vector<std::string> old_rows = {R"({"k":1,"v":2})", R"({"k":2,"v":2})"};
  const std::vector<std::string> new_rows = {R"({"k":1,"v":3})", R"({"k":2,"v":2})", R"({"k":3,"v":3})"};
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE(testing::Message() << "at call " << nth);
    auto memory = std::make_shared<MemoryFileSystem>();
    auto faulty = std::make_shared<FaultInjectingFileSystem>(memory);
    // Two runs are enough for a compaction, so the insertion below compacts as well.
    const TableDefinition definition = TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                                                      {{"bucket", "1"}, {"num-sorted-run.compaction-trigger", "2"}, {"commit.min-retry-wait", "1 ms"}, {"commit.max-retries", "2"}});
    BRAID_ASSERT_OK_AND_ASSIGN(const Table plain, CreateTestTable(memory, definition));
    ASSERT_THAT(Insert(plain, {{1, 1}, {2, 1}}), IsOk());
    ASSERT_THAT(Insert(plain, {{1, 2}, {2, 2}}), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(faulty, kTestTableRoot, "d.t"));

    faulty->FailAt(nth, GetParam());
    const auto inserted = Insert(table, {{1, 3}, {3, 3}});
    const bool struck = faulty->struck();
    faulty->Heal();
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(plain));
    ASSERT_TRUE(rows == old_rows || rows == new_rows) << testing::PrintToString(rows);
    if (inserted) {
      EXPECT_EQ(rows, new_rows);
    }
    ASSERT_THAT(Insert(table, {{1, 3}, {3, 3}}), IsOk());
    EXPECT_THAT(SortedRows(plain), HasValue(new_rows));
    if (!struck) {
      EXPECT_GT(nth, 40);  // writing, compacting and committing is no less work than this
      return;
    }
  }
}

// Buckets are flushed at once, so some have handed over their files when another one fails.
TEST(WriteFailureTest, LeavesNoFileOfAnyBucket) {
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE(testing::Message() << "at call " << nth);
    auto memory = std::make_shared<MemoryFileSystem>();
    auto faulty = std::make_shared<FaultInjectingFileSystem>(memory);
    const TableDefinition definition =
        TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"}, {{"bucket", "4"}});
    BRAID_ASSERT_OK_AND_ASSIGN(const Table plain, CreateTestTable(memory, definition));
    std::vector<DatumList> rows;
    for (int k = 0; k < 40; ++k) rows.push_back({k, k});
    ASSERT_THAT(Insert(plain, rows), IsOk());
    const std::set<std::string> before = FilesBelow(*memory, kTestTableRoot);
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(faulty, kTestTableRoot, "d.t"));

    faulty->FailAt(nth, Fault::kFail);
    const auto written = WriteRows(table, rows);
    if (!faulty->struck()) {
      ASSERT_THAT(written, HasValue(testing::SizeIs(4)));
      EXPECT_GT(nth, 20);  // each bucket's file is created, appended to and closed
      return;
    }
    if (written) continue;  // it can do without that call, which asked for a hint
    EXPECT_EQ(FilesBelow(*memory, kTestTableRoot), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, FailureSweepTest, testing::Values(Fault::kFail, Fault::kStop));

}  // namespace
}  // namespace braid
