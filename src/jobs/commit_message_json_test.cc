#include "jobs/commit_message_json.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

DataFileMeta FileNamed(const std::string& name) {
  return {.file_name = name,
          .file_size = 1234,
          .row_count = 7,
          .max_sequence_number = 41,
          .schema_id = SchemaId(2),
          .level = 1};
}

TEST(CommitMessageJsonTest, GivesBackEveryListOfEveryBucket) {
  const std::vector<DataType> partition_types = {DataType::Int(), DataType::String()};
  CommitMessage first;
  first.partition = BinaryRow::Make(partition_types, DatumList{7, "a"});
  first.bucket = BucketId(0);
  first.total_buckets = 2;
  first.new_files = {FileNamed("a"), FileNamed("b")};
  first.compact_before = {FileNamed("c")};
  first.compact_after = {FileNamed("d")};
  CommitMessage second;
  second.partition = BinaryRow::Make(partition_types, DatumList{8, Datum()});
  second.bucket = BucketId(1);
  second.changelog_files = {FileNamed("e")};
  second.deleted_files = {FileNamed("f")};
  second.compact_changelog_files = {FileNamed("g")};
  IndexManifestEntry index{.bucket = BucketId(1),
                           .index_type = std::string(kHashIndex),
                           .file_name = "index-1",
                           .file_size = 8,
                           .row_count = 2};
  second.new_index_files = {index};
  second.compact_new_index_files = {index};
  second.compact_deletion_base = DeletionVectorBase{.partition = second.partition,
                                                    .bucket = BucketId(1),
                                                    .index_file = "index-0",
                                                    .files = std::set<std::string>{"a", "b"}};
  second.deletion_base = DeletionVectorBase{.partition = second.partition, .bucket = BucketId(1), .index_file = {}};
  first.hash_base =
      HashIndexBase{.files = {{0, {.name = "index-0", .external_path = {}, .hash_count = 2}},
                              {3, {.name = "index-3", .external_path = "file:/x/index-3", .hash_count = 0}}}};
  second.keys_base = KeysBase{SnapshotId(7), "c0ffee-0"};
  const auto json = EncodeCommitMessages({first, second});
  ASSERT_THAT(json, IsOk());
  // As the state file keeps it.
  const auto text = ParseJson(PrintJson(*json));
  ASSERT_THAT(text, IsOk());
  const auto messages = DecodeCommitMessages(*text);
  ASSERT_THAT(messages, IsOk());
  ASSERT_EQ(messages->size(), 2U);
  EXPECT_EQ((*messages)[0].partition, first.partition);
  EXPECT_EQ((*messages)[1].partition, second.partition);
  EXPECT_EQ((*messages)[0].bucket, BucketId(0));
  EXPECT_EQ((*messages)[0].total_buckets, 2);
  EXPECT_EQ((*messages)[0].new_files, first.new_files);
  EXPECT_EQ((*messages)[0].compact_before, first.compact_before);
  EXPECT_EQ((*messages)[0].compact_after, first.compact_after);
  EXPECT_EQ((*messages)[0].hash_base, first.hash_base);
  EXPECT_EQ((*messages)[0].keys_base, std::nullopt);
  EXPECT_EQ((*messages)[1].hash_base, std::nullopt);
  EXPECT_EQ((*messages)[1].keys_base, second.keys_base);
  EXPECT_EQ((*messages)[1].total_buckets, std::nullopt);
  EXPECT_EQ((*messages)[1].changelog_files, second.changelog_files);
  EXPECT_EQ((*messages)[1].deleted_files, second.deleted_files);
  EXPECT_EQ((*messages)[1].compact_changelog_files, second.compact_changelog_files);
  ASSERT_EQ((*messages)[1].compact_new_index_files.size(), 1U);
  ASSERT_TRUE((*messages)[1].compact_deletion_base.has_value());
  EXPECT_EQ((*messages)[1].compact_deletion_base->index_file, "index-0");
  EXPECT_EQ((*messages)[1].compact_deletion_base->files, (std::set<std::string>{"a", "b"}));
  ASSERT_TRUE((*messages)[1].deletion_base.has_value());
  EXPECT_EQ((*messages)[1].deletion_base->index_file, std::nullopt);
  EXPECT_EQ((*messages)[1].deletion_base->files, std::nullopt);
  ASSERT_EQ((*messages)[1].new_index_files.size(), 1U);
  EXPECT_EQ((*messages)[1].new_index_files[0].file_name, "index-1");
}

TEST(CommitMessageJsonTest, NothingGivesNothingAndDamageIsNoticed) {
  const auto json = EncodeCommitMessages({});
  ASSERT_THAT(json, IsOk());
  EXPECT_THAT(DecodeCommitMessages(*json), HasValue(testing::IsEmpty()));
  Json damaged;
  damaged.Add("new", "4f626a");
  EXPECT_THAT(DecodeCommitMessages(damaged), IsError(ErrorCode::kCorruption));
}

}  // namespace
}  // namespace braid
