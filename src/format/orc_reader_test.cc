#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/orc_format.h"
#include "format/orc_schema.h"
#include "format/orc_streams_testing.h"
#include "format/orc_test_file_testing.h"
#include "format/rows_testing.h"

namespace braid {
namespace {

using Kind = OrcStreamKind;

/// A file whose columns are of these types; the columns' streams are to be filled in.
OrcTestFile FileOf(const std::vector<DataField>& fields, std::uint64_t row_count) {
  OrcTestFile file{.types = EncodeOrcTypes(fields), .columns = {}, .row_count = row_count};
  file.columns.resize(file.types.size());
  return file;
}

Result<std::vector<DatumList>> Read(const OrcTestFile& file, const std::vector<DataField>& fields,
                                    std::int64_t batch_rows = 8192) {
  MemoryFileSystem files;
  BRAID_TRY(files.Replace("/f.orc", file.Encode()));
  return ReadFile(OrcFormat(), files, "/f.orc", fields, batch_rows);
}

DatumList List(DatumList values) {
  return values;
}

// Integers of version 1: a header, then a step and a first number, or 256 less the header of numbers.
const std::string kThreeOnes = OrcBytes({0x00, 0x00, 0x02});

TEST(OrcReaderTest, ReadsColumnsOfVersionOne) {
  const std::vector<DataField> fields = MakeFields({{"i", DataType::Int()},
                                                    {"s", DataType::String()},
                                                    {"c", DataType::Char(3)},
                                                    {"b", DataType::Bytes()},
                                                    {"a", DataType::Array(DataType::BigInt())},
                                                    {"t", DataType::Timestamp(9)},
                                                    {"d", DataType::Decimal(10, 2)},
                                                    {"e", DataType::Char(4)}});
  OrcTestFile file = FileOf(fields, 3);
  // 10, NULL, 12.
  file.columns[1].streams = {{Kind::kPresent, OrcBytes({0xff, 0xa0})}, {Kind::kData, OrcBytes({0xfe, 20, 24})}};
  // A dictionary of "", "ab", "cde": numbers 2, 0, 1.
  file.columns[2] = {.encoding = OrcEncoding::kDictionary,
                     .dictionary_size = 3,
                     .streams = {{Kind::kData, OrcBytes({0xfd, 2, 0, 1})},
                                 {Kind::kDictionaryData, "abcde"},
                                 {Kind::kLength, OrcBytes({0xfd, 0, 2, 3})}}};
  // CHAR values filled up, of which one is in the dictionary twice.
  file.columns[3] = {.encoding = OrcEncoding::kDictionary,
                     .dictionary_size = 2,
                     .streams = {{Kind::kData, OrcBytes({0xfd, 1, 0, 1})},
                                 {Kind::kDictionaryData, "   x  "},
                                 {Kind::kLength, OrcBytes({0xfe, 3, 3})}}};
  file.columns[4].streams = {{Kind::kData, "wxyz"}, {Kind::kLength, OrcBytes({0xfd, 1, 0, 3})}};
  // Lists of two, no and one element.
  file.columns[5].streams = {{Kind::kLength, OrcBytes({0xfd, 2, 0, 1})}};
  file.columns[6].streams = {{Kind::kData, OrcBytes({0x00, 0x01, 0x01})}};  // -1, 0, 1
  // 2015-01-01 and the next two seconds; 1 ns, 1 ms and half a second.
  file.columns[7].streams = {{Kind::kData, OrcBytes({0x00, 0x01, 0x00})},
                             {Kind::kSecondary, OrcBytes({0xfd, 1 << 3, (1 << 3) | 5, (5 << 3) | 7})}};
  file.columns[8].streams = {{Kind::kData, OrcBytes({0x7d, 0x01, 0x02})}, {Kind::kSecondary, kThreeOnes}};
  file.columns[9].streams = {{Kind::kData, "ab  c       "}, {Kind::kLength, OrcBytes({0x00, 0x00, 0x04})}};

  const std::int64_t start = MillisOf(2015, 1, 1);
  const std::vector<DatumList> expected = {
      {10, "cde", "x", "w", List({-1, 0}), Timestamp{start, 1}, Decimal{-630}, "ab"},
      {Datum(), "", "", "", List({}), Timestamp{start + 1001, 0}, Decimal{-10}, "c"},
      {12, "ab", "x", "xyz", List({1}), Timestamp{start + 2500, 0}, Decimal{10}, ""}};
  for (const std::int64_t batch_rows : {1, 2, 3}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, Read(file, fields, batch_rows));
    ExpectSameRows(rows, expected, fields);
  }
}

TEST(OrcReaderTest, ReadsDecimalsOfAnyScaleInTheScaleOfTheColumn) {
  const std::vector<DataField> fields = MakeFields({{"d", DataType::Decimal(20, 2)}});
  OrcTestFile file = FileOf(fields, 5);
  // 7 of scale -1, 125 of scale 1, -12345 and 12344 of scale 3, and 0 of scale 100.
  std::string numbers;
  for (const std::int64_t number : {7, 125, -12345, 12344, 0}) AppendVarint(ZigZagEncode(number), numbers);
  std::string scales = OrcBytes({0xfb});
  for (const std::int64_t scale : {-1, 1, 3, 3, 100}) AppendVarint(ZigZagEncode(scale), scales);
  file.columns[1].streams = {{Kind::kData, numbers}, {Kind::kSecondary, scales}};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, Read(file, fields));
  ExpectSameRows(rows, {{Decimal{7000}}, {Decimal{1250}}, {Decimal{-1235}}, {Decimal{1234}}, {Decimal{0}}}, fields);

