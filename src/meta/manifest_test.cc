#include "meta/manifest.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "types/data_type.h"
#include "types/datum.h"

namespace braid {
namespace {

ManifestEntry Entry() {
  const std::vector<DataType> types = {DataType::Int()};
  const std::vector<Datum> values = {7};
  ManifestEntry entry{.partition = BinaryRow::Make(types, values), .bucket = BucketId(1), .total_buckets = 2};
  entry.file.file_name = "data-1.parquet";
  entry.file.level = 3;
  entry.file.extra_files = {"data-1.parquet.index"};
  return entry;
}

TEST(EntryIdentityTest, DependsOnEachPartOfTheIdentity) {
  std::vector<ManifestEntry> entries(9, Entry());
  entries[1].partition = BinaryRow();
  entries[2].bucket = BucketId(2);
  entries[3].file.level = 4;
  entries[4].file.file_name = "data-2.parquet";
  entries[5].file.extra_files = {};
  entries[6].file.extra_files = {"data-1.parquet", ".index"};
  entries[7].file.embedded_index = "";
  entries[8].file.external_path = "";
  std::set<std::string> identities;
  for (const ManifestEntry& entry : entries) identities.insert(EntryIdentity(entry));
  EXPECT_EQ(identities.size(), entries.size());
}

TEST(EntryIdentityTest, DependsOnNothingElse) {
  ManifestEntry other = Entry();
  other.kind = FileKind::kDelete;
  other.total_buckets = 4;
  other.file.row_count = 5;
  other.file.value_stats_cols = std::vector<std::string>{};
  EXPECT_EQ(EntryIdentity(other), EntryIdentity(Entry()));
}

}  // namespace
}  // namespace braid
