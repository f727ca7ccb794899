// `incremental-to-auto-tag`: what came since the automatic tag before.

#include <gtest/gtest.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class IncrementalTagTest : public testing::Test {
 protected:
  void SetUp() override {
    BRAID_ASSERT_OK_AND_ASSIGN(table_, CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"}, {{"bucket", "1"}})));
    ASSERT_THAT(Insert(*table_, {{1, 1}, {2, 2}}), IsOk());
    Tag("2024-05-12");
    ASSERT_THAT(Insert(*table_, {{2, 20}, {3, 3}}), IsOk());
    Tag("2024-05-14");
    ASSERT_THAT(Insert(*table_, {{4, 4}}), IsOk());
    Tag("by hand");
    Tag("2024-05-16");
  }

  void Tag(const std::string& name) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto latest, FindLatestSnapshot(*fs_, table_->paths()));
    BRAID_ASSERT_OK_AND_ASSIGN(Snapshot snapshot, ReadSnapshot(*fs_, table_->paths(), *latest));
    ASSERT_THAT(WriteTag(*fs_, table_->paths(), {.name = name, .snapshot = std::move(snapshot), .create_time = {}, .time_retained = {}}), IsOk());
  }

  Result<std::vector<std::string>> RowsSinceTheTagBefore(const std::string& tag) const {
    BRAID_TRY_ASSIGN(const Table table, table_->With(Options(Options::Map{{"incremental-to-auto-tag", tag}})));
    return SortedRows(table);
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
};

TEST_F(IncrementalTagTest, ComparesWithTheAutomaticTagBefore) {
  EXPECT_THAT(RowsSinceTheTagBefore("2024-05-14"), HasValue(ElementsAre(R"({"k":2,"v":20})", R"({"k":3,"v":3})")));
  EXPECT_THAT(RowsSinceTheTagBefore("2024-05-16"), HasValue(ElementsAre(R"({"k":4,"v":4})")));
}

TEST_F(IncrementalTagTest, IsEmptyWithoutEitherTag) {
  EXPECT_THAT(RowsSinceTheTagBefore("2024-05-12"), HasValue(IsEmpty()));
  EXPECT_THAT(RowsSinceTheTagBefore("2024-05-15"), HasValue(IsEmpty()));
}

TEST_F(IncrementalTagTest, RefusesATagMadeByHand) {
  EXPECT_THAT(RowsSinceTheTagBefore("by hand"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
