#include "table/compaction_preview.h"

#include <gmock/gmock.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class CompactionPreviewTest : public testing::Test {
 protected:
  // Rows of partition `p`, a commit each.
  void Write(const Table& table, int p, int commits) {
    for (int i = 0; i < commits; ++i) ASSERT_THAT(Insert(table, {{p, i}}), IsOk());
  }

  std::int64_t FilesCompacted(const Table& table, bool full) {
    const auto candidates = PreviewCompaction(table, full, nullptr);
    EXPECT_THAT(candidates, IsOk());
    std::int64_t files = 0;
    for (const CompactionCandidate& candidate : *candidates) files += candidate.file_count;
    return files;
  }

  // Data files that the newest snapshot deletes: what a compaction read.
  std::int64_t FilesDeleted(const Table& table) {
    const auto latest = FindLatestSnapshot(*fs_, table.paths()).value();
    const Snapshot snapshot = ReadSnapshot(*fs_, table.paths(), *latest).value();
    std::int64_t files = 0;
    const auto manifests = ReadManifestList(*fs_, table.paths(), snapshot.delta_manifest_list).value();
    for (const ManifestFileMeta& manifest : manifests) files += manifest.num_deleted_files;
    return files;
  }

  Result<Table> Make(Options::Map options, std::vector<std::string> keys = {}) {
    options["write-only"] = "true";
    return CreateTestTable(fs_, TestDefinition({{"p", DataType::Int()}, {"v", DataType::Int()}}, std::move(keys),
                                               std::move(options), {"p"}));
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(CompactionPreviewTest, NamesTheFilesThatACompactionOfAnAppendTableReads) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make({}));
  Write(table, 1, 3);
  Write(table, 2, 5);
  Write(table, 3, 1);
  EXPECT_EQ(FilesCompacted(table, false), 5) << "from 'compaction.min.file-num' files on";
  EXPECT_EQ(FilesCompacted(table, true), 8);
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), IsOk());
  EXPECT_EQ(FilesDeleted(table), 8);
  EXPECT_EQ(FilesCompacted(table, true), 0);
}

TEST_F(CompactionPreviewTest, NamesTheFilesThatACompactionOfAKeyTableReads) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make({{"bucket", "1"}}, {"p", "v"}));
  Write(table, 1, 2);
  Write(table, 2, 5);  // as many runs as 'num-sorted-run.compaction-trigger'
  EXPECT_EQ(FilesCompacted(table, false), 5);
  ASSERT_THAT(CompactTable(table, false, nullptr, "user"), IsOk());
  EXPECT_EQ(FilesDeleted(table), 5);
  EXPECT_EQ(FilesCompacted(table, true), 2) << "the other bucket is compacted whole";
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), IsOk());
  EXPECT_EQ(FilesDeleted(table), 2);
  EXPECT_EQ(FilesCompacted(table, true), 0);
}

TEST_F(CompactionPreviewTest, TellsIdlePartitions) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make({}));
  EXPECT_THAT(IdlePartitions(table, nullptr, std::chrono::hours(1)), HasValue(PredicatePtr()));
  Write(table, 1, 1);
  Write(table, 2, 1);
  const std::int64_t now_ms = SystemClock().NowMs();
  ManualClock clock(now_ms + 1'800'000);
  EXPECT_THAT(IdlePartitions(table, nullptr, std::chrono::hours(1), clock), HasValue(PredicatePtr())) << "half an hour";
  clock.Advance(5'400'000);
  BRAID_ASSERT_OK_AND_ASSIGN(const PredicatePtr idle, IdlePartitions(table, nullptr, std::chrono::hours(1), clock));
  ASSERT_NE(idle, nullptr);
  EXPECT_EQ(idle->ToString(), "p = 1 OR p = 2");
}

TEST_F(CompactionPreviewTest, RefusesDataEvolution) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             Make({{"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}}));
  EXPECT_THAT(PreviewCompaction(table, true, nullptr), IsError(ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace braid
