#include "table/orphan_files.h"

#include <gtest/gtest.h>

#include "table/upkeep_testing.h"

namespace braid {
namespace {

constexpr std::int64_t kNow = 1'715'681'730'000;

class OrphanFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_,
        CreateTestTable(fs_, TestDefinition({{"d", DataType::Int().NotNull()}, {"k", DataType::Int().NotNull()}},
                                            {"d", "k"}, {{"bucket", "1"}}, {"d"})));
    ASSERT_THAT(Insert(*table_, {{1, 1}}), IsOk());
    for (const char* path : kOrphans) ASSERT_THAT(fs_->Replace(Path(path), "x"), IsOk());
    for (const char* path : kOthers) ASSERT_THAT(fs_->Replace(Path(path), "x"), IsOk());
  }

  static std::string Path(const std::string& rest) { return std::string(kTestTableRoot) + "/" + rest; }

  std::vector<std::string> RemovedBy(const OrphanRequest& request) {
    const Result<OrphanResult> result = RemoveOrphanFiles(*table_, request, clock_);
    EXPECT_THAT(result, IsOk());
    std::vector<std::string> paths;
    if (!result) return paths;
    for (const OrphanFile& file : result->removed)
      paths.push_back(file.path.substr(std::string(kTestTableRoot).size() + 1));
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  static constexpr const char* kOrphans[] = {
      "d=1/bucket-0/data-lost.parquet", "d=7/bucket-0/data-lost2.parquet", "index/index-lost-0",
      "manifest/manifest-lost-0",       "snapshot/.snapshot-9.x.tmp",      "statistics/stat-lost-0"};
  // Not where Paimon keeps files, or not Paimon's to remove.
  static constexpr const char* kOthers[] = {"README.md", "d=1/bucket-0/data-x.managed.blob", "d=1/notes.txt",
                                            "other/bucket-0/data-1.parquet", "tag/note"};

  ManualClock clock_{kNow};
  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>(clock_);
  std::optional<Table> table_;
};

TEST_F(OrphanFilesTest, AreThoseThatNothingNamesAndOldEnough) {
  const std::vector<std::string> orphans(std::begin(kOrphans), std::end(kOrphans));
  EXPECT_THAT(RemovedBy({}), testing::IsEmpty());  // younger than a day
  clock_.Advance(kOrphanAgeMs);
  EXPECT_THAT(RemovedBy({}), testing::IsEmpty());  // exactly a day
  clock_.Advance(1);
  EXPECT_EQ(RemovedBy({.dry_run = true}), orphans);
  for (const std::string& path : orphans) EXPECT_THAT(fs_->Exists(Path(path)), HasValue(true)) << path;
  EXPECT_EQ(RemovedBy({}), orphans);
  for (const std::string& path : orphans) EXPECT_THAT(fs_->Exists(Path(path)), HasValue(false)) << path;
  for (const char* path : kOthers) EXPECT_THAT(fs_->Exists(Path(path)), HasValue(true)) << path;
  EXPECT_THAT(fs_->Exists(Path("d=7")), HasValue(false));
  EXPECT_THAT(SortedRows(*table_), HasValue(std::vector<std::string>{R"({"d":1,"k":1})"}));
  EXPECT_THAT(RemovedBy({}), testing::IsEmpty());
}

TEST_F(OrphanFilesTest, RefusesATimeThatIsNotPast) {
  EXPECT_THAT(RemoveOrphanFiles(*table_, {.older_than_ms = kNow + 1}, clock_), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(OrphanFilesTest, DeletesNothingIfTheTableCannotBeRead) {
  clock_.Advance(2 * kOrphanAgeMs);
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, table_->paths(), SnapshotId(1)));
  ASSERT_THAT(fs_->Replace(table_->paths().ManifestFile(snapshot.delta_manifest_list), "x"), IsOk());
  EXPECT_THAT(RemoveOrphanFiles(*table_, {}, clock_), IsError(ErrorCode::kIo));
  EXPECT_THAT(fs_->Exists(Path(kOrphans[0])), HasValue(true));
}

TEST_F(OrphanFilesTest, LeavesWhatADamagedBranchMayUse) {
  clock_.Advance(1000);
  ASSERT_THAT(fs_->Replace(Path("branch/branch-b/snapshot/snapshot-1"), "{"), IsOk());
  clock_.Advance(1000);
  ASSERT_THAT(fs_->Replace(Path("d=1/bucket-0/data-of-b.parquet"), "x"), IsOk());
  clock_.Advance(2 * kOrphanAgeMs);
  BRAID_ASSERT_OK_AND_ASSIGN(const OrphanResult result, RemoveOrphanFiles(*table_, {}, clock_));
  EXPECT_EQ(result.damaged_branches, std::vector<std::string>{"b"});
  ASSERT_EQ(result.held.size(), 1U);
  EXPECT_EQ(result.held[0].path, Path("d=1/bucket-0/data-of-b.parquet"));
  EXPECT_EQ(result.removed.size(), std::size(kOrphans));
}

}  // namespace
}  // namespace braid
