#include "mergetree/merge_reader.h"

#include <map>
#include <random>

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "mergetree/key_value_testing.h"
#include "mergetree/sort_buffer.h"
#include "types/batch_bytes.h"

namespace braid {
namespace {

std::shared_ptr<const MergeFunction> Engine(const Options& options, const KeyValueSchema& schema) {
  Result<std::shared_ptr<const MergeFunction>> function = MakeMergeFunction(options, schema);
  EXPECT_THAT(function, IsOk());
  return *function;
}

Result<std::vector<KeyValueRow>> MergeRuns(const KeyValueSchema& schema,
                                           const std::vector<std::vector<KeyValueRow>>& runs, const Options& options,
                                           MergeOptions merge = {}) {
  std::vector<std::unique_ptr<BatchReader>> readers;
  for (const auto& run : runs) readers.push_back(ReaderOf(schema, run));
  BRAID_TRY_ASSIGN(const auto reader, MakeMergeReader(schema, std::move(readers), Engine(options, schema), merge));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  return RowsOf(schema, batches);
}

constexpr RowKind kDelete = RowKind::kDelete;

TEST(MergeReaderTest, KeepsTheNewestRowOfEachKey) {
  const KeyValueSchema schema = SmallSchema();
  EXPECT_THAT(MergeRuns(schema,
                        {{{{1, "old", 0}, 0}, {{2, "only", 0}, 1}, {{4, "first", 0}, 2}},
                         {{{1, "new", 0}, 5}, {{3, "also only", 0}, 6}},
                         {{{4, "last", 0}, 9}}},
                        {}),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "new", 0}, 5}, KeyValueRow{{2, "only", 0}, 1},
                                            KeyValueRow{{3, "also only", 0}, 6}, KeyValueRow{{4, "last", 0}, 9})));
}

TEST(MergeReaderTest, KeepsOrDropsRetractions) {
  const KeyValueSchema schema = SmallSchema();
  const std::vector<std::vector<KeyValueRow>> runs = {{{{1, "a", 0}, 0}, {{2, "b", 0}, 1}},
                                                      {{{1, Datum(), 0}, 2, kDelete}, {{3, "c", 0}, 3, kDelete}}};
  EXPECT_THAT(MergeRuns(schema, runs, {}),
              HasValue(testing::ElementsAre(KeyValueRow{{1, Datum(), 0}, 2, kDelete}, KeyValueRow{{2, "b", 0}, 1},
                                            KeyValueRow{{3, "c", 0}, 3, kDelete})));
  EXPECT_THAT(MergeRuns(schema, runs, {}, {.drop_retractions = true}),
              HasValue(testing::ElementsAre(KeyValueRow{{2, "b", 0}, 1})));
  // A row that stands alone is passed on even if it is to be ignored (data.md §3.3).
  EXPECT_THAT(MergeRuns(schema, runs, Options(Options::Map{{"ignore-delete", "true"}})),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "a", 0}, 0}, KeyValueRow{{2, "b", 0}, 1},
                                            KeyValueRow{{3, "c", 0}, 3, kDelete})));
}

TEST(MergeReaderTest, OrdersByUserSequenceBeforeSequenceNumber) {
  KeyValueSchema schema = SmallSchema();
  schema.sequence_fields = {2};
  const std::vector<std::vector<KeyValueRow>> runs = {
      {{{1, "later", 7}, 0}, {{2, "null", Datum()}, 9}, {{3, "tie", 1}, 5}},
      {{{1, "earlier", 3}, 8}, {{2, "value", -4}, 2}, {{3, "tie won", 1}, 6}}};
  EXPECT_THAT(MergeRuns(schema, runs, {}),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "later", 7}, 0}, KeyValueRow{{2, "value", -4}, 2},
                                            KeyValueRow{{3, "tie won", 1}, 6})));
  schema.sequence_descending = true;
  EXPECT_THAT(MergeRuns(schema, runs, {}),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "earlier", 3}, 8}, KeyValueRow{{2, "value", -4}, 2},
                                            KeyValueRow{{3, "tie won", 1}, 6})));
}

TEST(MergeReaderTest, OrdersRetractionsBeforeAdditionsOfOneSequenceNumber) {
  const KeyValueSchema schema = SmallSchema();
  EXPECT_THAT(MergeRuns(schema, {{{{1, "add", 0}, 4}}, {{{1, "retract", 0}, 4, kDelete}}}, {}),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "add", 0}, 4})));
  EXPECT_THAT(MergeRuns(schema, {{{{1, "retract", 0}, 4, kDelete}}, {{{1, "add", 0}, 4}}}, {}),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "add", 0}, 4})));
}

