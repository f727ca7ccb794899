#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/golden_rows_testing.h"
#include "format/orc_format.h"
#include "format/rows_testing.h"
#include "io/fault_injecting_file_system.h"

namespace braid {
namespace {

/// As Java reads them back from ORC: the second before 1970 becomes the second after, where nanoseconds follow.
std::vector<DatumList> OrcLimitRows() {
  std::vector<DatumList> rows = LimitRows();
  const auto fields = TypeFields();
  for (const char* prefix : {"ts", "tz"}) {
    rows[1][FindField(fields, prefix + std::string("3")).value()] = Timestamp{999, 0};
    rows[1][FindField(fields, prefix + std::string("6")).value()] = Timestamp{999, 999000};
    rows[1][FindField(fields, prefix + std::string("9")).value()] = Timestamp{999, 999999};
  }
  return rows;
}

/// CHAR values are filled up with spaces in ORC and cut when read.
std::vector<DatumList> OrcSpecialRows() {
  std::vector<DatumList> rows = SpecialRows();
  rows[0][FindField(TypeFields(), "c").value()] = "";
  return rows;
}

TEST(OrcTest, ReadsEveryTypeAsJavaReadsIt) {
  const std::vector<DataField> fields = TypeFields();
  const auto limits = WithTestFile("types_limits.orc");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto limit_rows, ReadFile(OrcFormat(), *limits, "/types_limits.orc", fields));
  ExpectSameRows(limit_rows, OrcLimitRows(), fields);
  const auto special = WithTestFile("types_special.orc");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto special_rows, ReadFile(OrcFormat(), *special, "/types_special.orc", fields));
  ExpectSameRows(special_rows, OrcSpecialRows(), fields);
}

TEST(OrcTest, ReadsNestedColumns) {
  const auto files = WithTestFile("nested.orc");
  std::vector<DatumList> expected = NestedRows();
  expected[3][6] = List({List({0, Timestamp{999, 999000}})});
  for (const std::int64_t batch_rows : {1, 3, 100}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto rows,
                               ReadFile(OrcFormat(), *files, "/nested.orc", NestedFields(), batch_rows));
    ExpectSameRows(rows, expected, NestedFields());
  }
}

TEST(OrcTest, ReadsTimestampsBeyondSixtyFourBitNanoseconds) {
  const std::vector<DataField> fields = MakeFields({{"id", DataType::Int()},
                                                    {"ts7", DataType::Timestamp(7)},
                                                    {"ts9", DataType::Timestamp(9)},
                                                    {"tz9", DataType::TimestampLtz(9)}});
  const auto files = WithTestFile("far_nanos.orc");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(OrcFormat(), *files, "/far_nanos.orc", fields));
  const std::int64_t early = MillisOf(1600, 1, 1);
  const std::int64_t late = MillisOf(2500, 12, 31, 23, 59, 59, 999);
  ExpectSameRows(rows,
                 {{1, Timestamp{early, 100}, Timestamp{early, 1}, Timestamp{early, 1}},
                  {2, Timestamp{late, 999900}, Timestamp{late, 999999}, Timestamp{late, 999999}},
                  {3, Timestamp{999, 999900}, Timestamp{999, 999999}, Timestamp{999, 999999}}},
                 fields);
}

