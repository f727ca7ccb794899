#include <array>
#include <limits>
#include <random>

#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "format/golden_rows_testing.h"
#include "format/parquet_format.h"
#include "format/rows_testing.h"
#include "io/fault_injecting_file_system.h"
#include "types/batch_bytes.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

TEST(ParquetTest, ReadsEveryTypeAsJavaWroteIt) {
  const std::vector<DataField> fields = TypeFields();
  const auto limits = WithTestFile("types_limits.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto limit_rows,
                             ReadFile(ParquetFormat(), *limits, "/types_limits.parquet", fields));
  ExpectSameRows(limit_rows, LimitRows(), fields);
  const auto special = WithTestFile("types_special.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto special_rows,
                             ReadFile(ParquetFormat(), *special, "/types_special.parquet", fields));
  ExpectSameRows(special_rows, SpecialRows(), fields);
}

TEST(ParquetTest, ReadsNestedColumnsAsJavaWroteThem) {
  const auto files = WithTestFile("nested.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), *files, "/nested.parquet", NestedFields()));
  ExpectSameRows(rows, NestedRows(), NestedFields());
}

TEST(ParquetTest, ReadsInt96BeyondSixtyFourBitNanosecondsAndBefore1970) {
  const std::vector<DataField> fields = MakeFields({{"id", DataType::Int()},
                                                    {"ts7", DataType::Timestamp(7)},
                                                    {"ts9", DataType::Timestamp(9)},
                                                    {"tz9", DataType::TimestampLtz(9)}});
  const auto files = WithTestFile("far_nanos.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), *files, "/far_nanos.parquet", fields));
  const std::int64_t early = MillisOf(1600, 1, 1);
  const std::int64_t late = MillisOf(2500, 12, 31, 23, 59, 59, 999);
  ExpectSameRows(rows,
                 {{1, Timestamp{early, 100}, Timestamp{early, 1}, Timestamp{early, 1}},
                  {2, Timestamp{late, 999900}, Timestamp{late, 999999}, Timestamp{late, 999999}},
                  {3, Timestamp{-1, 999900}, Timestamp{-1, 999999}, Timestamp{-1, 999999}}},
                 fields);
}

TEST(ParquetTest, ReadsInt96AsTimestampOfLowerPrecisionToo) {
  const std::vector<DataField> fields = MakeFields({{"ts7", DataType::Timestamp(3)}, {"ts9", DataType::Timestamp(6)}});
  const auto files = WithTestFile("far_nanos.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), *files, "/far_nanos.parquet", fields));
  const std::int64_t early = MillisOf(1600, 1, 1);
  const std::int64_t late = MillisOf(2500, 12, 31, 23, 59, 59, 999);
  ExpectSameRows(rows,
                 {{Timestamp{early, 0}, Timestamp{early, 0}},
                  {Timestamp{late, 0}, Timestamp{late, 999000}},
                  {Timestamp{-1, 0}, Timestamp{-1, 999000}}},
                 fields);
}

TEST(ParquetTest, ReadsTheFirstAndLastYears) {
  const std::vector<DataField> fields = MakeFields({{"d", DataType::Date()},
                                                    {"ts0", DataType::Timestamp(0)},
                                                    {"ts6", DataType::Timestamp(6)},
                                                    {"tz3", DataType::TimestampLtz(3)}});
  const auto files = WithTestFile("far_timestamps.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), *files, "/far_timestamps.parquet", fields));
  const std::int64_t first = MillisOf(1, 1, 1);
  const std::int64_t last = MillisOf(9999, 12, 31, 23, 59, 59);
  const std::int64_t julian = MillisOf(1582, 10, 4, 12);
  ASSERT_EQ(rows.size(), 5U);
  ExpectSameRows({rows[0], rows[1], rows[4]},
                 {{-719162, Timestamp{first, 0}, Timestamp{first, 1000}, Timestamp{first + 1, 0}},
                  {2932896, Timestamp{last, 0}, Timestamp{last + 999, 999000}, Timestamp{last + 999, 0}},
                  {-141438, Timestamp{julian, 0}, Timestamp{julian, 0}, Timestamp{julian, 0}}},
                 fields);
}

TEST(ParquetTest, ReadsEveryTimestampPrecision) {
  std::vector<std::pair<std::string, DataType>> columns;
  DatumList expected;
  DatumList before_epoch;
  const std::int64_t second = MillisOf(2024, 6, 30, 23, 59, 59);
  const std::array<std::int64_t, 10> nanos = {0,           100'000'000, 120'000'000, 123'000'000, 123'400'000,
                                              123'450'000, 123'456'000, 123'456'700, 123'456'780, 123'456'789};
  const std::array<std::int64_t, 10> before = {0,           900'000'000, 980'000'000, 987'000'000, 987'600'000,
                                               987'650'000, 987'654'000, 987'654'300, 987'654'320, 987'654'321};
  for (int p = 0; p <= 9; ++p) {
    columns.emplace_back("ts" + std::to_string(p), DataType::Timestamp(p));
    columns.emplace_back("tz" + std::to_string(p), DataType::TimestampLtz(p));
    const auto at = [p](std::int64_t base, const std::array<std::int64_t, 10>& parts) {
      const std::int64_t part = parts[static_cast<std::size_t>(p)];
      return Timestamp{base + part / 1'000'000, static_cast<std::int32_t>(part % 1'000'000)};
    };
    for (int zone = 0; zone < 2; ++zone) {
      expected.emplace_back(at(second, nanos));
      before_epoch.emplace_back(at(-1000, before));
    }
  }
  const std::vector<DataField> fields = MakeFields(columns);
  const auto files = WithTestFile("timestamp_precisions.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows,
                             ReadFile(ParquetFormat(), *files, "/timestamp_precisions.parquet", fields));
  ExpectSameRows(rows, {expected, before_epoch, DatumList(20)}, fields);
}

TEST(ParquetTest, ReadsVariantBytes) {
  const std::vector<DataField> fields = MakeFields({{"id", DataType::Int()}, {"v", DataType::Variant()}});
  const auto files = WithTestFile("variant.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), *files, "/variant.parquet", fields));
  ASSERT_EQ(rows.size(), 6U);
  // Row 3 is the text "text": a short string of 4 bytes (header 4 << 2 | 1) beside an empty dictionary of version 1.
  EXPECT_TRUE(SameDatum(rows[2][1], List({Bytes({0x11, 't', 'e', 'x', 't'}), Bytes({1, 0, 0})})));
  EXPECT_TRUE(rows[3][1].is_null());
}

TEST(ParquetTest, ReadsMultisets) {
  const std::vector<DataField> fields = MakeFields({{"id", DataType::Int()},
                                                    {"ms", DataType::Multiset(DataType::String())},
                                                    {"mi", DataType::Multiset(DataType::Int())}});
  const auto files = WithTestFile("multiset.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), *files, "/multiset.parquet", fields));
  ExpectSameRows(rows,
                 {{1, List({List({"a", 2}), List({"b", 1})}), List({List({5, 3})})},
                  {2, List({}), List({})},
                  {3, Datum(), Datum()}},
                 fields);
}

TEST(ParquetTest, FindsColumnsByNameInTheOrderAskedForAndFillsMissingOnesWithNull) {
  const std::vector<DataField> fields = MakeFields({{"ts9", DataType::Timestamp(9)},
                                                    {"added", DataType::Array(DataType::Int())},
                                                    {"i32", DataType::Int()},
                                                    {"b", DataType::Boolean()}});
  const auto files = WithTestFile("types_limits.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), *files, "/types_limits.parquet", fields));
  ExpectSameRows(rows,
                 {{Timestamp{MillisOf(2024, 2, 29, 12, 34, 56, 789), 12345}, Datum(), 2147483647, true},
                  {Timestamp{-1, 999999}, Datum(), std::int64_t{-2147483648}, false},
                  DatumList(4)},
                 fields);
  const std::vector<DataField> only_missing = MakeFields({{"added", DataType::Int()}});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto nulls,
                             ReadFile(ParquetFormat(), *files, "/types_limits.parquet", only_missing));
  ExpectSameRows(nulls, {DatumList(1), DatumList(1), DatumList(1)}, only_missing);
}

TEST(ParquetTest, ReadsBackEveryTypeThatItWrote) {
  const std::vector<DataField> fields = TypeFields();
  std::vector<DatumList> rows = LimitRows();
  for (DatumList& row : SpecialRows()) rows.push_back(std::move(row));
  for (const char* codec : {"zstd", "snappy", "gzip", "lz4", "none"}) {
    SCOPED_TRACE(codec);
    MemoryFileSystem files;
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written,
                               WriteFile(ParquetFormat(), files, "/t/f.parquet", fields, rows,
                                         Options(Options::Map{{"file.compression", codec}})));
    EXPECT_EQ(written.row_count, 6);
    BRAID_ASSERT_OK_AND_ASSIGN(const FileStatus status, files.Stat("/t/f.parquet"));
    EXPECT_EQ(written.size_bytes, status.size_bytes);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(ParquetFormat(), files, "/t/f.parquet", fields));
    ExpectSameRows(read, rows, fields);
  }
}

TEST(ParquetTest, ReadsBackNestedColumnsInBatchesOfAnySize) {
  std::vector<DataField> fields = NestedFields();
  fields.push_back({FieldId(30),
                    "far",
                    DataType::Array(DataType::Row({{FieldId(31), "t", DataType::Timestamp(9), {}, {}},
                                                   {FieldId(32), "n", DataType::Int(), {}, {}}})),
                    {},
                    {}});
  fields.push_back({FieldId(33), "bag", DataType::Multiset(DataType::String()), {}, {}});
  fields.push_back({FieldId(34), "v", DataType::Variant(), {}, {}});
  std::vector<DatumList> rows = NestedRows();
  const Timestamp far = {MillisOf(2500, 1, 1), 7};
  rows[0].push_back(List({List({far, 1}), Datum(), List({Datum(), 2}), List({Timestamp{-1, 5}, 3})}));
  rows[1].push_back(List({}));
  rows[2].emplace_back();
  rows[3].push_back(List({Datum(), List({far, 4})}));
  for (DatumList& row : rows) {
    row.push_back(List({List({"x", 2}), List({"y", 1})}));
    row.push_back(row[0].as_int() == 3 ? Datum() : List({"value", "metadata"}));
  }
  for (int i = 0; i < 10; ++i) rows.push_back(rows[static_cast<std::size_t>(i % 4)]);
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(ParquetFormat(), files, "/f.parquet", fields, rows), IsOk());
  for (const std::int64_t batch_rows : {1, 3, 100}) {
    SCOPED_TRACE(batch_rows);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(ParquetFormat(), files, "/f.parquet", fields, batch_rows));
    ExpectSameRows(read, rows, fields);
  }
}

TEST(ParquetTest, WritesSlicesOfBatches) {
  const std::vector<DataField> fields = NestedFields();
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, NestedRows()));
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, ParquetFormat().OpenWriter(files, "/f.parquet", fields, {}));
  ASSERT_THAT(writer->Write({batch.rows->Slice(3, 1), nullptr}), IsOk());
  ASSERT_THAT(writer->Write({batch.rows->Slice(0, 2), nullptr}), IsOk());
  ASSERT_THAT(writer->Finish(), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(ParquetFormat(), files, "/f.parquet", fields));
  ExpectSameRows(read, {NestedRows()[3], NestedRows()[0], NestedRows()[1]}, fields);
}

