#include "table/lines.h"

#include <gmock/gmock.h>

#include "base/clock.h"
#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "meta/stores.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::Eq;

constexpr const char* kRoot = "/w/d.db/t";

class LinesTest : public testing::Test {
 protected:
  TablePaths At(std::string_view branch) const { return TablePaths(kRoot, std::string(branch)); }

  void AddSchema(std::string_view branch) {
    const TablePaths paths = At(branch);
    ASSERT_THAT(fs_.Replace(paths.SchemaFile(SchemaId(0)), "{}"), IsOk());
  }

  Snapshot SnapshotOf(std::int64_t id, std::string_view identity) const {
    Snapshot snapshot;
    snapshot.id = SnapshotId(id);
    snapshot.base_manifest_list = "base";
    snapshot.delta_manifest_list = "manifest-list-" + std::string(identity);
    snapshot.commit_user = "u";
    return snapshot;
  }
  void AddSnapshot(std::string_view branch, std::int64_t id, std::string_view identity) {
    ASSERT_THAT(CreateSnapshot(fs_, At(branch), SnapshotOf(id, identity)), IsOk());
  }
  void AddTag(std::string_view branch, std::string name, std::int64_t id, std::string_view identity) {
    Tag tag;
    tag.name = std::move(name);
    tag.snapshot = SnapshotOf(id, identity);
    ASSERT_THAT(WriteTag(fs_, At(branch), tag), IsOk());
  }

  TableLines List() {
    Result<TableLines> lines = ListLines(fs_, kRoot);
    EXPECT_THAT(lines, IsOk());
    return *std::move(lines);
  }