TEST(OrcTest, ReadsTheFirstAndLastYearsAsJavaDoes) {
  const std::vector<DataField> fields = MakeFields({{"id", DataType::Int()},
                                                    {"d", DataType::Date()},
                                                    {"ts0", DataType::Timestamp(0)},
                                                    {"ts6", DataType::Timestamp(6)},
                                                    {"tz3", DataType::TimestampLtz(3)}});
  const auto files = WithTestFile("far_timestamps.orc");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(OrcFormat(), *files, "/far_timestamps.orc", fields));
  // Java's writer takes early years for Julian ones (golden expected/orc-latest.jsonl).
  const std::int64_t first = MillisOf(0, 12, 30);
  const std::int64_t last = MillisOf(9999, 12, 31, 23, 59, 59);
  const std::int64_t julian = MillisOf(1582, 10, 14, 12);
  ASSERT_EQ(rows.size(), 5U);
  ExpectSameRows({rows[0], rows[1], rows[4]},
                 {{1, -719162, Timestamp{first, 0}, Timestamp{first, 1000}, Timestamp{first + 1, 0}},
                  {2, 2932896, Timestamp{last, 0}, Timestamp{last + 999, 999000}, Timestamp{last + 999, 0}},
                  {5, -141438, Timestamp{julian, 0}, Timestamp{julian, 0}, Timestamp{julian, 0}}},
                 fields);
}

TEST(OrcTest, ReadsEveryTimestampPrecision) {
  std::vector<std::pair<std::string, DataType>> columns;
  DatumList first;
  const std::array<std::int64_t, 10> nanos = {0,           100'000'000, 120'000'000, 123'000'000, 123'400'000,
                                              123'450'000, 123'456'000, 123'456'700, 123'456'780, 123'456'789};
  for (int p = 0; p <= 9; ++p) {
    columns.emplace_back("ts" + std::to_string(p), DataType::Timestamp(p));
    columns.emplace_back("tz" + std::to_string(p), DataType::TimestampLtz(p));
    const std::int64_t part = nanos[static_cast<std::size_t>(p)];
    const Timestamp value = {MillisOf(2024, 6, 30, 23, 59, 59) + part / 1'000'000,
                             static_cast<std::int32_t>(part % 1'000'000)};
    first.emplace_back(value);
    first.emplace_back(value);
  }
  const std::vector<DataField> fields = MakeFields(columns);
  const auto files = WithTestFile("timestamp_precisions.orc");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(OrcFormat(), *files, "/timestamp_precisions.orc", fields));
  ASSERT_EQ(rows.size(), 3U);
  ExpectSameRows({rows[0], rows[2]}, {first, DatumList(20)}, fields);
  EXPECT_TRUE(SameDatum(rows[1][0], Timestamp{-1000, 0}));
  EXPECT_TRUE(SameDatum(rows[1][19], Timestamp{987, 654321}));
}

TEST(OrcTest, ReadsMultisets) {
  const std::vector<DataField> fields = MakeFields({{"id", DataType::Int()},
                                                    {"ms", DataType::Multiset(DataType::String())},
                                                    {"mi", DataType::Multiset(DataType::Int())}});
  const auto files = WithTestFile("multiset.orc");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(OrcFormat(), *files, "/multiset.orc", fields));
  ExpectSameRows(rows,
                 {{1, List({List({"a", 2}), List({"b", 1})}), List({List({5, 3})})},
                  {2, List({}), List({})},
                  {3, Datum(), Datum()}},
                 fields);
}

TEST(OrcTest, FillsMissingColumnsWithNullAndReadsTimestampsAlone) {
  const auto files = WithTestFile("types_limits.orc");
  const std::vector<DataField> fields = MakeFields({{"ts0", DataType::Timestamp(0)}, {"added", DataType::Int()}});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(OrcFormat(), *files, "/types_limits.orc", fields));
  ExpectSameRows(
      rows, {{Timestamp{MillisOf(2024, 2, 29, 12, 34, 56), 0}, Datum()}, {Timestamp{-1000, 0}, Datum()}, DatumList(2)},
      fields);
}

/// Each row of the golden files, and what it is once it was in an ORC file.
struct GoldenRows {
  std::vector<DatumList> rows;
  std::vector<DatumList> read;
};
GoldenRows AllGoldenRows() {
  GoldenRows golden{.rows = LimitRows(), .read = OrcLimitRows()};
  for (std::vector<DatumList>* rows : {&golden.rows, &golden.read}) {
    for (DatumList& row : SpecialRows()) rows->push_back(std::move(row));
  }
  const auto text = FindField(TypeFields(), "c").value();
  golden.rows[3][text] = "a  ";
  golden.read[3][text] = "a";
  return golden;
}

