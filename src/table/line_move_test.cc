// Operations through a handle whose line moves meanwhile: none lands on a line that the name does not mean any more.

#include "table/line_move.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "table/branch_replace.h"
#include "table/branch_table_testing.h"
#include "table/reader_line.h"
#include "table/rollback.h"
#include "table/seal.h"
#include "table/snapshot_selector.h"
#include "table/tag_change.h"
#include "table/tag_removal.h"

namespace braid {
namespace {

class LineMoveTest : public BranchTableTest {
 protected:
  Result<Tag> Tagged(const Table& table, const std::string& name) {
    BRAID_TRY_ASSIGN(const Snapshot snapshot, SelectSnapshot(table, {}));
    return CreateTag(table, {.name = name, .snapshot = snapshot}, SystemClock());
  }
};

TEST_F(LineMoveTest, AHandleOnAFormerMainMovesNothing) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "one", 1));
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("b", 20));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table former, Open("main"));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot head, SelectSnapshot(former, {}));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "b", .keep_as = "old"}), IsOk());
  const std::vector<std::string> tags = FilesWith("/tag/");
  EXPECT_THAT(CreateTag(former, {.name = "late", .snapshot = head}, SystemClock()), IsError(ErrorCode::kConflict));
  EXPECT_THAT(MoveTag(former, {.name = "one", .snapshot = head}, SystemClock()), IsError(ErrorCode::kConflict));
  EXPECT_THAT(RenameTag(former, "one", "uno"), IsError(ErrorCode::kConflict));
  EXPECT_THAT(DeleteTags(former, {"one"}, {}, SystemClock()), IsError(ErrorCode::kConflict));
  EXPECT_THAT(RollbackHard(former, {.id = SnapshotId(1)}, false, SystemClock()), IsError(ErrorCode::kConflict));
  EXPECT_EQ(FilesWith("/tag/"), tags);
  EXPECT_THAT(Rows("main"), HasValue(testing::ElementsAre("1", "2", "20")));
  EXPECT_THAT(Rows("old"), HasValue(testing::ElementsAre("1", "2", "3")));
}

TEST_F(LineMoveTest, ASealedLineTakesNoTagsAndIsNotRolledBack) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  {
    BRAID_ASSERT_OK_AND_ASSIGN(const LockedTable locked, LockedTable::Acquire(Context()));
    ASSERT_THAT(SealLine(locked, root_, {.operation = "op", .reason = "replace", .moved_to = {}}), IsOk());
  }
  EXPECT_THAT(Tagged(main, "t"), IsError(ErrorCode::kConflict));
  EXPECT_THAT(RollbackHard(main, {.id = SnapshotId(1)}, false, SystemClock()), IsError(ErrorCode::kConflict));
  EXPECT_THAT(RollbackAsLatest(main, {.id = SnapshotId(1)}, SystemClock()), IsError(ErrorCode::kConflict));
}

TEST_F(LineMoveTest, AProtectedBranchIsNotRolledBackButTagged) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true, .is_protected = true}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table branch, Open("b"));
  EXPECT_THAT(RollbackHard(branch, {.id = SnapshotId(3)}, false, SystemClock()), IsError(ErrorCode::kPermissionDenied));
  EXPECT_THAT(Tagged(branch, "t"), IsOk());
}

// What a job plans from a handle of a snapshot it may read later, when the line lies somewhere else.
TEST_F(LineMoveTest, SplitsAreReadWhereverTheirLineMovesTo) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("b", 20));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "b", .materialize = false}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  ASSERT_EQ(main.paths().branch(), "b");
  BRAID_ASSERT_OK_AND_ASSIGN(const Table at, main.With(Options(Options::Map{{"scan.snapshot-id", "3"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(at, {}));
  ASSERT_THAT(KeepSchemas(main, plan), IsOk());
  ASSERT_THAT(MaterializeMain(Context()), IsOk());
  std::int64_t rows = 0;
  for (const DataSplit& split : plan.splits) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadSplit(main, split, {}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto batches, ReadAllBatches(*reader));
    for (const Batch& batch : batches) rows += batch.row_count();
  }
  EXPECT_EQ(rows, 3);
}

// Tags are made while main is replaced. Each that was reported as made is on the new main or the former one, and names a
// snapshot of the line that it is on.
TEST_F(LineMoveTest, TagsMadeWhileMainIsReplacedAreOnOneOfBothLines) {
  constexpr int kRaces = 20;
  for (int race = 0; race < kRaces; ++race) {
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
    ASSERT_NO_FATAL_FAILURE(Add("b", 20));
    std::atomic<bool> replaced = false;
    std::vector<std::string> made;
    std::thread tagger([&] {
      for (int i = 0; i < 200 && !(replaced && i > 5); ++i) {
        const std::string name = "t" + std::to_string(i);
        const Result<Table> main = Open("main");
        if (!main) continue;
        const Result<Tag> tag = Tagged(*main, name);
        if (tag) made.push_back(name);
        EXPECT_TRUE(tag || tag.error().code() == ErrorCode::kConflict || tag.error().code() == ErrorCode::kNotFound)
            << tag.error().ToString();
      }
    });
    OperationContext context = Context();
    context.lock_timeout = std::chrono::seconds(10);
    const Result<ReplacedMain> done = ReplaceMain(context, {.name = "b", .keep_as = "old"});
    replaced = true;
    tagger.join();
    ASSERT_THAT(done, IsOk());
    for (const char* branch : {"main", "old"}) {
      BRAID_ASSERT_OK_AND_ASSIGN(const TablePaths paths, ResolveLine(*fs_, kTestTableRoot, branch));
      BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> names, ListTags(*fs_, paths));
      for (const std::string& name : names) {
        std::erase(made, name);
        BRAID_ASSERT_OK_AND_ASSIGN(const Tag tag, ReadTag(*fs_, paths, name));
        BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, paths, tag.snapshot.id));
        EXPECT_EQ(RefOf(snapshot), RefOf(tag.snapshot)) << name << " of " << branch;
      }
    }
    EXPECT_THAT(made, testing::IsEmpty()) << "lost";
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace braid