TEST(ParquetTest, GivesTheStatisticsThatJavaRecords) {
  const std::vector<DataField> fields = TypeFields();
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile limits,
                             WriteFile(ParquetFormat(), files, "/l.parquet", fields, LimitRows()));
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile special,
                             WriteFile(ParquetFormat(), files, "/s.parquet", fields, SpecialRows()));
  const DatumList high = LimitRows()[0];
  const DatumList low = LimitRows()[1];
  for (std::size_t i = 0; i < fields.size(); ++i) {
    SCOPED_TRACE(fields[i].name);
    EXPECT_EQ(limits.columns[i].null_count, 1);
    EXPECT_EQ(special.columns[i].null_count, 0);
    // As in the golden manifest: no bounds of byte strings and of INT96.
    const bool bounds = !fields[i].type.is_bytes() && fields[i].name != "ts9" && fields[i].name != "tz9";
    EXPECT_TRUE(SameDatum(limits.columns[i].min, bounds ? low[i] : Datum()));
    if (fields[i].name != "c") {
      EXPECT_TRUE(SameDatum(limits.columns[i].max, bounds ? high[i] : Datum()));
    }
  }
  const auto f64 = FindField(fields, "f64").value();
  EXPECT_TRUE(SameDatum(special.columns[f64].min, -0.0));
  EXPECT_TRUE(SameDatum(special.columns[f64].max, kNan));
  EXPECT_TRUE(SameDatum(special.columns[f64 - 1].min, -std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(SameDatum(special.columns[f64 - 1].max, kFloatNan));
}

TEST(ParquetTest, HasNoStatisticsOfNestedColumns) {
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written,
                             WriteFile(ParquetFormat(), files, "/f.parquet", NestedFields(), NestedRows()));
  EXPECT_TRUE(SameDatum(written.columns[0].max, 4));
  for (std::size_t i = 1; i < written.columns.size(); ++i) {
    EXPECT_EQ(written.columns[i].null_count, std::nullopt);
    EXPECT_TRUE(written.columns[i].min.is_null());
  }
}