  // As a type of fewer digits than the file's.
  EXPECT_THAT(Read(file, MakeFields({{"d", DataType::Decimal(4, 2)}})), IsOk());
  EXPECT_THAT(Read(file, MakeFields({{"d", DataType::Decimal(3, 2)}})),
              HasMessage("column d stores a value that DECIMAL(3, 2) cannot hold"));
  // A number of 128 bits that a hundred times is none.
  numbers = std::string(18, '\xff') + '\x03';
  file.row_count = 1;
  file.columns[1].streams = {{Kind::kData, numbers}, {Kind::kSecondary, OrcBytes({0xff, 0x00})}};
  EXPECT_THAT(Read(file, fields), HasMessage("column d stores a value that DECIMAL(20, 2) cannot hold"));
}

TEST(OrcReaderTest, ReadsTheWallClockOfTheWriterAndInstantsInUtc) {
  const std::vector<DataField> fields = MakeFields({{"t", DataType::Timestamp(3)}, {"z", DataType::TimestampLtz(3)}});
  OrcTestFile file = FileOf(fields, 2);
  file.writer_zone = "America/New_York";
  // For the writer, 2015 began at 5:00 UTC; 15634800 s later it is 2015-07-01 4:00 UTC, midnight there.
  std::string seconds = OrcBytes({0xfe});
  for (const std::int64_t second : {0, 15'634'800}) AppendVarint(ZigZagEncode(second), seconds);
  for (const std::size_t column : {1U, 2U})
    file.columns[column].streams = {{Kind::kData, seconds}, {Kind::kSecondary, OrcBytes({0xfe, 0x00, 0x00})}};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, Read(file, fields));
  ExpectSameRows(rows,
                 {{Timestamp{MillisOf(2015, 1, 1), 0}, Timestamp{MillisOf(2015, 1, 1), 0}},
                  {Timestamp{MillisOf(2015, 7, 1), 0}, Timestamp{MillisOf(2015, 6, 30, 23), 0}}},
                 fields);
  for (const char* zone : {"Mars/Olympus", "Europe"}) {
    file.writer_zone = zone;
    const auto unknown = Read(file, fields);
    EXPECT_THAT(unknown, IsError(ErrorCode::kCorruption));
    EXPECT_THAT(unknown, HasMessage(fmt::format("/f.orc was written in the time zone '{}', which is unknown", zone)));
  }
}

TEST(OrcReaderTest, ReadsWhatOtherWidthsHoldForTheSameValues) {
  const std::vector<DataField> stored = MakeFields({{"byte", DataType::TinyInt()},
                                                    {"int", DataType::Int()},
                                                    {"float", DataType::Float()},
                                                    {"text", DataType::String()}});
  OrcTestFile file = FileOf(stored, 1);
  file.columns[1].streams = {{Kind::kData, OrcBytes({0xff, 0x80})}};
  file.columns[2].streams = {{Kind::kData, OrcBytes({0xff, 0xd8, 0x04})}};  // 300
  file.columns[3].streams = {{Kind::kData, OrcBytes({0x00, 0x00, 0xc0, 0x3f})}};
  file.columns[4].streams = {{Kind::kData, "xy"}, {Kind::kLength, OrcBytes({0xff, 0x02})}};
  const std::vector<DataField> wide = MakeFields({{"text", DataType::Bytes()},
                                                  {"float", DataType::Double()},
                                                  {"int", DataType::BigInt()},
                                                  {"byte", DataType::Int()}});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, Read(file, wide));
  ExpectSameRows(rows, {{"xy", 1.5, 300, -128}}, wide);
  const auto narrow = Read(file, MakeFields({{"int", DataType::TinyInt()}}));
  EXPECT_THAT(narrow, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(narrow, HasMessage("column int stores a value that TINYINT cannot hold"));
}

