#include <map>
#include <random>

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "base/text.h"
#include "mergetree/field_aggregate_internal.h"
#include "mergetree/key_value_testing.h"
#include "mergetree/merge_reader.h"

namespace braid {
namespace {

constexpr RowKind kInsert = RowKind::kInsert;
constexpr RowKind kDelete = RowKind::kDelete;

/// k BIGINT key and one column c of some type.
KeyValueSchema OneColumn(DataType type) {
  return SchemaOf({Field(0, "k", DataType::BigInt().NotNull()), Field(1, "c", std::move(type))}, 1);
}

struct Step {
  Datum value;
  RowKind kind = kInsert;
};

/// What column c of one key becomes when rows of these values and kinds merge, oldest first.
Result<Datum> Merged(DataType type, Options::Map options, const std::vector<Step>& steps) {
  const KeyValueSchema schema = OneColumn(std::move(type));
  options.emplace("merge-engine", "aggregation");
  BRAID_TRY_ASSIGN(auto function, MakeMergeFunction(Options(std::move(options)), schema));
  std::vector<std::unique_ptr<BatchReader>> runs;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    runs.push_back(ReaderOf(schema, {{{Datum(1), steps[i].value}, static_cast<std::int64_t>(i), steps[i].kind}}));
  }
  BRAID_TRY_ASSIGN(const auto reader, MakeMergeReader(schema, std::move(runs), std::move(function), {}));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  const std::vector<KeyValueRow> rows = RowsOf(schema, batches);
  EXPECT_EQ(rows.size(), 1U);
  return rows.at(0).values[1];
}

Options::Map With(std::string function) {
  return {{"fields.c.aggregate-function", std::move(function)}};
}

Datum Array(std::vector<Datum> elements) {
  return Datum(DatumList(std::move(elements)));
}
Datum Pair(Datum first, Datum second) {
  return Datum(DatumList{std::move(first), std::move(second)});
}

const DataType kDecimal = DataType::Decimal(5, 2);
const DataType kInts = DataType::Array(DataType::Int());
const DataType kMap = DataType::Map(DataType::String(), DataType::Int());
const DataType kNested =
    DataType::Array(DataType::Row({Field(2, "id", DataType::Int()), Field(3, "v", DataType::String())}));

Datum Cents(std::int64_t unscaled) {
  return Datum(Decimal{unscaled});
}

// Expected values by Java Paimon 1.4.2's source; tests/compat compares with what Java itself returns.
TEST(AggregationTest, FoldsEachFunction) {
  struct Case {
    std::string name;
    DataType type;
    Options::Map options;
    std::vector<Step> steps;
    Datum expected;
  };
  const std::vector<Case> cases = {
      {"sum", DataType::Int(), With("sum"), {{1}, {Datum()}, {5}}, 6},
      {"sum taken back", DataType::Int(), With("sum"), {{Datum()}, {3, kDelete}, {10}}, 7},
      {"sum wraps", DataType::TinyInt(), With("sum"), {{127}, {1}}, -128},
      {"sum of decimals", kDecimal, With("sum"), {{Cents(125)}, {Cents(-50)}}, Cents(75)},
      {"sum beyond the precision of short decimals",
       kDecimal,
       With("sum"),
       {{Cents(99999)}, {Cents(2)}},
       Cents(100001)},
      {"product", DataType::BigInt(), With("product"), {{3}, {-4}}, -12},
      {"product taken back", DataType::Int(), With("product"), {{12}, {5}, {4, kDelete}}, 15},
      {"product of decimals rounds half up", kDecimal, With("product"), {{Cents(15)}, {Cents(10)}}, Cents(2)},
      {"product of decimals overflows", kDecimal, With("product"), {{Cents(99900)}, {Cents(1000)}}, Datum()},
      {"quotient of decimals",
       kDecimal,
       With("product"),
       {{Cents(100)}, {Cents(100)}, {Cents(800), kDelete}},
       Cents(13)},
      {"max", DataType::Double(), With("max"), {{-1.5}, {2.5}, {Datum()}}, 2.5},
      {"max of texts", DataType::String(), With("max"), {{"b"}, {"abc"}}, "b"},
      {"min of integers", DataType::SmallInt(), With("min"), {{3}, {-2}, {7}}, -2},
      {"last value", DataType::String(), With("last_value"), {{"a"}, {Datum()}}, Datum()},
      {"last value taken back", DataType::String(), With("last_value"), {{"a"}, {"a", kDelete}}, Datum()},
      {"last value that is not NULL", DataType::String(), With("last_non_null_value"), {{"a"}, {Datum()}}, "a"},
      {"function by default", DataType::String(), {}, {{"a"}, {"b"}, {Datum()}}, "b"},
      {"first value", DataType::String(), With("first_value"), {{Datum()}, {"b"}}, Datum()},
      {"first value that is not NULL",
       DataType::String(),
       With("first_not_null_value"),
       {{Datum()}, {"b"}, {"c"}},
       "b"},
      {"and", DataType::Boolean(), With("bool_and"), {{true}, {Datum()}, {false}}, false},
      {"or", DataType::Boolean(), With("bool_or"), {{false}, {true}}, true},
      {"list", DataType::String(), With("listagg"), {{"a"}, {""}, {"b,a"}}, "a,b,a"},
      {"list of what is new",
       DataType::String(),
       {{"fields.c.aggregate-function", "listagg"},
        {"fields.c.distinct", "true"},
        {"fields.c.list-agg-delimiter", ";"}},
       {{"a;b"}, {"b;;c;c"}},
       "a;b;c"},
      {"collect", kInts, With("collect"), {{Array({1, 2})}, {Array({2, 3})}}, Array({1, 2, 2, 3})},
      {"collect taken back", kInts, With("collect"), {{Array({1, 2, 2})}, {Array({2, 5}), kDelete}}, Array({1, 2})},
      {"collect each once",
       kInts,
       {{"fields.c.aggregate-function", "collect"}, {"fields.c.distinct", "true"}},
       {{Array({1, 1})}, {Array({2, 1})}},
       Array({1, 2})},
      {"maps",
       kMap,
       With("merge_map"),
       {{Array({Pair("a", 1)})}, {Array({Pair("a", 2), Pair("b", 3)})}},
       Array({Pair("a", 2), Pair("b", 3)})},
      {"maps taken back",
       kMap,
       With("merge_map"),
       {{Array({Pair("a", 1), Pair("b", 2)})}, {Array({Pair("a", 9)}), kDelete}},
       Array({Pair("b", 2)})},
      {"nested rows by key",
       kNested,
       {{"fields.c.aggregate-function", "nested_update"}, {"fields.c.nested-key", "id"}},
       {{Array({Pair(1, "a"), Pair(2, "b")})}, {Array({Pair(1, "c")})}},
       Array({Pair(1, "c"), Pair(2, "b")})},
      {"nested rows without key, taken back",
       kNested,
       With("nested_update"),
       {{Array({Pair(1, "a"), Pair(1, "a"), Pair(2, "b")})}, {Array({Pair(1, "a")}), kDelete}},
       Array({Pair(2, "b")})},
      {"nested rows up to a number",
       kNested,
       {{"fields.c.aggregate-function", "nested_update"}, {"fields.c.count-limit", "2"}},
       {{Array({Pair(1, "a")})}, {Array({Pair(2, "b"), Pair(3, "c")})}},
       Array({Pair(1, "a"), Pair(2, "b")})},
      {"fields of nested rows",
       kNested,
       {{"fields.c.aggregate-function", "nested_partial_update"}, {"fields.c.nested-key", "id"}},
       {{Array({Pair(1, "a")})}, {Array({Pair(1, Datum()), Pair(2, Datum())})}},
       Array({Pair(1, "a"), Pair(2, Datum())})},
      {"retraction ignored",
       DataType::Int(),
       {{"fields.c.aggregate-function", "max"}, {"fields.c.ignore-retract", "true"}},
       {{4}, {9, kDelete}},
       4},
      {"record removed, then a new one",
       DataType::Int(),
       {{"fields.c.aggregate-function", "sum"}, {"aggregation.remove-record-on-delete", "true"}},
       {{4}, {9, kDelete}, {1}},
       10},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<Datum> merged = Merged(c.type, c.options, c.steps);
    ASSERT_THAT(merged, IsOk());
    EXPECT_EQ(*merged, c.expected);
  }
}

// The golden table pk_aggregation_sketches.
TEST(AggregationTest, UnitesBitmapsAndSketches) {
  struct Case {
    std::string function;
    std::string first;
    std::string second;
    std::string both;
  };
  const std::vector<Case> cases = {
      {"rbm32", "3a300000020000000000010001000000180000001c00000001000200a086",
       "3a30000001000000000001001000000002000300",
       "3a300000020000000000020001000000180000001e000000010002000300a086"},
      {"rbm64",
       "01020000000000000000020003000000000002000400000000000000000000000000000000000400000000000002540b01000000"
       "0000000001000000fe020000000102020000000100020001020100000000e402000000000000000000000001000000",
       "01010000000000000004000000000000000000000000000000000001000000fe01000000010201000000030001000000000000000000"
       "000000000000",
       "01020000000000000000020003000000000002000400000000000000000000000000000000000400000000000002540b01000000"
       "0000000001000000fe0200000001020300000001000200030001020100000000e402000000000000000000000001000000"},
      {"theta_sketch", "02030300001acc93030000000000803f15f97dcbbd86a105c397fc1281709d1eba40b3c1da06695d",
       "02030300001acc93020000000000803f40de2ee1c9db3d08ba40b3c1da06695d",
       "02030300001acc93040000000000803f15f97dcbbd86a10540de2ee1c9db3d08c397fc1281709d1eba40b3c1da06695d"},
      {"hll_sketch", "0201070c030803002bf2fb06862ff90d75816607", "0201070c030802007581660781bc5d06",
       "0201070c030804007581660781bc5d062bf2fb06862ff90d"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.function);
    const Datum first(*FromHex(c.first));
    const Datum both(*FromHex(c.both));
    const auto merged = [&](const std::vector<Step>& steps) {
      return Merged(DataType::VarBinary(900), With(c.function), steps);
    };
    EXPECT_THAT(merged({{first}, {Datum()}, {*FromHex(c.second)}}), HasValue(both));
    EXPECT_THAT(merged({{Datum()}, {Datum()}}), HasValue(Datum()));
    // A value alone is not looked at.
    EXPECT_THAT(merged({{Datum()}, {"?"}}), HasValue(Datum("?")));
    EXPECT_THAT(merged({{first}, {"?"}}), IsError(ErrorCode::kCorruption));
  }
}

TEST(AggregationTest, PassesARowAloneAsItIs) {
  const KeyValueSchema schema = OneColumn(DataType::Int());
  BRAID_ASSERT_OK_AND_ASSIGN(
      auto function,
      MakeMergeFunction(Options({{"merge-engine", "aggregation"}, {"fields.c.aggregate-function", "sum"}}), schema));
  std::vector<std::unique_ptr<BatchReader>> runs;
  runs.push_back(ReaderOf(schema, {{{1, 5}, 0, kDelete}}));
  runs.push_back(ReaderOf(schema, {{{2, 5}, 1}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, MakeMergeReader(schema, std::move(runs), std::move(function), {}));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
  EXPECT_THAT(RowsOf(schema, batches), testing::ElementsAre(KeyValueRow{{1, 5}, 0, kDelete}, KeyValueRow{{2, 5}, 1}));
}

TEST(AggregationTest, RefusesWhatAFunctionCannotDo) {
  struct Case {
    std::string name;
    DataType type;
    Options::Map options;
    ErrorCode code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"unknown", DataType::Int(), With("median"), ErrorCode::kInvalidArgument, "no aggregate function 'median'"},
      {"count", DataType::Int(), With("count"), ErrorCode::kInvalidArgument, "no aggregate function 'count'"},
      {"type", DataType::String(), With("sum"), ErrorCode::kInvalidArgument, "takes a number"},
      {"bounded text", DataType::VarChar(9), With("listagg"), ErrorCode::kInvalidArgument, "takes STRING"},
      {"no order", kInts, With("max"), ErrorCode::kInvalidArgument, "a type with an order"},
      {"bitmap", DataType::String(), With("rbm64"), ErrorCode::kInvalidArgument, "takes VARBINARY"},
      {"sketch", DataType::Binary(9), With("hll_sketch"), ErrorCode::kInvalidArgument, "takes VARBINARY"},
      {"retraction of sketches", DataType::Bytes(), With("theta_sketch"), ErrorCode::kInvalidArgument, "cannot take"},
      {"retraction", DataType::Int(), With("max"), ErrorCode::kInvalidArgument, "cannot take values back"},
      {"retraction of texts", DataType::String(), With("listagg"), ErrorCode::kInvalidArgument, "cannot take"},
      {"division by zero", DataType::Int(), With("product"), ErrorCode::kInvalidArgument, "divided by 0"},
      {"both options",
       DataType::Int(),
       {{"aggregation.remove-record-on-delete", "true"}, {"fields.c.ignore-retract", "true"}},
       ErrorCode::kInvalidArgument,
       "exclude each other"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Datum value = c.type.kind() == TypeKind::kInt ? Datum(0) : Datum("x");
    if (c.type.kind() == TypeKind::kArray) value = Datum(DatumList());
    const Result<Datum> merged = Merged(c.type, c.options, {{value}, {value, kDelete}});
    ASSERT_THAT(merged, IsError(c.code));
    EXPECT_THAT(merged, HasMessage(c.message));
  }
}

TEST(AggregationTest, ReadsOnlyTheLowestRowAboveLevelZeroOfALookupTable) {
  // The row of level 1 already holds what level 3 holds: lookup compaction merged it in.
  const KeyValueSchema schema = OneColumn(DataType::Int());
  const auto sum_of = [&](const Options& options) -> Result<std::vector<KeyValueRow>> {
    BRAID_TRY_ASSIGN(const auto function, MakeMergeFunction(options, schema));
    std::vector<MergeSource> sources;
    const std::vector<std::int64_t> numbers = {0, 1, 2};
    const std::vector<int> levels = {3, 1, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      MergeSource source;
      source.batch = KeyValueBatch(schema, {{{1, 10}, numbers[i]}});
      source.sequence_numbers = &numbers[i];
      source.origin.level = levels[i];
      sources.push_back(std::move(source));
    }
    const std::vector<std::int32_t> row_sources = {0, 1, 2};
    const std::vector<std::int32_t> positions = {0, 0, 0};
    const std::vector<std::int32_t> ends = {3};
    MergedRows merged;
    BRAID_TRY(function->Merge({sources, row_sources, positions, ends}, merged));
    return std::vector<KeyValueRow>{{{1, DatumAt(*merged.columns[1], 0, DataType::Int())}, merged.sequence_numbers[0]}};
  };
  Options::Map options = With("sum");
  options.emplace("merge-engine", "aggregation");
  EXPECT_THAT(sum_of(Options(options)), HasValue(testing::ElementsAre(KeyValueRow{{1, 30}, 2})));
  options.emplace("changelog-producer", "lookup");
  EXPECT_THAT(sum_of(Options(options)), HasValue(testing::ElementsAre(KeyValueRow{{1, 20}, 2})));
}

}  // namespace
}  // namespace braid