TEST(ParquetTest, StartsRowGroupsByBlockSizeAndTellsPositions) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::BigInt().NotNull()}});
  std::vector<DatumList> rows;
  for (int i = 0; i < 40'000; ++i) rows.push_back({i});
  MemoryFileSystem files;
  const Options options(Options::Map{{"parquet.block.size", "1 kb"}, {"parquet.enable.dictionary", "false"}});
  ASSERT_THAT(WriteFile(ParquetFormat(), files, "/f.parquet", fields, rows, options), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto reader,
      ParquetFormat().OpenReader(files, "/f.parquet", {.columns = fields, .filter = nullptr, .batch_rows = 5000}));
  std::int64_t expected_first = 0;
  int short_batches = 0;
  while (true) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) break;
    EXPECT_EQ(reader->first_row_of_last_batch(), expected_first);
    EXPECT_TRUE(SameDatum(DatumAt(*batch->rows->column(0), 0, fields[0].type), expected_first));
    short_batches += batch->rows->num_rows() < 5000 ? 1 : 0;
    expected_first += batch->rows->num_rows();
  }
  EXPECT_EQ(expected_first, 40'000);
  EXPECT_EQ(short_batches, 5);  // four groups of 8,192 rows and one of the rest, each read as 5,000 and fewer
}

