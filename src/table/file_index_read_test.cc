// What plans and reads leave out by file indexes, also after columns were changed.

#include <set>

#include <gtest/gtest.h>

#include "io/file_system.h"
#include "meta/schema_change.h"
#include "table/table_testing.h"
#include "types/predicate.h"

namespace braid {
namespace {

using Op = Predicate::Op;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const DataType kInt = DataType::Int();
const DataType kString = DataType::String();

PredicatePtr Equals(std::string column, DataType type, Datum value) {
  return Predicate::Leaf(Op::kEqual, std::move(column), std::move(type), {std::move(value)});
}

class FileIndexReadTest : public testing::Test {
 protected:
  void Create(const TableDefinition& definition) {
    BRAID_ASSERT_OK_AND_ASSIGN(table_, CreateTestTable(fs_, definition));
  }

  Table With(Options::Map options) const { return *table_->With(Options(std::move(options))); }

  // Writes the next version of the schema and opens the table with it.
  void Change(const SchemaChange& change) {
    BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema next, Apply(table_->schema(), std::span(&change, 1), true, 1'700'000'000'001));
    ASSERT_THAT(WriteSchema(*fs_, table_->paths(), next), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(table_, Table::Open(fs_, kTestTableRoot, "d.t"));
  }

  // How many files a plan has.
  static std::size_t PlannedFiles(const Table& table, const PredicatePtr& filter) {
    const Result<Plan> plan = PlanBatch(table, {.projection = {}, .filter = filter});
    EXPECT_THAT(plan, IsOk());
    std::size_t files = 0;
    for (const DataSplit& split : plan->splits) files += split.files.size();
    return files;
  }

  // The data files that a read of the rows opens.
  std::size_t OpenedFiles(const Table& table, const PredicatePtr& filter) {
    fs_->TakeReads();
    EXPECT_THAT(SortedRows(table, {.projection = {}, .filter = filter}), IsOk());
    std::set<std::string> opened;
    for (const std::string& path : fs_->TakeReads()) {
      if (path.ends_with(".parquet")) opened.insert(path);
    }
    return opened.size();
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
};

TEST_F(FileIndexReadTest, PlansWithoutTheFilesThatEmbeddedIndexesRuleOut) {
  Create(TestDefinition({{"n", kInt}, {"c", kString}}, {}, {{"bucket", "-1"}, {"file-index.bitmap.columns", "c"}}));
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "c"}}), IsOk());
  ASSERT_THAT(Insert(*table_, {{3, "a"}, {4, "d"}}), IsOk());
  const PredicatePtr is_b = Equals("c", kString, "b");  // within the bounds of both files
  EXPECT_EQ(PlannedFiles(*table_, is_b), 0U);
  EXPECT_EQ(PlannedFiles(*table_, Equals("c", kString, "c")), 1U);
  EXPECT_EQ(PlannedFiles(*table_, Equals("c", kString, "a")), 2U);
  EXPECT_EQ(PlannedFiles(With({{"file-index.read.enabled", "false"}}), is_b), 2U);
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Equals("c", kString, "c")}),
              HasValue(ElementsAre(R"({"n":2,"c":"c"})")));
}

TEST_F(FileIndexReadTest, OpensNoFileThatItsIndexFileRulesOut) {
  Create(TestDefinition({{"n", kInt}}, {}, {{"bucket", "-1"}, {"file-index.bsi.columns", "n"}, {"file-index.in-manifest-threshold", "1 b"}}));
  ASSERT_THAT(Insert(*table_, {{1}, {5}}), IsOk());
  ASSERT_THAT(Insert(*table_, {{2}, {6}}), IsOk());
  const PredicatePtr is_five = Equals("n", kInt, 5);
  EXPECT_EQ(PlannedFiles(*table_, is_five), 2U);
  EXPECT_EQ(OpenedFiles(*table_, is_five), 1U);
  EXPECT_EQ(OpenedFiles(With({{"file-index.read.enabled", "false"}}), is_five), 2U);
  EXPECT_EQ(OpenedFiles(*table_, nullptr), 2U);
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = is_five}), HasValue(ElementsAre(R"({"n":5})")));
}

