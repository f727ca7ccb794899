#include "io/fault_injecting_file_system.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"

namespace braid {
namespace {

using Fault = FaultInjectingFileSystem::Fault;

class FaultInjectingFileSystemTest : public testing::Test {
 protected:
  const std::shared_ptr<MemoryFileSystem> inner_ = std::make_shared<MemoryFileSystem>();
  FaultInjectingFileSystem fs_{inner_};
};

TEST_F(FaultInjectingFileSystemTest, FailsOnlyTheCallThatWasNamed) {
  fs_.FailAt(2, Fault::kFail);
  EXPECT_THAT(fs_.Replace("/a", ""), IsOk());
  EXPECT_FALSE(fs_.struck());
  EXPECT_THAT(fs_.Replace("/b", ""), IsError(ErrorCode::kIo));
  EXPECT_TRUE(fs_.struck());
  EXPECT_THAT(fs_.Replace("/c", ""), IsOk());
  EXPECT_THAT(inner_->AllFiles(), testing::ElementsAre("/a", "/c"));
  EXPECT_EQ(fs_.calls(), 3);
}

TEST_F(FaultInjectingFileSystemTest, CountsFromTheCallOfFailAt) {
  ASSERT_THAT(fs_.Exists("/a"), IsOk());
  fs_.FailAt(1, Fault::kFail);
  EXPECT_THAT(fs_.Exists("/a"), IsError(ErrorCode::kIo));
}

TEST_F(FaultInjectingFileSystemTest, MayCarryOutTheCallAndReportFailure) {
  fs_.FailAt(1, Fault::kFailAfterwards);
  EXPECT_THAT(fs_.Replace("/a", "x"), IsError(ErrorCode::kIo));
  EXPECT_THAT(inner_->ReadAll("/a"), HasValue(testing::Eq("x")));
}

TEST_F(FaultInjectingFileSystemTest, LeavesTheOutcomeOfACommitUnknown) {
  fs_.FailAt(1, Fault::kFailAfterwards);
  EXPECT_THAT(fs_.CreateAtomically("/snapshot-1", "x"), IsError(ErrorCode::kCommitUnknown));
  EXPECT_THAT(inner_->ReadAll("/snapshot-1"), HasValue(testing::Eq("x")));
  fs_.FailAt(1, Fault::kFailAfterwards);
  EXPECT_THAT(fs_.CreateAtomically("/snapshot-1", "y"), IsError(ErrorCode::kAlreadyExists)) << "a lost race is certain";
}

TEST_F(FaultInjectingFileSystemTest, TearsAWriteInTheMiddle) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<OutputFile> file, fs_.Create("/f"));
  fs_.FailAt(2, Fault::kTornWrite);
  ASSERT_THAT(file->Append("12"), IsOk());
  EXPECT_THAT(file->Append("3456"), IsError(ErrorCode::kIo));
  EXPECT_THAT(inner_->ReadAll("/f"), HasValue(testing::Eq("1234")));
}

TEST_F(FaultInjectingFileSystemTest, StaysDeadOnceStoppedUntilHealed) {
  ASSERT_THAT(fs_.Replace("/f", "12"), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<InputFile> file, fs_.Open("/f"));
  fs_.FailAt(1, Fault::kStop);
  EXPECT_THAT(fs_.Delete("/f"), IsError(ErrorCode::kIo));
  std::byte byte;
  EXPECT_THAT(file->ReadAt(0, std::span(&byte, 1)), IsError(ErrorCode::kIo));
  EXPECT_THAT(fs_.List("/"), IsError(ErrorCode::kIo));
  fs_.Heal();
  EXPECT_THAT(fs_.ReadAll("/f"), HasValue(testing::Eq("12")));
}

TEST_F(FaultInjectingFileSystemTest, FailsFilesOnClosing) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<OutputFile> file, fs_.Create("/f"));
  fs_.FailAt(2, Fault::kFail);
  ASSERT_THAT(file->Append("12"), IsOk());
  EXPECT_THAT(file->CloseSynced(), IsError(ErrorCode::kIo));
}

}  // namespace
}  // namespace braid