  ManualClock clock_{1'000};
  MemoryFileSystem fs_{clock_};
};

std::vector<std::string> NamesOf(const TableLines& lines) {
  std::vector<std::string> names;
  for (const Line& line : lines.lines) names.push_back(line.name);
  return names;
}

TEST_F(LinesTest, FindsEveryLineWhereverItLies) {
  AddSchema("main");
  AddSchema("b");
  AddSchema("a");
  ASSERT_THAT(fs_.Replace("/w/d.db/t/branch/.dropped-op1/schema/schema-0", "{}"), IsOk());
  ASSERT_THAT(fs_.Replace("/w/d.db/t/branch/.new-op2/schema/schema-0", "{}"), IsOk());
  ASSERT_THAT(fs_.Replace("/w/d.db/t/.braid/staging/op3/snapshot/snapshot-1", "{}"), IsOk());
  const TableLines lines = List();
  EXPECT_THAT(NamesOf(lines), ElementsAre("main", "a", "b", ".dropped-op1", ".new-op2", "op3"));
  EXPECT_EQ(lines.lines[3].kind, LineKind::kDropped);
  EXPECT_EQ(lines.lines[3].paths.SchemaDirectory(), "/w/d.db/t/branch/.dropped-op1/schema");
  EXPECT_EQ(lines.lines[5].paths.SnapshotDirectory(), "/w/d.db/t/.braid/staging/op3/snapshot");
  EXPECT_EQ(lines.lines[0].id, kRootLineId);
  EXPECT_TRUE(lines.lines[0].is_main);
}

TEST_F(LinesTest, MainBranchMovesTheNameMain) {
  AddSchema("main");
  AddSchema("b");
  ASSERT_THAT(fs_.Replace("/w/d.db/t/MAIN-BRANCH", " b\n"), IsOk());
  EXPECT_EQ(List().Find("MAIN")->name, "b");
  EXPECT_EQ(ResolveLine(fs_, kRoot, "main")->BranchDirectory(), "/w/d.db/t/branch/branch-b");
  for (const char* root : {"", "  \n", "Main"}) {
    ASSERT_THAT(fs_.Replace("/w/d.db/t/MAIN-BRANCH", root), IsOk());
    EXPECT_EQ(ResolveLine(fs_, kRoot, "main")->BranchDirectory(), kRoot) << root;
  }
}

TEST_F(LinesTest, MainBranchThatNamesNothingIsAnErrorAndNeverTheRoot) {
  AddSchema("main");
  ASSERT_THAT(fs_.Replace("/w/d.db/t/MAIN-BRANCH", "gone"), IsOk());
  EXPECT_THAT(ResolveLine(fs_, kRoot, "main"), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(ListLines(fs_, kRoot), HasMessage("names the branch 'gone', which does not exist"));
}

TEST_F(LinesTest, DerivesTheForkPointOfABranchWithoutARecord) {
  AddSchema("main");
  for (const auto& [id, identity] : {std::pair(1, "a"), std::pair(2, "b"), std::pair(3, "c")}) {
    AddSnapshot("main", id, identity);
  }
  AddSchema("dev");
  AddSnapshot("dev", 2, "b");
  AddSnapshot("dev", 3, "other");  // the same id, another snapshot
  AddTag("dev", "young", 2, "b");
  AddSchema("deep");
  AddSnapshot("deep", 3, "other");
  const TableLines lines = List();

  const Line* dev = lines.Find("dev");
  EXPECT_TRUE(dev->inferred);
  ASSERT_TRUE(dev->record);
  EXPECT_EQ(dev->record->parent_line_id, kRootLineId);
  EXPECT_EQ(dev->record->anchor->snapshot, (SnapshotRef{SnapshotId(2), "b"}));
  EXPECT_EQ(dev->record->tag, "young");
  EXPECT_EQ(dev->record->kind, ForkKind::kTag);

  const Line* deep = lines.Find("deep");
  EXPECT_EQ(deep->record->parent_name, "dev");
  EXPECT_EQ(deep->record->anchor->snapshot.id, SnapshotId(3));
  EXPECT_EQ(deep->record->tag, std::nullopt);
}

TEST_F(LinesTest, DerivesTheForkPointFromATagOfMainWhenTheSnapshotExpired) {
  AddSchema("main");
  AddTag("main", "kept", 2, "b");
  AddSchema("dev");
  AddSnapshot("dev", 2, "b");
  EXPECT_EQ(List().Find("dev")->record->anchor->snapshot.id, SnapshotId(2));
}

TEST_F(LinesTest, NeverGuessesAForkPoint) {
  AddSchema("main");
  AddSnapshot("main", 5, "e");
  AddSchema("lost");
  AddSnapshot("lost", 4, "x");
  AddSchema("empty");
  const TableLines lines = List();
  EXPECT_FALSE(lines.Find("lost")->record->anchor);
  EXPECT_EQ(lines.Find("lost")->unknown_reason, "no other line has a snapshot in common with it any more");
  EXPECT_EQ(lines.Find("empty")->record->kind, ForkKind::kEmpty);
}

TEST_F(LinesTest, ABranchMadeAgainIsAnotherLine) {
  AddSchema("main");
  AddSchema("b");
  const std::string before = List().Find("b")->id;
  EXPECT_THAT(ReadLineId(fs_, At("b")), HasValue(Eq(before)));
  clock_.Advance(5);
  ASSERT_THAT(fs_.DeleteTree(At("b").BranchDirectory()), IsOk());
  AddSchema("b");
  EXPECT_NE(List().Find("b")->id, before);
}

TEST_F(LinesTest, ReportsADamagedBranchAndGoesOn) {
  AddSchema("main");
  ASSERT_THAT(fs_.Replace(At("bare").SnapshotFile(SnapshotId(1)), "{}"), IsOk());
  AddSchema("torn");
  ASSERT_THAT(fs_.Replace(At("torn").ForkRecordFile(), "{"), IsOk());
  AddSchema("whole");
  const TableLines lines = List();
  EXPECT_TRUE(lines.Find("bare")->damage);
  EXPECT_TRUE(lines.Find("torn")->damage);
  EXPECT_FALSE(lines.Find("whole")->damage);
}

TEST(GuardTagTest, NamesItsBranch) {
  EXPECT_EQ(GuardedBranch(ForkGuardTag("b")), "b");
  EXPECT_EQ(GuardedBranch(LinkGuardTag("a-1", 12)), "a-1");
  EXPECT_FALSE(IsGuardTag("braid-link-x"));
  EXPECT_FALSE(IsGuardTag("daily"));
}

}  // namespace
}  // namespace braid
