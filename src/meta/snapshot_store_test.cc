#include <atomic>
#include <latch>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/fault_injecting_file_system.h"
#include "io/memory_file_system.h"
#include "meta/stores.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using Fault = FaultInjectingFileSystem::Fault;

Snapshot SnapshotOf(std::int64_t id, std::string user = "u") {
  Snapshot snapshot;
  snapshot.id = SnapshotId(id);
  snapshot.base_manifest_list = "base";
  snapshot.delta_manifest_list = "delta";
  snapshot.commit_user = std::move(user);
  return snapshot;
}

class SnapshotStoreTest : public testing::Test {
 protected:
  void Commit(std::initializer_list<std::int64_t> ids) {
    for (const std::int64_t id : ids) ASSERT_THAT(CreateSnapshot(*fs_, paths_, SnapshotOf(id)), IsOk());
  }
  void Hint(const std::string& path, std::string_view text) { ASSERT_THAT(fs_->Replace(path, text), IsOk()); }

  const std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  const TablePaths paths_{"/w/sales.db/orders", "main"};
};

TEST_F(SnapshotStoreTest, ReadsBackWhatWasCommitted) {
  ASSERT_NO_FATAL_FAILURE(Commit({1}));
  EXPECT_THAT(ReadSnapshot(*fs_, paths_, SnapshotId(1)), HasValue(Eq(SnapshotOf(1))));
}

TEST_F(SnapshotStoreTest, NamesTheSnapshotThatIsMissing) {
  const Result<Snapshot> missing = ReadSnapshot(*fs_, paths_, SnapshotId(9));
  EXPECT_THAT(missing, IsError(ErrorCode::kNotFound));
  EXPECT_THAT(missing, HasMessage("sales.orders has no snapshot 9"));
}