TEST(ParquetTest, LeavesOutRowGroupsThatTheFilterCannotMatch) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::BigInt()},
                                                    {"d", DataType::Decimal(20, 2)},
                                                    {"s", DataType::String()},
                                                    {"t", DataType::Timestamp(6)},
                                                    {"x", DataType::Double()}});
  std::vector<DatumList> rows;
  for (int i = 0; i < 3 * 8192; ++i) {
    rows.push_back({i, Decimal{Int128{i} - 100}, "s" + std::to_string(i / 8192), Timestamp{i, 0},
                    i == 0 ? kNan : static_cast<double>(i)});
  }
  MemoryFileSystem files;
  const Options options(Options::Map{{"parquet.block.size", "1 kb"}});
  ASSERT_THAT(WriteFile(ParquetFormat(), files, "/f.parquet", fields, rows, options), IsOk());
  using Op = Predicate::Op;
  struct Case {
    PredicatePtr filter;
    std::int64_t first_row;
    std::size_t row_count;
  };
  const std::vector<Case> cases = {
      {Predicate::Leaf(Op::kEqual, "k", DataType::BigInt(), {8192}), 8192, 8192},
      {Predicate::Leaf(Op::kLess, "k", DataType::BigInt(), {0}), 0, 0},
      {Predicate::Leaf(Op::kLess, "d", DataType::Decimal(20, 2), {Decimal{0}}), 0, 8192},
      {Predicate::Leaf(Op::kEqual, "s", DataType::String(), {"s2"}), 16384, 8192},
      {Predicate::Leaf(Op::kGreater, "t", DataType::Timestamp(6), {Timestamp{8191, 0}}), 8192, 16384},
      {Predicate::Leaf(Op::kIsNull, "s", DataType::String()), 0, 0},
      // NaN is above every number, though the footer's bounds leave it out.
      {Predicate::Leaf(Op::kGreater, "x", DataType::Double(), {1e9}), 0, 3 * 8192},
      {Predicate::Leaf(Op::kEqual, "other", DataType::Int(), {1}), 0, 3 * 8192},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.filter->ToString());
    BRAID_ASSERT_OK_AND_ASSIGN(
        const auto reader, ParquetFormat().OpenReader(files, "/f.parquet",
                                                      {.columns = fields, .filter = c.filter, .batch_rows = 100'000}));
    std::size_t row_count = 0;
    while (true) {
      BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      if (row_count == 0) {
        EXPECT_EQ(reader->first_row_of_last_batch(), c.first_row);
      }
      row_count += static_cast<std::size_t>(batch->rows->num_rows());
    }
    EXPECT_EQ(row_count, c.row_count);
  }
}

TEST(ParquetTest, TellsTheBoundsOfRowGroups) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::BigInt()},
                                                    {"x", DataType::Double()},
                                                    {"r", DataType::Row(MakeFields({{"k", DataType::Int()}}))}});
  std::vector<DatumList> rows;
  for (int i = 0; i < 10'000; ++i) rows.push_back({i, 1.5, DatumList{i}});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(ParquetFormat(), files, "/f.parquet", fields, rows,
                        Options(Options::Map{{"parquet.block.size", "1 kb"}})),
              IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<RowGroup> groups,
                             ParquetFormat().RowGroups(files, "/f.parquet", fields[0]));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].row_count, 8192);
  EXPECT_EQ(groups[1].row_count, 10'000 - 8192);
  EXPECT_TRUE(SameDatum(groups[0].bounds.min, 0) && SameDatum(groups[0].bounds.max, 8191));
  EXPECT_TRUE(SameDatum(groups[1].bounds.min, 8192) && SameDatum(groups[1].bounds.max, 9999));
  EXPECT_GT(groups[0].size_bytes, groups[1].size_bytes);
  // Nothing that could be wrong: of DOUBLE (NaN), of rows and of columns that are not there.
  const DataField missing = MakeFields({{"missing", DataType::Int()}}).front();
  for (const DataField& field : {fields[1], fields[2], missing}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<RowGroup> unbounded,
                               ParquetFormat().RowGroups(files, "/f.parquet", field));
    ASSERT_EQ(unbounded.size(), 2U) << field.name;
    EXPECT_TRUE(unbounded[0].bounds.min.is_null() && unbounded[0].bounds.max.is_null()) << field.name;
  }
  EXPECT_THAT(ParquetFormat().RowGroups(files, "/missing.parquet", fields[0]), IsError(ErrorCode::kNotFound));
  ASSERT_THAT(files.Replace("/f.parquet", "PAR1 is not enough"), IsOk());
  EXPECT_THAT(ParquetFormat().RowGroups(files, "/f.parquet", fields[0]), IsError(ErrorCode::kCorruption));
}