TEST(MergeReaderTest, MergesKeysThatRepeatWithinOneRun) {
  const KeyValueSchema schema = SmallSchema();
  const std::vector<KeyValueRow> run = {{{0, "a", 0}, 0}, {{1, "a", 0}, 1}, {{2, "x", 0}, 2}, {{2, "y", 0}, 3},
                                        {{2, "z", 0}, 4}, {{3, "b", 0}, 5}, {{3, "c", 0}, 6}};
  EXPECT_THAT(MergeRuns(schema, {run}, {}), HasValue(testing::ElementsAre(run[0], run[1], run[4], run[6])));
}

TEST(MergeReaderTest, FirstRowKeepsTheOldestAndRefusesRetractions) {
  const KeyValueSchema schema = SmallSchema();
  const Options first_row(Options::Map{{"merge-engine", "first-row"}});
  EXPECT_THAT(MergeRuns(schema, {{{{1, "first", 0}, 0}}, {{{1, "second", 0}, 1}}}, first_row),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "first", 0}, 0})));
  const std::vector<std::vector<KeyValueRow>> retracted = {{{{1, "gone", 0}, 0, kDelete}}, {{{1, "kept", 0}, 1}}};
  EXPECT_THAT(MergeRuns(schema, retracted, first_row), HasMessage("first-row cannot take a row of kind -D"));
  EXPECT_THAT(MergeRuns(schema, retracted, first_row.With(Options(Options::Map{{"ignore-delete", "true"}}))),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "kept", 0}, 1})));
}

