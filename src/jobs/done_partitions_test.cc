#include "jobs/done_partitions.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "jobs/runner_testing.h"
#include "types/local_time.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kCopy = "INSERT INTO days SELECT dt, a FROM events";
constexpr std::int64_t kHour = 3'600'000;

class DonePartitionsTest : public RunnerTest {
 protected:
  void SetUp() override {
    ASSERT_THAT(Run("CREATE TABLE events (dt STRING, a INT)"), IsOk());
    ASSERT_THAT(Run("CREATE TABLE days (dt STRING, a INT) PARTITIONED BY (dt) WITH ("
                    "'partition.idle-time-to-done' = '1 h', 'partition.time-interval' = '1 d')"),
                IsOk());
    clock_ = &manual_;
  }

  Status Add(const std::string& day) {
    BRAID_TRY(Run("INSERT INTO events VALUES ('" + day + "', 1)"));
    return Ok();
  }

  bool IsMarked(const std::string& day) const {
    return std::filesystem::exists(warehouse() + "/default.db/days/dt=" + day + "/_SUCCESS");
  }

  // Noon of the second day: the first is over.
  ManualClock manual_{ParseLocalTime("2024-05-15 12:00:00").value()};
};

TEST_F(DonePartitionsTest, MarksPartitionsThatAreIdle) {
  ASSERT_THAT(Add("2024-05-14"), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto runner, Open(kCopy));
  ASSERT_THAT(CatchUp(*runner), IsOk());
  EXPECT_FALSE(IsMarked("2024-05-14"));
  manual_.Advance(kHour);
  ASSERT_THAT(Add("2024-05-15"), IsOk());
  ASSERT_THAT(CatchUp(*runner), IsOk());
  EXPECT_FALSE(IsMarked("2024-05-14")) << "not for longer than an hour";
  manual_.Advance(1);
  ASSERT_THAT(CatchUp(*runner), HasValue(0)) << "nothing new is needed for it";
  EXPECT_TRUE(IsMarked("2024-05-14"));
  EXPECT_FALSE(IsMarked("2024-05-15")) << "that day is not over";
  manual_.Advance(13 * kHour);
  ASSERT_THAT(CatchUp(*runner), IsOk());
  EXPECT_TRUE(IsMarked("2024-05-15"));
}

TEST_F(DonePartitionsTest, KnowsAfterARestartWhatWasPending) {
  ASSERT_THAT(Add("2024-05-14"), IsOk());
  {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto runner, Open(kCopy));
    ASSERT_THAT(CatchUp(*runner), IsOk());
  }
  manual_.Advance(2 * kHour);
  {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto runner, Open(kCopy));
    ASSERT_THAT(CatchUp(*runner), HasValue(0));
    EXPECT_FALSE(IsMarked("2024-05-14")) << "as in Java it counts from the restart";
    manual_.Advance(kHour + 1);
    ASSERT_THAT(CatchUp(*runner), HasValue(0));
    EXPECT_TRUE(IsMarked("2024-05-14"));
  }
  // What is done stays done.
  std::filesystem::remove(warehouse() + "/default.db/days/dt=2024-05-14/_SUCCESS");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto runner, Open(kCopy));
  manual_.Advance(2 * kHour);
  ASSERT_THAT(CatchUp(*runner), HasValue(0));
  EXPECT_FALSE(IsMarked("2024-05-14"));
}

TEST_F(DonePartitionsTest, RefusesWhatItCannotDoAtTheStart) {
  ASSERT_THAT(Run("ALTER TABLE days SET ('partition.mark-done-action' = 'mark-event')"), IsOk());
  EXPECT_THAT(Open(kCopy), HasMessage("mark-event"));
}

TEST_F(DonePartitionsTest, ReadsWhatItWrote) {
  ASSERT_THAT(Run("INSERT INTO days VALUES ('2024-05-14', 1)"), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const JobPlan plan, session().PlanJob(kCopy));
  BRAID_ASSERT_OK_AND_ASSIGN(DonePartitions partitions, DonePartitions::Open(plan, manual_));
  EXPECT_THAT(PrintJson(Json(Json::Array(partitions.pending()))), "[[]]");
  ASSERT_THAT(partitions.Restore({Json(Json::Array{Json("dt=2024-05-14")})}), IsOk());
  DonePartitions again = DonePartitions::Open(plan, manual_).value();
  ASSERT_THAT(again.Restore(partitions.pending()), IsOk());
  manual_.Advance(kHour + 1);
  EXPECT_THAT(again.Mark(false), HasValue(true));
  EXPECT_TRUE(IsMarked("2024-05-14"));
  EXPECT_THAT(again.Mark(false), HasValue(false));
  EXPECT_THAT(again.Restore({Json("x")}), IsError(ErrorCode::kCorruption));
}

}  // namespace
}  // namespace braid
