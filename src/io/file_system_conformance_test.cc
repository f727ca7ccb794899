// What every FileSystem does; run for each implementation.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <latch>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/uuid.h"
#include "io/fault_injecting_file_system.h"
#include "io/memory_file_system.h"
#include "io/storage.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Implementation {
  friend void PrintTo(const Implementation& tested, std::ostream* out) { *out << tested.name; }

  std::string name;
  std::function<std::shared_ptr<FileSystem>()> make;
  std::function<std::string()> make_root;
  bool has_folders = true;  ///< rather than names that begin alike
};

// A bucket of an S3-compatible store to test too, "s3://bucket/path": tests/object_store/run_s3 starts one.
constexpr const char* kObjectStore = "BRAID_TEST_OBJECT_STORE";

class FileSystemConformanceTest : public testing::TestWithParam<Implementation> {
 protected:
  FileSystemConformanceTest() : fs_(GetParam().make()), root_(GetParam().make_root()) {}
  ~FileSystemConformanceTest() override { EXPECT_THAT(fs_->DeleteTree(root_), IsOk()); }

  std::string At(std::string_view name) const { return JoinPath(root_, name); }

  void Put(std::string_view name, std::string_view content) {
    auto file = fs_->Create(At(name));
    ASSERT_THAT(file, IsOk());
    ASSERT_THAT((*file)->Append(content), IsOk());
    ASSERT_THAT((*file)->Close(), IsOk());
  }

  // Names of the children, folders with a slash, sorted.
  std::vector<std::string> Children(std::string_view name) const {
    const auto children = fs_->List(At(name));
    EXPECT_THAT(children, IsOk());
    std::vector<std::string> names;
    if (!children) return names;
    for (const FileInfo& child : *children) names.push_back(child.is_directory ? child.name + "/" : child.name);
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::shared_ptr<FileSystem> fs_;
  const std::string root_;
};

TEST_P(FileSystemConformanceTest, WritesAFileInPiecesAndReadsItWhole) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<OutputFile> file, fs_->Create(At("a/b/f")));
  const std::string large(300'000, 'x');
  ASSERT_THAT(file->Append("head"), IsOk());
  ASSERT_THAT(file->Append(large), IsOk());
  ASSERT_THAT(file->Append("tail"), IsOk());
  EXPECT_EQ(file->position(), 300'008);
  ASSERT_THAT(file->CloseSynced(), IsOk());
  EXPECT_THAT(fs_->ReadAll(At("a/b/f")), HasValue(testing::Eq("head" + large + "tail")));
}

TEST_P(FileSystemConformanceTest, KeepsBytesOfEveryValue) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  ASSERT_NO_FATAL_FAILURE(Put("f", bytes));
  EXPECT_THAT(fs_->ReadAll(At("f")), HasValue(testing::Eq(bytes)));
}

TEST_P(FileSystemConformanceTest, ReadsAnyRangeOfAFile) {
  ASSERT_NO_FATAL_FAILURE(Put("f", "0123456789"));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<InputFile> file, fs_->Open(At("f")));
  EXPECT_EQ(file->size_bytes(), 10);
  std::string part(4, ' ');
  ASSERT_THAT(file->ReadAt(5, std::as_writable_bytes(std::span(part))), IsOk());
  EXPECT_EQ(part, "5678");
  EXPECT_THAT(file->ReadAt(10, {}), IsOk());
}

TEST_P(FileSystemConformanceTest, ReportsReadingBehindTheEndAsCorruption) {
  ASSERT_NO_FATAL_FAILURE(Put("f", "0123456789"));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<InputFile> file, fs_->Open(At("f")));
  std::string part(4, ' ');
  const Status read = file->ReadAt(8, std::as_writable_bytes(std::span(part)));
  EXPECT_THAT(read, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(read, HasMessage("/f ends at byte 10"));
}

