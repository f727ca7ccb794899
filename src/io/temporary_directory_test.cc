#include "io/temporary_directory.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "base/uuid.h"

namespace braid {
namespace {

namespace fs = std::filesystem;

class TemporaryDirectoryTest : public testing::Test {
 protected:
  TemporaryDirectoryTest() : parent_(fs::temp_directory_path() / ("temporary-directory-" + RandomUuid())) {
    fs::create_directories(parent_);
  }
  ~TemporaryDirectoryTest() override {
    std::error_code ignored;
    fs::remove_all(parent_, ignored);
  }

  std::string parent() const { return parent_.string(); }
  std::size_t EntryCount() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(parent_), fs::directory_iterator()));
  }

  // A process that makes a folder with a file in it and is killed.
  void DieWithAFolder() const {
    const pid_t child = fork();
    if (child == 0) {
      const auto directory = TemporaryDirectory::Make(parent());
      if (directory) std::ofstream(directory->path() + "/spilled") << "rows";
      raise(SIGKILL);
    }
    ASSERT_GT(child, 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

 private:
  fs::path parent_;
};

TEST_F(TemporaryDirectoryTest, GoesWithItsObject) {
  {
    BRAID_ASSERT_OK_AND_ASSIGN(TemporaryDirectory made, TemporaryDirectory::Make(parent()));
    std::ofstream(made.path() + "/spilled") << "rows";
    const TemporaryDirectory moved(std::move(made));
    EXPECT_TRUE(fs::exists(moved.path() + "/spilled"));
    EXPECT_EQ(fs::status(moved.path()).permissions(), fs::perms::owner_all);
  }
  EXPECT_EQ(EntryCount(), 0U);
}

TEST_F(TemporaryDirectoryTest, RemovesTheFoldersOfDeadProcessesAndOnlyThose) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TemporaryDirectory ours, TemporaryDirectory::Make(parent()));
  DieWithAFolder();
  EXPECT_EQ(EntryCount(), 4U);  // two folders and their locks
  EXPECT_EQ(RemoveAbandonedTemporaryDirectories(parent()), 1);
  EXPECT_TRUE(fs::exists(ours.path()));
  EXPECT_EQ(EntryCount(), 2U);
}

TEST_F(TemporaryDirectoryTest, CleansUpBeforeItsFirstFolder) {
  DieWithAFolder();
  BRAID_ASSERT_OK_AND_ASSIGN(const TemporaryDirectory ours, TemporaryDirectory::Make(parent()));
  EXPECT_EQ(EntryCount(), 2U);
}

// A process number is given out again: a folder that bears our own number, or that of a living process, may be anybody's.
TEST_F(TemporaryDirectoryTest, GoesByTheLockAndNotByTheProcessNumber) {
  for (const std::string& name : {"braid-" + std::to_string(getpid()) + "-x", std::string("braid-1-y")}) {
    fs::create_directories(parent() + "/" + name);
    std::ofstream(parent() + "/" + name + ".lock") << "";
  }
  EXPECT_EQ(RemoveAbandonedTemporaryDirectories(parent()), 2);
  EXPECT_EQ(EntryCount(), 0U);
}

TEST_F(TemporaryDirectoryTest, LeavesWhatIsNotBraidsOwn) {
  fs::create_directories(parent() + "/braid-7-without-lock");
  fs::create_directories(parent() + "/other");
  std::ofstream(parent() + "/other.lock") << "";
  fs::create_symlink(parent() + "/other.lock", parent() + "/braid-8-link.lock");
  EXPECT_EQ(RemoveAbandonedTemporaryDirectories(parent()), 0);
  EXPECT_EQ(EntryCount(), 4U);
}

TEST_F(TemporaryDirectoryTest, SaysWhatToDoWhereNothingCanBeMade) {
  std::ofstream(parent() + "/file") << "";
  EXPECT_THAT(TemporaryDirectory::Make(parent() + "/file/below"), IsError(ErrorCode::kIo));
}

}  // namespace
}  // namespace braid
