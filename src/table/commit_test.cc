#include "table/commit.h"

#include <barrier>
#include <thread>

#include <gtest/gtest.h>

#include "io/fault_injecting_file_system.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TableDefinition Numbers() { return TestDefinition({{"id", DataType::Int()}}, {}, {{"commit.min-retry-wait", "1 ms"}, {"commit.max-retries", "1000"}}); }

Committable WithIdentifier(std::int64_t identifier, std::vector<CommitMessage> messages) {
  Committable committable;
  committable.identifier = identifier;
  committable.messages = std::move(messages);
  return committable;
}

TEST(CommitTest, WritesWhatTheSnapshotSpecifies) {
  auto fs = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs, Numbers()));
  const ManualClock clock(1'760'942'467'177);
  BRAID_ASSERT_OK_AND_ASSIGN(auto messages, WriteRows(table, {{1}, {2}}));
  Committable committable = WithIdentifier(7, std::move(messages));
  committable.watermark = 42;
  committable.properties = {{"k", "v"}};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto made, TableCommit(table, "me", clock).Commit(committable));
  ASSERT_THAT(made, SizeIs(1));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs, table.paths(), SnapshotId(1)));
  EXPECT_EQ(snapshot, made.front());
  EXPECT_EQ(snapshot.version, 3);
  EXPECT_EQ(snapshot.commit_user, "me");
  EXPECT_EQ(snapshot.commit_identifier, 7);
  EXPECT_EQ(snapshot.time_millis, 1'760'942'467'177);
  EXPECT_EQ(snapshot.watermark, 42);
  EXPECT_EQ(snapshot.properties, (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(snapshot.next_row_id, 0);
  EXPECT_TRUE(snapshot.uuid.has_value());
  EXPECT_THAT(fs->ReadAll(table.paths().LatestHint()), HasValue("1"));
  EXPECT_THAT(fs->ReadAll(table.paths().EarliestHint()), HasValue("1"));
}

TEST(CommitTest, KeepsTheHighestWatermark) {
  auto fs = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs, Numbers()));
  TableCommit commit(table, "me");
  std::vector<std::optional<std::int64_t>> kept;
  std::int64_t identifier = 1;
  for (const std::optional<std::int64_t> watermark : {std::optional<std::int64_t>(), std::optional<std::int64_t>(5), std::optional<std::int64_t>(3), std::optional<std::int64_t>()}) {
    BRAID_ASSERT_OK_AND_ASSIGN(auto messages, WriteRows(table, {{1}}));
    Committable committable = WithIdentifier(identifier++, std::move(messages));
    committable.watermark = watermark;
    BRAID_ASSERT_OK_AND_ASSIGN(const auto made, commit.Commit(committable));
    kept.push_back(made.front().watermark);
  }
  EXPECT_THAT(kept, ElementsAre(std::nullopt, 5, 5, 5));
}

class ConcurrentCommitTest : public testing::TestWithParam<bool> {};

constexpr int kCommitters = 8;
constexpr int kCommits = 12;

// Eight threads commit rows to the tables that `table_of` gives each of them; what failed, by thread.
template <typename TableOf>
std::vector<std::string> CommitAtOnce(bool one_name, TableOf table_of) {
  std::barrier start(kCommitters);
  std::vector<std::string> failures(kCommitters);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kCommitters; ++i) {
    threads.emplace_back([&, i] {
      const Table table = table_of();
      TableCommit commit(table, one_name ? "user" : "user-" + std::to_string(i));
      start.arrive_and_wait();
      for (int n = 0; n < kCommits; ++n) {
        auto messages = WriteRows(table, {{i * 1000 + n}});
        if (!messages) {
          failures[static_cast<std::size_t>(i)] = messages.error().ToString();
          return;
        }
        const auto made = commit.Commit(WithIdentifier(one_name ? kBatchCommitIdentifier : n, *std::move(messages)));
        if (!made) failures[static_cast<std::size_t>(i)] = made.error().ToString();
      }
    });
  }
  threads.clear();
  return failures;
}

// Also where all of them go by one name: batch jobs even share their identifier.
TEST_P(ConcurrentCommitTest, LosesNoCommitOfEightAtOnce) {
  auto fs = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs, Numbers()));
  // Each has a file system of its own, as if it were a process of its own: they race.
  const auto open_alone = [&] {
    return *Table::Open(std::make_shared<FaultInjectingFileSystem>(fs), kTestTableRoot, "d.t");
  };
  EXPECT_THAT(CommitAtOnce(GetParam(), open_alone), testing::Each(""));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<SnapshotId> snapshots, ListSnapshots(*fs, table.paths()));
  EXPECT_THAT(snapshots, SizeIs(kCommitters * kCommits));
  EXPECT_EQ(snapshots.back(), SnapshotId(kCommitters * kCommits));
  EXPECT_THAT(SortedRows(table), HasValue(SizeIs(kCommitters * kCommits)));
}

