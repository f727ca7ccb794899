#include "table/missing_manifests.h"

#include <gmock/gmock.h>

#include "table/file_scan.h"
#include "table/missing_data_files.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MissingManifestsTest : public testing::Test {
 protected:
  Snapshot Newest(const Table& table) {
    return ReadSnapshot(*fs_, table.paths(), *FindLatestSnapshot(*fs_, table.paths()).value()).value();
  }
  // The only manifest of what a snapshot changed.
  std::string DeltaManifest(const Table& table, int snapshot) {
    const Snapshot read = ReadSnapshot(*fs_, table.paths(), SnapshotId(snapshot)).value();
    return ReadManifestList(*fs_, table.paths(), read.delta_manifest_list).value().at(0).file_name;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(MissingManifestsTest, GoesOnWithoutThem) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs_, TestDefinition({{"v", DataType::Int()}})));
  ASSERT_THAT(Insert(table, {{1}, {2}}), IsOk());
  ASSERT_THAT(Insert(table, {{3}}), IsOk());
  ASSERT_THAT(Insert(table, {{4}, {5}, {6}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const MissingManifests none, RemoveMissingManifests(table, false, "user"));
  EXPECT_THAT(none.names, IsEmpty());
  EXPECT_EQ(none.snapshot, std::nullopt);

  const std::string second = DeltaManifest(table, 2);
  ASSERT_THAT(fs_->Delete(table.paths().ManifestFile(second)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const MissingManifests preview, RemoveMissingManifests(table, true, "user"));
  EXPECT_THAT(preview.names, ElementsAre(second));
  EXPECT_EQ(preview.added_files, 1);
  EXPECT_EQ(preview.snapshot, std::nullopt);
  EXPECT_EQ(Newest(table).id, SnapshotId(3));

  BRAID_ASSERT_OK_AND_ASSIGN(const MissingManifests removed, RemoveMissingManifests(table, false, "user"));
  EXPECT_EQ(removed.snapshot, SnapshotId(4));
  EXPECT_EQ(Newest(table).commit_kind, CommitKind::kOverwrite);
  EXPECT_EQ(Newest(table).total_record_count, 5);
  EXPECT_EQ(Newest(table).delta_record_count, 0);
  EXPECT_THAT(SortedRows(table),
              HasValue(ElementsAre(R"({"v":1})", R"({"v":2})", R"({"v":4})", R"({"v":5})", R"({"v":6})")));
  ASSERT_THAT(Insert(table, {{7}}), IsOk());
  EXPECT_EQ(Newest(table).total_record_count, 6);
  EXPECT_THAT(RemoveMissingManifests(table, false, "user").value().names, IsEmpty());
}

TEST_F(MissingManifestsTest, BringsBackWhatOnlyTheySaidToBeDeleted) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs_, TestDefinition({{"v", DataType::Int()}})));
  ASSERT_THAT(Insert(table, {{1}}), IsOk());
  ASSERT_THAT(TruncateTable(table, "user"), IsOk());
  ASSERT_THAT(Insert(table, {{2}}), IsOk());
  ASSERT_THAT(fs_->Delete(table.paths().ManifestFile(DeltaManifest(table, 2))), IsOk());
  ASSERT_THAT(RemoveMissingManifests(table, false, "user"), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"v":1})", R"({"v":2})")));
}

TEST_F(MissingManifestsTest, ForgetsDeletionsOfFilesThatOnlyTheyAdded) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs_, TestDefinition({{"v", DataType::Int()}})));
  ASSERT_THAT(Insert(table, {{1}}), IsOk());
  ASSERT_THAT(TruncateTable(table, "user"), IsOk());
  ASSERT_THAT(Insert(table, {{2}}), IsOk());
  ASSERT_THAT(fs_->Delete(table.paths().ManifestFile(DeltaManifest(table, 1))), IsOk());
  ASSERT_THAT(RemoveMissingManifests(table, false, "user"), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"v":2})")));
  EXPECT_EQ(Newest(table).total_record_count, 1);
}

}  // namespace
}  // namespace braid