TEST_P(FileSystemConformanceTest, KeepsAnOpenFileReadableWhenItIsDeletedOrReplaced) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_NO_FATAL_FAILURE(Put("f", "old"));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<InputFile> before, fs_->Open(At("f")));
  ASSERT_THAT(fs_->Replace(At("f"), "new"), IsOk());
  ASSERT_THAT(fs_->Delete(At("f")), IsOk());
  std::string content(3, ' ');
  ASSERT_THAT(before->ReadAt(0, std::as_writable_bytes(std::span(content))), IsOk());
  EXPECT_EQ(content, "old");
}

TEST_P(FileSystemConformanceTest, ReportsMissingFilesByPath) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  EXPECT_THAT(fs_->ReadAll(At("none")), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(fs_->ReadAll(At("none")), HasMessage("/none: it does not exist"));
  EXPECT_THAT(fs_->Open(At("none")), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(fs_->Stat(At("none")), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(fs_->Rename(At("none"), At("other")), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(fs_->SyncFiles(std::vector{At("none")}), IsError(ErrorCode::kNotFound));
}

TEST_P(FileSystemConformanceTest, RefusesToReadAFolderAsAFile) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_THAT(fs_->CreateDirectories(At("d")), IsOk());
  EXPECT_THAT(fs_->ReadAll(At("d")), IsError(ErrorCode::kIo));
  EXPECT_THAT(fs_->Open(At("d")), IsError(ErrorCode::kIo));
}

TEST_P(FileSystemConformanceTest, CreateRefusesAnExistingFile) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_NO_FATAL_FAILURE(Put("f", "first"));
  EXPECT_THAT(fs_->Create(At("f")), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(fs_->ReadAll(At("f")), HasValue(testing::Eq("first")));
}

TEST_P(FileSystemConformanceTest, CreateAtomicallyKeepsTheFirstContent) {
  ASSERT_THAT(fs_->CreateAtomically(At("snapshot/snapshot-1"), "first"), IsOk());
  EXPECT_THAT(fs_->CreateAtomically(At("snapshot/snapshot-1"), "second"), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(fs_->ReadAll(At("snapshot/snapshot-1")), HasValue(testing::Eq("first")));
  EXPECT_THAT(Children("snapshot"), ElementsAre("snapshot-1")) << "no temporary file stays";
}

TEST_P(FileSystemConformanceTest, CreateAtomicallyHasExactlyOneWinner) {
  constexpr int kRacers = 8;
  for (int round = 0; round < 20; ++round) {
    const std::string path = At(fmt::format("snapshot/snapshot-{}", round));
    std::latch start(kRacers);
    std::atomic<int> winner = -1;
    std::atomic<int> losers = 0;
    std::vector<std::jthread> racers;
    for (int racer = 0; racer < kRacers; ++racer) {
      racers.emplace_back([&, racer] {
        start.arrive_and_wait();
        const Status created = fs_->CreateAtomically(path, std::to_string(racer));
        if (created) {
          winner = racer;
        } else if (created.error().code() == ErrorCode::kAlreadyExists) {
          ++losers;
        }
      });
    }
    racers.clear();
    ASSERT_EQ(losers, kRacers - 1);
    ASSERT_THAT(fs_->ReadAll(path), HasValue(testing::Eq(std::to_string(winner))));
  }
  EXPECT_EQ(Children("snapshot").size(), 20U) << "no temporary file stays";
}

TEST_P(FileSystemConformanceTest, ReplaceMakesOrReplacesTheFile) {
  ASSERT_THAT(fs_->Replace(At("d/LATEST"), "1"), IsOk());
  ASSERT_THAT(fs_->Replace(At("d/LATEST"), "2"), IsOk());
  EXPECT_THAT(fs_->ReadAll(At("d/LATEST")), HasValue(testing::Eq("2")));
  EXPECT_THAT(Children("d"), ElementsAre("LATEST"));
}

TEST_P(FileSystemConformanceTest, ListsDirectChildrenOnly) {
  ASSERT_NO_FATAL_FAILURE(Put("d/f", ""));
  ASSERT_NO_FATAL_FAILURE(Put("d/sub/deep/g", ""));
  ASSERT_NO_FATAL_FAILURE(Put("d-other", ""));
  EXPECT_THAT(Children("d"), ElementsAre("f", "sub/"));
  EXPECT_THAT(Children("d/sub"), ElementsAre("deep/"));
  EXPECT_THAT(Children("d/"), ElementsAre("f", "sub/"));
}

TEST_P(FileSystemConformanceTest, ListsNothingInAMissingFolder) {
  EXPECT_THAT(Children("none"), IsEmpty());
}

TEST_P(FileSystemConformanceTest, TellsSizeKindAndTime) {
  ASSERT_NO_FATAL_FAILURE(Put("d/f", "12345"));
  BRAID_ASSERT_OK_AND_ASSIGN(const FileStatus file, fs_->Stat(At("d/f")));
  EXPECT_FALSE(file.is_directory);
  EXPECT_EQ(file.size_bytes, 5);
  EXPECT_GT(file.modified_ms, 1'700'000'000'000);
  BRAID_ASSERT_OK_AND_ASSIGN(const FileStatus folder, fs_->Stat(At("d")));
  EXPECT_TRUE(folder.is_directory);
  EXPECT_THAT(fs_->Exists(At("d/f")), HasValue(true));
  EXPECT_THAT(fs_->Exists(At("d")), HasValue(true));
  EXPECT_THAT(fs_->Exists(At("d/f/below-a-file")), HasValue(false));
}

TEST_P(FileSystemConformanceTest, DeletesAFileOnceOrNever) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_NO_FATAL_FAILURE(Put("d/f", ""));
  EXPECT_THAT(fs_->Delete(At("d/f")), IsOk());
  EXPECT_THAT(fs_->Delete(At("d/f")), IsOk());
  EXPECT_THAT(fs_->Delete(At("d")), IsError(ErrorCode::kIo)) << "a folder is not deleted as a file";
  EXPECT_THAT(fs_->Exists(At("d")), HasValue(true));
}

TEST_P(FileSystemConformanceTest, DeletesATreeWithAllBelowAndNothingBeside) {
  ASSERT_NO_FATAL_FAILURE(Put("d/sub/f", ""));
  ASSERT_NO_FATAL_FAILURE(Put("d2/f", ""));
  EXPECT_THAT(fs_->DeleteTree(At("d")), IsOk());
  EXPECT_THAT(fs_->DeleteTree(At("d")), IsOk());
  EXPECT_THAT(Children(""), ElementsAre("d2/"));
}

TEST_P(FileSystemConformanceTest, DeletesOnlyEmptyFolders) {
  ASSERT_NO_FATAL_FAILURE(Put("d/f", ""));
  EXPECT_THAT(fs_->DeleteEmptyDirectory(At("d")), HasValue(false));
  ASSERT_THAT(fs_->Delete(At("d/f")), IsOk());
  EXPECT_THAT(fs_->DeleteEmptyDirectory(At("d")), HasValue(true));
  EXPECT_THAT(fs_->DeleteEmptyDirectory(At("d")), HasValue(true));
  EXPECT_THAT(Children(""), IsEmpty());
}

TEST_P(FileSystemConformanceTest, RenamesFilesAndFoldersButReplacesNothing) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_NO_FATAL_FAILURE(Put("f", "f"));
  ASSERT_NO_FATAL_FAILURE(Put("g", "g"));
  EXPECT_THAT(fs_->Rename(At("f"), At("g")), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(fs_->ReadAll(At("g")), HasValue(testing::Eq("g")));
  EXPECT_THAT(fs_->Rename(At("f"), At("new/h")), IsOk());
  EXPECT_THAT(fs_->ReadAll(At("new/h")), HasValue(testing::Eq("f")));

  ASSERT_NO_FATAL_FAILURE(Put("d/sub/f", "deep"));
  ASSERT_THAT(fs_->CreateDirectories(At("taken")), IsOk());
  EXPECT_THAT(fs_->Rename(At("d"), At("taken")), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(fs_->Rename(At("d"), At("e")), IsOk());
  EXPECT_THAT(fs_->ReadAll(At("e/sub/f")), HasValue(testing::Eq("deep")));
  EXPECT_THAT(fs_->Rename(At("e"), At("e/sub/e")), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Children(""), ElementsAre("e/", "g", "new/", "taken/"));
}

TEST_P(FileSystemConformanceTest, ReportsAFileInTheWayOfAFolder) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_NO_FATAL_FAILURE(Put("f", ""));
  EXPECT_THAT(fs_->CreateDirectories(At("f/d")), IsError(ErrorCode::kIo));
  EXPECT_THAT(fs_->CreateDirectories(At("f")), IsError(ErrorCode::kIo));
  EXPECT_THAT(fs_->Create(At("f/g")), IsError(ErrorCode::kIo));
  EXPECT_THAT(fs_->CreateDirectories(At("a/b")), IsOk());
  EXPECT_THAT(fs_->CreateDirectories(At("a/b")), IsOk());
}

TEST_P(FileSystemConformanceTest, SyncsFilesThatWereClosedUnsynced) {
  ASSERT_NO_FATAL_FAILURE(Put("a/f", "1"));
  ASSERT_NO_FATAL_FAILURE(Put("a/b/g", "2"));
  EXPECT_THAT(fs_->SyncFiles(std::vector{At("a/f"), At("a/b/g")}), IsOk());
  EXPECT_THAT(fs_->SyncFiles({}), IsOk());
}

TEST_P(FileSystemConformanceTest, SyncsTheNamesInAFolder) {
  ASSERT_NO_FATAL_FAILURE(Put("a/f", "1"));
  EXPECT_THAT(fs_->SyncFiles(std::vector{At("a")}), IsOk());
}

TEST_P(FileSystemConformanceTest, ExchangesFoldersAndKeepsWhoTheyAre) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_NO_FATAL_FAILURE(Put("a/f", "from a"));
  ASSERT_NO_FATAL_FAILURE(Put("a/sub/g", "deep"));
  ASSERT_NO_FATAL_FAILURE(Put("b/h", "from b"));
  const std::uint64_t a_before = fs_->Stat(At("a"))->file_id;
  const std::uint64_t b_before = fs_->Stat(At("b"))->file_id;
  EXPECT_NE(a_before, b_before);
  ASSERT_THAT(fs_->Exchange(At("a"), At("b")), IsOk());
  EXPECT_THAT(Children("a"), ElementsAre("h"));
  EXPECT_THAT(Children("b"), ElementsAre("f", "sub/"));
  EXPECT_THAT(fs_->ReadAll(At("b/sub/g")), HasValue(testing::Eq("deep")));
  EXPECT_EQ(fs_->Stat(At("b"))->file_id, a_before);
  EXPECT_EQ(fs_->Stat(At("a"))->file_id, b_before);
  EXPECT_THAT(fs_->Exchange(At("a"), At("none")), IsError(ErrorCode::kNotFound));
}

TEST_P(FileSystemConformanceTest, LinksAFileUnderASecondName) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_NO_FATAL_FAILURE(Put("f", "content"));
  ASSERT_THAT(fs_->Link(At("f"), At("new/g")), IsOk());
  EXPECT_THAT(fs_->Link(At("f"), At("new/g")), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(fs_->Link(At("none"), At("new/h")), IsError(ErrorCode::kNotFound));
  ASSERT_THAT(fs_->Delete(At("f")), IsOk());
  EXPECT_THAT(fs_->ReadAll(At("new/g")), HasValue(testing::Eq("content")));
}

TEST_P(FileSystemConformanceTest, LockExcludesEveryOtherUntilItIsReleased) {
  BRAID_ASSERT_OK_AND_ASSIGN(std::unique_ptr<FileLock> first, fs_->TryLock(At(".braid/lock"), "ana"));
  ASSERT_NE(first, nullptr);
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<FileLock> second, fs_->TryLock(At(".braid/lock"), "bob"));
  EXPECT_EQ(second, nullptr);
  EXPECT_THAT(fs_->ReadAll(At(".braid/lock")), HasValue(testing::StartsWith("ana")));
  first.reset();
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<FileLock> third, fs_->TryLock(At(".braid/lock"), "bo"));
  EXPECT_NE(third, nullptr);
  EXPECT_THAT(fs_->ReadAll(At(".braid/lock")), HasValue(testing::StartsWith("bo")));
}

