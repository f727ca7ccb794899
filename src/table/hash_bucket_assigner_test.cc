#include "table/hash_bucket_assigner.h"

#include <set>

#include <gtest/gtest.h>

#include "table/table_testing.h"

namespace braid {
namespace {

TEST(BucketAssignersTest, ShareKeysOutAsJavaDoes) {
  // By hand: (|partition % channels| + |key % assigners|) % channels; Java's % has the sign of the dividend.
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      CreateTestTable(memory, TestDefinition({{"k", DataType::Int()}}, {"k"},
                                             {{"bucket", "-1"}, {"dynamic-bucket.initial-buckets", "3"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketAssigners five, BucketAssigners::Of(table, AssignerShare{0, 5}));
  EXPECT_EQ(five.assigners(), 3);
  EXPECT_EQ(five.ChannelOf(0, 7), 1);
  EXPECT_EQ(five.ChannelOf(0, -7), 1);
  EXPECT_EQ(five.ChannelOf(-9, -8), 1);  // 4 + 2
  EXPECT_EQ(five.ChannelOf(3, 1), 4);
  EXPECT_TRUE(five.Owns(4, 4));
  EXPECT_TRUE(five.Owns(4, 9));
  EXPECT_FALSE(five.Owns(4, 3));
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketAssigners two, BucketAssigners::Of(table, AssignerShare{0, 2}));
  EXPECT_EQ(two.assigners(), 2);
  EXPECT_THAT(BucketAssigners::Of(table, AssignerShare{2, 2}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(BucketAssigners::Of(table, AssignerShare{0, 0}), IsError(ErrorCode::kInvalidArgument));
}

// Buckets that the batches' rows went to.
std::set<std::int32_t> BucketsOf(const std::vector<CommitMessage>& messages) {
  std::set<std::int32_t> buckets;
  for (const CommitMessage& message : messages) buckets.insert(message.bucket.value());
  return buckets;
}

TEST(HashBucketAssignerTest, OneWriterIsAllAssignersThatTheOptionsSay) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      CreateTestTable(memory, TestDefinition({{"k", DataType::Int()}}, {"k"},
                                             {{"bucket", "-1"}, {"dynamic-bucket.assigner-parallelism", "3"}})));
  std::vector<DatumList> rows;
  for (int k = 0; k < 100; ++k) rows.push_back({k});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, WriteRows(table, rows));
  EXPECT_EQ(BucketsOf(messages), (std::set<std::int32_t>{0, 1, 2}));
}

TEST(HashBucketAssignerTest, WritersThatShareATableNeverTouchEachOthersNewBuckets) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      CreateTestTable(memory, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                                             {{"bucket", "-1"}, {"dynamic-bucket.target-row-num", "10"}})));
  std::set<std::string> expected;
  const auto write_all = [&](std::int32_t writers, int first_key, int end_key, int v) {
    std::vector<std::vector<CommitMessage>> prepared;
    for (std::int32_t number = 0; number < writers; ++number) {
      std::vector<DatumList> rows;
      for (int k = first_key; k < end_key; ++k) rows.push_back({k, v});
      BRAID_ASSERT_OK_AND_ASSIGN(const Batch all, MakeBatch(table.schema().fields, rows));
      BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::int32_t> numbers, WriterOf(table, all, writers));
      std::vector<std::int32_t> own;
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (numbers[row] == number) own.push_back(static_cast<std::int32_t>(row));
      }
      EXPECT_FALSE(own.empty());
      BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, TakeRows(all, own));
      TableWriterOptions options{.commit_user = fmt::format("w{}", number), .spill_directory = {}};
      options.share = AssignerShare{number, writers};
      BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, TableWriter::Make(table, options));
      ASSERT_THAT(writer->Write(batch), IsOk());
      BRAID_ASSERT_OK_AND_ASSIGN(auto messages, writer->PrepareCommit(true, kBatchCommitIdentifier));
      for (const CommitMessage& message : messages) {
        EXPECT_TRUE(message.new_index_files.empty() || message.bucket.value() % writers == number);
      }
      prepared.push_back(std::move(messages));
    }
    std::set<std::string> written;
    for (const auto& messages : prepared) {
      for (const CommitMessage& message : messages) {
        for (const DataFileMeta& file : message.new_files) written.insert(file.file_name);
      }
      Committable committable;
      committable.messages = messages;
      BRAID_ASSERT_OK_AND_ASSIGN(const auto made, TableCommit(table, "user").Commit(committable));
      EXPECT_EQ(made.size(), 1U);
    }
    // Every file is where it was written: nothing had to be done again.
    BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {}));
    std::set<std::string> there;
    for (const DataSplit& split : plan.splits) {
      for (const DataFileMeta& file : split.files) there.insert(file.file_name);
    }
    EXPECT_TRUE(std::includes(there.begin(), there.end(), written.begin(), written.end()));
    for (int k = first_key; k < end_key; ++k) expected.erase(fmt::format(R"({{"k":{},"v":{}}})", k, v - 1));
    for (int k = first_key; k < end_key; ++k) expected.insert(fmt::format(R"({{"k":{},"v":{}}})", k, v));
    EXPECT_THAT(SortedRows(table), HasValue(std::vector<std::string>(expected.begin(), expected.end())));
  };
  write_all(3, 0, 100, 1);
  write_all(2, 0, 100, 2);  // known keys stay where they are, whoever writes them
  write_all(2, 100, 150, 1);
  ASSERT_THAT(Insert(table, {{200, 1}, {0, 3}}), IsOk());  // and one writer of its own
  expected.erase(R"({"k":0,"v":2})");
  expected.insert({R"({"k":0,"v":3})", R"({"k":200,"v":1})"});
  EXPECT_THAT(SortedRows(table), HasValue(std::vector<std::string>(expected.begin(), expected.end())));
}

TEST(HashBucketAssignerTest, AWriterOfAShareRefusesRowsOfAnother) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table, CreateTestTable(memory, TestDefinition({{"k", DataType::Int()}}, {"k"}, {{"bucket", "-1"}})));
  TableWriterOptions options{.commit_user = "w", .spill_directory = {}};
  options.share = AssignerShare{0, 2};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, TableWriter::Make(table, options));
  std::vector<DatumList> rows;
  for (int k = 0; k < 20; ++k) rows.push_back({k});
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(table.schema().fields, rows));
  EXPECT_THAT(writer->Write(batch), IsError(ErrorCode::kInvalidArgument));
}

TEST(HashBucketAssignerTest, TheMostBucketsHoldForAllAssignersTogether) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(memory, TestDefinition({{"k", DataType::Int()}}, {"k"},
                                                                    {{"bucket", "-1"},
                                                                     {"dynamic-bucket.target-row-num", "2"},
                                                                     {"dynamic-bucket.max-buckets", "3"},
                                                                     {"dynamic-bucket.assigner-parallelism", "5"}})));
  std::vector<DatumList> rows;
  for (int k = 0; k < 100; ++k) rows.push_back({k});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, WriteRows(table, rows));
  EXPECT_EQ(BucketsOf(messages), (std::set<std::int32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace braid