TEST_F(SnapshotStoreTest, ReportsDamagedFilesByPath) {
  ASSERT_THAT(fs_->Replace(paths_.SnapshotFile(SnapshotId(1)), "{\"version\""), IsOk());
  const Result<Snapshot> torn = ReadSnapshot(*fs_, paths_, SnapshotId(1));
  EXPECT_THAT(torn, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(torn, HasMessage("/w/sales.db/orders/snapshot/snapshot-1"));

  ASSERT_NO_FATAL_FAILURE(Commit({2}));
  ASSERT_THAT(fs_->Rename(paths_.SnapshotFile(SnapshotId(2)), paths_.SnapshotFile(SnapshotId(3))), IsOk());
  EXPECT_THAT(ReadSnapshot(*fs_, paths_, SnapshotId(3)), HasMessage("snapshot-3 holds snapshot 2"));
}

TEST_F(SnapshotStoreTest, ListsNumbersOnlyAndInOrder) {
  ASSERT_NO_FATAL_FAILURE(Commit({10, 9, 1}));
  for (const std::string_view stray : {"LATEST", "snapshot-", "snapshot-x", "snapshot-2.tmp", ".snapshot-3.a.tmp",
                                       "snapshot-04", "snapshot--5", "snapshot-99999999999999999999", "other-6"}) {
    ASSERT_THAT(fs_->Replace(JoinPath(paths_.SnapshotDirectory(), stray), "7"), IsOk());
  }
  EXPECT_THAT(ListSnapshots(*fs_, paths_), HasValue(ElementsAre(SnapshotId(1), SnapshotId(9), SnapshotId(10))));
}

TEST_F(SnapshotStoreTest, FindsNothingInATableWithoutSnapshots) {
  EXPECT_THAT(FindLatestSnapshot(*fs_, paths_), HasValue(Eq(std::nullopt)));
  EXPECT_THAT(FindEarliestSnapshot(*fs_, paths_), HasValue(Eq(std::nullopt)));
  EXPECT_THAT(ListSnapshots(*fs_, paths_), HasValue(IsEmpty()));
}

TEST_F(SnapshotStoreTest, FindsTheLatestWhateverTheHintSays) {
  ASSERT_NO_FATAL_FAILURE(Commit({3, 4, 5}));
  for (const std::string_view hint : {"5", "5\n", "4", "3", "1", "9", "0", "-1", "", "x", "99999999999999999999", "9223372036854775807"}) {
    ASSERT_NO_FATAL_FAILURE(Hint(paths_.LatestHint(), hint));
    EXPECT_THAT(FindLatestSnapshot(*fs_, paths_), HasValue(Eq(SnapshotId(5)))) << "hint " << hint;
    EXPECT_THAT(ReadLatestSnapshot(*fs_, paths_), HasValue(Eq(SnapshotOf(5)))) << "hint " << hint;
  }
  ASSERT_THAT(fs_->Delete(paths_.LatestHint()), IsOk());
  EXPECT_THAT(FindLatestSnapshot(*fs_, paths_), HasValue(Eq(SnapshotId(5))));
  EXPECT_THAT(ReadLatestSnapshot(*fs_, paths_), HasValue(Eq(SnapshotOf(5))));
}

TEST_F(SnapshotStoreTest, ReadsTheLatestWhateverHasBecomeOfAnOlderOneThatTheHintNames) {
  ASSERT_NO_FATAL_FAILURE(Commit({1, 3}));
  ASSERT_THAT(fs_->Replace(paths_.SnapshotFile(SnapshotId(2)), "{"), IsOk());
  ASSERT_NO_FATAL_FAILURE(Hint(paths_.LatestHint(), "2"));
  EXPECT_THAT(ReadLatestSnapshot(*fs_, paths_), HasValue(Eq(SnapshotOf(3))));
  ASSERT_THAT(fs_->Delete(paths_.SnapshotFile(SnapshotId(3))), IsOk());
  EXPECT_THAT(ReadLatestSnapshot(*fs_, paths_), IsError(ErrorCode::kCorruption)) << "now it is the latest";
}

TEST_F(SnapshotStoreTest, KnowsWhetherASnapshotIsTheLatest) {
  ASSERT_NO_FATAL_FAILURE(Commit({3, 4}));
  EXPECT_THAT(IsLatestSnapshot(*fs_, paths_, SnapshotId(3)), HasValue(false));
  EXPECT_THAT(IsLatestSnapshot(*fs_, paths_, SnapshotId(4)), HasValue(true));
  EXPECT_THAT(IsLatestSnapshot(*fs_, paths_, SnapshotId(5)), HasValue(false)) << "it is not there";
}

TEST_F(SnapshotStoreTest, ReadsThoseOfManyThatAreThere) {
  ASSERT_NO_FATAL_FAILURE(Commit({2, 3, 5}));
  const std::vector<SnapshotId> ids = {SnapshotId(5), SnapshotId(4), SnapshotId(2)};
  EXPECT_THAT(ReadSnapshots(*fs_, paths_, ids), HasValue(ElementsAre(SnapshotOf(5), SnapshotOf(2))));
  ASSERT_THAT(fs_->Replace(paths_.SnapshotFile(SnapshotId(4)), "{"), IsOk());
  EXPECT_THAT(ReadSnapshots(*fs_, paths_, ids), IsError(ErrorCode::kCorruption));
}

TEST_F(SnapshotStoreTest, FindsBothEndsOfTheHistory) {
  EXPECT_THAT(FindSnapshotRange(*fs_, paths_), HasValue(Eq(std::nullopt)));
  ASSERT_NO_FATAL_FAILURE(Commit({3, 4, 5}));
  const auto found = [&](bool has_earliest_hint) {
    return HasValue(Eq(SnapshotRange{.earliest = SnapshotId(3), .latest = SnapshotId(5), .has_earliest_hint = has_earliest_hint}));
  };
  EXPECT_THAT(FindSnapshotRange(*fs_, paths_), found(false));
  ASSERT_NO_FATAL_FAILURE(Hint(paths_.EarliestHint(), "1"));
  EXPECT_THAT(FindSnapshotRange(*fs_, paths_), found(false)) << "that one is gone";
  ASSERT_NO_FATAL_FAILURE(Hint(paths_.EarliestHint(), "3"));
  EXPECT_THAT(FindSnapshotRange(*fs_, paths_), found(true));
}

TEST_F(SnapshotStoreTest, FindsTheEarliestWhateverTheHintSays) {
  ASSERT_NO_FATAL_FAILURE(Commit({3, 4, 5}));
  for (const std::string_view hint : {"3", "1", "9", "", "x"}) {
    ASSERT_NO_FATAL_FAILURE(Hint(paths_.EarliestHint(), hint));
    EXPECT_THAT(FindEarliestSnapshot(*fs_, paths_), HasValue(Eq(SnapshotId(3)))) << "hint " << hint;
  }
}

TEST_F(SnapshotStoreTest, WritesHintsAsBareNumbers) {
  ASSERT_THAT(WriteLatestHint(*fs_, paths_, SnapshotId(12)), IsOk());
  ASSERT_THAT(WriteEarliestHint(*fs_, paths_, SnapshotId(4)), IsOk());
  EXPECT_THAT(fs_->ReadAll("/w/sales.db/orders/snapshot/LATEST"), HasValue(Eq("12")));
  EXPECT_THAT(fs_->ReadAll("/w/sales.db/orders/snapshot/EARLIEST"), HasValue(Eq("4")));
}

TEST_F(SnapshotStoreTest, SeesOnlySnapshotsOfTheBranch) {
  const TablePaths branch = paths_.OnBranch("b");
  ASSERT_NO_FATAL_FAILURE(Commit({1, 2}));
  ASSERT_THAT(CreateSnapshot(*fs_, branch, SnapshotOf(1)), IsOk());
  EXPECT_THAT(FindLatestSnapshot(*fs_, branch), HasValue(Eq(SnapshotId(1))));
  EXPECT_THAT(ReadSnapshot(*fs_, branch, SnapshotId(2)), HasMessage("sales.orders, branch b has no snapshot 2"));
}

TEST_F(SnapshotStoreTest, LetsOneOfTwoCommitsWin) {
  ASSERT_NO_FATAL_FAILURE(Commit({1}));
  const Status lost = CreateSnapshot(*fs_, paths_, SnapshotOf(1, "other"));
  EXPECT_THAT(lost, IsError(ErrorCode::kConflict));
  EXPECT_THAT(lost, HasMessage("cannot commit to sales.orders: another writer committed snapshot 1 first"));
  EXPECT_EQ(ReadSnapshot(*fs_, paths_, SnapshotId(1))->commit_user, "u");
}

TEST_F(SnapshotStoreTest, LetsExactlyOneOfManyRacingCommitsWin) {
  constexpr int kWriters = 8;
  std::latch start(kWriters);
  std::atomic<int> winners = 0;
  std::atomic<int> losers = 0;
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      start.arrive_and_wait();
      const Status created = CreateSnapshot(*fs_, paths_, SnapshotOf(1, fmt::format("writer {}", writer)));
      if (created) ++winners;
      if (!created && created.error().code() == ErrorCode::kConflict) ++losers;
    });
  }
  writers.clear();
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(losers, kWriters - 1);
}

