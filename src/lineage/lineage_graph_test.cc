#include "lineage/lineage_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// a → j1 → b → j2 → c, c → j3 → a (a cycle), a → j2 → c
const std::vector<TableLink> kLinks = {{"d.a", "j1", "d.b"}, {"d.a", "j2", "d.c"}, {"d.b", "j2", "d.c"}, {"d.c", "j3", "d.a"}};

std::vector<std::string> Shown(const std::vector<LineageStep>& steps) {
  std::vector<std::string> shown;
  for (const LineageStep& step : steps) shown.push_back(std::to_string(step.depth) + " " + step.link.source + ">" + step.link.job + ">" + step.link.sink);
  return shown;
}

TEST(LineageGraphTest, WalksTablesOnceInBothDirections) {
  EXPECT_THAT(Shown(WalkTables(kLinks, "d.c", Direction::kUp, 1)), ElementsAre("1 d.a>j2>d.c", "1 d.b>j2>d.c"));
  EXPECT_THAT(Shown(WalkTables(kLinks, "d.c", Direction::kUp, 0)), ElementsAre("1 d.a>j2>d.c", "2 d.c>j3>d.a", "1 d.b>j2>d.c", "2 d.a>j1>d.b"));
  EXPECT_THAT(Shown(WalkTables(kLinks, "d.b", Direction::kDown, 0)), ElementsAre("1 d.b>j2>d.c", "2 d.c>j3>d.a", "3 d.a>j1>d.b", "3 d.a>j2>d.c"));
  EXPECT_THAT(WalkTables(kLinks, "d.x", Direction::kUp, 0), IsEmpty());
}

TEST(LineageGraphTest, WalksSnapshotsThroughTheBarriersThatConsumedThem) {
  const std::vector<SnapshotLink> links = {
      {.source = "d.a", .mode = "delta", .from_snapshot = 2, .to_snapshot = 4, .job = "j1", .barrier = 1, .sink = "d.b", .first_snapshot = 1, .last_snapshot = 2},
      {.source = "d.b", .mode = "full", .from_snapshot = 2, .to_snapshot = 2, .job = "j2", .barrier = 1, .sink = "d.c", .first_snapshot = 7, .last_snapshot = 7}};
  EXPECT_THAT(Shown(WalkSnapshots(links, "d.c", 7, Direction::kUp, 0)), ElementsAre("1 d.b>j2>d.c", "2 d.a>j1>d.b"));
  EXPECT_THAT(WalkSnapshots(links, "d.c", 6, Direction::kUp, 0), IsEmpty());
  EXPECT_THAT(Shown(WalkSnapshots(links, "d.a", 3, Direction::kDown, 0)), ElementsAre("1 d.a>j1>d.b", "2 d.b>j2>d.c"));
  EXPECT_THAT(WalkSnapshots(links, "d.a", 5, Direction::kDown, 0), IsEmpty());
}

}  // namespace
}  // namespace braid
