#include "mergetree/sort_buffer.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "base/uuid.h"
#include "io/file_system.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

/// A local folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / ("braid-sort-buffer-test-" + RandomUuid())) {}
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }
  std::size_t file_count() const {
    if (!std::filesystem::exists(path_)) return 0;
    const std::filesystem::directory_iterator files(path_);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::filesystem::path path_;
};

std::vector<KeyValueRow> SortedRows(SortBuffer& buffer, const KeyValueSchema& schema,
                                    const std::shared_ptr<const MergeFunction>& function) {
  const Result<std::unique_ptr<BatchReader>> reader = buffer.Sorted(function);
  EXPECT_THAT(reader, IsOk());
  const Result<std::vector<Batch>> batches = ReadAllBatches(**reader);
  EXPECT_THAT(batches, IsOk());
  return RowsOf(schema, *batches);
}

TEST(SortBufferTest, SortsNumbersAndMerges) {
  const KeyValueSchema schema = SmallSchema();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto function, MakeMergeFunction({}, schema));
  SortBuffer buffer(schema, {});
  ASSERT_THAT(buffer.Add(ValueBatch(schema, {{{3, "c", 0}}, {{1, "a", 0}}, {{3, "d", 0}}}), 10), IsOk());
  ASSERT_THAT(buffer.Add(ValueBatch(schema, {{{1, "b", 0}, 0, RowKind::kDelete}}), 13), IsOk());
  EXPECT_EQ(buffer.row_count(), 4);
  EXPECT_GT(buffer.memory_bytes(), 0);
  EXPECT_THAT(SortedRows(buffer, schema, nullptr),
              testing::ElementsAre(KeyValueRow{{1, "a", 0}, 11}, KeyValueRow{{1, "b", 0}, 13, RowKind::kDelete},
                                   KeyValueRow{{3, "c", 0}, 10}, KeyValueRow{{3, "d", 0}, 12}));
  EXPECT_THAT(SortedRows(buffer, schema, function),
              testing::ElementsAre(KeyValueRow{{1, "b", 0}, 13, RowKind::kDelete}, KeyValueRow{{3, "d", 0}, 12}));
  buffer.Clear();
  EXPECT_EQ(buffer.row_count(), 0);
  EXPECT_EQ(buffer.memory_bytes(), 0);
  EXPECT_TRUE(SortedRows(buffer, schema, function).empty());
}

TEST(SortBufferTest, SpillsAndDeletesItsFiles) {
  const TemporaryFolder folder;
  const KeyValueSchema schema = SmallSchema();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto function, MakeMergeFunction({}, schema));
  {
    SortBuffer buffer(schema, {.spill_directory = folder.path(), .max_spill_files = 3});
    for (int i = 0; i < 2; ++i) {
      ASSERT_THAT(buffer.Add(ValueBatch(schema, {{{2, "x", i}}, {{1, "y", i}}}), 2 * i), IsOk());
      EXPECT_THAT(buffer.Spill(), HasValue(true));
      EXPECT_EQ(buffer.memory_bytes(), 0);
    }
    ASSERT_THAT(buffer.Add(ValueBatch(schema, {{{0, "z", Datum()}}}), 4), IsOk());
    EXPECT_THAT(buffer.Spill(), HasValue(false)) << "a third file would leave no handle for the rows in memory";
    EXPECT_EQ(folder.file_count(), 2U);
    EXPECT_EQ(buffer.row_count(), 5);
    EXPECT_THAT(SortedRows(buffer, schema, function),
                testing::ElementsAre(KeyValueRow{{0, "z", Datum()}, 4}, KeyValueRow{{1, "y", 1}, 3},
                                     KeyValueRow{{2, "x", 1}, 2}));
  }
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(SortBufferTest, MergesItsFilesForMoreToFit) {
  const TemporaryFolder folder;
  const KeyValueSchema schema = SmallSchema();
  SortBuffer buffer(schema, {.spill_directory = folder.path(), .max_spill_files = 3});
  EXPECT_THAT(buffer.MergeSpilled(), HasValue(false)) << "there is nothing to merge";
  std::vector<KeyValueRow> rows;
  for (int i = 0; i < 20; ++i) {
    ASSERT_THAT(buffer.Add(ValueBatch(schema, {{{i % 7, "x", i}}}), i), IsOk());
    rows.push_back({{i % 7, "x", i}, i});
    BRAID_ASSERT_OK_AND_ASSIGN(const bool spilled, buffer.Spill());
    if (spilled) continue;
    EXPECT_THAT(buffer.MergeSpilled(), HasValue(true));
    EXPECT_EQ(folder.file_count(), 1U);
    EXPECT_THAT(buffer.Spill(), HasValue(true));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const KeyValueRow& a, const KeyValueRow& b) {
    return CompareDatums(a.values[0], b.values[0]) < 0;
  });
  EXPECT_TRUE(SortedRows(buffer, schema, nullptr) == rows);
  buffer.Clear();
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(SortBufferTest, SaysWhenASpilledFileWasChanged) {
  const TemporaryFolder folder;
  const KeyValueSchema schema = SmallSchema();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto function, MakeMergeFunction({}, schema));
  SortBuffer buffer(schema, {.spill_directory = folder.path(), .compression = "none"});
  ASSERT_THAT(buffer.Add(ValueBatch(schema, {{{1, "a long enough text", 0}}}), 0), IsOk());
  ASSERT_THAT(buffer.Spill(), HasValue(true));
  const std::string path = std::filesystem::directory_iterator(folder.path())->path();
  BRAID_ASSERT_OK_AND_ASSIGN(std::string bytes, LocalFileSystem()->ReadAll(path));
  bytes.replace(bytes.find("long enough"), 4, "\xff\xff\xff\xff");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, buffer.Sorted(function));
  EXPECT_THAT(rows->Next(), IsError(ErrorCode::kCorruption));
}