TEST_F(SnapshotStoreTest, FindsOutThatAnUncertainCommitGotThrough) {
  FaultInjectingFileSystem faulty(fs_);
  faulty.FailAt(1, Fault::kFailAfterwards);
  EXPECT_THAT(CreateSnapshot(faulty, paths_, SnapshotOf(1)), IsOk());
  EXPECT_TRUE(faulty.struck());
}

TEST_F(SnapshotStoreTest, SaysThatACommitIsUncertainWhenTheStorageStaysAway) {
  class Unreadable : public MemoryFileSystem {
   public:
    Status CreateAtomically(std::string_view, std::string_view) override {
      return Error(ErrorCode::kCommitUnknown, "lost");
    }
    Result<std::string> ReadAll(std::string_view) const override { return Error(ErrorCode::kIo, "gone"); }
  } unreadable;
  EXPECT_THAT(CreateSnapshot(unreadable, paths_, SnapshotOf(1)), IsError(ErrorCode::kCommitUnknown));
}

TEST_F(SnapshotStoreTest, SaysThatAnUncertainCommitFailedWhenNoFileIsThere) {
  class Forgetful : public MemoryFileSystem {
   public:
    Status CreateAtomically(std::string_view, std::string_view) override {
      return Error(ErrorCode::kCommitUnknown, "lost");
    }
  } forgetful;
  EXPECT_THAT(CreateSnapshot(forgetful, paths_, SnapshotOf(1)), IsError(ErrorCode::kIo));
  ASSERT_THAT(forgetful.Replace(paths_.SnapshotFile(SnapshotId(1)), "of another writer"), IsOk());
  EXPECT_THAT(CreateSnapshot(forgetful, paths_, SnapshotOf(1)), IsError(ErrorCode::kConflict));
}

TEST_F(SnapshotStoreTest, ReadsLongLivedChangelogs) {
  ASSERT_NO_FATAL_FAILURE(Commit({2}));
  ASSERT_THAT(fs_->CreateDirectories(paths_.ChangelogDirectory()), IsOk());
  ASSERT_THAT(fs_->Rename(paths_.SnapshotFile(SnapshotId(2)), paths_.ChangelogFile(SnapshotId(2))), IsOk());
  ASSERT_THAT(fs_->Replace(JoinPath(paths_.ChangelogDirectory(), "LATEST"), "-1"), IsOk());
  EXPECT_THAT(ListChangelogs(*fs_, paths_), HasValue(ElementsAre(SnapshotId(2))));
  EXPECT_THAT(ReadChangelog(*fs_, paths_, SnapshotId(2)), HasValue(Eq(SnapshotOf(2))));
  EXPECT_THAT(ReadChangelog(*fs_, paths_, SnapshotId(3)), HasMessage("sales.orders has no changelog 3"));
}

}  // namespace
}  // namespace braid