TEST_F(FileIndexReadTest, ARenamedColumnKeepsItsIndex) {
  Create(TestDefinition({{"n", kInt}, {"c", kString}}, {}, {{"bucket", "-1"}, {"file-index.bitmap.columns", "c"}}));
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "c"}}), IsOk());
  Change(RemoveOption{"file-index.bitmap.columns"});
  Change(RenameColumn{{"c"}, "was_c"});
  Change(AddColumn{.path = {"c"}, .type = kString, .description = {}, .position = {}});
  EXPECT_EQ(PlannedFiles(*table_, Equals("was_c", kString, "b")), 0U);
  EXPECT_EQ(PlannedFiles(*table_, Equals("was_c", kString, "c")), 1U);
  // The new column of the old name is NULL there, and the old column's index says nothing of it.
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Predicate::Leaf(Op::kIsNull, "c", kString)}), HasValue(SizeIs(2)));
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Equals("c", kString, "a")}), HasValue(IsEmpty()));
}

TEST_F(FileIndexReadTest, ARetypedColumnIsReadWithoutItsIndex) {
  Create(TestDefinition({{"n", DataType::BigInt()}, {"f", DataType::Double()}}, {},
                        {{"bucket", "-1"}, {"file-index.bitmap.columns", "n"}, {"file-index.bloom-filter.columns", "f"}}));
  ASSERT_THAT(Insert(*table_, {{7, 1.5}, {9, 2.5}}), IsOk());
  Change(RemoveOption{"file-index.bitmap.columns"});
  Change(RemoveOption{"file-index.bloom-filter.columns"});
  Change(UpdateColumnType{{"n"}, kString, false});
  Change(UpdateColumnType{{"f"}, DataType::Float(), false});
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Equals("n", kString, "7")}), HasValue(SizeIs(1)));
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Equals("f", DataType::Float(), 2.5F)}), HasValue(SizeIs(1)));
}

TEST_F(FileIndexReadTest, NoNewerVersionOfAKeyIsHidden) {
  Create(TestDefinition({{"k", kInt}, {"c", kString}}, {"k"},
                        {{"bucket", "1"}, {"write-only", "true"}, {"file-index.bitmap.columns", "c"}, {"file-index.bloom-filter.columns", "k"},
                         {"file-index.bloom-filter.k.items", "10"}}));
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "c"}}), IsOk());
  ASSERT_THAT(Insert(*table_, {{1, "b"}, {3, "e"}}), IsOk());
  // The newer file has no "a", and yet its row of key 1 counts.
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Equals("c", kString, "a")}), HasValue(IsEmpty()));
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Equals("c", kString, "b")}), HasValue(ElementsAre(R"({"k":1,"c":"b"})")));
  EXPECT_EQ(PlannedFiles(*table_, Equals("c", kString, "d")), 0U);  // no file of the bucket has it
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Equals("k", kInt, 2)}), HasValue(ElementsAre(R"({"k":2,"c":"c"})")));
}

TEST_F(FileIndexReadTest, AMergedValueIsNotLookedForInTheParts) {
  Create(TestDefinition({{"k", kInt}, {"n", kInt}}, {"k"},
                        {{"bucket", "1"}, {"write-only", "true"}, {"merge-engine", "aggregation"}, {"fields.n.aggregate-function", "sum"},
                         {"file-index.bsi.columns", "n"}}));
  ASSERT_THAT(Insert(*table_, {{1, 2}}), IsOk());
  ASSERT_THAT(Insert(*table_, {{1, 3}}), IsOk());
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = Equals("n", kInt, 5)}), HasValue(ElementsAre(R"({"k":1,"n":5})")));
}

TEST_F(FileIndexReadTest, ADamagedIndexIsNamedAndCanBeDoneWithout) {
  Create(TestDefinition({{"n", kInt}}, {}, {{"bucket", "-1"}, {"file-index.bsi.columns", "n"}, {"file-index.in-manifest-threshold", "1 b"}}));
  ASSERT_THAT(Insert(*table_, {{1}, {5}}), IsOk());
  for (const std::string& path : fs_->AllFiles()) {
    if (path.ends_with(".index")) {
      ASSERT_THAT(fs_->Replace(path, "damaged!"), IsOk());
    }
  }
  const ReadRequest request{.projection = {}, .filter = Equals("n", kInt, 5)};
  const auto rows = SortedRows(*table_, request);
  EXPECT_THAT(rows, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(rows, HasMessage(".parquet.index"));
  EXPECT_THAT(rows, HasMessage("file-index.read.enabled"));
  EXPECT_THAT(SortedRows(With({{"file-index.read.enabled", "false"}}), request), HasValue(ElementsAre(R"({"n":5})")));
}

}  // namespace
}  // namespace braid
