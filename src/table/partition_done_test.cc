#include "table/partition_done.h"

#include <gmock/gmock.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PartitionDoneTest : public testing::Test {
 protected:
  Result<Table> Make(Options::Map options = {}) {
    return CreateTestTable(
        fs_, TestDefinition({{"k", DataType::Int()}, {"dt", DataType::String()}}, {}, std::move(options), {"dt"}));
  }
  Result<std::string> Marker(const std::string& folder) {
    return fs_->ReadAll(JoinPath(JoinPath(kTestTableRoot, folder), "_SUCCESS"));
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(PartitionDoneTest, WritesAMarkerWhichKeepsItsFirstTime) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make());
  ASSERT_THAT(Insert(table, {{1, "a"}, {2, "b/c"}, {3, "d"}}), IsOk());
  const PredicatePtr not_d = Predicate::Leaf(Predicate::Op::kNotEqual, "dt", DataType::String(), {"d"});
  ManualClock clock(1000);
  EXPECT_THAT(MarkPartitionsDone(table, not_d, /*dry_run=*/true, clock), HasValue(ElementsAre("dt=a", "dt=b%2Fc")));
  EXPECT_THAT(Marker("dt=a"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(MarkPartitionsDone(table, not_d, /*dry_run=*/false, clock), HasValue(ElementsAre("dt=a", "dt=b%2Fc")));
  EXPECT_THAT(Marker("dt=b%2Fc"), HasValue("{\n  \"creationTime\" : 1000,\n  \"modificationTime\" : 1000\n}"));
  EXPECT_THAT(Marker("dt=d"), IsError(ErrorCode::kNotFound));
  clock.Advance(500);
  ASSERT_THAT(MarkPartitionsDone(table, nullptr, /*dry_run=*/false, clock), IsOk());
  EXPECT_THAT(Marker("dt=a"), HasValue("{\n  \"creationTime\" : 1000,\n  \"modificationTime\" : 1500\n}"));
  EXPECT_THAT(Marker("dt=d"), HasValue("{\n  \"creationTime\" : 1500,\n  \"modificationTime\" : 1500\n}"));
  EXPECT_THAT(FindLatestSnapshot(*fs_, table.paths()), HasValue(SnapshotId(1))) << "no snapshot is made";
  ASSERT_THAT(fs_->Replace(JoinPath(JoinPath(kTestTableRoot, "dt=a"), "_SUCCESS"), "damaged"), IsOk());
  ASSERT_THAT(MarkPartitionsDone(table, nullptr, /*dry_run=*/false, clock), IsOk());
  EXPECT_THAT(Marker("dt=a"), HasValue("{\n  \"creationTime\" : 1500,\n  \"modificationTime\" : 1500\n}"));
}

TEST_F(PartitionDoneTest, RefusesWhatItCannotDo) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make({{"partition.mark-done-action", "success-file,mark-event"}}));
  EXPECT_THAT(MarkPartitionsDone(table, nullptr, false), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(MarkPartitionsDone(table, nullptr, false), HasMessage("'mark-event'"));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table flat,
                             CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}}), "/warehouse/d.db/flat"));
  EXPECT_THAT(MarkPartitionsDone(flat, nullptr, false), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
