#include "table/maintenance_mode.h"

#include <gmock/gmock.h>

#include "table/branch_table_testing.h"
#include "table/expire.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MaintenanceModeTest : public BranchTableTest {
 protected:
  Options OptionsOf(const TablePaths& line) const {
    const auto schema = ReadLatestSchema(*fs_, line);
    EXPECT_TRUE(schema && *schema);
    return (*schema)->options;
  }

  void SetOptions(const Options::Map& options) {
    BRAID_ASSERT_OK_AND_ASSIGN(TableSchema schema, ReadSchema(*fs_, root_, SchemaId(0)));
    schema.id = SchemaId(1);
    for (const auto& [key, value] : options) schema.options.Set(key, value);
    ASSERT_THAT(WriteSchema(*fs_, root_, schema), IsOk());
  }
};

TEST_F(MaintenanceModeTest, OtherEnginesAreToldToKeepAllAndBraidGoesByWhatWasMeant) {
  ASSERT_NO_FATAL_FAILURE(SetOptions({{"snapshot.num-retained.min", "2"},
                                      {"snapshot.num-retained.max", "5"},
                                      {"changelog.num-retained.max", "7"},
                                      {"tag.num-retained-max", "3"}}));
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true}), IsOk());
  const Options before = OptionsOf(root_);
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpireRequest meant, ExpireRequest::FromOptions(before, 0));
  BRAID_ASSERT_OK_AND_ASSIGN(const ChangedMaintenance told, SetMaintenance(Context(), MaintenanceMode::kExclusive, true));
  EXPECT_THAT(told.lines, ElementsAre("main", "b"));
  EXPECT_EQ(OptionsOf(root_), before);
  ASSERT_THAT(SetMaintenance(Context(), MaintenanceMode::kExclusive, false), IsOk());
  for (const TablePaths& line : {root_, root_.OnBranch("b")}) {
    const Options options = OptionsOf(line);
    EXPECT_EQ(options.Get("braid.maintenance", ""), "exclusive");
    EXPECT_EQ(options.Get("snapshot.num-retained.min", ""), "2147483647");
    EXPECT_FALSE(options.Has("snapshot.num-retained.max"));
    EXPECT_FALSE(options.Has("changelog.num-retained.max"));
    EXPECT_EQ(options.Get("tag.time-expire-enabled", ""), "false");
    EXPECT_FALSE(options.Has("tag.num-retained-max"));
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpireRequest ours, ExpireRequest::FromOptions(OptionsOf(root_), 0));
  EXPECT_EQ(ours.snapshots.retain_min, meant.snapshots.retain_min);
  EXPECT_EQ(ours.snapshots.retain_max, meant.snapshots.retain_max);
  EXPECT_EQ(ours.changelogs.retain_max, meant.changelogs.retain_max);
  ASSERT_THAT(SetMaintenance(Context(), MaintenanceMode::kShared, false), IsOk());
  EXPECT_EQ(OptionsOf(root_), before);
  BRAID_ASSERT_OK_AND_ASSIGN(const ChangedMaintenance again, SetMaintenance(Context(), MaintenanceMode::kShared, false));
  EXPECT_THAT(again.lines, IsEmpty());
}

TEST_F(MaintenanceModeTest, TheNextCommandChangesTheLinesThatAreLeft) {
  SweepFailures(
      [](const OperationContext& context) -> Status {
        BRAID_TRY(CreateBranch(context, {.name = "b", .latest = true}));
        return Ok();
      },
      [](const OperationContext& context) -> Status {
        BRAID_TRY(SetMaintenance(context, MaintenanceMode::kExclusive, false));
        return Ok();
      },
      [&] {
        EXPECT_THAT(Rows("b"), HasValue(ElementsAre("1", "2", "3")));
        if (!FilesWith("/.braid/op/").empty()) return;
        EXPECT_EQ(OptionsOf(root_).Get("braid.maintenance", ""), OptionsOf(root_.OnBranch("b")).Get("braid.maintenance", ""));
      },
      [&] { return OptionsOf(root_).Get("braid.maintenance", "") == "exclusive"; });
}

}  // namespace
}  // namespace braid