TEST(CommitTest, NeverLosesARaceWithinTheProcess) {
  auto fs = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table, CreateTestTable(fs, TestDefinition({{"id", DataType::Int()}}, {}, {{"commit.max-retries", "0"}})));
  EXPECT_THAT(CommitAtOnce(false, [&] { return table; }), testing::Each(""));
  EXPECT_THAT(SortedRows(table), HasValue(SizeIs(kCommitters * kCommits)));
}

INSTANTIATE_TEST_SUITE_P(Names, ConcurrentCommitTest, testing::Bool(), [](const testing::TestParamInfo<bool>& names) { return names.param ? "OneName" : "OwnNames"; });

TEST(CommitTest, ReportsAFileThatIsAlreadyGone) {
  auto fs = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs, Numbers()));
  BRAID_ASSERT_OK_AND_ASSIGN(auto messages, WriteRows(table, {{1}}));
  const CommitMessage written = messages.front();
  TableCommit commit(table, "me");
  ASSERT_THAT(commit.Commit(WithIdentifier(1, {written})), IsOk());
  CommitMessage removal = written;
  removal.deleted_files = std::exchange(removal.new_files, {});
  ASSERT_THAT(commit.Commit(WithIdentifier(2, {removal})), IsOk());
  EXPECT_THAT(commit.Commit(WithIdentifier(3, {removal})), IsError(ErrorCode::kConflict));
  EXPECT_THAT(SortedRows(table), HasValue(IsEmpty()));
}

TEST(CommitTest, TellsWhatIsLeftToCommitAfterACrash) {
  auto fs = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs, Numbers()));
  TableCommit commit(table, "job");
  EXPECT_THAT(commit.FilterUncommitted({1, 2}), HasValue(ElementsAre(1, 2)));
  BRAID_ASSERT_OK_AND_ASSIGN(auto messages, WriteRows(table, {{1}}));
  ASSERT_THAT(commit.Commit(WithIdentifier(2, std::move(messages))), IsOk());
  ASSERT_THAT(Insert(table, {{9}}), IsOk());  // another user's commit in between
  EXPECT_THAT(commit.FilterUncommitted({1, 2, 3}), HasValue(ElementsAre(3)));
  EXPECT_THAT(TableCommit(table, "another").FilterUncommitted({1}), HasValue(ElementsAre(1)));
}

// Every call to the storage fails once, in each way that it can; the table shows the old snapshot or the new one, whole, and
// the same commit tried again succeeds exactly once.
TEST(CommitTest, SurvivesAFailureOfEveryStorageCall) {
  using Fault = FaultInjectingFileSystem::Fault;
  for (const Fault fault : {Fault::kFail, Fault::kFailAfterwards, Fault::kTornWrite, Fault::kStop}) {
    for (std::int64_t nth = 1;; ++nth) {
      SCOPED_TRACE(testing::Message() << "fault " << static_cast<int>(fault) << " at call " << nth);
      auto memory = std::make_shared<MemoryFileSystem>();
      auto faulty = std::make_shared<FaultInjectingFileSystem>(memory);
      BRAID_ASSERT_OK_AND_ASSIGN(const Table plain, CreateTestTable(memory, Numbers()));
      ASSERT_THAT(Insert(plain, {{1}}), IsOk());
      BRAID_ASSERT_OK_AND_ASSIGN(auto messages, WriteRows(plain, {{2}}));
      BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(faulty, kTestTableRoot, "d.t"));
      const Committable committable = WithIdentifier(5, std::move(messages));

      faulty->FailAt(nth, fault);
      const auto first = TableCommit(table, "me").Commit(committable);
      const bool struck = faulty->struck();
      faulty->Heal();
      BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(plain));
      ASSERT_TRUE(rows.size() == 1 || rows.size() == 2);
      if (first) {
        EXPECT_THAT(rows, SizeIs(2));
      }

      TableCommit again(table, "me");
      BRAID_ASSERT_OK_AND_ASSIGN(const auto left, again.FilterUncommitted({5}));
      if (!left.empty()) {
        ASSERT_THAT(again.Commit(committable), IsOk());
      }
      EXPECT_THAT(SortedRows(plain), HasValue(ElementsAre(R"({"id":1})", R"({"id":2})")));
      if (!struck) break;
    }
  }
}

}  // namespace
}  // namespace braid
