#include "meta/statistics.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"

namespace braid {
namespace {

Result<TableStatistics> ReadText(std::string_view text) {
  MemoryFileSystem fs;
  const TablePaths paths("/w/db.db/t", "main");
  BRAID_TRY(fs.CreateAtomically(paths.StatisticsDirectory() + "/stat-1-0", text));
  return ReadStatistics(fs, paths, "stat-1-0");
}

TEST(StatisticsTest, ReadsWhatAnAnalysisLeft) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TableStatistics statistics,
                             ReadText(R"({ "snapshotId" : 5, "schemaId" : 1, "mergedRecordCount" : 100,
    "mergedRecordSize" : 4096, "colStats" : { "f0" : { "colId" : 0, "min" : "1" } } })"));
  EXPECT_EQ(statistics.snapshot_id, SnapshotId(5));
  EXPECT_EQ(statistics.schema_id, SchemaId(1));
  EXPECT_EQ(statistics.merged_record_count, 100);
  EXPECT_EQ(statistics.merged_record_size, 4096);
  EXPECT_EQ(statistics.column_stats, "{\n  \"f0\" : {\n    \"colId\" : 0,\n    \"min\" : \"1\"\n  }\n}");
}

TEST(StatisticsTest, LeavesUnknownSizesOut) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TableStatistics statistics,
                             ReadText(R"({"snapshotId":1,"schemaId":0,"colStats":{}})"));
  EXPECT_EQ(statistics.merged_record_count, std::nullopt);
  EXPECT_EQ(statistics.merged_record_size, std::nullopt);
  EXPECT_EQ(statistics.column_stats, "{ }");
}

TEST(StatisticsTest, NamesTheFileThatIsDamaged) {
  const auto statistics = ReadText(R"({"schemaId":0})");
  EXPECT_THAT(statistics, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(statistics, HasMessage("/w/db.db/t/statistics/stat-1-0"));
}

}  // namespace
}  // namespace braid
