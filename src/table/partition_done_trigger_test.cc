#include "table/partition_done_trigger.h"

#include <gmock/gmock.h>

#include "table/table_testing.h"
#include "types/local_time.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kHour = 3'600'000;

class PartitionDoneTriggerTest : public testing::Test {
 protected:
  Table Create(Options::Map options, std::vector<std::string> keys = {}) {
    fs_ = std::make_shared<MemoryFileSystem>();
    Result<Table> table = CreateTestTable(fs_, TestDefinition({{"dt", DataType::String()}, {"v", DataType::Int()}},
                                                              std::move(keys), std::move(options), {"dt"}));
    EXPECT_THAT(table, IsOk());
    return *std::move(table);
  }

  static Result<PartitionDoneTrigger> Streaming(const Table& table) {
    BRAID_TRY_ASSIGN(std::optional<PartitionDoneTrigger> trigger, PartitionDoneTrigger::Make(table, true));
    if (!trigger) return Error(ErrorCode::kNotFound, "no trigger");
    return *std::move(trigger);
  }

  // When clocks on the wall show it.
  static std::int64_t At(std::string_view text) { return ParseLocalTime(text).value(); }

  std::shared_ptr<MemoryFileSystem> fs_;
};

TEST_F(PartitionDoneTriggerTest, IsThereOnlyWhereTheOptionsAskForIt) {
  EXPECT_EQ(PartitionDoneTrigger::Make(Create({}), true).value(), std::nullopt);
  EXPECT_EQ(PartitionDoneTrigger::Make(Create({}), false).value(), std::nullopt);
  const Table idle = Create({{"partition.idle-time-to-done", "1 h"}});
  EXPECT_TRUE(PartitionDoneTrigger::Make(idle, true).value());
  EXPECT_FALSE(PartitionDoneTrigger::Make(idle, false).value());
  const Table at_end = Create({{"partition.end-input-to-done", "true"}});
  EXPECT_FALSE(PartitionDoneTrigger::Make(at_end, true).value()) << "as Java: a stream needs an idle time";
  EXPECT_TRUE(PartitionDoneTrigger::Make(at_end, false).value());
  const Table other = Create({{"partition.end-input-to-done", "true"}, {"partition.mark-done-action", "http-report"}});
  EXPECT_THAT(PartitionDoneTrigger::Make(other, false), HasMessage("http-report"));
  const Table by_watermark =
      Create({{"partition.idle-time-to-done", "1 h"}, {"partition.mark-done-action.mode", "watermark"}});
  EXPECT_THAT(PartitionDoneTrigger::Make(by_watermark, true), IsError(ErrorCode::kUnsupported));
  const Table wrong = Create({{"partition.idle-time-to-done", "soon"}});
  EXPECT_THAT(PartitionDoneTrigger::Make(wrong, true), IsError(ErrorCode::kInvalidArgument));
}

// A partition of a day: over at midnight, done an hour later if nothing came meanwhile.
TEST_F(PartitionDoneTriggerTest, WaitsForTheEndOfThePartitionAndForIdleness) {
  const Table table = Create({{"partition.idle-time-to-done", "1 h"}, {"partition.time-interval", "1 d"}});
  BRAID_ASSERT_OK_AND_ASSIGN(PartitionDoneTrigger trigger, Streaming(table));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, WriteRows(table, {{"2024-05-14", 1}, {"2024-05-15", 2}}));
  ASSERT_THAT(trigger.Notice(messages, At("2024-05-14 10:00:00")), IsOk());
  EXPECT_THAT(trigger.pending(), ElementsAre("dt=2024-05-14", "dt=2024-05-15"));
  EXPECT_THAT(trigger.TakeDone(false, At("2024-05-14 23:00:00")), IsEmpty());
  EXPECT_THAT(trigger.TakeDone(false, At("2024-05-15 01:00:00")), IsEmpty()) << "it must be more than an hour";
  EXPECT_THAT(trigger.TakeDone(false, At("2024-05-15 01:00:00") + 1), ElementsAre("dt=2024-05-14"));
  EXPECT_THAT(trigger.pending(), ElementsAre("dt=2024-05-15"));

  // What comes late makes it wait again.
  BRAID_ASSERT_OK_AND_ASSIGN(const auto late, WriteRows(table, {{"2024-05-14", 3}}));
  ASSERT_THAT(trigger.Notice(late, At("2024-05-15 03:00:00")), IsOk());
  EXPECT_THAT(trigger.TakeDone(false, At("2024-05-15 04:00:00")), IsEmpty());
  EXPECT_THAT(trigger.TakeDone(false, At("2024-05-15 04:00:01")), ElementsAre("dt=2024-05-14"));
}

