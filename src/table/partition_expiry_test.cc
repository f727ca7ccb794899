#include "table/partition_expiry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "table/table_testing.h"
#include "types/local_time.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class PartitionExpiryTest : public testing::Test {
 protected:
  void SetUp() override {
    BRAID_ASSERT_OK_AND_ASSIGN(now_ms_, ParseLocalTime("2024-05-14 12:00:00"));
    SetClock(now_ms_);
  }

  void SetClock(std::int64_t ms) { clock_.Advance(ms - clock_.NowMs()); }

  // Each table lies elsewhere: the process remembers when it looked at one last.
  void Create(Options::Map options) {
    static int tables = 0;
    options.insert({{"bucket", "-1"}, {"partition.expiration-time", "7 d"}});
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_, CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}, {"dt", DataType::String()}}, {}, std::move(options), {"dt"}),
                                fmt::format("/warehouse/d.db/t{}", ++tables)));
  }

  // Writes one row into each partition, at the clock's time.
  void Fill(const std::vector<const char*>& partitions) {
    std::vector<DatumList> rows;
    for (const char* partition : partitions) rows.push_back({static_cast<int>(rows.size()), partition});
    Committable committable;
    BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(*table_, rows));
    for (CommitMessage& message : committable.messages) {
      for (DataFileMeta& file : message.new_files) file.creation_time_ms = ToLocalTime(clock_.NowMs()).millis;
    }
    ASSERT_THAT(TableCommit(*table_, "user", clock_).Commit(committable), IsOk());
  }

  Result<ExpiredPartitions> Expire(Options::Map more = {}, bool dry_run = false) {
    BRAID_TRY_ASSIGN(auto expiry, PartitionExpiry::FromOptions(table_->options().With(Options(std::move(more)))));
    expiry->dry_run = dry_run;
    return ExpirePartitions(*table_, *expiry, clock_);
  }

  std::vector<std::string> Partitions() const {
    std::vector<std::string> found;
    const ReadRequest request{.projection = std::vector<std::string>{"dt"}, .filter = nullptr};
    const auto rows = SortedRows(*table_, request);
    EXPECT_THAT(rows, IsOk());
    return *rows;
  }

  std::int64_t now_ms_ = 0;
  ManualClock clock_{0};
  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
};

std::string Row(const char* dt) { return std::string(R"({"dt":")") + dt + R"("})"; }

TEST_F(PartitionExpiryTest, DropsPartitionsWhoseValuesLieBeforeTheTime) {
  Create({});
  // Now less 7 days is 12:00 on May 7th.
  Fill({"2024-05-06", "2024-05-07", "2024-05-07 12:00:00", "2024-05-08", "never"});
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpiredPartitions expired, Expire());
  EXPECT_THAT(expired.partitions, ElementsAre(ElementsAre(Pair("dt", "2024-05-06")), ElementsAre(Pair("dt", "2024-05-07"))));
  EXPECT_THAT(expired.timeless, ElementsAre("dt=never"));
  EXPECT_EQ(expired.snapshots, 1);
  EXPECT_THAT(Partitions(), ElementsAre(Row("2024-05-07 12:00:00"), Row("2024-05-08"), Row("never")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, table_->paths(), SnapshotId(2)));
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kOverwrite);
}

TEST_F(PartitionExpiryTest, ADryRunDropsNothing) {
  Create({});
  Fill({"2024-01-01"});
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpiredPartitions expired, Expire({}, true));
  EXPECT_THAT(expired.partitions, SizeIs(1));
  EXPECT_EQ(expired.snapshots, 0);
  EXPECT_THAT(Partitions(), SizeIs(1));
}

TEST_F(PartitionExpiryTest, GoesByTheNewestFileIfAsked) {
  Create({{"partition.expiration-strategy", "update-time"}});
  SetClock(now_ms_ - std::int64_t{8} * 86'400'000);
  Fill({"old", "renewed"});
  SetClock(now_ms_ - std::int64_t{6} * 86'400'000);
  Fill({"renewed", "1970-01-01"});
  SetClock(now_ms_);
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpiredPartitions expired, Expire());
  EXPECT_THAT(expired.partitions, ElementsAre(ElementsAre(Pair("dt", "old"))));
  EXPECT_THAT(expired.timeless, IsEmpty());
}

TEST_F(PartitionExpiryTest, GoesInPartsAndNoFurtherThanAllowed) {
  Create({});
  Fill({"2024-01-03", "2024-01-01", "2024-01-04", "2024-01-02"});
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpiredPartitions expired,
                             Expire({{"partition.expiration-max-num", "3"}, {"partition.expiration-batch-size", "2"}}));
  EXPECT_THAT(expired.partitions, SizeIs(3));
  EXPECT_EQ(expired.snapshots, 2);
  EXPECT_THAT(Partitions(), ElementsAre(Row("2024-01-04")));
}

TEST_F(PartitionExpiryTest, ExpiresAfterACommitWhenItIsTime) {
  struct Case {
    Options::Map options;
    bool expires;
  };
  const std::vector<Case> cases = {
      {{}, false},  // an hour must have passed
      {{{"partition.expiration-check-interval", "0 s"}}, true},
      {{{"end-input.check-partition-expire", "true"}}, true},
      {{{"partition.expiration-check-interval", "0 s"}, {"write-only", "true"}}, false},
  };
  for (const Case& c : cases) {
    fs_ = std::make_shared<MemoryFileSystem>();
    Create(c.options);
    Fill({"2024-01-01", "2024-05-14"});
    EXPECT_THAT(Partitions(), SizeIs(c.expires ? 1 : 2));
  }
}

TEST_F(PartitionExpiryTest, LooksAgainOnceTheIntervalHasPassed) {
  Create({{"partition.expiration-check-interval", "30 min"}});
  Fill({"2024-01-01"});
  SetClock(now_ms_ + 30 * 60'000);
  Fill({"2024-01-02"});
  EXPECT_THAT(Partitions(), SizeIs(2));
  SetClock(now_ms_ + 30 * 60'000 + 1);
  Fill({"2024-05-14"});
  EXPECT_THAT(Partitions(), ElementsAre(Row("2024-05-14")));
}

TEST_F(PartitionExpiryTest, RefusesWhatMakesNoSense) {
  Create({});
  EXPECT_THAT(Expire({{"partition.expiration-strategy", "by-mood"}}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Expire({{"partition.timestamp-formatter", "yyyy-MM-dd'"}}), IsError(ErrorCode::kInvalidArgument));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto none, PartitionExpiry::FromOptions(Options()));
  EXPECT_FALSE(none);
  BRAID_ASSERT_OK_AND_ASSIGN(const Table whole, CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}}), "/warehouse/d.db/whole"));
  EXPECT_THAT(ExpirePartitions(whole, {}, clock_), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