TEST(ParquetTest, GrowsItsEstimateAsRowsCome) {
  const std::vector<DataField> fields = MakeFields({{"s", DataType::String()}});
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, ParquetFormat().OpenWriter(files, "/f.parquet", fields, {}));
  const std::vector<DatumList> rows(100, DatumList{std::string(1000, 'x')});
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  std::int64_t last = writer->estimated_bytes();
  for (int i = 0; i < 5; ++i) {
    ASSERT_THAT(writer->Write(batch), IsOk());
    EXPECT_GE(writer->estimated_bytes(), last);
    last = writer->estimated_bytes();
  }
  EXPECT_GT(last, 1000);
}

TEST(ParquetTest, RefusesNullInNotNullColumnsNamingTheColumn) {
  const std::vector<DataField> nullable =
      MakeFields({{"flat", DataType::Int()}, {"deep", DataType::Array(DataType::Int())}});
  const std::vector<DataField> strict =
      MakeFields({{"flat", DataType::Int().NotNull()}, {"deep", DataType::Array(DataType::Int().NotNull())}});
  for (const auto& [row, column] : std::vector<std::pair<DatumList, std::string>>{
           {{Datum(), List({})}, "column flat"}, {{1, List({Datum()})}, "column deep"}}) {
    const std::vector<DatumList> rows = {row};
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(nullable, rows));
    MemoryFileSystem files;
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, ParquetFormat().OpenWriter(files, "/f.parquet", strict, {}));
    const Status status = writer->Write(batch);
    EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument));
    EXPECT_THAT(status, HasMessage(column));
  }
}

