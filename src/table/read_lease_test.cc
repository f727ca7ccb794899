#include "table/read_lease.h"

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "io/temporary_directory.h"
#include "meta/line_upkeep.h"
#include "table/branch_table_testing.h"
#include "table/expire.h"
#include "table/snapshot_hold.h"
#include "table/tag_removal.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ReadLeaseTest : public BranchTableTest {
 protected:
  void SetUp() override {
    BranchTableTest::SetUp();
    ASSERT_THAT(EnsureTableRecord(*fs_, root_, 0), IsOk());
  }

  Result<Table> At(std::int64_t snapshot, std::shared_ptr<FileSystem> fs = nullptr) const {
    const Options travel(Options::Map{{"scan.snapshot-id", std::to_string(snapshot)}});
    return Table::Open(fs != nullptr ? std::move(fs) : fs_, kTestTableRoot, "d.t", "main", travel);
  }

  Status ExpireAllBut(std::int64_t count, std::shared_ptr<FileSystem> fs = nullptr, std::string_view branch = "main",
                      const Clock& clock = SystemClock()) const {
    BRAID_TRY_ASSIGN(const Table table, Table::Open(fs != nullptr ? std::move(fs) : fs_, kTestTableRoot, "d.t", branch));
    ExpireRequest request;
    request.snapshots.retain_max = count;
    BRAID_TRY(ExpireSnapshots(table, request, clock));
    return Ok();
  }

  std::vector<std::string> Leases() const { return FilesWith("/.braid/readers/"); }
  std::vector<std::int64_t> Ids() const {
    std::vector<std::int64_t> ids;
    const auto listed = ListSnapshots(*fs_, root_);
    for (const SnapshotId id : *listed) ids.push_back(id.value());
    return ids;
  }
  Result<std::vector<LeaseRecord>> Live() const { return LiveLeases(*fs_, root_, SystemClock().NowMs()); }
};

TEST_F(ReadLeaseTest, ReadingAnOldSnapshotHoldsItAsLongAsItIsRead) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table old, At(2));
  {
    BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(old, {}));
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<LeaseRecord> live, Live());
    ASSERT_EQ(live.size(), 1U);
    EXPECT_EQ(live[0].line_id, kRootLineId);
    EXPECT_THAT(live[0].snapshots, ElementsAre(SnapshotId(2)));
    ASSERT_THAT(ExpireAllBut(1), IsOk());
    EXPECT_THAT(Ids(), ElementsAre(2, 3));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadPlan(old, plan, {}));
    EXPECT_THAT(ReadAllBatches(*reader), IsOk());
  }
  EXPECT_THAT(Leases(), IsEmpty());
  ASSERT_THAT(ExpireAllBut(1), IsOk());
  EXPECT_THAT(Ids(), ElementsAre(3));
  EXPECT_THAT(At(2), IsOk()) << "a snapshot that is not there is the scan's to report";
  EXPECT_THAT(PlanBatch(*At(2), {}), IsError(ErrorCode::kNotFound));
}

TEST_F(ReadLeaseTest, ReadingTheNewestSnapshotWritesNothing) {
  const std::vector<std::string> before = fs_->AllFiles();
  for (const Result<Table>& table : {Open("main"), At(3)}) {
    ASSERT_THAT(table, IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(*table, {}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadPlan(*table, plan, {}));
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, reader->Next());
    EXPECT_EQ(fs_->AllFiles(), before);
  }
}

TEST_F(ReadLeaseTest, ALongReadTakesOne) {
  const Options at_once(Options::Map{{"read.lease-after", "0 ms"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(fs_, kTestTableRoot, "d.t", "main", at_once));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {}));
  EXPECT_THAT(Leases(), IsEmpty());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadPlan(table, plan, {}));
  ASSERT_THAT(reader->Next(), IsOk());
  EXPECT_THAT(Live(), HasValue(testing::SizeIs(1)));
  ASSERT_NO_FATAL_FAILURE(Add("main", 4));
  ASSERT_THAT(ExpireAllBut(1), IsOk());
  EXPECT_THAT(Ids(), ElementsAre(3, 4));
}

TEST_F(ReadLeaseTest, AReadGoesOnWhereNoLeaseCanBeWritten) {
  // Neither where no Braid has written,
  ASSERT_THAT(fs_->DeleteTree(root_.BraidDirectory()), IsOk());
  EXPECT_THAT(Rows("main", {{"scan.snapshot-id", "2"}}), HasValue(ElementsAre("1", "2")));
  EXPECT_THAT(FilesWith("/.braid/"), IsEmpty());
  // nor where nothing can be written.
  class ReadOnlyFileSystem : public FaultInjectingFileSystem {
   public:
    using FaultInjectingFileSystem::FaultInjectingFileSystem;
    Status Replace(std::string_view path, std::string_view /*content*/) override {
      return Error(ErrorCode::kPermissionDenied, std::string(path));
    }
  };
  ASSERT_THAT(EnsureTableRecord(*fs_, root_, 0), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table old, At(2, std::make_shared<ReadOnlyFileSystem>(fs_)));
  EXPECT_THAT(RowsOf(old), HasValue(ElementsAre("1", "2")));
}