TEST_F(PartitionDoneTriggerTest, CountsFromTheRestart) {
  const Table table = Create({{"partition.idle-time-to-done", "1 h"}, {"partition.time-interval", "1 d"}});
  BRAID_ASSERT_OK_AND_ASSIGN(PartitionDoneTrigger trigger, Streaming(table));
  const std::int64_t now = At("2024-06-01 00:00:00");
  trigger.Restore({"dt=2024-05-14"}, now);
  EXPECT_THAT(trigger.TakeDone(false, now + kHour), IsEmpty());
  EXPECT_THAT(trigger.TakeDone(false, now + kHour + 1), ElementsAre("dt=2024-05-14"));
}

TEST_F(PartitionDoneTriggerTest, PassesOverPartitionsWithoutATime) {
  const Table table = Create({{"partition.idle-time-to-done", "1 h"}, {"partition.time-interval", "1 d"}});
  BRAID_ASSERT_OK_AND_ASSIGN(PartitionDoneTrigger trigger, Streaming(table));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, WriteRows(table, {{"a:b", 1}, {Datum(), 1}, {"2024-05-14", 1}}));
  ASSERT_THAT(trigger.Notice(messages, 0), IsOk());
  EXPECT_THAT(trigger.TakeDone(false, At("2024-06-01 00:00:00")), ElementsAre("dt=2024-05-14"));
  EXPECT_THAT(trigger.pending(), IsEmpty());
}

TEST_F(PartitionDoneTriggerTest, ReadsEscapedValuesByThePattern) {
  const Table table = Create({{"partition.idle-time-to-done", "1 h"},
                              {"partition.time-interval", "1 h"},
                              {"partition.timestamp-pattern", "$dt:00:00"},
                              {"partition.timestamp-formatter", "yyyy/MM/dd HH:mm:ss"}});
  BRAID_ASSERT_OK_AND_ASSIGN(PartitionDoneTrigger trigger, Streaming(table));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, WriteRows(table, {{"2024/05/14 10", 1}}));
  ASSERT_THAT(trigger.Notice(messages, 0), IsOk());
  EXPECT_THAT(trigger.TakeDone(false, At("2024-05-14 12:00:00")), IsEmpty());
  EXPECT_THAT(trigger.TakeDone(false, At("2024-05-14 12:00:01")), ElementsAre("dt=2024%2F05%2F14 10"));
}

TEST_F(PartitionDoneTriggerTest, TakesAllAtTheEndOfTheInput) {
  const Table table = Create({{"partition.end-input-to-done", "true"}});
  std::optional<PartitionDoneTrigger> trigger = PartitionDoneTrigger::Make(table, false).value();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, WriteRows(table, {{"x", 1}, {"y", 1}}));
  ASSERT_THAT(trigger->Notice(messages, 0), IsOk());
  EXPECT_THAT(trigger->TakeDone(false, At("2099-01-01 00:00:00")), IsEmpty());
  EXPECT_THAT(trigger->TakeDone(true, 0), ElementsAre("dt=x", "dt=y"));
  EXPECT_THAT(trigger->pending(), IsEmpty());
}

// With deletion vectors rows show only once they are compacted, so compactions count too.
TEST_F(PartitionDoneTriggerTest, NoticesCompactionsWhereRowsWaitForThem) {
  for (const char* vectors : {"false", "true"}) {
    const Table table = Create({{"partition.idle-time-to-done", "1 h"},
                                {"partition.time-interval", "1 d"},
                                {"bucket", "1"},
                                {"deletion-vectors.enabled", vectors}},
                               {"dt", "v"});
    BRAID_ASSERT_OK_AND_ASSIGN(PartitionDoneTrigger trigger, Streaming(table));
    BRAID_ASSERT_OK_AND_ASSIGN(std::vector<CommitMessage> messages, WriteRows(table, {{"2024-05-14", 1}}));
    messages[0].compact_after = std::exchange(messages[0].new_files, {});
    messages[0].new_index_files.clear();
    ASSERT_THAT(trigger.Notice(messages, 0), IsOk());
    EXPECT_EQ(trigger.pending().size(), std::string_view(vectors) == "true" ? 1U : 0U);
  }
}

}  // namespace
}  // namespace braid