TEST(SortBufferTest, DeclinesToSpillWhereItMayNot) {
  const TemporaryFolder folder;
  const KeyValueSchema schema = SmallSchema();
  for (const SortBufferOptions& options : {SortBufferOptions{.spill_directory = ""},
                                           SortBufferOptions{.spillable = false, .spill_directory = folder.path()},
                                           SortBufferOptions{.spill_directory = folder.path(), .max_disk_bytes = 1}}) {
    SortBuffer buffer(schema, options);
    ASSERT_THAT(buffer.Add(ValueBatch(schema, {{{2, "x", 0}}}), 0), IsOk());
    EXPECT_THAT(buffer.Spill(), HasValue(false));
  }
  SortBuffer buffer(schema, {.spill_directory = folder.path(), .compression = "brotli"});
  ASSERT_THAT(buffer.Add(ValueBatch(schema, {{{2, "x", 0}}}), 0), IsOk());
  EXPECT_THAT(buffer.Spill(), HasMessage("spill-compression"));
}

TEST(SortBufferTest, EqualsAStableSortForRandomRowsAndSpills) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937_64 random(seed);
  const TemporaryFolder folder;
  for (int round = 0; round < 40 && !testing::Test::HasFailure(); ++round) {
    const bool text_key = random() % 2 == 0;
    KeyValueSchema schema = SchemaOf({Field(0, "k", (text_key ? DataType::String() : DataType::Int()).NotNull()),
                                      Field(1, "v", DataType::String()), Field(2, "s", DataType::Int())},
                                     1);
    const bool user_sequence = random() % 2 == 0;
    if (user_sequence) schema.sequence_fields = {2};
    const std::vector<std::string> compressions = {"none", "lz4", "zstd"};
    SortBuffer buffer(schema, {.spill_directory = folder.path(), .compression = compressions[random() % 3]});
    std::vector<KeyValueRow> rows;
    for (std::size_t batch = 1 + random() % 6; batch > 0; --batch) {
      std::vector<KeyValueRow> added;
      const std::size_t count = 1 + random() % (random() % 4 == 0 ? 9000 : 200);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t key = random() % 3000;
        added.push_back(
            {{text_key ? Datum(fmt::format("common-prefix-{}", key)) : Datum(static_cast<std::int64_t>(key) - 1500),
              random() % 9 == 0 ? Datum() : Datum(fmt::format("v{}", random() % 1000)),
              random() % 3 == 0 ? Datum() : Datum(static_cast<std::int64_t>(random() % 4))},
             static_cast<std::int64_t>(rows.size() + i),
             static_cast<RowKind>(random() % 4)});
      }
      ASSERT_THAT(buffer.Add(ValueBatch(schema, added), static_cast<std::int64_t>(rows.size())), IsOk());
      rows.insert(rows.end(), added.begin(), added.end());
      if (random() % 3 == 0) {
        ASSERT_THAT(buffer.Spill(), HasValue(true));
      }
    }
    const auto order = [&](const KeyValueRow& row) {
      const Datum& user = row.values[2];
      return std::pair(user_sequence && !user.is_null() ? user.as_int() : -1, row.sequence_number);
    };
    std::sort(rows.begin(), rows.end(), [&](const KeyValueRow& a, const KeyValueRow& b) {
      const auto keys = CompareDatums(a.values[0], b.values[0]);
      return keys != 0 ? keys < 0 : order(a) < order(b);
    });
    EXPECT_TRUE(SortedRows(buffer, schema, nullptr) == rows);

    std::map<DatumList, KeyValueRow, KeyLess> newest;
    for (const KeyValueRow& row : rows) newest.insert_or_assign({row.values[0]}, row);
    std::vector<KeyValueRow> merged;
    for (const auto& [key, row] : newest) merged.push_back(row);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto function, MakeMergeFunction({}, schema));
    EXPECT_TRUE(SortedRows(buffer, schema, function) == merged);
  }
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace braid
