#include "jobs/job_folder.h"

#include <atomic>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/uuid.h"

namespace braid {
namespace {

class JobFolderTest : public testing::Test {
 protected:
  JobFolderTest() : directory_(std::filesystem::temp_directory_path() / ("braid-jobs-" + RandomUuid())) {}
  ~JobFolderTest() override { std::filesystem::remove_all(directory_); }

  JobFolder Made(const std::string& job) {
    const JobFolder folder = JobFolder::Of(directory_.string(), "c1", job);
    EXPECT_THAT(folder.Create(), IsOk());
    return folder;
  }

  std::filesystem::path directory_;
};

TEST_F(JobFolderTest, KeepsTheRecordAndTheStatus) {
  const JobFolder folder = Made("job1");
  const JobRecord record{
      .id = "0123",
      .name = "job1",
      .statement = "INSERT INTO t SELECT 'ü' FROM s",
      .session = {.options = Options(Options::Map{{"a", "b"}}), .statements = {"USE CATALOG c", "USE d"}},
      .working_directory = "/",
      .start_ms = 17,
      .road = StateRoad::kAsIs,
      .restored_from = "/saved",
      .generation_before = 3,
      .barrier_before = 9};
  ASSERT_THAT(folder.WriteRecord(record), IsOk());
  const auto read = folder.ReadRecord();
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->statement, record.statement);
  EXPECT_EQ(read->session.options, record.session.options);
  EXPECT_EQ(read->session.statements, record.session.statements);
  EXPECT_EQ(read->restored_from, "/saved");
  EXPECT_EQ(read->barrier_before, 9);
  EXPECT_EQ(read->road, StateRoad::kAsIs);
  ASSERT_THAT(
      folder.WriteStatus({.state = JobState::kFailed, .barrier = 5, .error = "broken", .error_code = "conflict"}),
      IsOk());
  const auto status = folder.ReadStatus();
  ASSERT_THAT(status, IsOk());
  EXPECT_EQ(status->state, JobState::kFailed);
  EXPECT_EQ(status->barrier, 5);
  EXPECT_EQ(status->error, "broken");
  EXPECT_EQ(JobFolder::List(directory_.string())->size(), 1U);
}

TEST_F(JobFolderTest, NamesThatFilesDoNotTakeStayApart) {
  EXPECT_NE(Made("a/b").path(), Made("a:b").path());
  EXPECT_EQ(Made("job_1.x").path(), directory_.string() + "/c1/job_1.x");
}

TEST_F(JobFolderTest, OneWorkerAtATime) {
  const JobFolder folder = Made("job1");
  EXPECT_FALSE(folder.IsLocked());
  auto lock = folder.Lock("job1");
  ASSERT_THAT(lock, IsOk());
  EXPECT_TRUE(folder.IsLocked());
  EXPECT_THAT(folder.Lock("job1"), IsError(ErrorCode::kConflict));
  lock->reset();
  EXPECT_FALSE(folder.IsLocked());
  EXPECT_THAT(folder.Lock("job1"), IsOk());
}

// One that still looks at how its worker ended would take what the next start writes for that.
TEST_F(JobFolderTest, AStartWaitsForTheFormerSupervisor) {
  const JobFolder folder = Made("job1");
  auto supervisor = folder.LockAsSupervisor();
  ASSERT_THAT(supervisor, IsOk());
  std::atomic<bool> has_ended = false;
  std::jthread former([&] {
    while (!folder.IsLocked()) std::this_thread::yield();  // until the start waits
    has_ended = true;
    supervisor->reset();
  });
  EXPECT_THAT(folder.LockToStart("job1"), IsOk());
  EXPECT_TRUE(has_ended);
}

TEST_F(JobFolderTest, NobodyStartsWhatASupervisorKeepsUp) {
  const JobFolder folder = Made("job1");
  const auto supervisor = folder.LockAsSupervisor();
  EXPECT_THAT(folder.LockToStart("job1"), IsError(ErrorCode::kConflict));
  EXPECT_FALSE(folder.IsLocked());
}

}  // namespace
}  // namespace braid
