#include <filesystem>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/uuid.h"
#include "io/file_system.h"

namespace braid {
namespace {

class LocalFileSystemTest : public testing::Test {
 protected:
  LocalFileSystemTest() { std::filesystem::create_directories(root_); }
  ~LocalFileSystemTest() override { std::filesystem::remove_all(root_); }

  const std::string root_ = (std::filesystem::temp_directory_path() / ("braid-local-" + RandomUuid())).string();
  const std::shared_ptr<FileSystem> fs_ = LocalFileSystem();
};

TEST_F(LocalFileSystemTest, AcceptsTheSchemeFileInEverySpelling) {
  ASSERT_THAT(fs_->Replace(root_ + "/f", "x"), IsOk());
  for (const std::string_view prefix : {"", "file:", "FILE:", "file://", "File://"}) {
    SCOPED_TRACE(prefix);
    EXPECT_THAT(fs_->ReadAll(std::string(prefix) + root_ + "/f"), HasValue(testing::Eq("x")));
  }
}

TEST_F(LocalFileSystemTest, LeavesNoTemporaryFileWhenTheFolderCannotBeMade) {
  ASSERT_THAT(fs_->Replace(root_ + "/f", "x"), IsOk());
  EXPECT_THAT(fs_->CreateAtomically(root_ + "/f/snapshot-1", "y"), IsError(ErrorCode::kIo));
  EXPECT_THAT(fs_->Replace(root_ + "/f/LATEST", "y"), IsError(ErrorCode::kIo));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<FileInfo> children, fs_->List(root_));
  EXPECT_EQ(children.size(), 1U);
}

TEST_F(LocalFileSystemTest, LeavesNoTemporaryFileWhenAFolderIsInThePlaceOfTheFile) {
  ASSERT_THAT(fs_->CreateDirectories(root_ + "/d/below"), IsOk());
  EXPECT_THAT(fs_->CreateAtomically(root_ + "/d", "y"), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(fs_->Replace(root_ + "/d", "y"), IsError(ErrorCode::kIo));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<FileInfo> children, fs_->List(root_));
  EXPECT_EQ(children.size(), 1U);
}

TEST_F(LocalFileSystemTest, DeletesALinkAndNotWhatItPointsTo) {
  ASSERT_THAT(fs_->Replace(root_ + "/elsewhere/f", "x"), IsOk());
  ASSERT_THAT(fs_->CreateDirectories(root_ + "/d"), IsOk());
  std::filesystem::create_directory_symlink(root_ + "/elsewhere", root_ + "/d/link");
  EXPECT_THAT(fs_->DeleteTree(root_ + "/d"), IsOk());
  EXPECT_THAT(fs_->Exists(root_ + "/d"), HasValue(false));
  EXPECT_THAT(fs_->ReadAll(root_ + "/elsewhere/f"), HasValue(testing::Eq("x")));
}

TEST_F(LocalFileSystemTest, ListsALinkToAFolderAsAFolder) {
  ASSERT_THAT(fs_->CreateDirectories(root_ + "/d"), IsOk());
  std::filesystem::create_directory_symlink(root_ + "/d", root_ + "/link");
  std::filesystem::create_symlink(root_ + "/nowhere", root_ + "/dangling");
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<FileInfo> children, fs_->List(root_));
  for (const FileInfo& child : children) EXPECT_EQ(child.is_directory, child.name != "dangling") << child.name;
  EXPECT_EQ(children.size(), 3U);
}

TEST_F(LocalFileSystemTest, SyncsAFolderThatWasDeletedAndMadeAgain) {
  for (int round = 0; round < 2; ++round) {
    ASSERT_THAT(fs_->CreateAtomically(root_ + "/table/schema/schema-0", "{}"), IsOk());
    ASSERT_THAT(fs_->DeleteTree(root_ + "/table"), IsOk());
  }
}

TEST_F(LocalFileSystemTest, SaysThatANameIsTooLong) {
  const Status created = fs_->CreateAtomically(root_ + "/" + std::string(300, 'n'), "x");
  EXPECT_THAT(created, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(created, HasMessage("try: shorten names"));
}

}  // namespace
}  // namespace braid
