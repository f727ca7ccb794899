// Rows of many megabytes: that they wait and are merged without being in memory side by side.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "mergetree/key_value_testing.h"
#include "mergetree/merge_tree_writer.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kBytes = 20 * kMiB;

/// A value that tells its number and that compression makes no smaller.
std::string LongValue(std::int64_t number) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number));
  std::string value = std::to_string(number) + ".";
  value.reserve(static_cast<std::size_t>(kBytes));
  while (value.size() < static_cast<std::size_t>(kBytes)) value += static_cast<char>(random() & 0xff);
  return value;
}

std::string NumberOf(const Datum& value) {
  return value.as_string().substr(0, value.as_string().find('.'));
}

struct Bucket {
  std::shared_ptr<FileSystem> fs = std::make_shared<MemoryFileSystem>();
  KeyValueSchema schema = SmallSchema();
  Options options;

  Result<std::unique_ptr<MergeTreeWriter>> Open(std::vector<DataFileMeta> files) const {
    MergeTreeWriterConfig config;
    config.schema = schema;
    config.options = options;
    config.files = std::move(files);
    config.readers = std::make_shared<PlainKeyValueReaderFactory>(fs, "/t/bucket-0", schema);
    BRAID_TRY_ASSIGN(config.writers,
                     MakeKeyValueWriterFactory({fs, "/t/bucket-0", schema, SchemaId(0), options, &SystemClock()}));
    config.spill_directory = std::filesystem::temp_directory_path().string();
    return MergeTreeWriter::Make(std::move(config));
  }
};

/// Keys with the numbers of their values, in order.
std::vector<std::pair<std::int64_t, std::string>> Read(const Bucket& bucket, const std::vector<DataFileMeta>& files) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  PlainKeyValueReaderFactory readers(bucket.fs, "/t/bucket-0", bucket.schema);
  const auto function = MakeMergeFunction(bucket.options, bucket.schema);
  Result<std::vector<Section>> sections = PartitionIntoSections(files, bucket.schema.key_fields);
  EXPECT_TRUE(function.has_value() && sections.has_value());
  const auto reader = ReadSections(bucket.schema, *std::move(sections), readers, *function, {.drop_retractions = true});
  EXPECT_THAT(reader, IsOk());
  while (true) {
    const Result<std::optional<Batch>> batch = (*reader)->Next();
    EXPECT_THAT(batch, IsOk());
    if (!batch || !*batch) return found;
    for (const KeyValueRow& row : RowsOf(bucket.schema, {**batch})) {
      found.emplace_back(row.values[0].as_int(), NumberOf(row.values[1]));
    }
  }
}

TEST(LongRowsTest, OfManyRunsAreMergedAndWrittenOneAtATime) {
  Bucket bucket;
  bucket.options.Set("num-sorted-run.compaction-trigger", "100");
  std::vector<DataFileMeta> files;
  constexpr std::int64_t kRuns = 6;
  for (std::int64_t run = 0; run < kRuns; ++run) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open(files));
    // All runs have key 0; keys 1, 2, … are of one each.
    for (const std::int64_t key : {std::int64_t{0}, run + 1}) {
      ASSERT_THAT(writer->Write(ValueBatch(bucket.schema, {{{Datum(key), LongValue(10 * run + key), 0}}})), IsOk());
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(false));
    ASSERT_EQ(changes.new_files.size(), 1U);
    files.push_back(changes.new_files[0]);
  }
  const std::vector<std::pair<std::int64_t, std::string>> expected = {{0, "50"}, {1, "1"},  {2, "12"}, {3, "23"},
                                                                      {4, "34"}, {5, "45"}, {6, "56"}};
  {
    const BufferPeak peak;
    EXPECT_EQ(Read(bucket, files), expected);
    EXPECT_LT(peak.bytes(), 3 * kBytes + 20 * kMiB) << "that of one row which is being decoded";
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open(files));
  const BufferPeak peak;
  ASSERT_THAT(writer->Compact(true), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
  EXPECT_LT(peak.bytes(), 3 * kBytes + 20 * kMiB);
  EXPECT_EQ(changes.compact_before.size(), static_cast<std::size_t>(kRuns));
  EXPECT_EQ(Read(bucket, changes.compact_after), expected);
}

TEST(LongRowsTest, WaitOutsideOfMemoryUntilTheyAreFlushed) {
  Bucket bucket;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open({}));
  const BufferPeak peak;
  for (const std::int64_t key : {3, 1, 2, 1}) {
    ASSERT_THAT(writer->Write(ValueBatch(bucket.schema, {{{Datum(key), "short", 0}}})), IsOk());
    ASSERT_THAT(writer->Write(ValueBatch(bucket.schema, {{{Datum(key), LongValue(key), 0}}})), IsOk());
  }
  // A short row is newer than the long one of its key.
  ASSERT_THAT(writer->Write(ValueBatch(bucket.schema, {{{Datum(2), "7.", 0}}})), IsOk());
  EXPECT_LT(writer->memory_bytes(), kMiB);
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(false));
  EXPECT_LT(peak.bytes(), kBytes + 10 * kMiB) << "the one that is being compressed";
  EXPECT_EQ(Read(bucket, changes.new_files),
            (std::vector<std::pair<std::int64_t, std::string>>{{1, "1"}, {2, "7"}, {3, "3"}}));
}

TEST(LongRowsTest, WaitInMemoryWhereTheDiskHasItsBoundOrNothingMayBeSpilled) {
  for (const auto& [option, value, memory] : std::vector<std::tuple<std::string, std::string, std::int64_t>>{
           {"write-buffer-spill.max-disk-size", "50 mb", kBytes}, {"write-buffer-spillable", "false", 3 * kBytes}}) {
    SCOPED_TRACE(option);
    Bucket bucket;
    bucket.options.Set(option, value);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open({}));
    for (std::int64_t key = 1; key <= 3; ++key) {
      ASSERT_THAT(writer->Write(ValueBatch(bucket.schema, {{{Datum(key), LongValue(key), 0}}})), IsOk());
    }
    EXPECT_GE(writer->memory_bytes(), memory);
    EXPECT_LT(writer->memory_bytes(), memory + kMiB);
    BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(false));
    EXPECT_EQ(Read(bucket, changes.new_files),
              (std::vector<std::pair<std::int64_t, std::string>>{{1, "1"}, {2, "2"}, {3, "3"}}));
  }
}

}  // namespace
}  // namespace braid
