// How often an operation waits for an object store, one answer after the other. The most that each may is argued from what
// an answer is needed for, so a number that grows is a request that could have been made earlier, or not at all.

#include "io/round_trips_testing.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <gmock/gmock.h>

#include "base/text.h"
#include "table/table_testing.h"

namespace braid {
namespace {

// On a busy machine a thread may come so late that what it asks counts as another round trip, so the best of some tries
// counts.
constexpr int kTries = 6;

class RoundTripsTest : public testing::Test {
 protected:
  using Rounds = std::vector<std::vector<std::string>>;

  // What the operation asks for, by round trips.
  Rounds RoundsOf(const std::function<Status()>& operation) {
    files_->Take();
    files_->Count(true);
    EXPECT_THAT(operation(), IsOk());
    files_->Count(false);
    return files_->Take();
  }

  void ExpectAtMost(std::size_t most, const std::function<Status()>& operation,
                    const std::function<void()>& before = [] {}) {
    Rounds fewest;
    for (int i = 0; i < kTries && (i == 0 || fewest.size() > most); ++i) {
      before();
      Rounds rounds = RoundsOf(operation);
      if (i == 0 || rounds.size() < fewest.size()) fewest = std::move(rounds);
    }
    EXPECT_LE(fewest.size(), most) << TextOf(fewest);
  }

  static std::string TextOf(const Rounds& rounds) {
    std::string text;
    for (const std::vector<std::string>& round : rounds) text += "\n  " + Join(round, ", ");
    return text;
  }

  template <typename T>
  static Status Only(const Result<T>& result) {
    return result ? Ok() : Status(result.error());
  }

  const std::shared_ptr<RoundTripFileSystem> files_ = std::make_shared<RoundTripFileSystem>();
};

TEST_F(RoundTripsTest, OpeningATable) {
  ASSERT_THAT(CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}})), IsOk());
  // Which line is main, what is left of a crash, the root's id and the numbers of its schemas; then the last schema.
  ExpectAtMost(2, [&] { return Only(Table::Open(files_, kTestTableRoot, "d.t")); });
}

TEST_F(RoundTripsTest, PlanningTheNewestSnapshot) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}})));
  ASSERT_THAT(Insert(table, {{1}}), IsOk());
  std::optional<Table> opened;
  // The hint; the snapshot that it names, and that there is no next one; its manifest lists; their manifests.
  ExpectAtMost(
      4, [&] { return Only(PlanBatch(*opened, {})); },
      [&] { opened = Table::Open(files_, kTestTableRoot, "d.t").value(); });
}

TEST_F(RoundTripsTest, PlanningASnapshotThatWasPinned) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> snapshots, Insert(table, {{1}}));
  // Its manifest lists, and whether it is the newest still, so that it needs no lease; their manifests.
  ExpectAtMost(2, [&] { return Only(PlanBatch(table.ReadingAt(snapshots.back()), {})); });
}

TEST_F(RoundTripsTest, CommittingAFile) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}}, {}, {{"write-only", "true"}})));
  ASSERT_THAT(Insert(table, {{1}}), IsOk());
  Committable committable;
  // Which line is main, and the hint; the head, and that it is one; its manifest lists, the new manifest and the schemas;
  // the new manifest lists; the snapshot; that it landed on the right line; the hint.
  ExpectAtMost(
      7, [&] { return Only(TableCommit(table, "user").Commit(committable)); },
      [&] { committable.messages = WriteRows(table, {{2}}).value(); });
}

// Not one question is left out where another line may have become main since the table was opened.
TEST_F(RoundTripsTest, ACommitAsksWhichLineIsMainBeforeAndAfter) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(files_, TestDefinition({{"id", DataType::Int()}})));
  Committable committable;
  BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(table, {{2}}));
  const Rounds rounds = RoundsOf([&] { return Only(TableCommit(table, "user").Commit(committable)); });
  const std::string pointer = "ReadAll " + table.paths().MainBranchFile();
  const auto asks = [&](const std::vector<std::string>& round) { return testing::Matches(testing::Contains(pointer))(round); };
  const auto commits = [](const std::vector<std::string>& round) {
    return testing::Matches(testing::Contains(testing::StartsWith("CreateAtomically")))(round);
  };
  const auto commit = std::find_if(rounds.begin(), rounds.end(), commits);
  EXPECT_TRUE(std::any_of(rounds.begin(), commit, asks)) << TextOf(rounds);
  EXPECT_TRUE(std::any_of(commit, rounds.end(), asks)) << TextOf(rounds);
}

}  // namespace
}  // namespace braid