TEST(OrcReaderTest, ReadsNothingOfColumnsThatAreNotWanted) {
  const std::vector<DataField> fields = MakeFields({{"broken", DataType::Int()}, {"whole", DataType::Int()}});
  OrcTestFile file = FileOf(fields, 3);
  file.columns[2].streams = {{Kind::kData, kThreeOnes}};
  EXPECT_THAT(Read(file, fields), HasMessage("/f.orc is damaged: column broken breaks off"));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, Read(file, {fields[1]}));
  ExpectSameRows(rows, {{1}, {1}, {1}}, {fields[1]});
  // Not even what a stripe says of itself, if only its rows count.
  const std::vector<DataField> added = MakeFields({{"added", DataType::Int()}});
  std::string content = file.Encode();
  content.replace(content.find("UTC") - 1, 1, "\x7f");
  MemoryFileSystem files;
  ASSERT_THAT(files.Replace("/f.orc", content), IsOk());
  EXPECT_THAT(ReadFile(OrcFormat(), files, "/f.orc", fields), IsError(ErrorCode::kCorruption));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto nulls, ReadFile(OrcFormat(), files, "/f.orc", added));
  ExpectSameRows(nulls, std::vector<DatumList>(3, DatumList(1)), added);
}

TEST(OrcReaderTest, NamesColumnsThatHoldOtherValues) {
  const auto row = [](DataType type) {
    return MakeFields({{"r", DataType::Row({{FieldId(7), "x", std::move(type), {}, {}}})}});
  };
  OrcTestFile file = FileOf(row(DataType::Int()), 1);
  EXPECT_THAT(Read(file, row(DataType::String())),
              HasMessage("column r.x is stored as int, which cannot be read as STRING"));
  EXPECT_THAT(Read(file, MakeFields({{"r", DataType::Array(DataType::Int())}})),
              HasMessage("column r is stored as struct"));
  const auto missing = Read(file, MakeFields({{"r", DataType::Row({{FieldId(8), "y", DataType::Int(), {}, {}}})}}));
  EXPECT_THAT(missing, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(missing, HasMessage("column r.y is missing"));
  OrcMessageWriter of_union;
  of_union.AddNumber(1, static_cast<std::uint64_t>(OrcTypeKind::kUnion));
  file.types[2] = of_union.bytes();
  const auto refused = Read(file, row(DataType::Int()));
  EXPECT_THAT(refused, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(refused, HasMessage("column r.x is stored as union"));
  // The same column twice.
  OrcTestFile shared = FileOf(MakeFields({{"a", DataType::Int()}, {"b", DataType::Int()}}), 1);
  OrcMessageWriter root;
  root.AddNumber(1, static_cast<std::uint64_t>(OrcTypeKind::kStruct));
  for (int i = 0; i < 2; ++i) root.AddNumber(2, 1);
  for (const char* name : {"a", "b"}) root.AddBytes(3, name);
  shared.types[0] = root.bytes();
  EXPECT_THAT(Read(shared, MakeFields({{"a", DataType::Int()}, {"b", DataType::Int()}})),
              HasMessage("its schema has one column in two places"));
  // A list of itself.
  OrcMessageWriter list;
  list.AddNumber(1, static_cast<std::uint64_t>(OrcTypeKind::kList));
  list.AddNumber(2, 1);
  file.types[1] = list.bytes();
  const auto endless = Read(file, MakeFields({{"r", DataType::Array(DataType::Int())}}));
  EXPECT_THAT(endless, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(endless, HasMessage("the type of column r contradicts itself"));
}

TEST(OrcReaderTest, RefusesColumnsThatContradictThemselves) {
  const std::vector<DataField> fields =
      MakeFields({{"s", DataType::String()}, {"m", DataType::Map(DataType::Int(), DataType::Int())}});
  const OrcTestFile good = [&] {
    OrcTestFile file = FileOf(fields, 3);
    file.columns[1] = {.encoding = OrcEncoding::kDictionary,
                       .dictionary_size = 2,
                       .streams = {{Kind::kData, OrcBytes({0xfd, 1, 0, 1})},
                                   {Kind::kDictionaryData, "ab"},
                                   {Kind::kLength, OrcBytes({0xfe, 1, 1})}}};
    file.columns[2].streams = {{Kind::kLength, kThreeOnes.substr(0, 2) + '\x01'}};
    file.columns[3].streams = {{Kind::kPresent, OrcBytes({0xff, 0xe0})}, {Kind::kData, kThreeOnes}};
    file.columns[4].streams = {{Kind::kData, kThreeOnes}};
    return file;
  }();
  ASSERT_THAT(Read(good, fields), IsOk());
  const auto expect = [&](const char* message, const std::function<void(OrcTestFile&)>& damage) {
    SCOPED_TRACE(message);
    OrcTestFile file = good;
    damage(file);
    const auto rows = Read(file, fields);
    EXPECT_THAT(rows, IsError(ErrorCode::kCorruption));
    EXPECT_THAT(rows, HasMessage(message));
  };
  expect("/f.orc is damaged: column s breaks off",
         [](OrcTestFile& f) { f.columns[1].streams.erase(f.columns[1].streams.begin()); });
  expect("a number that the dictionary does not have in column s",
         [](OrcTestFile& f) { f.columns[1].streams[0].second[1] = 2; });
  expect("a number that the dictionary does not have in column s",
         [](OrcTestFile& f) { f.columns[1].dictionary_size = 0; });
  expect("column s breaks off", [](OrcTestFile& f) { f.columns[1].dictionary_size = UINT64_MAX; });
  expect("column s breaks off", [](OrcTestFile& f) { f.columns[1].streams[1].second.pop_back(); });
  // Lengths of 2^31 - 1, of which there are no bytes, and of more than that.
  expect("column s breaks off",
         [](OrcTestFile& f) { f.columns[1].streams[2].second = OrcBytes({0xfe, 0xfe, 0xff, 0xff, 0xff, 0x07, 1}); });
  expect("an impossible length in column s",
         [](OrcTestFile& f) { f.columns[1].streams[2].second = OrcBytes({0xfe, 0xff, 0xff, 0xff, 0xff, 0x0f, 1}); });
  expect("column m breaks off",
         [](OrcTestFile& f) { f.columns[2].streams[0].second = OrcBytes({0xfd, 1, 1, 0xfd, 0xff, 0xff, 0xff, 0x07}); });
  expect("a NULL key in column m", [](OrcTestFile& f) { f.columns[3].streams[0].second[1] = '\xa0'; });
  expect("column m breaks off", [](OrcTestFile& f) { f.columns[3].streams[0].second = "\xff"; });
}

TEST(OrcReaderTest, KeepsBatchesOfLongTextsSmallHoweverWellTheyCompress) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::Int()}, {"s", DataType::String()}});
  std::vector<DatumList> rows;
  for (int i = 0; i < 200; ++i) rows.push_back({i, std::string(64 << 10, static_cast<char>('a' + i % 3))});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(OrcFormat(), files, "/f.orc", fields, rows), IsOk());
  const auto first_batch = [&](const std::vector<DataField>& wanted) {
    const auto reader = OrcFormat().OpenReader(files, "/f.orc", {.columns = wanted, .filter = nullptr}).value();
    return reader->Next().value().value().row_count();
  };
  EXPECT_EQ(first_batch(fields), 64);  // of 4 MiB
  EXPECT_EQ(first_batch({fields[0]}), 200);
}

TEST(OrcReaderTest, LeavesOutStripesWithoutWantedRowsAndSaysWhereRowsAre) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::BigInt()}});
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, OrcFormat().OpenWriter(files, "/f.orc", fields, {}));
  for (int stripe = 0; stripe < 3; ++stripe) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, std::vector<DatumList>{{stripe}, {stripe + 10}}));
    ASSERT_THAT(writer->Write(batch), IsOk());
    ASSERT_THAT(writer->Flush(), IsOk());
  }
  ASSERT_THAT(writer->Finish(), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto none,
      OrcFormat().OpenReader(files, "/f.orc", {.columns = fields, .filter = nullptr, .rows = RowSelection()}));
  EXPECT_THAT(ReadRows(*none, fields), HasValue(testing::IsEmpty()));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto all,
                             OrcFormat().OpenReader(files, "/f.orc", {.columns = fields, .filter = nullptr}));
  for (const std::int64_t first : {0, 2, 4}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, all->Next());
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(all->first_row_of_last_batch(), first);
  }
}

}  // namespace
}  // namespace braid
