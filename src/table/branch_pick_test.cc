#include "table/branch_pick.h"

#include <gmock/gmock.h>

#include "table/branch_table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Outcome = PickedSnapshot::Outcome;

class BranchPickTest : public BranchTableTest {
 protected:
  Result<PickResult> Pick(const std::string& ranges, bool dry_run = false) const {
    PickRequest request{.from = "b", .ranges = {}, .dry_run = dry_run};
    BRAID_TRY_ASSIGN(request.ranges, PickRequest::ParseRanges(ranges));
    return PickSnapshots(Context(), request);
  }

  static std::vector<Outcome> Outcomes(const PickResult& result) {
    std::vector<Outcome> outcomes;
    for (const PickedSnapshot& snapshot : result.snapshots) outcomes.push_back(snapshot.outcome);
    return outcomes;
  }
};

TEST_F(BranchPickTest, TakesSingleSnapshotsOverAndOnlyOnce) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  for (const int row : {20, 21, 22}) ASSERT_NO_FATAL_FAILURE(Add("b", row));
  const std::vector<std::string> before = fs_->AllFiles();
  BRAID_ASSERT_OK_AND_ASSIGN(const PickResult told, Pick("3,5", true));
  EXPECT_THAT(Outcomes(told), ElementsAre(Outcome::kPicked, Outcome::kPicked));
  EXPECT_EQ(fs_->AllFiles(), before);
  BRAID_ASSERT_OK_AND_ASSIGN(const PickResult picked, Pick("3,5"));
  EXPECT_EQ(picked.snapshots[0].target, SnapshotId(4));
  EXPECT_EQ(picked.snapshots[1].target, SnapshotId(5));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20", "22", "3")));
  BRAID_ASSERT_OK_AND_ASSIGN(const PickResult again, Pick("2..5"));
  EXPECT_THAT(Outcomes(again), ElementsAre(Outcome::kThere, Outcome::kThere, Outcome::kPicked, Outcome::kThere));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20", "21", "22", "3")));
}

TEST_F(BranchPickTest, RowsOfAKeyTableComeWithTheirKinds) {
  fs_ = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main,
                             CreateTestTable(fs_, TestDefinition({{"k", DataType::Int().NotNull()}, {"v", DataType::Int()}}, {"k"},
                                                                 {{"bucket", "1"}, {"write-only", "true"}})));
  ASSERT_THAT(Insert(main, {{1, 10}, {2, 20}}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table branch, Open("b"));
  ASSERT_THAT(Insert(branch, {{3, 30}}), IsOk());
  ASSERT_THAT(Insert(branch, {{1, 11}, {2, 20}}, {RowKind::kUpdateAfter, RowKind::kDelete}), IsOk());
  ASSERT_THAT(Pick("3"), IsOk());
  EXPECT_THAT(SortedRows(main), HasValue(ElementsAre(R"({"k":1,"v":11})")));
}

TEST_F(BranchPickTest, RefusesWhatIsNoAddition) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table branch, Open("b"));
  ASSERT_THAT(TableCommit(branch, "user").Overwrite({}, {}), IsOk());
  EXPECT_THAT(Pick("3"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(Pick("9"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Pick("a..b"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Pick("5..3"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(PickSnapshots(Context(), {.from = "main", .ranges = {}}), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(BranchPickTest, WhateverFailsRepeatingItCompletesIt) {
  const auto pick = [](const OperationContext& context) -> Status {
    BRAID_TRY(PickSnapshots(context, {.from = "b", .ranges = {{SnapshotId(3), SnapshotId(4)}}}));
    return Ok();
  };
  SweepFailures(
      [&](const OperationContext& context) -> Status {
        BRAID_TRY(CreateBranch(context, {.name = "b", .snapshot = SnapshotId(2)}));
        for (const int row : {20, 21}) Add("b", row);
        return Ok();
      },
      pick,
      [&] {
        EXPECT_THAT(Rows("main"), testing::AnyOf(HasValue(ElementsAre("1", "2", "3")), HasValue(ElementsAre("1", "2", "20", "3")),
                                                 HasValue(ElementsAre("1", "2", "20", "21", "3"))));
        BRAID_ASSERT_OK_AND_ASSIGN(std::optional<LockedTable> nobody_else, LockedTable::TryAcquire(Context()));
        if (!nobody_else) return;
        nobody_else.reset();
        ASSERT_THAT(pick(Context()), IsOk());
        EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20", "21", "3")));
      },
      [&] { return Rows("main").value().size() == 5; });
}

}  // namespace
}  // namespace braid