TEST(OrcTest, ReadsBackEveryTypeThatItWrote) {
  const std::vector<DataField> fields = TypeFields();
  const auto [rows, expected] = AllGoldenRows();
  for (const char* codec : {"zstd", "snappy", "zlib", "lz4", "none"}) {
    SCOPED_TRACE(codec);
    MemoryFileSystem files;
    BRAID_ASSERT_OK_AND_ASSIGN(
        const WrittenFile written,
        WriteFile(OrcFormat(), files, "/t/f.orc", fields, rows, Options(Options::Map{{"file.compression", codec}})));
    EXPECT_EQ(written.row_count, 6);
    BRAID_ASSERT_OK_AND_ASSIGN(const FileStatus status, files.Stat("/t/f.orc"));
    EXPECT_EQ(written.size_bytes, status.size_bytes);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(OrcFormat(), files, "/t/f.orc", fields));
    ExpectSameRows(read, expected, fields);
  }
}

TEST(OrcTest, ReadsBackTimestampsOfAllYears) {
  const std::vector<DataField> fields = MakeFields({{"ts3", DataType::Timestamp(3)},
                                                    {"tz6", DataType::TimestampLtz(6)},
                                                    {"ts9", DataType::Timestamp(9)},
                                                    {"tz9", DataType::TimestampLtz(9)}});
  std::vector<DatumList> rows;
  for (const int year : {1, 1600, 1677, 1969, 1970, 2014, 2015, 2262, 9999}) {
    for (const int milli : {0, 1, 999}) {
      const std::int64_t millis = MillisOf(year, 12, 31, 23, 59, year == 1969 ? 58 : 59, milli);
      rows.push_back({Timestamp{millis, 0}, Timestamp{millis, 5000}, Timestamp{millis, 1}, Timestamp{millis, 999'999}});
    }
  }
  // The last second before 1970 up to its first millisecond, the only part of it that ORC can hold.
  rows.push_back({Timestamp{-1000, 0}, Timestamp{-1000, 999'000}, Timestamp{-1000, 1}, Timestamp{-1000, 999'999}});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(OrcFormat(), files, "/f.orc", fields, rows), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(OrcFormat(), files, "/f.orc", fields));
  ExpectSameRows(read, rows, fields);
}

TEST(OrcTest, ReadsBackTimestampsOfAllYearsInsideOtherColumns) {
  const DataType row = DataType::Row({{FieldId(9), "t", DataType::TimestampLtz(6), {}, {}}});
  const std::vector<DataField> fields =
      MakeFields({{"a", DataType::Array(DataType::Timestamp(9))},
                  {"m", DataType::Map(DataType::Timestamp(3), DataType::Array(DataType::TimestampLtz(9)))},
                  {"r", row}});
  std::vector<DatumList> rows;
  for (const int year : {1, 1600, 1677, 2262, 2500, 9999}) {
    const std::int64_t millis = MillisOf(year, 12, 31, 23, 59, 59, 999);
    const Datum wide = Timestamp{millis, 999'999};
    rows.push_back({List({wide, Datum(), wide}), List({List({Timestamp{millis, 0}, Datum(DatumList{wide})})}),
                    List({Timestamp{millis, 999'000}})});
    rows.push_back({Datum(), Datum(), List({Datum()})});
  }
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(OrcFormat(), files, "/f.orc", fields, rows), IsOk());
  for (const std::int64_t batch_rows : {1, 5, 100}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(OrcFormat(), files, "/f.orc", fields, batch_rows));
    ExpectSameRows(read, rows, fields);
  }
}

TEST(OrcTest, ReadsBackNestedColumnsAndSlices) {
  std::vector<DataField> fields = NestedFields();
  fields.push_back({FieldId(30), "bag", DataType::Multiset(DataType::Char(3)), {}, {}});
  std::vector<DatumList> rows = NestedRows();
  for (DatumList& row : rows) row.push_back(List({List({"x", 2}), List({"y", 1})}));
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, OrcFormat().OpenWriter(files, "/f.orc", fields, {}));
  ASSERT_THAT(writer->Write({batch.rows->Slice(1, 2), nullptr}), IsOk());
  ASSERT_THAT(writer->Write({batch.rows->Slice(0, 1), nullptr}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written, writer->Finish());
  EXPECT_EQ(written.columns[1].null_count, 1);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(OrcFormat(), files, "/f.orc", fields));
  ExpectSameRows(read, {rows[1], rows[2], rows[0]}, fields);
}

TEST(OrcTest, ReadsManyRowsOfTimestampsInEveryEncoding) {
  // Runs of equal, evenly spaced, small, and outlying values make the writer choose each of its encodings.
  const std::vector<DataField> fields = MakeFields({{"t", DataType::Timestamp(6)}, {"k", DataType::BigInt()}});
  std::vector<DatumList> rows;
  std::uint64_t random = 42;
  for (int i = 0; i < 30'000; ++i) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    std::int64_t millis = MillisOf(2020, 1, 1);
    switch (i / 1000 % 5) {
      case 0: break;
      case 1: millis += i * 1000; break;
      case 2: millis += static_cast<std::int64_t>(random >> 40); break;
      case 3: millis += static_cast<std::int64_t>(i % 97 == 0 ? random >> 20 : random >> 48); break;
      default: millis -= static_cast<std::int64_t>(random >> 22); break;
    }
    if (millis < 0 && millis > -1000) millis = 0;  // a second that ORC cannot hold
    rows.push_back({i % 11 == 0 ? Datum() : Datum(Timestamp{millis, 1000 * (i % 3)}), i});
  }
  MemoryFileSystem files;
  ASSERT_THAT(
      WriteFile(OrcFormat(), files, "/f.orc", fields, rows, Options(Options::Map{{"orc.stripe.size", "64 kb"}})),
      IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(OrcFormat(), files, "/f.orc", fields, 1000));
  ExpectSameRows(read, rows, fields);
}

TEST(OrcTest, TellsPositionsAndWritesEmptyFiles) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::BigInt()}});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(OrcFormat(), files, "/empty.orc", fields, {}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto none, ReadFile(OrcFormat(), files, "/empty.orc", fields));
  EXPECT_TRUE(none.empty());
  std::vector<DatumList> rows;
  for (int i = 0; i < 5000; ++i) rows.push_back({i});
  ASSERT_THAT(WriteFile(OrcFormat(), files, "/f.orc", fields, rows), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto reader,
      OrcFormat().OpenReader(files, "/f.orc", {.columns = fields, .filter = nullptr, .batch_rows = 2000}));
  for (const std::int64_t first : {0, 2000, 4000}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, reader->Next());
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(reader->first_row_of_last_batch(), first);
  }
}

