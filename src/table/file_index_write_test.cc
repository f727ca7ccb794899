// Where writers put file indexes.

#include <gtest/gtest.h>

#include "format/file_index.h"
#include "table/file_scan.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class FileIndexWriteTest : public testing::Test {
 protected:
  void Create(std::vector<std::string> primary_keys, Options::Map options) {
    options.insert({{"file-index.bitmap.columns", "c"}, {"file-index.bsi.columns", "n"}});
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_, CreateTestTable(fs_, TestDefinition({{"n", DataType::Int()}, {"c", DataType::String()}}, std::move(primary_keys), std::move(options))));
  }

  std::vector<DataFileMeta> LiveFiles() const {
    std::vector<DataFileMeta> files;
    const auto latest = FindLatestSnapshot(*fs_, table_->paths());
    const auto snapshot = ReadSnapshot(*fs_, table_->paths(), **latest);
    const auto scan = FileScan::Make(*table_, nullptr);
    const auto entries = (*scan)->LiveFiles(*snapshot);
    EXPECT_THAT(entries, IsOk());
    for (const ManifestEntry& entry : *entries) files.push_back(entry.file);
    return files;
  }

  std::vector<std::string> IndexFiles() const {
    std::vector<std::string> names;
    for (const std::string& path : fs_->AllFiles()) {
      if (path.ends_with(".index")) names.emplace_back(BaseName(path));
    }
    return names;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
};

std::vector<std::string> ColumnsOf(const std::string& index) {
  const auto parts = ParseFileIndexParts(index);
  EXPECT_THAT(parts, IsOk());
  std::vector<std::string> columns;
  for (const FileIndexPart& part : *parts) columns.push_back(part.column);
  return columns;
}

TEST_F(FileIndexWriteTest, SmallIndexesGoIntoTheManifest) {
  Create({}, {{"bucket", "-1"}});
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}}), IsOk());
  const std::vector<DataFileMeta> files = LiveFiles();
  ASSERT_THAT(files, SizeIs(1));
  ASSERT_TRUE(files[0].embedded_index);
  EXPECT_THAT(ColumnsOf(*files[0].embedded_index), ElementsAre("n", "c"));
  EXPECT_THAT(IndexFiles(), IsEmpty());
}

TEST_F(FileIndexWriteTest, LargerOnesGetAFileThatTheEntryNames) {
  Create({}, {{"bucket", "-1"}, {"file-index.in-manifest-threshold", "20 b"}});
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}}), IsOk());
  const std::vector<DataFileMeta> files = LiveFiles();
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_FALSE(files[0].embedded_index);
  EXPECT_THAT(files[0].extra_files, ElementsAre(files[0].file_name + ".index"));
  EXPECT_EQ(IndexFiles(), files[0].extra_files);
}

TEST_F(FileIndexWriteTest, AWriterThatEndsWithoutCommitLeavesNoIndexFile) {
  Create({}, {{"bucket", "-1"}, {"file-index.in-manifest-threshold", "1 b"}, {"target-file-size", "1 b"}});
  {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, TableWriter::Make(*table_, {.commit_user = "w", .spill_directory = {}, .ignore_previous_files = false}));
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(table_->schema().fields, std::vector<DatumList>{{1, "a"}}));
    ASSERT_THAT(writer->Write(batch), IsOk());
    EXPECT_THAT(IndexFiles(), SizeIs(1));
  }
  EXPECT_THAT(IndexFiles(), IsEmpty());
}

TEST_F(FileIndexWriteTest, DataFilesOfKeyTablesHaveThemAndChangelogFilesHaveNot) {
  Create({"n"}, {{"bucket", "1"}, {"changelog-producer", "input"}, {"write-only", "true"}, {"file-index.in-manifest-threshold", "1 b"}});
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}}), IsOk());
  const std::vector<DataFileMeta> files = LiveFiles();
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(IndexFiles(), files[0].extra_files);
}

TEST_F(FileIndexWriteTest, CompactionMakesThemAnew) {
  Create({"n"}, {{"bucket", "1"}});
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}}), IsOk());
  ASSERT_THAT(Insert(*table_, {{2, "c"}, {3, "d"}}), IsOk());
  ASSERT_THAT(CompactTable(*table_, true, nullptr, "user"), HasValue(SizeIs(1)));
  const std::vector<DataFileMeta> files = LiveFiles();
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].row_count, 3);
  ASSERT_TRUE(files[0].embedded_index);
  BRAID_ASSERT_OK_AND_ASSIGN(const FileIndex index, FileIndex::Parse(*files[0].embedded_index));
  const PredicatePtr is_b = Predicate::Leaf(Predicate::Op::kEqual, "c", DataType::String(), {"b"});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, index.Select(*is_b, 3));
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->empty());
}

TEST_F(FileIndexWriteTest, PostponedFilesHaveNone) {
  Create({"n"}, {{"bucket", "-2"}, {"file-index.in-manifest-threshold", "1 b"}});
  ASSERT_THAT(Insert(*table_, {{1, "a"}}), IsOk());
  EXPECT_THAT(IndexFiles(), IsEmpty());
}

}  // namespace
}  // namespace braid
