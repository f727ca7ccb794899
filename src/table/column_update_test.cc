#include "table/column_update.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "table/row_range_compaction.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;

const DataType kInt = DataType::Int();

class ColumnUpdateTest : public testing::Test {
 protected:
  ColumnUpdateTest() {
    Result<Table> table = CreateTestTable(fs_, TestDefinition({{"id", kInt}, {"a", kInt}, {"b", kInt}}, {},
                                                              {{"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}}));
    EXPECT_THAT(table, IsOk());
    table_.emplace(*std::move(table));
  }

  // Messages that set a column in the row at this position of the first range.
  Result<std::vector<CommitMessage>> Set(const std::string& column, std::int64_t position, std::int32_t value) const {
    BRAID_TRY_ASSIGN(auto rows, AddressedRows::Make(*table_));
    BRAID_TRY_ASSIGN(ColumnUpdate update, ColumnUpdate::Make(std::move(rows), {column}));
    BRAID_TRY_ASSIGN(const Batch values, MakeBatch(update.fields(), std::vector<DatumList>{{value}}));
    BRAID_TRY_ASSIGN(const auto file, MakeConstantColumn(Datum(0), kInt, 1));
    BRAID_TRY_ASSIGN(const auto at, MakeConstantColumn(Datum(position), DataType::BigInt(), 1));
    BRAID_TRY(update.Add(static_cast<const arrow::Int32Array&>(*file), static_cast<const arrow::Int64Array&>(*at), values));
    return update.Finish();
  }

  Result<std::vector<Snapshot>> Commit(std::vector<CommitMessage> messages) const {
    Committable committable;
    committable.messages = std::move(messages);
    return TableCommit(*table_, "user").Commit(committable);
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
};

TEST_F(ColumnUpdateTest, HidesNoColumnsThatOthersWroteMeanwhile) {
  ASSERT_THAT(Insert(*table_, {{1, 10, 100}, {2, 20, 200}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(auto first, Set("a", 0, 11));
  BRAID_ASSERT_OK_AND_ASSIGN(auto second, Set("a", 1, 21));
  ASSERT_THAT(Insert(*table_, {{3, 30, 300}}), IsOk());
  ASSERT_THAT(Commit(std::move(first)), IsOk()) << "other rows do not matter";
  EXPECT_THAT(Commit(std::move(second)), IsError(ErrorCode::kConflict));
  EXPECT_THAT(SortedRows(*table_), HasValue(ElementsAre(R"({"id":1,"a":11,"b":100})", R"({"id":2,"a":20,"b":200})", R"({"id":3,"a":30,"b":300})")));
  BRAID_ASSERT_OK_AND_ASSIGN(second, Set("a", 1, 21));
  ASSERT_THAT(Commit(std::move(second)), IsOk());
  EXPECT_THAT(SortedRows(*table_), HasValue(ElementsAre(R"({"id":1,"a":11,"b":100})", R"({"id":2,"a":21,"b":200})", R"({"id":3,"a":30,"b":300})")));
}

TEST_F(ColumnUpdateTest, AndCompactionNeverHideEachOther) {
  ASSERT_THAT(Insert(*table_, {{1, 10, 100}}), IsOk());
  ASSERT_THAT(Insert(*table_, {{2, 20, 200}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(auto late, Set("a", 0, 11));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto compacted, CompactTable(*table_, true, nullptr, "user"));
  ASSERT_EQ(compacted.size(), 1U);
  EXPECT_EQ(compacted[0].next_row_id, 2);
  EXPECT_THAT(Commit(std::move(late)), IsError(ErrorCode::kConflict));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, AddressedRows::Make(*table_));
  EXPECT_EQ(rows->files().size(), 1U);
  BRAID_ASSERT_OK_AND_ASSIGN(auto changed, Set("a", 1, 22));
  ASSERT_THAT(Commit(std::move(changed)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto before, AddressedRows::Make(*table_));
  BRAID_ASSERT_OK_AND_ASSIGN(auto merged, CompactRowRanges(*before, {.target_bytes = 1 << 20, .min_files = 2}));
  BRAID_ASSERT_OK_AND_ASSIGN(changed, Set("b", 0, 111));
  ASSERT_THAT(Commit(std::move(changed)), IsOk());
  EXPECT_THAT(Commit(std::move(merged)), IsError(ErrorCode::kConflict));
  EXPECT_THAT(SortedRows(*table_), HasValue(ElementsAre(R"({"id":1,"a":10,"b":111})", R"({"id":2,"a":22,"b":200})")));
}

TEST_F(ColumnUpdateTest, FindsItsRowsGone) {
  ASSERT_THAT(Insert(*table_, {{1, 10, 100}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(auto late, Set("b", 0, 1));
  ASSERT_THAT(TruncateTable(*table_, "user"), IsOk());
  EXPECT_THAT(Commit(std::move(late)), IsError(ErrorCode::kConflict));
}

TEST_F(ColumnUpdateTest, OpensOnlyFilesWithWantedColumns) {
  ASSERT_THAT(Insert(*table_, {{1, 10, 100}, {2, 20, 200}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(auto changed, Set("a", 0, 11));
  const std::string name = changed.at(0).new_files.at(0).file_name;
  ASSERT_THAT(Commit(std::move(changed)), IsOk());
  const auto reads_the_new_file = [&](std::vector<std::string> columns) {
    static_cast<void>(fs_->TakeReads());
    EXPECT_THAT(SortedRows(*table_, {.projection = std::move(columns), .filter = nullptr}), IsOk());
    const std::vector<std::string> reads = fs_->TakeReads();
    return std::any_of(reads.begin(), reads.end(), [&](const std::string& path) { return path.ends_with(name); });
  };
  EXPECT_FALSE(reads_the_new_file({"b", "id"}));
  EXPECT_TRUE(reads_the_new_file({"a"}));
}

}  // namespace
}  // namespace braid