TEST(OrcTest, RecordsBoundsOfTimestampsAsTheyAreRead) {
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written,
                             WriteFile(OrcFormat(), files, "/f.orc", TypeFields(), AllGoldenRows().rows));
  const auto ts9 = FindField(TypeFields(), "ts9").value();
  EXPECT_TRUE(SameDatum(written.columns[ts9].min, Timestamp{MillisOf(1900, 1, 1), 1}));
  EXPECT_TRUE(SameDatum(written.columns[ts9].max, Timestamp{MillisOf(2024, 2, 29, 12, 34, 56, 789), 12345}));
  // Otherwise a reader that looks for what it would read leaves the file out.
  const std::vector<DataField> fields = MakeFields(
      {{"a", DataType::Array(DataType::Int())}, {"t", DataType::Timestamp(3)}, {"empty", DataType::Timestamp(3)}});
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile late,
                             WriteFile(OrcFormat(), files, "/g.orc", fields, {{List({1}), Timestamp{-1, 0}, Datum()}}));
  EXPECT_TRUE(SameDatum(late.columns[1].min, Timestamp{999, 0}));
  EXPECT_TRUE(SameDatum(late.columns[1].max, Timestamp{999, 0}));
  EXPECT_TRUE(late.columns[2].min.is_null());
}

