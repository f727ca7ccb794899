#include "jobs/file_journal.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/result_matchers.h"
#include "base/uuid.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FileJournalTest : public testing::Test {
 protected:
  FileJournalTest() : path_(std::filesystem::temp_directory_path() / ("braid-journal-" + RandomUuid())) {}
  ~FileJournalTest() override { std::filesystem::remove(path_); }

  std::string path_;
};

TEST_F(FileJournalTest, ReadsTheNamesThatWereNoted) {
  FileJournal journal;
  journal.Begin(path_);
  EXPECT_THAT(FileJournal::Read(path_), HasValue(IsEmpty()));
  ASSERT_THAT(journal.Add("/t/bucket-0/data-1-0.parquet"), IsOk());
  ASSERT_THAT(journal.Add("/t/bucket-0/data-1-1.parquet"), IsOk());
  EXPECT_THAT(FileJournal::Read(path_),
              HasValue(ElementsAre("/t/bucket-0/data-1-0.parquet", "/t/bucket-0/data-1-1.parquet")));
}

// The beginning of a name may be that of another file, or of a folder.
TEST_F(FileJournalTest, LeavesOutANameThatWasNotWrittenWhole) {
  std::ofstream(path_) << "/t/bucket-0/data-1-0.parquet\n/t/bucket-0";
  EXPECT_THAT(FileJournal::Read(path_), HasValue(ElementsAre("/t/bucket-0/data-1-0.parquet")));
}

TEST_F(FileJournalTest, KeepsNamesApartAfterOneThatTheDiskHadNoRoomFor) {
  FileJournal journal;
  journal.Begin(path_);
  ASSERT_THAT(journal.Add("/t/a"), IsOk());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 8, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status full = journal.Add("/t/b");  // of which "/t/" is written
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(full, IsError(ErrorCode::kIo));
  ASSERT_THAT(journal.Add("/t/c"), IsOk());
  EXPECT_THAT(FileJournal::Read(path_), HasValue(ElementsAre("/t/a", "/t/c")));
}

}  // namespace
}  // namespace braid
