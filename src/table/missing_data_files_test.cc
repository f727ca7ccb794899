#include "table/missing_data_files.h"

#include <gmock/gmock.h>

#include "table/data_file_reader.h"
#include "table/delete_rows.h"
#include "table/file_scan.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<DatumList> RowsOf(std::initializer_list<int> values) {
  std::vector<DatumList> rows;
  for (const int value : values) rows.push_back(DatumList{Datum(value)});
  return rows;
}

class MissingDataFilesTest : public testing::Test {
 protected:
  // Paths of the newest snapshot's files, in the order in which they were written.
  std::vector<std::string> Paths(const Table& table) {
    const Snapshot snapshot =
        ReadSnapshot(*fs_, table.paths(), *FindLatestSnapshot(*fs_, table.paths()).value()).value();
    std::vector<std::string> paths;
    const std::vector<ManifestEntry> live = FileScan::Make(table, ScanScope{}).value()->LiveFiles(snapshot).value();
    for (const ManifestEntry& entry : live) {
      paths.push_back(DataFilePath(table, entry.partition, entry.bucket, entry.file).value());
    }
    return paths;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(MissingDataFilesTest, TakesThemOutOfTheTable) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs_, TestDefinition({{"v", DataType::Int()}})));
  for (int i = 0; i < 3; ++i) ASSERT_THAT(Insert(table, RowsOf({i, 10 + i})), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const MissingDataFiles none, RemoveMissingDataFiles(table, false, "user"));
  EXPECT_THAT(none.paths, IsEmpty());
  EXPECT_THAT(FindLatestSnapshot(*fs_, table.paths()), HasValue(SnapshotId(3)))
      << "nothing is committed where nothing is missing";
  const std::vector<std::string> paths = Paths(table);
  ASSERT_THAT(paths, SizeIs(3));
  ASSERT_THAT(fs_->Delete(paths[1]), IsOk());
  ASSERT_THAT(SortedRows(table), IsError(ErrorCode::kNotFound));

  BRAID_ASSERT_OK_AND_ASSIGN(const MissingDataFiles preview, RemoveMissingDataFiles(table, /*dry_run=*/true, "user"));
  EXPECT_THAT(preview.paths, ElementsAre(paths[1]));
  EXPECT_EQ(preview.rows, 2);
  EXPECT_EQ(preview.snapshot, std::nullopt);
  EXPECT_THAT(SortedRows(table), IsError(ErrorCode::kNotFound));

  BRAID_ASSERT_OK_AND_ASSIGN(const MissingDataFiles removed, RemoveMissingDataFiles(table, /*dry_run=*/false, "user"));
  EXPECT_THAT(removed.paths, ElementsAre(paths[1]));
  EXPECT_EQ(removed.snapshot, SnapshotId(4));
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre("{\"v\":0}", "{\"v\":10}", "{\"v\":12}", "{\"v\":2}")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, table.paths(), SnapshotId(4)));
  EXPECT_EQ(snapshot.total_record_count, 4);
}

TEST_F(MissingDataFilesTest, DropsTheirDeletionVectorsToo) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      CreateTestTable(fs_, TestDefinition({{"v", DataType::Int()}}, {}, {{"deletion-vectors.enabled", "true"}})));
  ASSERT_THAT(Insert(table, RowsOf({1, 2})), IsOk());
  ASSERT_THAT(Insert(table, RowsOf({3, 4})), IsOk());
  const auto equals = [](int value) { return Predicate::Leaf(Predicate::Op::kEqual, "v", DataType::Int(), {value}); };
  ASSERT_THAT(DeleteRows(table, equals(1), "user"), IsOk());
  ASSERT_THAT(DeleteRows(table, equals(3), "user"), IsOk());
  ASSERT_THAT(SortedRows(table), HasValue(ElementsAre("{\"v\":2}", "{\"v\":4}")));
  ASSERT_THAT(fs_->Delete(Paths(table)[0]), IsOk());
  ASSERT_THAT(RemoveMissingDataFiles(table, false, "user"), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre("{\"v\":4}"))) << "the other file's vector is still there";
}

}  // namespace
}  // namespace braid
