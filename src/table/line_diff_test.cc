#include "table/line_diff.h"

#include <gmock/gmock.h>

#include "table/branch_table_testing.h"
#include "table/write.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LineDiffTest : public BranchTableTest {
 protected:
  // A table of orders by id instead.
  void MakeKeyTable(Options::Map options = {{"bucket", "2"}, {"write-only", "true"}}) {
    fs_ = std::make_shared<MemoryFileSystem>();
    ASSERT_THAT(CreateTestTable(fs_, TestDefinition({{"id", DataType::Int().NotNull()}, {"price", DataType::Int()}}, {"id"}, std::move(options))), IsOk());
    ASSERT_NO_FATAL_FAILURE(Put("main", {{1, 10}, {2, 20}, {3, 30}}));
    ASSERT_THAT(CreateBranch(Context(), {.name = "fix", .latest = true}), IsOk());
  }

  void Put(std::string_view branch, const std::vector<DatumList>& rows, const std::vector<RowKind>& kinds = {}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Open(branch));
    ASSERT_THAT(Insert(table, rows, kinds), IsOk());
  }

  Result<LineDiff> Diff(const std::string& from, const std::string& to, std::size_t limit = 20) const {
    LineDiffRequest request{.from = {}, .to = {}, .rows = true, .limit = limit};
    BRAID_TRY_ASSIGN(request.from, LineState::Parse(Context(), from));
    BRAID_TRY_ASSIGN(request.to, LineState::Parse(Context(), to));
    return DiffLines(Context(), request);
  }

  // "- old" and "+ new".
  static std::vector<std::string> Shown(const LineDiff& diff) {
    std::vector<std::string> texts;
    for (const RowDifference& row : diff.rows->shown) {
      std::string text;
      if (row.before) text += "-" + *row.before;
      if (row.after) text += "+" + *row.after;
      texts.push_back(std::move(text));
    }
    return texts;
  }

  static std::vector<std::int64_t> Ids(const std::vector<Snapshot>& snapshots) {
    std::vector<std::int64_t> ids;
    for (const Snapshot& snapshot : snapshots) ids.push_back(snapshot.id.value());
    return ids;
  }
};

TEST_F(LineDiffTest, RowsOfAKeyTableAreAddedRemovedOrChanged) {
  ASSERT_NO_FATAL_FAILURE(MakeKeyTable());
  ASSERT_NO_FATAL_FAILURE(Put("fix", {{2, 25}, {4, 40}}));
  ASSERT_NO_FATAL_FAILURE(Put("fix", {{3, 30}}, {RowKind::kDelete}));
  ASSERT_NO_FATAL_FAILURE(Put("main", {{1, 10}}));  // the same again is no difference
  BRAID_ASSERT_OK_AND_ASSIGN(const LineDiff diff, Diff("main", "fix"));
  EXPECT_TRUE(diff.rows->by_key);
  EXPECT_EQ(diff.rows->added, 1);
  EXPECT_EQ(diff.rows->removed, 1);
  EXPECT_EQ(diff.rows->changed, 1);
  EXPECT_THAT(Shown(diff), ElementsAre(R"(-{"id":2,"price":20}+{"id":2,"price":25})", R"(-{"id":3,"price":30})",
                                       R"(+{"id":4,"price":40})"));
  EXPECT_EQ(diff.base->id, SnapshotId(1));
  EXPECT_THAT(Ids(diff.from.since_base), ElementsAre(2));
  EXPECT_THAT(Ids(diff.to.since_base), ElementsAre(2, 3));
  EXPECT_THAT(diff.columns, IsEmpty());
  BRAID_ASSERT_OK_AND_ASSIGN(const LineDiff back, Diff("fix", "main"));
  EXPECT_THAT(Shown(back), ElementsAre(R"(-{"id":2,"price":25}+{"id":2,"price":20})", R"(+{"id":3,"price":30})",
                                       R"(-{"id":4,"price":40})"));
}