TEST(MergeReaderTest, NamesAnUnknownEngine) {
  const auto function = MakeMergeFunction(Options(Options::Map{{"merge-engine", "newest"}}), SmallSchema());
  EXPECT_THAT(function, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(function, HasMessage("newest"));
}

TEST(MergeReaderTest, YieldsRequestedValuesAlone) {
  KeyValueSchema schema = SmallSchema();
  schema.requested_values = 2;  // s was added for merging
  std::vector<std::unique_ptr<BatchReader>> runs;
  runs.push_back(ReaderOf(schema, {{{1, "a", 0}, 0}}));
  runs.push_back(ReaderOf(schema, {{{1, "b", 0}, 1}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, MakeMergeReader(schema, std::move(runs), Engine({}, schema),
                                                                {.drop_retractions = true, .values_only = true}));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(batches[0].rows->num_columns(), 2);
  EXPECT_EQ(DatumAt(*batches[0].rows->column(1), 0, DataType::String()), Datum("b"));
}

TEST(MergeReaderTest, FindsRunsThatAreNotInKeyOrder) {
  const KeyValueSchema schema = SmallSchema();
  const std::vector<KeyValueRow> wrong = {{{2, "a", 0}, 0}, {{1, "b", 0}, 1}};
  EXPECT_THAT(MergeRuns(schema, {wrong}, {}), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(MergeRuns(schema, {wrong, {{{1, "c", 0}, 7}}}, {}), IsError(ErrorCode::kCorruption));
}

struct ModelKey {
  std::string name;
  std::vector<DataField> key_fields;
  DatumList (*make)(std::mt19937_64&);
};

DatumList RandomNumberKey(std::mt19937_64& random) {
  return {Datum(static_cast<std::int64_t>(random() % 200) - 100)};
}
DatumList RandomTextKey(std::mt19937_64& random) {
  return {Datum(fmt::format("key-with-prefix-{}", random() % 150))};
}
DatumList RandomPairKey(std::mt19937_64& random) {
  return {Datum(std::string(random() % 3, 'a')), Datum(static_cast<std::int64_t>(random() % 40))};
}

/// Random runs of random batches, merged, against the newest row of each key in a map.
void CheckAgainstModel(const ModelKey& key, std::mt19937_64& random) {
  std::vector<DataField> fields = key.key_fields;
  fields.push_back(Field(10, "v", DataType::String()));
  fields.push_back(Field(11, "s", DataType::Int()));
  KeyValueSchema schema = SchemaOf(fields, key.key_fields.size());
  const bool user_sequence = random() % 2 == 0;
  const bool descending = random() % 2 == 0;
  const bool drop = random() % 2 == 0;
  if (user_sequence) schema.sequence_fields = {fields.size() - 1};
  schema.sequence_descending = descending;

  const auto sequence_of = [&](const KeyValueRow& row) {
    const Datum& user = row.values.back();
    const std::int64_t rank =
        !user_sequence ? 0 : (user.is_null() ? INT64_MIN : (descending ? -user.as_int() : user.as_int()));
    return std::pair(rank, row.sequence_number);
  };
  std::map<DatumList, KeyValueRow, KeyLess> newest;
  std::vector<std::unique_ptr<BatchReader>> runs;
  std::int64_t next_sequence = 0;
  const std::size_t run_count = 1 + random() % 9;
  for (std::size_t run = 0; run < run_count; ++run) {
    std::map<DatumList, KeyValueRow, KeyLess> rows;
    for (std::size_t i = random() % 120; i > 0; --i) {
      KeyValueRow row{key.make(random), next_sequence++, static_cast<RowKind>(random() % 4)};
      DatumList row_key = row.values;
      row.values.push_back(random() % 5 == 0 ? Datum() : Datum(fmt::format("v{}", row.sequence_number)));
      row.values.push_back(random() % 4 == 0 ? Datum() : Datum(static_cast<std::int64_t>(random() % 5) - 2));
      rows[row_key] = row;
    }
    std::vector<KeyValueRow> sorted;
    for (const auto& [row_key, row] : rows) {
      sorted.push_back(row);
      const auto [at, added] = newest.try_emplace(row_key, row);
      if (!added && sequence_of(at->second) < sequence_of(row)) at->second = row;
    }
    runs.push_back(ReaderOf(schema, sorted, 1 + random() % 20));
  }
  std::vector<KeyValueRow> expected;
  for (const auto& [row_key, row] : newest) {
    if (!drop || IsAdd(row.kind)) expected.push_back(row);
  }
  const MergeOptions options{.drop_retractions = drop, .batch_rows = 1 + static_cast<std::int64_t>(random() % 50)};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, MakeMergeReader(schema, std::move(runs), Engine({}, schema), options));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  EXPECT_EQ(RowsOf(schema, batches), expected);
}

TEST(MergeReaderTest, EqualsAMapForRandomRuns) {
  const std::vector<ModelKey> keys = {
      {"BIGINT", {Field(0, "k", DataType::BigInt().NotNull())}, RandomNumberKey},
      {"INT", {Field(0, "k", DataType::Int().NotNull())}, RandomNumberKey},
      {"STRING", {Field(0, "k", DataType::String().NotNull())}, RandomTextKey},
      {"STRING, BIGINT",
       {Field(0, "k", DataType::String().NotNull()), Field(1, "l", DataType::BigInt().NotNull())},
       RandomPairKey},
  };
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60 && !testing::Test::HasFailure(); ++round) {
    for (const ModelKey& key : keys) {
      SCOPED_TRACE(key.name);
      CheckAgainstModel(key, random);
    }
  }
}

/// A run of so many rows with long texts, in batches as readers give them.
std::unique_ptr<BatchReader> LongRows(const KeyValueSchema& schema, int rows, std::size_t text_bytes, std::int64_t sequence) {
  std::vector<Batch> batches;
  for (int k = 0; k < rows; k += 10) {
    std::vector<KeyValueRow> part;
    for (int i = k; i < std::min(k + 10, rows); ++i) part.push_back({{i, std::string(text_bytes, 'x'), i}, sequence + i});
    batches.push_back(KeyValueBatch(schema, part));
  }
  return MakeBatchReader(std::move(batches));
}

/// So many rows, in batches that take no more than they may and one text.
void ExpectShortBatches(BatchReader& reader, std::int64_t expected_rows, std::size_t text_bytes) {
  std::int64_t rows = 0;
  while (true) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, reader.Next());
    if (!batch) break;
    EXPECT_LE(BytesOf(*batch->rows).used, kMaxBatchBytes + static_cast<std::int64_t>(text_bytes));
    rows += batch->row_count();
  }
  EXPECT_EQ(rows, expected_rows);
}

TEST(MergeReaderTest, YieldsLongRowsFewAtATime) {
  const KeyValueSchema schema = SmallSchema();
  constexpr std::size_t kTextBytes = 128 * 1024;
  std::vector<std::unique_ptr<BatchReader>> runs;
  for (int run = 0; run < 3; ++run) runs.push_back(LongRows(schema, 100, kTextBytes, 1000 * run));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, MakeMergeReader(schema, std::move(runs), Engine({}, schema), {}));
  ExpectShortBatches(*reader, 100, kTextBytes);
}

TEST(MergeReaderTest, YieldsLongSortedRowsFewAtATime) {
  const KeyValueSchema schema = SmallSchema();
  constexpr std::size_t kTextBytes = 128 * 1024;
  SortBuffer buffer(schema, SortBufferOptions());
  std::vector<DatumList> values;
  for (int k = 100; k > 0; --k) values.push_back({k, std::string(kTextBytes, 'x'), k});
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch added, MakeBatch(schema.value_fields, values));
  ASSERT_THAT(buffer.Add(added, 0), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, buffer.Sorted(nullptr));
  ExpectShortBatches(*reader, 100, kTextBytes);
}

}  // namespace
}  // namespace braid
