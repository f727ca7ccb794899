#include "types/batch.h"

#include <limits>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

DataField Field(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

struct TypedValues {
  DataType type;
  std::string arrow_type;
  DatumList values;
};

/// Every type with three values, the last one NULL.
std::vector<TypedValues> EveryType() {
  const Int128 big = (Int128{1} << 100) + 7;
  const DataType row = DataType::Row({Field(0, "a", DataType::Int()), Field(1, "b", DataType::String())});
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  return {
      {DataType::Boolean(), "bool", {true, false, {}}},
      {DataType::TinyInt(), "int8", {-128, 127, {}}},
      {DataType::SmallInt(), "int16", {-32768, 32767, {}}},
      {DataType::Int(), "int32", {-2147483647, 5, {}}},
      {DataType::BigInt(), "int64", {max, -1, {}}},
      {DataType::Float(), "float", {1.5F, -0.0F, {}}},
      {DataType::Double(), "double", {1.5, -0.0, {}}},
      {DataType::Decimal(38, 2), "decimal128(38, 2)", {Decimal{big}, Decimal{-big}, {}}},
      {DataType::Decimal(4, 2), "decimal128(4, 2)", {Decimal{9999}, Decimal{-9999}, {}}},
      {DataType::Char(3), "string", {"abc", "", {}}},
      {DataType::String(), "string", {"a longer text", "b", {}}},
      {DataType::Bytes(), "binary", {std::string("\0\1", 2), "x", {}}},
      {DataType::Blob(), "binary", {std::string("\0\1", 2), "x", {}}},
      {DataType::Date(), "date32[day]", {-1, 19857, {}}},
      {DataType::Time(9), "time32[ms]", {0, 86'399'999, {}}},
      {DataType::Timestamp(0), "timestamp[ms]", {Timestamp{-1, 0}, Timestamp{1000, 0}, {}}},
      {DataType::Timestamp(6), "timestamp[us]", {Timestamp{-1, 999'000}, Timestamp{5, 6000}, {}}},
      {DataType::Timestamp(9), "struct<millis: int64 not null, nanos: int32 not null>",
       {Timestamp{max, 999'999}, Timestamp{-5, 1}, {}}},
      {DataType::TimestampLtz(3), "timestamp[ms, tz=UTC]", {Timestamp{-1, 0}, Timestamp{1, 0}, {}}},
      {DataType::TimestampLtz(6), "timestamp[us, tz=UTC]", {Timestamp{-1, 0}, Timestamp{1, 1000}, {}}},
      {DataType::Variant(), "struct<value: binary, metadata: binary>",
       {DatumList{"v", "m"}, DatumList{"value", ""}, {}}},
      {DataType::Array(DataType::Int().NotNull()), "list<element: int32 not null>",
       {DatumList{1, 2, 3}, DatumList{}, {}}},
      {DataType::Array(DataType::Array(DataType::String())), "list<element: list<element: string>>",
       {DatumList{DatumList{"a", Datum()}, Datum()}, DatumList{Datum(DatumList{})}, {}}},
      {DataType::Vector(DataType::Float(), 2), "list<element: float>", {DatumList{1.0F, 2.0F}, DatumList{0.0F, 0.0F}, {}}},
      {DataType::Map(DataType::String(), DataType::Boolean()), "map<string, bool>",
       {DatumList{DatumList{"k", true}, DatumList{"l", Datum()}}, DatumList{}, {}}},
      {DataType::Multiset(DataType::Int()), "map<int32, int32>", {DatumList{Datum(DatumList{7, 2})}, DatumList{}, {}}},
      {row, "struct<a: int32, b: string>", {DatumList{1, "x"}, DatumList{Datum(), Datum()}, {}}},
      {DataType::Map(DataType::Int(), row), "map<int32, struct<a: int32, b: string>>",
       {DatumList{Datum(DatumList{1, DatumList{2, "y"}})}, DatumList{Datum(DatumList{1, Datum()})}, {}}},
  };
}

DatumList AllOf(const arrow::Array& column, const DataType& type) {
  DatumList out;
  for (std::int64_t i = 0; i < column.length(); ++i) out.push_back(DatumAt(column, i, type));
  return out;
}

TEST(BatchTest, GivesBackTheValuesThatColumnsWereMadeOf) {
  for (const TypedValues& c : EveryType()) {
    SCOPED_TRACE(c.type.ToString());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto column, MakeColumn(c.values, c.type));
    EXPECT_TRUE(column->ValidateFull().ok()) << column->ValidateFull().ToString();
    EXPECT_EQ(column->null_count(), 1);
    EXPECT_TRUE(column->type()->Equals(*ToArrowType(c.type)));
    EXPECT_THAT(ToArrowType(c.type)->ToString(), testing::StartsWith(c.arrow_type));
    EXPECT_EQ(AllOf(*column, c.type), c.values);
    EXPECT_EQ(AllOf(*column->Slice(1), c.type), DatumList(c.values.begin() + 1, c.values.end()));
  }
}

TEST(BatchTest, TakesRowsOfEveryTypeAlsoFromSlices) {
  const std::vector<std::int32_t> positions = {2, 0, 0, 1, 2};
  for (const TypedValues& c : EveryType()) {
    SCOPED_TRACE(c.type.ToString());
    DatumList padded = {Datum()};
    padded.insert(padded.end(), c.values.begin(), c.values.end());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto whole, MakeColumn(padded, c.type));
    const std::shared_ptr<arrow::Array> slice = whole->Slice(1);
    const std::vector<std::int32_t> sources(positions.size(), 0);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto taken, Interleave(std::span(&slice, 1), sources, positions));
    EXPECT_TRUE(taken->ValidateFull().ok()) << taken->ValidateFull().ToString();
    EXPECT_EQ(AllOf(*taken, c.type), (DatumList{c.values[2], c.values[0], c.values[0], c.values[1], c.values[2]}));
  }
}

TEST(BatchTest, InterleavesColumnsOfEveryType) {
  for (const TypedValues& c : EveryType()) {
    SCOPED_TRACE(c.type.ToString());
    std::vector<std::shared_ptr<arrow::Array>> columns;
    BRAID_ASSERT_OK_AND_ASSIGN(columns.emplace_back(), MakeColumn(c.values, c.type));
    columns.push_back(columns[0]->Slice(1));
    BRAID_ASSERT_OK_AND_ASSIGN(columns.emplace_back(), MakeColumn(DatumList{c.values[1]}, c.type));
    const std::vector<std::int32_t> sources = {1, 0, 2, 1, 0, 0};
    const std::vector<std::int32_t> positions = {0, 0, 0, 1, 1, 2};
    BRAID_ASSERT_OK_AND_ASSIGN(const auto mixed, Interleave(columns, sources, positions));
    EXPECT_TRUE(mixed->ValidateFull().ok()) << mixed->ValidateFull().ToString();
    EXPECT_EQ(AllOf(*mixed, c.type),
              (DatumList{c.values[1], c.values[0], c.values[1], c.values[2], c.values[1], c.values[2]}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto none, Interleave(columns, {}, {}));
    EXPECT_EQ(none->length(), 0);
    EXPECT_TRUE(none->ValidateFull().ok());
  }
}

TEST(BatchTest, InterleavesManyRowsAcrossBytesOfTheBitmap) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  DatumList expected;
  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> positions;
  for (int source = 0; source < 3; ++source) {
    DatumList values;
    for (int i = 0; i < 100; ++i) values.push_back((i + source) % 3 == 0 ? Datum() : Datum(source * 1000 + i));
    BRAID_ASSERT_OK_AND_ASSIGN(columns.emplace_back(), MakeColumn(values, DataType::Int()));
  }
  for (int i = 0; i < 300; ++i) {
    sources.push_back(i % 3);
    positions.push_back((i * 7) % 100);
    expected.push_back(DatumAt(*columns[static_cast<std::size_t>(sources.back())], positions.back(), DataType::Int()));
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const auto mixed, Interleave(columns, sources, positions));
  EXPECT_TRUE(mixed->ValidateFull().ok());
  EXPECT_EQ(AllOf(*mixed, DataType::Int()), expected);
}

TEST(BatchTest, RefusesToInterleaveColumnsOfDifferentTypes) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  BRAID_ASSERT_OK_AND_ASSIGN(columns.emplace_back(), MakeColumn(DatumList{1}, DataType::Int()));
  BRAID_ASSERT_OK_AND_ASSIGN(columns.emplace_back(), MakeColumn(DatumList{1}, DataType::BigInt()));
  const std::vector<std::int32_t> zeros = {0};
  EXPECT_THAT(Interleave(columns, zeros, zeros), IsError(ErrorCode::kInternal));
}

TEST(BatchTest, MakesConstantColumns) {
  for (const TypedValues& c : EveryType()) {
    SCOPED_TRACE(c.type.ToString());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto column, MakeConstantColumn(c.values[0], c.type, 3));
    EXPECT_EQ(AllOf(*column, c.type), (DatumList{c.values[0], c.values[0], c.values[0]}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto nulls, MakeConstantColumn(Datum(), c.type, 2));
    EXPECT_EQ(nulls->null_count(), 2);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto empty, MakeConstantColumn(c.values[0], c.type, 0));
    EXPECT_EQ(empty->length(), 0);
  }
}

TEST(BatchTest, RefusesValuesThatDoNotFitTheType) {
  const std::vector<std::pair<DataType, Datum>> cases = {
      {DataType::TinyInt(), 128},
      {DataType::Int(), std::int64_t{1} << 31},
      {DataType::Int(), "1"},
      {DataType::BigInt(), 1.0},
      {DataType::Float(), 1.0},
      {DataType::Boolean(), 1},
      {DataType::String(), 1},
      {DataType::Decimal(4, 2), Decimal{10000}},
      {DataType::Decimal(38, 0), Decimal{((Int128{1} << 126) - 1) * 2 + 1}},
      {DataType::Timestamp(3), Timestamp{0, 1000}},
      {DataType::Timestamp(6), Timestamp{0, 1}},
      {DataType::Timestamp(6), Timestamp{std::numeric_limits<std::int64_t>::max(), 0}},
      {DataType::Timestamp(9), 5},
      {DataType::Array(DataType::Int()), DatumList{"x"}},
      {DataType::Vector(DataType::Int(), 2), DatumList{1}},
      {DataType::Map(DataType::Int(), DataType::Int()), DatumList{1}},
      {DataType::Map(DataType::Int(), DataType::Int()), DatumList{Datum(DatumList{Datum(), 1})}},
      {DataType::Row({Field(0, "a", DataType::Int())}), DatumList{}},
      {DataType::Variant(), DatumList{"v"}},
  };
  for (const auto& [type, value] : cases) {
    SCOPED_TRACE(type.ToString());
    EXPECT_THAT(MakeColumn(DatumList{value}, type), IsError(ErrorCode::kInvalidArgument));
    EXPECT_THAT(MakeColumn(DatumList{value}, type), HasMessage("does not fit "));
  }
}

TEST(BatchTest, MakesBatchesAndTakesTheirRowsWithKinds) {
  const std::vector<DataField> fields = {Field(0, "k", DataType::Int().NotNull()), Field(1, "v", DataType::String())};
  const std::vector<DatumList> rows = {{1, "a"}, {2, Datum()}, {3, "c"}};
  const std::vector<RowKind> kinds = {RowKind::kInsert, RowKind::kDelete, RowKind::kUpdateAfter};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows, kinds));
  EXPECT_EQ(batch.row_count(), 3);
  EXPECT_EQ(batch.kind(1), RowKind::kDelete);
  EXPECT_FALSE(batch.rows->schema()->field(0)->nullable());
  EXPECT_EQ(batch.rows->schema()->field_names(), (std::vector<std::string>{"k", "v"}));

  BRAID_ASSERT_OK_AND_ASSIGN(const Batch taken, TakeRows(batch, std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(AllOf(*taken.rows->column(0), DataType::Int()), (DatumList{3, 2}));
  EXPECT_EQ(taken.kind(0), RowKind::kUpdateAfter);
  EXPECT_EQ(taken.kind(1), RowKind::kDelete);

  BRAID_ASSERT_OK_AND_ASSIGN(const Batch range, TakeRows(batch, std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(AllOf(*range.rows->column(1), DataType::String()), (DatumList{Datum(), "c"}));
  EXPECT_EQ(range.kind(0), RowKind::kDelete);

  BRAID_ASSERT_OK_AND_ASSIGN(const Batch none, TakeRows(batch, {}));
  EXPECT_EQ(none.row_count(), 0);
}

TEST(BatchTest, MeansInsertWithoutKinds) {
  const std::vector<DataField> fields = {Field(0, "k", DataType::Int())};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, std::vector<DatumList>{{1}}));
  EXPECT_EQ(batch.kinds, nullptr);
  EXPECT_EQ(batch.kind(0), RowKind::kInsert);
  EXPECT_EQ(Batch{}.row_count(), 0);
}

TEST(BatchTest, RefusesRowsOfTheWrongWidth) {
  const std::vector<DataField> fields = {Field(0, "k", DataType::Int())};
  EXPECT_THAT(MakeBatch(fields, std::vector<DatumList>{{1, 2}}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(MakeBatch(fields, std::vector<DatumList>{{1}}, std::vector<RowKind>(2)),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(MakeBatch(fields, std::vector<DatumList>{{"x"}}), HasMessage("while filling column k"));
}

TEST(BatchTest, ReadsListedBatchesOnceAndStaysAtTheEnd) {
  const std::vector<DataField> fields = {Field(0, "k", DataType::Int())};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch first, MakeBatch(fields, std::vector<DatumList>{{1}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch second, MakeBatch(fields, std::vector<DatumList>{{2}, {3}}));
  const auto reader = MakeBatchReader({first, second});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto batches, ReadAllBatches(*reader));
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[1].row_count(), 2);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto end, reader->Next());
  EXPECT_FALSE(end.has_value());
}

}  // namespace
}  // namespace braid
