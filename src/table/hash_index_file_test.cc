#include "table/hash_index_file.h"

#include <gmock/gmock.h>

#include "table/index_manifest.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;

class HashIndexFileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto table = CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}}, {"k"}, {{"bucket", "-1"}}));
    ASSERT_THAT(table, IsOk());
    table_ = *table;
    auto entry = WriteHashIndex(*table_, BinaryRow(), BucketId(0), {1, -2, 0x01020304}, names_);
    ASSERT_THAT(entry, IsOk());
    entry_ = *entry;
    path_ = IndexFilePath(*table_, entry_).value();
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
  MetadataFileNames names_;
  IndexManifestEntry entry_;
  std::string path_;
};

TEST_F(HashIndexFileTest, HoldsHashesInBigEndian) {
  EXPECT_EQ(entry_.row_count, 3);
  EXPECT_EQ(entry_.file_size, 12);
  EXPECT_THAT(fs_->ReadAll(path_), HasValue(std::string("\0\0\0\1\xFF\xFF\xFF\xFE\1\2\3\4", 12)));
  EXPECT_THAT(ReadHashIndex(*table_, entry_), HasValue(ElementsAre(1, -2, 0x01020304)));
}

TEST_F(HashIndexFileTest, RefusesFilesOfAnotherShapeByName) {
  for (const std::size_t size : {0U, 4U, 5U, 11U, 16U}) {
    ASSERT_THAT(fs_->Replace(path_, std::string(size, '\1')), IsOk());
    EXPECT_THAT(ReadHashIndex(*table_, entry_), IsError(ErrorCode::kCorruption)) << size;
    EXPECT_THAT(ReadHashIndex(*table_, entry_), HasMessage(path_)) << size;
  }
}

}  // namespace
}  // namespace braid
