#include "meta/option_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(OptionNamesTest, FindsWhatAMisspeltOptionWasMeantToBe) {
  struct Case {
    const char* key;
    std::optional<std::string> meant;
  };
  for (const Case& c : {Case{"scan.snapshotid", "scan.snapshot-id"}, Case{"scan.snapshot_id", "scan.snapshot-id"},
                        Case{"SCAN.TAG-NAME", "scan.tag-name"}, Case{"buckets", "bucket"},
                        Case{"merge-enigne", "merge-engine"}, Case{"snapshot.time.retained", "snapshot.time-retained"},
                        Case{"file.fromat", "file.format"}, Case{"sink.paralellism", "sink.parallelism"}}) {
    SCOPED_TRACE(c.key);
    EXPECT_EQ(MisspeltOption(c.key, OptionOwner::kTable), c.meant);
  }
  EXPECT_EQ(MisspeltOption("warehose", OptionOwner::kCatalog), "warehouse");
  EXPECT_EQ(MisspeltOption("data_lineage", OptionOwner::kCatalog), "data-lineage");
  EXPECT_EQ(MisspeltOption("pipline.name", OptionOwner::kSession), "pipeline.name");
}

TEST(OptionNamesTest, LeavesKnownAndForeignOptionsAlone) {
  for (const char* key : {"bucket", "scan.snapshot-id", "sequence.field", "fields.a.aggregate-function",
                          "parquet.compression.codec.zstd.level", "owner", "team.contact", "my-app.lineage", "x", ""}) {
    SCOPED_TRACE(key);
    EXPECT_EQ(MisspeltOption(key, OptionOwner::kTable), std::nullopt);
  }
  EXPECT_EQ(MisspeltOption("table-default.bucket", OptionOwner::kCatalog), std::nullopt);
}

TEST(OptionNamesTest, TellsTheUserWhichKeysDoNothing) {
  EXPECT_THAT(MisspeltOptionNotices(Options(Options::Map{{"bucket", "1"}, {"bukcet-key", "k"}}), OptionOwner::kTable),
              testing::ElementsAre("there is no option 'bukcet-key', and it does nothing; did you mean 'bucket-key'?"));
}

}  // namespace
}  // namespace braid