TEST_P(FileSystemConformanceTest, FolderHandleFollowsItsFolder) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  ASSERT_NO_FATAL_FAILURE(Put("a/f", ""));
  ASSERT_NO_FATAL_FAILURE(Put("b/g", ""));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<DirectoryHandle> folder, fs_->OpenDirectory(At("a")));
  ASSERT_THAT(folder->CreateAtomically("snapshot-1", "one"), IsOk());
  EXPECT_THAT(folder->CreateAtomically("snapshot-1", "two"), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(Children("a"), ElementsAre("f", "snapshot-1")) << "no temporary file stays";
  ASSERT_THAT(fs_->Exchange(At("a"), At("b")), IsOk());
  ASSERT_THAT(folder->CreateAtomically("snapshot-2", "late"), IsOk());
  EXPECT_THAT(Children("a"), ElementsAre("g"));
  EXPECT_THAT(fs_->ReadAll(At("b/snapshot-2")), HasValue(testing::Eq("late")));
  EXPECT_THAT(folder->Exists("snapshot-2"), HasValue(true));
  EXPECT_THAT(folder->Exists("g"), HasValue(false));
  ASSERT_THAT(folder->Delete("snapshot-2"), IsOk());
  EXPECT_THAT(folder->Delete("snapshot-2"), IsOk());
  EXPECT_THAT(Children("b"), ElementsAre("f", "snapshot-1"));
  ASSERT_THAT(fs_->DeleteTree(At("b")), IsOk());
  EXPECT_THAT(folder->CreateAtomically("snapshot-3", "dead"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(fs_->OpenDirectory(At("b")), IsError(ErrorCode::kNotFound));
}

TEST_P(FileSystemConformanceTest, SyncsManyFiles) {
  if (!GetParam().has_folders) GTEST_SKIP() << "needs folders";
  std::vector<std::string> paths;
  for (int file = 0; file < 200; ++file) {
    ASSERT_NO_FATAL_FAILURE(Put(fmt::format("d/{}", file), "x"));
    paths.push_back(At(fmt::format("d/{}", file)));
  }
  EXPECT_THAT(fs_->SyncFiles(paths), IsOk());
  paths.push_back(At("d/none"));
  EXPECT_THAT(fs_->SyncFiles(paths), IsError(ErrorCode::kNotFound));
}

std::string NewFolder() {
  return (std::filesystem::temp_directory_path() / ("braid-io-" + RandomUuid())).string();
}

class StorageLibraries : public testing::Environment {
  void TearDown() override { CloseStorageLibraries(); }
};
const auto* const kStorageLibraries = testing::AddGlobalTestEnvironment(new StorageLibraries);

std::vector<Implementation> Implementations() {
  std::vector<Implementation> all = {
      {"Local", LocalFileSystem, NewFolder},
      {"LocalWithScheme", LocalFileSystem, [] { return "FILE://" + NewFolder(); }},
      {"Memory", [] { return std::make_shared<MemoryFileSystem>(); }, [] { return "/root"; }},
      {"FaultInjectingAtRest",
       [] { return std::make_shared<FaultInjectingFileSystem>(std::make_shared<MemoryFileSystem>()); },
       [] { return "/root"; }}};
  if (const char* address = std::getenv(kObjectStore)) {
    const std::string root = address;
    all.push_back({"ObjectStore", [root] { return OpenStorage(root, Options())->files; },
                   [root] { return JoinPath(root, RandomUuid()); }, /*has_folders=*/false});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    , FileSystemConformanceTest,
    testing::ValuesIn(Implementations()),
    [](const testing::TestParamInfo<Implementation>& tested) { return tested.param.name; });

}  // namespace
}  // namespace braid
