#include "meta/table_paths.h"

#include <gmock/gmock.h>

namespace braid {
namespace {

TEST(TablePathsTest, PutsMetadataOfABranchIntoItsFolderAndTheRestAtTheRoot) {
  const TablePaths main("/w/sales.db/orders/", "main");
  const TablePaths branch = main.OnBranch("b 1");
  EXPECT_EQ(main.root(), "/w/sales.db/orders");
  EXPECT_EQ(main.SchemaFile(SchemaId(3)), "/w/sales.db/orders/schema/schema-3");
  EXPECT_EQ(main.SnapshotFile(SnapshotId(7)), "/w/sales.db/orders/snapshot/snapshot-7");
  EXPECT_EQ(main.LatestHint(), "/w/sales.db/orders/snapshot/LATEST");
  EXPECT_EQ(main.ChangelogFile(SnapshotId(7)), "/w/sales.db/orders/changelog/changelog-7");
  EXPECT_EQ(main.TagFile("a"), "/w/sales.db/orders/tag/tag-a");
  EXPECT_EQ(main.ConsumerFile("c"), "/w/sales.db/orders/consumer/consumer-c");
  EXPECT_EQ(branch.SchemaFile(SchemaId(3)), "/w/sales.db/orders/branch/branch-b 1/schema/schema-3");
  EXPECT_EQ(branch.EarliestHint(), "/w/sales.db/orders/branch/branch-b 1/snapshot/EARLIEST");
  EXPECT_EQ(branch.TagDirectory(), "/w/sales.db/orders/branch/branch-b 1/tag");
  EXPECT_EQ(branch.ManifestFile("m"), "/w/sales.db/orders/manifest/m");
  EXPECT_EQ(branch.IndexDirectory(), "/w/sales.db/orders/index");
  EXPECT_EQ(branch.StatisticsDirectory(), "/w/sales.db/orders/statistics");
  EXPECT_EQ(branch.BranchesDirectory(), "/w/sales.db/orders/branch");
}

TEST(TablePathsTest, NamesTheTableAsUsersKnowIt) {
  EXPECT_EQ(TablePaths("/w/sales.db/orders", "main").DisplayName(), "sales.orders");
  EXPECT_EQ(TablePaths("/w/sales.db/orders", "b").DisplayName(), "sales.orders, branch b");
  EXPECT_EQ(TablePaths("/w/orders", "").DisplayName(), "orders");
}

}  // namespace
}  // namespace braid
