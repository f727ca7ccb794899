#include <functional>
#include <utility>

#include <gmock/gmock.h>

#include "io/fault_injecting_file_system.h"
#include "table/compaction_preview.h"
#include "table/delete_rows.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::SizeIs;

// Lets something else happen the first times that a data file is created.
class RacingFileSystem : public FaultInjectingFileSystem {
 public:
  RacingFileSystem(std::shared_ptr<FileSystem> inner, int times, std::function<void()> hook)
      : FaultInjectingFileSystem(std::move(inner)), times_(times), hook_(std::move(hook)) {}

  Result<std::unique_ptr<OutputFile>> Create(std::string_view path) override {
    if (path.ends_with(".parquet") && times_ > 0) {
      --times_;
      hook_();
    }
    return FaultInjectingFileSystem::Create(path);
  }

 private:
  int times_;
  std::function<void()> hook_;
};

class CompactTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const std::vector<std::string> keys = GetParam() ? std::vector<std::string>{"k"} : std::vector<std::string>{};
    const std::string buckets = GetParam() ? "1" : "-1";
    auto table = CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, keys,
                                                     {{"bucket", buckets}, {"write-only", "true"}}));
    ASSERT_THAT(table, IsOk());
    table_ = *table;
    for (int i = 0; i < 3; ++i) ASSERT_THAT(Insert(*table_, {{i, i}}), IsOk());
  }

  // Another compaction, and rows for the next one to merge.
  void CompactBehind() {
    ASSERT_THAT(CompactTable(*table_, true, nullptr, "other"), IsOk());
    ASSERT_THAT(Insert(*table_, {{100 + inserted_++, 0}}), IsOk());
  }

  Result<std::vector<Snapshot>> CompactRacing(int times) {
    const auto racing = std::make_shared<RacingFileSystem>(fs_, times, [this] { CompactBehind(); });
    BRAID_TRY_ASSIGN(const Table table, Table::Open(racing, kTestTableRoot, "d.t"));
    return CompactTable(table, true, nullptr, "user");
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
  int inserted_ = 0;
};

TEST_P(CompactTest, BeginsAgainWhenOthersCompactedItsFiles) {
  EXPECT_THAT(CompactRacing(2), HasValue(SizeIs(1)));
  EXPECT_EQ(inserted_, 2);
  EXPECT_THAT(SortedRows(*table_), HasValue(SizeIs(5)));
}

TEST_P(CompactTest, GivesUpInTheEnd) {
  EXPECT_THAT(CompactRacing(100), IsError(ErrorCode::kConflict));
  EXPECT_EQ(inserted_, 6) << "a first time and five more";
  EXPECT_THAT(SortedRows(*table_), HasValue(SizeIs(9)));
}

// The first vector of a file comes while it is merged: its row must not come back.
TEST(AppendCompactTest, BeginsAgainWhenOthersDeletedRowsOfItsFiles) {
  for (const char* buckets : {"-1", "1"}) {
    SCOPED_TRACE(buckets);
    const auto fs = std::make_shared<MemoryFileSystem>();
    Options::Map options = {{"bucket", buckets}, {"deletion-vectors.enabled", "true"}};
    if (options["bucket"] == "1") options.emplace("bucket-key", "k");
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                               CreateTestTable(fs, TestDefinition({{"k", DataType::Int()}}, {}, options)));
    for (int i = 0; i < 3; ++i) ASSERT_THAT(Insert(table, {{2 * i}, {2 * i + 1}}), IsOk());
    const auto racing = std::make_shared<RacingFileSystem>(fs, 1, [&] {
      EXPECT_THAT(DeleteRows(table, Predicate::Leaf(Predicate::Op::kEqual, "k", DataType::Int(), {3}), "other"),
                  IsOk());
    });
    BRAID_ASSERT_OK_AND_ASSIGN(const Table slow, Table::Open(racing, kTestTableRoot, "d.t"));
    ASSERT_THAT(CompactTable(slow, true, nullptr, "user"), IsOk());
    EXPECT_THAT(SortedRows(table),
                HasValue(testing::ElementsAre(R"({"k":0})", R"({"k":1})", R"({"k":2})", R"({"k":4})", R"({"k":5})")));
  }
}

// Files that are sorted meanwhile lose rows, or are merged by another one.
TEST(AppendCompactTest, SortsAgainWhereOthersChangedItsFiles) {
  for (const char* vectors : {"false", "true"}) {
    for (const bool deletes : {false, true}) {
      SCOPED_TRACE(std::string(vectors) + (deletes ? " deletes" : " compacts"));
      const auto fs = std::make_shared<MemoryFileSystem>();
      BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                                 CreateTestTable(fs, TestDefinition({{"k", DataType::Int()}}, {},
                                                                    {{"clustering.incremental", "true"},
                                                                     {"clustering.columns", "k"},
                                                                     {"deletion-vectors.enabled", vectors}})));
      for (int i = 0; i < 3; ++i) ASSERT_THAT(Insert(table, {{5 - i}, {2 - i}}), IsOk());
      const auto racing = std::make_shared<RacingFileSystem>(fs, 1, [&] {
        if (deletes) {
          EXPECT_THAT(DeleteRows(table, Predicate::Leaf(Predicate::Op::kEqual, "k", DataType::Int(), {3}), "other"),
                      IsOk());
        } else {
          EXPECT_THAT(CompactTable(table, true, nullptr, "other"), HasValue(SizeIs(1)));
          EXPECT_THAT(Insert(table, {{9}}), IsOk());
        }
      });
      BRAID_ASSERT_OK_AND_ASSIGN(const Table slow, Table::Open(racing, kTestTableRoot, "d.t"));
      ASSERT_THAT(CompactTable(slow, true, nullptr, "user"), HasValue(SizeIs(1)));
      EXPECT_THAT(SortedRows(table), HasValue(SizeIs(deletes ? 5 : 7)));
      EXPECT_THAT(PreviewCompaction(table, true, nullptr), HasValue(SizeIs(0))) << "all is sorted";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AppendAndKeyTables, CompactTest, testing::Bool());

}  // namespace
}  // namespace braid
