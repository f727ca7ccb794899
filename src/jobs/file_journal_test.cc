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
  const JournalledFile local{.table_root = "/wh/d.db/t", .path = "/wh/d.db/t/bucket-0/data-1-0.parquet"};
  const JournalledFile far{.table_root = "s3://b/wh/d.db/t", .path = "s3://other/a tab\tin it/data-1-1.parquet"};
  ASSERT_THAT(journal.Add(local), IsOk());
  ASSERT_THAT(journal.Add(far), IsOk());
  EXPECT_THAT(FileJournal::Read(path_), HasValue(ElementsAre(local, far)));
  EXPECT_THAT(journal.FilesOf("s3://b/wh/d.db/t"), ElementsAre(far.path));
}

// The beginning of a name may be that of another file, or of a folder.
TEST_F(FileJournalTest, LeavesOutANameThatWasNotWrittenWhole) {
  std::ofstream(path_) << "/t\t/t/bucket-0/data-1-0.parquet\n/t\t/t/bucket-0";
  EXPECT_THAT(FileJournal::Read(path_), HasValue(ElementsAre(JournalledFile{"/t", "/t/bucket-0/data-1-0.parquet"})));
}

TEST_F(FileJournalTest, KeepsNamesApartAfterOneThatTheDiskHadNoRoomFor) {
  FileJournal journal;
  journal.Begin(path_);
  ASSERT_THAT(journal.Add({"/t", "/t/a"}), IsOk());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 12, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status full = journal.Add({"/t", "/t/b"});  // of which a part is written
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(full, IsError(ErrorCode::kIo));
  ASSERT_THAT(journal.Add({"/t", "/t/c"}), IsOk());
  EXPECT_THAT(FileJournal::Read(path_), HasValue(ElementsAre(JournalledFile{"/t", "/t/a"}, JournalledFile{"/t", "/t/c"})));
}

}  // namespace
}  // namespace braid