TEST_F(ReadLeaseTest, ADeadOneHoldsNothingAndIsRemoved) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table old, At(2));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(old, {}));
  ManualClock clock(SystemClock().NowMs() + 89'000);
  ASSERT_THAT(ExpireAllBut(1, nullptr, "main", clock), IsOk());
  EXPECT_THAT(Ids(), ElementsAre(2, 3));
  clock.Advance(2'000);
  ASSERT_THAT(ExpireAllBut(1, nullptr, "main", clock), IsOk());
  EXPECT_THAT(Ids(), ElementsAre(3));
  EXPECT_THAT(Leases(), IsEmpty());
}

TEST_F(ReadLeaseTest, RenewingTellsTheTimeAgain) {
  ManualClock clock(1'000'000);
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Open("main"));
  const std::unique_ptr<ReadLease> lease = ReadLease::Take(table, {SnapshotId(1)}, "me", clock);
  ASSERT_NE(lease, nullptr);
  clock.Advance(80'000);
  ASSERT_THAT(lease->Renew(), IsOk());
  ASSERT_THAT(lease->MoveTo({SnapshotId(2)}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<LeaseRecord> live, LiveLeases(*fs_, root_, 1'000'000 + 80'000 + 90'000));
  ASSERT_EQ(live.size(), 1U);
  EXPECT_EQ(live[0].owner, "me");
  EXPECT_THAT(live[0].snapshots, ElementsAre(SnapshotId(2)));
  EXPECT_THAT(LiveLeases(*fs_, root_, 1'000'000 + 80'000 + 90'001), HasValue(IsEmpty()));
}

TEST_F(ReadLeaseTest, ALeaseOnABranchCountsThereAlone) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true}), IsOk());
  for (int row = 30; row <= 32; ++row) ASSERT_NO_FATAL_FAILURE(Add("b", row));
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table old, Table::Open(fs_, kTestTableRoot, "d.t", "b", Options(Options::Map{{"scan.snapshot-id", "4"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(old, {}));
  EXPECT_THAT(DeleteBranch(Context(), {.name = "b"}), HasId("branch.in-use"));
  ASSERT_THAT(ExpireAllBut(1), IsOk());
  EXPECT_THAT(Ids(), ElementsAre(3));
  ASSERT_THAT(ExpireAllBut(1, nullptr, "b"), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(*fs_, root_.OnBranch("b")));
  EXPECT_THAT(ids, ElementsAre(SnapshotId(4), SnapshotId(5), SnapshotId(6)));
}

TEST_F(ReadLeaseTest, ATagThatIsReadStaysUntilItIsRead) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "one", 1));
  ASSERT_THAT(ExpireAllBut(1), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  {
    BRAID_ASSERT_OK_AND_ASSIGN(
        const Table tagged,
        Table::Open(fs_, kTestTableRoot, "d.t", "main", Options(Options::Map{{"scan.tag-name", "one"}})));
    BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(tagged, {}));
    EXPECT_THAT(DeleteTags(main, {"one"}, {}, SystemClock()), HasMessage("tag 'one' is read by"));
    EXPECT_THAT(FilesWith("/.braid/op/"), IsEmpty());
    // A claim on what has expired long ago does not keep what came later.
    for (int row = 4; row <= 5; ++row) ASSERT_NO_FATAL_FAILURE(Add("main", row));
    ASSERT_THAT(ExpireAllBut(1), IsOk());
    EXPECT_THAT(Ids(), ElementsAre(5));
    EXPECT_THAT(RowsOf(tagged), HasValue(ElementsAre("1")));
  }
  EXPECT_THAT(DeleteTags(main, {"one"}, {}, SystemClock()), IsOk());
}

TEST_F(ReadLeaseTest, WhatIsBeingRemovedCannotBeReadAnyMore) {
  const auto journal = [&](const char* state) {
    return fs_->Replace(root_.OperationFile("x"),
                        std::string(R"({"formatVersion":1,"op":"x","kind":"expire","state":")") + state +
                            R"(","owner":"o","startedMillis":0,"args":{"lineId":"root","ids":[1,2]}})");
  };
  BRAID_ASSERT_OK_AND_ASSIGN(const Table old, At(2));
  // The expiry lives: it has the lock.
  BRAID_ASSERT_OK_AND_ASSIGN(std::optional<LockedTable> held, LockedTable::TryAcquire(Context()));
  ASSERT_THAT(journal("EXPIRING"), IsOk());
  EXPECT_THAT(PlanBatch(old, {}), HasMessage("snapshot 2 of d.t is being removed"));
  EXPECT_THAT(Leases(), IsEmpty());
  EXPECT_THAT(Rows("main"), IsOk()) << "the newest snapshot is not looked for";
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "two", 2));
  EXPECT_THAT(PlanBatch(old, {}), IsOk()) << "a tag keeps its files";
  ASSERT_THAT(fs_->Delete(root_.TagFile("two")), IsOk());
  // It was killed before it had decided: the next one to come undoes it.
  ASSERT_THAT(journal("PLANNED"), IsOk());
  held.reset();
  EXPECT_THAT(PlanBatch(old, {}), IsOk());
  EXPECT_THAT(FilesWith("/.braid/op/"), IsEmpty());
}

