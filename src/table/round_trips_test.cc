// How often an operation waits for an object store, one answer after the other. The most that each may is argued from what
// an answer is needed for, so a number that grows is a request that could have been made earlier, or not at all.

#include "io/round_trips_testing.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "table/table_testing.h"

namespace braid {
namespace {

class RoundTripsTest : public testing::Test {
 protected:
  // Counts from now on.
  void Begin() {
    files_->Count(true);
    files_->Take();
  }
  std::size_t RoundTrips() {
    rounds_ = files_->Take();
    return rounds_.size();
  }
  // Of those that were counted last.
  std::string Asked() const {
    std::string text;
    for (const std::vector<std::string>& round : rounds_) text += "\n  " + Join(round, ", ");
    return text;
  }

  const std::shared_ptr<RoundTripFileSystem> files_ = std::make_shared<RoundTripFileSystem>();
  std::vector<std::vector<std::string>> rounds_;
};

TEST_F(RoundTripsTest, OpeningATable) {
  ASSERT_THAT(CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}})), IsOk());
  Begin();
  ASSERT_THAT(Table::Open(files_, kTestTableRoot, "d.t"), IsOk());
  // Which line is main, what is left of a crash, the root's id and the numbers of its schemas; then the last schema.
  EXPECT_LE(RoundTrips(), 2u) << Asked();
}

TEST_F(RoundTripsTest, PlanningTheNewestSnapshot) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}})));
  ASSERT_THAT(Insert(table, {{1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table opened, Table::Open(files_, kTestTableRoot, "d.t"));
  Begin();
  ASSERT_THAT(PlanBatch(opened, {}), IsOk());
  // The hint; the snapshot that it names, and that there is no next one; its manifest lists; their manifests.
  EXPECT_LE(RoundTrips(), 4u) << Asked();
}

TEST_F(RoundTripsTest, PlanningASnapshotThatWasPinned) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> snapshots, Insert(table, {{1}}));
  const Table pinned = table.ReadingAt(snapshots.back());
  Begin();
  ASSERT_THAT(PlanBatch(pinned, {}), IsOk());
  // Its manifest lists, and whether it is the newest still, so that it needs no lease; their manifests.
  EXPECT_LE(RoundTrips(), 2u) << Asked();
}

TEST_F(RoundTripsTest, CommittingAFile) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}}, {}, {{"write-only", "true"}})));
  ASSERT_THAT(Insert(table, {{1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<CommitMessage> messages, WriteRows(table, {{2}}));
  Committable committable;
  committable.messages = messages;
  Begin();
  ASSERT_THAT(TableCommit(table, "user").Commit(committable), IsOk());
  // Which line is main; the hint; the head and that it is one; the head's lists, and the new manifest; the new lists; the
  // snapshot; that it landed on the right line; the hint.
  EXPECT_LE(RoundTrips(), 8u) << Asked();
}

// Not one question is left out where another line may have become main since the table was opened.
TEST_F(RoundTripsTest, ACommitAsksWhichLineIsMainBeforeAndAfter) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<CommitMessage> messages, WriteRows(table, {{2}}));
  Committable committable;
  committable.messages = messages;
  Begin();
  ASSERT_THAT(TableCommit(table, "user").Commit(committable), IsOk());
  RoundTrips();
  const std::string pointer = "ReadAll " + table.paths().MainBranchFile();
  const auto asks = [&](const std::vector<std::string>& round) { return testing::Matches(testing::Contains(pointer))(round); };
  const auto commits = [](const std::vector<std::string>& round) {
    return testing::Matches(testing::Contains(testing::StartsWith("CreateAtomically")))(round);
  };
  const auto commit = std::find_if(rounds_.begin(), rounds_.end(), commits);
  EXPECT_TRUE(std::any_of(rounds_.begin(), commit, asks)) << Asked();
  EXPECT_TRUE(std::any_of(commit, rounds_.end(), asks)) << Asked();
}

}  // namespace
}  // namespace braid