TEST(OrcTest, RefusesWhatOrcCannotHold) {
  MemoryFileSystem files;
  const auto variant = OrcFormat().OpenWriter(files, "/f.orc", MakeFields({{"v", DataType::Variant()}}), {});
  EXPECT_THAT(variant, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(variant, HasMessage("column v"));
  const auto codec = OrcFormat().OpenWriter(files, "/f.orc", MakeFields({{"k", DataType::Int()}}),
                                            Options(Options::Map{{"orc.compress", "lzo"}}));
  EXPECT_THAT(codec, HasMessage("'lzo'"));
  EXPECT_THAT(files.AllFiles(), testing::IsEmpty());
}

TEST(OrcTest, ReportsDamagedFilesByName) {
  const std::string good = TestFile("types_limits.orc");
  const auto read = [&](std::string content) -> Status {
    MemoryFileSystem files;
    BRAID_TRY(files.Replace("/t/bad.orc", content));
    BRAID_TRY_ASSIGN(const auto reader,
                     OrcFormat().OpenReader(files, "/t/bad.orc", {.columns = TypeFields(), .filter = nullptr}));
    BRAID_TRY(ReadAllBatches(*reader));
    return Ok();
  };
  ASSERT_THAT(read(good), IsOk());
  for (std::size_t size = 0; size < good.size(); size += 97) {
    SCOPED_TRACE(size);
    const Status status = read(good.substr(0, size));
    EXPECT_THAT(status, IsError(ErrorCode::kCorruption));
    EXPECT_THAT(status, HasMessage("/t/bad.orc"));
  }
  // A wrong byte anywhere gives an error or other values, never a crash.
  for (std::size_t at = 0; at < good.size(); at += 13) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    if (const Status status = read(changed); !status) {
      EXPECT_THAT(status.error().code(), testing::AnyOf(ErrorCode::kCorruption, ErrorCode::kUnsupported)) << at;
    }
  }
}

TEST(OrcTest, NamesACodecThatCannotBeRead) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::Int()}});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(OrcFormat(), files, "/f.orc", fields, {{1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(std::string content, files.ReadAll("/f.orc"));
  // The postscript's second field: 5 is zstd, 3 is lzo.
  const std::size_t at = content.rfind("\x10\x05");
  ASSERT_NE(at, std::string::npos);
  content[at + 1] = '\x03';
  ASSERT_THAT(files.Replace("/f.orc", content), IsOk());
  const auto rows = ReadFile(OrcFormat(), files, "/f.orc", fields);
  EXPECT_THAT(rows, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(rows, HasMessage("/f.orc is compressed with lzo"));
}

TEST(OrcTest, PassesOnEveryFailureOfTheStorage) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::Int()}, {"t", DataType::Timestamp(3)}});
  for (int nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    FaultInjectingFileSystem files(std::make_shared<MemoryFileSystem>());
    files.FailAt(nth, FaultInjectingFileSystem::Fault::kFail);
    const auto attempt = [&]() -> Status {
      BRAID_TRY(WriteFile(OrcFormat(), files, "/f.orc", fields, {{1, Timestamp{5, 0}}}));
      BRAID_TRY_ASSIGN(const auto rows, ReadFile(OrcFormat(), files, "/f.orc", fields));
      return Ok();
    };
    const Status status = attempt();
    if (!files.struck()) {
      EXPECT_THAT(status, IsOk());
      return;
    }
    EXPECT_THAT(status, IsError(ErrorCode::kIo));
  }
}

}  // namespace
}  // namespace braid