TEST_F(LineDiffTest, CompactionIsNoDifference) {
  ASSERT_NO_FATAL_FAILURE(MakeKeyTable());
  ASSERT_NO_FATAL_FAILURE(Put("fix", {{2, 25}}));
  ASSERT_NO_FATAL_FAILURE(Put("fix", {{2, 20}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table fix, Open("fix"));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table compacting, fix.With(Options(Options::Map{{"write-only", "false"}})));
  ASSERT_THAT(CompactTable(compacting, true, nullptr, "user", SystemClock()), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const LineDiff diff, Diff("main", "fix"));
  EXPECT_THAT(diff.rows->shown, IsEmpty());
  EXPECT_EQ(diff.rows->added + diff.rows->removed + diff.rows->changed, 0);
}

TEST_F(LineDiffTest, AKeyMayLieInAnotherBucket) {
  ASSERT_NO_FATAL_FAILURE(MakeKeyTable({{"bucket", "-1"}, {"write-only", "true"}, {"dynamic-bucket.target-row-num", "1"}}));
  ASSERT_THAT(CreateBranch(Context(), {.name = "empty"}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Put("empty", {{3, 30}, {2, 21}, {1, 10}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const LineDiff diff, Diff("main", "empty"));
  EXPECT_THAT(Shown(diff), ElementsAre(R"(-{"id":2,"price":20}+{"id":2,"price":21})"));
  EXPECT_FALSE(diff.base);
  EXPECT_NE(diff.no_base_reason, "");
}

TEST_F(LineDiffTest, RowsWithoutAKeyAreCounted) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "fix", .snapshot = SnapshotId(2)}), IsOk());
  for (const int row : {2, 2, 7}) ASSERT_NO_FATAL_FAILURE(Add("fix", row));
  BRAID_ASSERT_OK_AND_ASSIGN(const LineDiff diff, Diff("main", "fix"));
  EXPECT_FALSE(diff.rows->by_key);
  EXPECT_EQ(diff.rows->added, 3);
  EXPECT_EQ(diff.rows->removed, 1);
  EXPECT_EQ(diff.rows->changed, 0);
  EXPECT_THAT(Shown(diff), ElementsAre(R"(+{"k":2})", R"(+{"k":2})", R"(-{"k":3})", R"(+{"k":7})"));
  BRAID_ASSERT_OK_AND_ASSIGN(const LineDiff few, Diff("main", "fix", 1));
  EXPECT_EQ(few.rows->added, 3);
  EXPECT_THAT(Shown(few), ElementsAre(R"(+{"k":2})"));
}

TEST_F(LineDiffTest, TwoStatesOfOneLine) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "one", 1));
  BRAID_ASSERT_OK_AND_ASSIGN(const LineDiff diff, Diff("main@one", "@3"));
  EXPECT_EQ(diff.base->id, SnapshotId(1));
  EXPECT_THAT(Ids(diff.to.since_base), ElementsAre(2, 3));
  EXPECT_THAT(diff.from.since_base, IsEmpty());
  EXPECT_THAT(Shown(diff), ElementsAre(R"(+{"k":2})", R"(+{"k":3})"));
}

TEST_F(LineDiffTest, ColumnsAreKnownByTheirIds) {
  ASSERT_NO_FATAL_FAILURE(MakeKeyTable());
  BRAID_ASSERT_OK_AND_ASSIGN(TableSchema schema, ReadSchema(*fs_, root_.OnBranch("fix"), SchemaId(0)));
  schema.id = SchemaId(1);
  schema.fields[1].name = "cost";
  schema.fields.push_back({.id = FieldId(2), .name = "note", .type = DataType::String(), .description = {}, .default_value = {}});
  schema.highest_field_id = 2;
  ASSERT_THAT(WriteSchema(*fs_, root_.OnBranch("fix"), schema), IsOk());
  ASSERT_NO_FATAL_FAILURE(Put("fix", {{2, 20, Datum("checked")}, {3, 31, Datum()}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const LineDiff diff, Diff("main", "fix"));
  ASSERT_EQ(diff.columns.size(), 2U);
  EXPECT_EQ(diff.columns[0].before->name, "price");
  EXPECT_EQ(diff.columns[0].after->name, "cost");
  EXPECT_FALSE(diff.columns[1].before);
  EXPECT_EQ(diff.columns[1].after->name, "note");
  EXPECT_THAT(Shown(diff), ElementsAre(R"(-{"id":3,"cost":30}+{"id":3,"cost":31})"));
}

TEST_F(LineDiffTest, NamesWhatIsNotThere) {
  EXPECT_THAT(Diff("main", "fixx"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Diff("main@9", "main"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Diff("main@nothing", "main"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Diff("main@", "main"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
