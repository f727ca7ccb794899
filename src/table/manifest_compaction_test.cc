#include "table/manifest_compaction.h"

#include <gmock/gmock.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Partitions 2 and 1 in turns, each commit a manifest, and the files of partition 3 come and go again.
TEST(ManifestCompactionTest, LeavesOneManifestInOrderWithoutWhatWasDeleted) {
  auto fs = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(fs, TestDefinition({{"p", DataType::Int()}, {"v", DataType::Int()}}, {},
                                                                {{"write-only", "true"}}, {"p"})));
  for (int i = 0; i < 4; ++i) ASSERT_THAT(Insert(table, {{2 - i % 2, i}}), IsOk());
  ASSERT_THAT(Insert(table, {{3, 7}}), IsOk());
  ASSERT_THAT(DropPartitions(table, {{{"p", "3"}}}, "user"), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(table));
  ASSERT_THAT(rows, SizeIs(4));

  BRAID_ASSERT_OK_AND_ASSIGN(const ManifestCompaction preview, CompactManifests(table, /*dry_run=*/true, "user"));
  EXPECT_TRUE(preview.worthwhile);
  EXPECT_EQ(preview.before.files, 6);
  EXPECT_EQ(preview.before.entries, 6) << "five files came and one went";
  EXPECT_EQ(preview.snapshot, std::nullopt);

  BRAID_ASSERT_OK_AND_ASSIGN(const ManifestCompaction compaction, CompactManifests(table, /*dry_run=*/false, "user"));
  EXPECT_EQ(compaction.snapshot, SnapshotId(7));
  EXPECT_EQ(compaction.after.files, 1);
  EXPECT_EQ(compaction.after.entries, 4);
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs, table.paths(), SnapshotId(7)));
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kCompact);
  EXPECT_EQ(snapshot.total_record_count, 4);
  EXPECT_EQ(snapshot.delta_record_count, 0);
  EXPECT_THAT(ReadManifestList(*fs, table.paths(), snapshot.delta_manifest_list), HasValue(IsEmpty()));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto manifests, ReadManifestList(*fs, table.paths(), snapshot.base_manifest_list));
  ASSERT_THAT(manifests, SizeIs(1));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto entries, ReadManifest(*fs, table.paths(), manifests.front().file_name));
  std::vector<std::int32_t> partitions;
  for (const ManifestEntry& entry : entries) {
    partitions.push_back(static_cast<std::int32_t>(entry.partition.Get(0, DataType::Int())->as_int()));
    EXPECT_FALSE(entry.file.value_stats.min_values.bytes().empty()) << "statistics are kept";
  }
  EXPECT_THAT(partitions, testing::ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(SortedRows(table), HasValue(rows));

  BRAID_ASSERT_OK_AND_ASSIGN(const ManifestCompaction again, CompactManifests(table, /*dry_run=*/false, "user"));
  EXPECT_FALSE(again.worthwhile);
  EXPECT_EQ(again.snapshot, std::nullopt);
  EXPECT_EQ(again.after.files, 1);
}

TEST(ManifestCompactionTest, DoesNothingToAnEmptyTable) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(std::make_shared<MemoryFileSystem>(),
                                                                TestDefinition({{"v", DataType::Int()}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const ManifestCompaction compaction, CompactManifests(table, /*dry_run=*/false, "user"));
  EXPECT_FALSE(compaction.worthwhile);
  EXPECT_EQ(compaction.before.files, 0);
}

}  // namespace
}  // namespace braid