TEST_F(ReadLeaseTest, ReaderAndExpiryThatRaceNeverLoseAFile) {
  constexpr int kRounds = 60;
  for (int row = 4; row <= 8; ++row) ASSERT_NO_FATAL_FAILURE(Add("main", row));
  std::atomic<int> read = 0;
  std::atomic<bool> stop = false;
  std::vector<std::string> failures;
  std::thread reader([&] {
    while (!stop) {
      const Result<std::optional<SnapshotId>> earliest = FindEarliestSnapshot(*fs_, root_);
      if (!earliest || !*earliest) continue;
      const Result<Table> old = At((*earliest)->value());
      if (!old) continue;
      Result<Plan> plan = PlanBatch(*old, {});
      // Expired before it was claimed.
      if (!plan && plan.error().code() == ErrorCode::kNotFound) continue;
      const auto rows = plan ? ReadPlan(*old, *plan, {}) : Result<std::unique_ptr<BatchReader>>(plan.error());
      const auto batches = rows ? ReadAllBatches(**rows) : Result<std::vector<Batch>>(rows.error());
      if (!batches) failures.push_back(batches.error().ToString());
      ++read;
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    Add("main", 10 + round);
    EXPECT_THAT(ExpireAllBut(2), IsOk());
  }
  stop = true;
  reader.join();
  EXPECT_THAT(failures, IsEmpty());
  EXPECT_GT(read, 0);
}

TEST_F(ReadLeaseTest, AReadThatFailsAnywhereLeavesNoLease) {
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    const auto faulty = std::make_shared<FaultInjectingFileSystem>(fs_);
    {
      faulty->FailAt(nth, FaultInjectingFileSystem::Fault::kFail);
      const Result<Table> old = At(2, faulty);
      const Result<std::vector<std::string>> rows = old ? RowsOf(*old) : Result<std::vector<std::string>>(old.error());
      if (rows) {
        EXPECT_THAT(rows, HasValue(ElementsAre("1", "2")));
      }
      if (!faulty->struck()) break;
    }
    // Where the removal of the lease itself failed, it is dead in a while.
    EXPECT_LE(Leases().size(), 1U);
    for (const std::string& file : Leases()) ASSERT_THAT(fs_->Delete(file), IsOk());
    EXPECT_THAT(ExpireAllBut(3), IsOk());
  }
}

// On a real file system, with a process that dies.
TEST(ReadLeaseProcessTest, AKilledReadersLeaseDies) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::Make());
  const std::string root = folder.path() + "/d.db/t";
  const std::shared_ptr<FileSystem> fs = LocalFileSystem();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs, TestDefinition({{"k", DataType::Int()}}), root));
  ASSERT_THAT(EnsureTableRecord(*fs, table.paths(), 0), IsOk());
  const pid_t child = ::fork();
  if (child == 0) {
    const std::unique_ptr<ReadLease> lease = ReadLease::Take(table, {SnapshotId(1)}, ThisReader());
    if (lease != nullptr) ::raise(SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const std::int64_t now_ms = SystemClock().NowMs();
  EXPECT_THAT(LiveLeases(*fs, table.paths(), now_ms), HasValue(testing::SizeIs(1)));
  EXPECT_THAT(LiveLeases(*fs, table.paths(), now_ms + 91'000), HasValue(IsEmpty()));
  EXPECT_THAT(fs->List(table.paths().LeaseDirectory()), HasValue(IsEmpty()));
}

// Taken at its word, its end would be before its beginning, and what it claims would go.
TEST_F(ReadLeaseTest, ALeaseWhoseTimesCannotBeIsRefused) {
  const std::string path = JoinPath(root_.LeaseDirectory(), "odd.json");
  for (const char* times : {R"("heartbeatMillis":5,"ttlMillis":9223372036854775807)", R"("heartbeatMillis":9223372036854775807,"ttlMillis":5)",
                            R"("heartbeatMillis":-9223372036854775808,"ttlMillis":-5)"}) {
    ASSERT_THAT(fs_->Replace(path, std::string(R"({"lineId":"root","owner":"o","snapshots":[1],)") + times + "}"), IsOk());
    EXPECT_THAT(Live(), IsError(ErrorCode::kCorruption)) << times;
    EXPECT_THAT(fs_->Exists(path), HasValue(true));
  }
}

}  // namespace
}  // namespace braid
