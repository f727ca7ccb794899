#include "table/table_check.h"

#include <gtest/gtest.h>

#include "table/expire.h"
#include "table/rollback.h"
#include "table/tag_change.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

using testing::Contains;
using testing::ElementsAre;

class TableCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_, CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                                                    {{"bucket", "1"}, {"write-only", "true"}})));
    for (int value = 1; value <= 3; ++value) ASSERT_THAT(Insert(*table_, {{1, value}}), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot first, ReadSnapshot(*fs_, table_->paths(), SnapshotId(1)));
    ASSERT_THAT(CreateTag(*table_, {.name = "t", .snapshot = first, .time_retained = {}, .ignore_if_exists = false},
                          SystemClock()),
                IsOk());
  }

  // The data file that a snapshot added.
  std::string DataFileOf(std::int64_t id) {
    const Snapshot snapshot = *ReadSnapshot(*fs_, table_->paths(), SnapshotId(id));
    const auto manifests = *ReadManifestList(*fs_, table_->paths(), snapshot.delta_manifest_list);
    const auto entries = *ReadManifest(*fs_, table_->paths(), manifests.at(0).file_name);
    return std::string(kTestTableRoot) + "/bucket-0/" + entries.at(0).file.file_name;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
};

TEST_F(TableCheckTest, FindsNothingWrongInAWholeTable) {
  BRAID_ASSERT_OK_AND_ASSIGN(const CheckResult result, CheckTable(*table_, {}));
  EXPECT_THAT(result.damages, testing::IsEmpty());
  EXPECT_EQ(result.roots, 4);
  EXPECT_EQ(result.data_files, 3);
  EXPECT_THAT(result.readable,
              ElementsAre("snapshot 1 of main", "snapshot 2 of main", "snapshot 3 of main", "tag 't' of main"));
}

TEST_F(TableCheckTest, NamesWhatAMissingDataFileSpoils) {
  const std::string file = DataFileOf(2);
  ASSERT_THAT(fs_->Delete(file), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const CheckResult result, CheckTable(*table_, {}));
  ASSERT_EQ(result.damages.size(), 1U);
  EXPECT_EQ(result.damages[0].path, file);
  EXPECT_EQ(result.damages[0].problem, "is missing");
  EXPECT_THAT(result.damages[0].affects, ElementsAre("snapshot 2 of main", "snapshot 3 of main"));
  EXPECT_THAT(result.readable, ElementsAre("snapshot 1 of main", "tag 't' of main"));
}

TEST_F(TableCheckTest, NamesWhatBrokenMetadataSpoils) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot third, ReadSnapshot(*fs_, table_->paths(), SnapshotId(3)));
  ASSERT_THAT(fs_->Replace(table_->paths().ManifestFile(third.delta_manifest_list), "x"), IsOk());
  ASSERT_THAT(fs_->Replace(table_->paths().SnapshotFile(SnapshotId(2)), "{"), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const CheckResult result, CheckTable(*table_, {}));
  std::vector<std::string> affected;
  for (const Damage& damage : result.damages)
    affected.insert(affected.end(), damage.affects.begin(), damage.affects.end());
  EXPECT_THAT(affected, testing::UnorderedElementsAre("snapshot 2 of main", "snapshot 3 of main"));
  EXPECT_THAT(result.readable, ElementsAre("snapshot 1 of main", "tag 't' of main"));
}

TEST(TableCheckChangelogTest, TellsOfAChangelogThatExpiredBeforeTheTableWasRolledBack) {
  auto fs = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      CreateTestTable(fs, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                                         {{"bucket", "1"}, {"changelog-producer", "input"}, {"write-only", "true"}})));
  ASSERT_THAT(Insert(table, {{1, 1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot first, ReadSnapshot(*fs, table.paths(), SnapshotId(1)));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string first_json, fs->ReadAll(table.paths().SnapshotFile(SnapshotId(1))));
  ASSERT_THAT(CreateTag(table, {.name = "t", .snapshot = first, .time_retained = {}, .ignore_if_exists = false},
                        SystemClock()),
              IsOk());
  ASSERT_THAT(Insert(table, {{1, 2}}), IsOk());
  ExpireRequest request;
  request.snapshots.retain_max = 1;
  request.snapshots.retain_min = 1;
  ASSERT_THAT(ExpireSnapshots(table, request, SystemClock()), IsOk());
  ASSERT_THAT(RollbackHard(table, {.tag = "t"}, false, SystemClock()), IsOk());
  // Braid leaves out the list that is gone; Java writes the snapshot as it was.
  ASSERT_THAT(fs->Replace(table.paths().SnapshotFile(SnapshotId(1)), first_json), IsOk());
  ASSERT_THAT(Insert(table, {{1, 3}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const CheckResult result, CheckTable(table, {}));
  EXPECT_THAT(result.damages, testing::IsEmpty());
  EXPECT_THAT(result.without_changelog, ElementsAre("snapshot 1 of main"));
  EXPECT_THAT(result.readable, ElementsAre("snapshot 1 of main", "snapshot 2 of main", "tag 't' of main"));

  // Of a later snapshot, or in part, it is damage.
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot second, ReadSnapshot(*fs, table.paths(), SnapshotId(2)));
  ASSERT_THAT(fs->Delete(table.paths().ManifestFile(*second.changelog_manifest_list)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const CheckResult damaged, CheckTable(table, {}));
  ASSERT_EQ(damaged.damages.size(), 1U);
  EXPECT_THAT(damaged.damages[0].affects, ElementsAre("snapshot 2 of main"));
}

TEST_F(TableCheckTest, SaysWhoNeedsAFile) {
  EXPECT_THAT(WhoNeeds(*table_, DataFileOf(3)), HasValue(ElementsAre("snapshot 3 of main")));
  EXPECT_THAT(WhoNeeds(*table_, DataFileOf(1)), HasValue(Contains("tag 't' of main")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot third, ReadSnapshot(*fs_, table_->paths(), SnapshotId(3)));
  EXPECT_THAT(WhoNeeds(*table_, third.delta_manifest_list), HasValue(ElementsAre("snapshot 3 of main")));
  EXPECT_THAT(WhoNeeds(*table_, "no-such-file"), HasValue(testing::IsEmpty()));
}

TEST_F(TableCheckTest, RepairsHints) {
  ASSERT_THAT(fs_->Replace(table_->paths().LatestHint(), "1"), IsOk());
  ASSERT_THAT(fs_->Delete(table_->paths().EarliestHint()), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> preview, RepairTable(*table_, true));
  EXPECT_EQ(preview.size(), 2U);
  EXPECT_THAT(fs_->ReadAll(table_->paths().LatestHint()), HasValue(std::string("1")));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> done, RepairTable(*table_, false));
  EXPECT_EQ(done, preview);
  EXPECT_THAT(fs_->ReadAll(table_->paths().LatestHint()), HasValue(std::string("3")));
  EXPECT_THAT(fs_->ReadAll(table_->paths().EarliestHint()), HasValue(std::string("1")));
  EXPECT_THAT(RepairTable(*table_, false), HasValue(testing::IsEmpty()));
}

}  // namespace
}  // namespace braid