TEST(ParquetTest, RefusesUnknownCompressionByName) {
  MemoryFileSystem files;
  const std::vector<DataField> fields = MakeFields({{"k", DataType::Int()}});
  const auto writer =
      ParquetFormat().OpenWriter(files, "/f.parquet", fields, Options(Options::Map{{"file.compression", "lzo"}}));
  EXPECT_THAT(writer, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(writer, HasMessage("'lzo'"));
  EXPECT_THAT(files.AllFiles(), testing::IsEmpty());
}

TEST(ParquetTest, ReportsDamagedFilesByName) {
  const std::string good = TestFile("types_limits.parquet");
  const std::vector<DataField> fields = TypeFields();
  const auto read = [&](std::string content) -> Status {
    MemoryFileSystem files;
    BRAID_TRY(files.Replace("/t/bad.parquet", content));
    BRAID_TRY_ASSIGN(const auto rows, ReadFile(ParquetFormat(), files, "/t/bad.parquet", fields));
    return Ok();
  };
  ASSERT_THAT(read(good), IsOk());
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{100}, good.size() / 2, good.size() - 1}) {
    SCOPED_TRACE(size);
    const Status status = read(good.substr(0, size));
    EXPECT_THAT(status, IsError(ErrorCode::kCorruption));
    EXPECT_THAT(status, HasMessage("/t/bad.parquet"));
  }
  std::string overwritten = good;
  std::fill(overwritten.begin() + 4, overwritten.begin() + 400, '\x5a');
  const Status status = read(overwritten);
  EXPECT_THAT(status, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(status, HasMessage("/t/bad.parquet"));
}

TEST(ParquetTest, NeverCrashesOnAChangedByte) {
  const std::string good = TestFile("nested.parquet");
  for (std::size_t at = 0; at < good.size(); at += 7) {
    MemoryFileSystem files;
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    ASSERT_THAT(files.Replace("/bad.parquet", changed), IsOk());
    const auto attempt = [&]() -> Status {
      BRAID_TRY_ASSIGN(const auto reader, ParquetFormat().OpenReader(files, "/bad.parquet",
                                                                     {.columns = NestedFields(), .filter = nullptr}));
      BRAID_TRY(ReadAllBatches(*reader));
      return Ok();
    };
    if (const Status status = attempt(); !status) {
      EXPECT_THAT(status.error().code(),
                  testing::AnyOf(ErrorCode::kCorruption, ErrorCode::kUnsupported, ErrorCode::kUnavailable))
          << at;
    }
  }
}

TEST(ParquetTest, NamesACodecThatCannotBeRead) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::Int()}});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(ParquetFormat(), files, "/f.parquet", fields, {{1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(std::string content, files.ReadAll("/f.parquet"));
  // In the footer the codec follows the column's path: a text of one byte, then an i32, zig-zag 6 (zstd) to be made 3
  // (lzo).
  const std::size_t at = content.find("\1k\x15\x0c");
  ASSERT_NE(at, std::string::npos);
  content[at + 3] = '\x06';
  ASSERT_THAT(files.Replace("/f.parquet", content), IsOk());
  const auto rows = ReadFile(ParquetFormat(), files, "/f.parquet", fields);
  EXPECT_THAT(rows, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(rows, HasMessage("/f.parquet is compressed with lzo"));
}

TEST(ParquetTest, ReportsAMissingFileAsNotFound) {
  const MemoryFileSystem files;
  EXPECT_THAT(ParquetFormat().OpenReader(files, "/none.parquet", {}), IsError(ErrorCode::kNotFound));
}

TEST(ParquetTest, PassesOnEveryFailureOfTheStorage) {
  const std::vector<DataField> fields = TypeFields();
  for (int nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    FaultInjectingFileSystem files(std::make_shared<MemoryFileSystem>());
    files.FailAt(nth, FaultInjectingFileSystem::Fault::kFail);
    const auto attempt = [&]() -> Status {
      BRAID_TRY(WriteFile(ParquetFormat(), files, "/f.parquet", fields, LimitRows()));
      BRAID_TRY_ASSIGN(const auto rows, ReadFile(ParquetFormat(), files, "/f.parquet", fields));
      EXPECT_EQ(rows.size(), 3U);
      return Ok();
    };
    const Status status = attempt();
    if (!files.struck()) {
      EXPECT_THAT(status, IsOk());
      EXPECT_GT(nth, 10);
      return;
    }
    EXPECT_THAT(status, IsError(ErrorCode::kIo));
  }
}

TEST(ParquetTest, NamesColumnsOfAnotherKind) {
  const auto files = WithTestFile("types_limits.parquet");
  const std::vector<DataField> fields = MakeFields({{"s", DataType::Int()}});
  const auto rows = ReadFile(ParquetFormat(), *files, "/types_limits.parquet", fields);
  EXPECT_THAT(rows, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(rows, HasMessage("column s is stored as string"));
  EXPECT_THAT(rows, HasMessage("/types_limits.parquet"));
}

/// Letters that no codec makes much smaller.
std::string RandomText(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string text(size, '\0');
  for (char& letter : text) letter = static_cast<char>(' ' + random() % 94);
  return text;
}

TEST(ParquetTest, ReadsLongRowsFewAtATime) {
  const std::vector<DataField> fields =
      MakeFields({{"k", DataType::Int()}, {"different", DataType::String()}, {"same", DataType::String()}});
  constexpr std::size_t kTextBytes = 256 * 1024;
  std::vector<DatumList> rows;
  for (int i = 0; i < 64; ++i)
    rows.push_back({i, RandomText(kTextBytes, static_cast<std::uint64_t>(i)), std::string(kTextBytes, 'x')});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(ParquetFormat(), files, "/f.parquet", fields, rows), IsOk());
  // A column that lies in a dictionary takes as little as nothing in the file.
  for (const std::vector<std::size_t>& wanted : {std::vector<std::size_t>{0, 1, 2}, {0, 2}}) {
    std::vector<DataField> columns;
    for (const std::size_t column : wanted) columns.push_back(fields[column]);
    BRAID_ASSERT_OK_AND_ASSIGN(
        const auto reader, ParquetFormat().OpenReader(files, "/f.parquet", {.columns = columns, .filter = nullptr}));
    std::int64_t read = 0;
    while (true) {
      BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      EXPECT_EQ(reader->first_row_of_last_batch(), read);
      EXPECT_LE(BytesOf(*batch->rows).used, kMaxBatchBytes + static_cast<std::int64_t>(kTextBytes));
      for (std::int64_t row = 0; row < batch->row_count(); ++row, ++read) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
          const Datum value = DatumAt(*batch->rows->column(static_cast<int>(i)), row, columns[i].type);
          EXPECT_TRUE(SameDatum(value, rows[static_cast<std::size_t>(read)][wanted[i]]));
        }
      }
    }
    EXPECT_EQ(read, 64);
  }
}

TEST(ParquetTest, KeepsLittleOfWhatItWritesInMemory) {
  const std::vector<DataField> fields = MakeFields({{"text", DataType::String()}});
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, ParquetFormat().OpenWriter(files, "/f.parquet", fields, {}));
  std::vector<DatumList> rows;
  for (std::uint64_t i = 0; i < 32; ++i) rows.push_back({RandomText(64 * 1024, i)});
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  const std::int64_t before = BufferPool()->bytes_allocated();
  std::int64_t most = 0;
  for (int i = 0; i < 40; ++i) {  // 80 MiB
    ASSERT_THAT(writer->Write(batch), IsOk());
    EXPECT_LT(writer->buffered_bytes(), std::int64_t{20} << 20);
    most = std::max(most, BufferPool()->bytes_allocated() - before);
  }
  EXPECT_LT(most, std::int64_t{48} << 20);  // a row group, in a buffer that doubles
  ASSERT_THAT(writer->Flush(), IsOk());
  EXPECT_EQ(writer->buffered_bytes(), 0);
  EXPECT_THAT(writer->Finish(), IsOk());
}

// Java takes bounds for those of all values, with NaN as the largest of them, and Arrow leaves NaN out of them.
TEST(ParquetTest, HasNoBoundsOfFloatingPointNumbers) {
  const std::vector<DataField> fields =
      MakeFields({{"f", DataType::Float()}, {"d", DataType::Double()}, {"k", DataType::Int()}});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(ParquetFormat(), files, "/f.parquet", fields, {{1.0F, 1.0, 1}, {2.0F, kNan, 2}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string content, files.ReadAll("/f.parquet"));
  const auto reader =
      parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(content)));
  const auto row_group = reader->metadata()->RowGroup(0);
  EXPECT_FALSE(row_group->ColumnChunk(0)->is_stats_set());
  EXPECT_FALSE(row_group->ColumnChunk(1)->is_stats_set());
  EXPECT_TRUE(row_group->ColumnChunk(2)->is_stats_set());
}

}  // namespace
}  // namespace braid
