#include "format/avro_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/avro_container.h"
#include "format/avro_cursor.h"
#include "format/golden_rows_testing.h"
#include "format/rows_testing.h"
#include "io/fault_injecting_file_system.h"

namespace braid {
namespace {

std::vector<DatumList> WithoutWideTimestamps(std::vector<DatumList> rows) {
  const std::vector<DataField> fields = TypeFields();
  for (DatumList& row : rows) {
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(FindField(fields, "tz9").value()));
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(FindField(fields, "ts9").value()));
  }
  return rows;
}

/// As in nested_parquet, but for one name that Avro does not take.
std::vector<DataField> AvroNestedFields() {
  std::vector<DataField> fields = NestedFields();
  const DataType inner = DataType::Row(
      {{FieldId(7), "z", DataType::String(), {}, {}}, {FieldId(8), "ww", DataType::Decimal(10, 2), {}, {}}});
  fields[5].type = DataType::Row({{FieldId(6), "x", DataType::Int(), {}, {}}, {FieldId(9), "y", inner, {}, {}}});
  return fields;
}

std::string SchemaOfTestFile(std::string_view name) {
  const auto container = AvroContainer::Open(TestFile(name));
  return container ? std::string(container->header().schema_json) : container.error().ToString();
}

TEST(AvroFormatTest, ReadsEveryTypeAsJavaWroteIt) {
  const std::vector<DataField> fields = AvroTypeFields();
  const auto limits = WithTestFile("types_limits.avro");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto limit_rows, ReadFile(AvroFormat(), *limits, "/types_limits.avro", fields));
  ExpectSameRows(limit_rows, WithoutWideTimestamps(LimitRows()), fields);
  const auto special = WithTestFile("types_special.avro");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto special_rows, ReadFile(AvroFormat(), *special, "/types_special.avro", fields));
  ExpectSameRows(special_rows, WithoutWideTimestamps(SpecialRows()), fields);
}

TEST(AvroFormatTest, ReadsNestedColumns) {
  const auto files = WithTestFile("nested.avro");
  for (const std::int64_t batch_rows : {1, 3, 100}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto rows,
                               ReadFile(AvroFormat(), *files, "/nested.avro", AvroNestedFields(), batch_rows));
    ExpectSameRows(rows, NestedRows(), AvroNestedFields());
  }
}

TEST(AvroFormatTest, ReadsMultisets) {
  const std::vector<DataField> fields =
      MakeFields({{"id", DataType::Int()}, {"ms", DataType::Multiset(DataType::String())}});
  const auto files = WithTestFile("multiset.avro");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(AvroFormat(), *files, "/multiset.avro", fields));
  ExpectSameRows(rows, {{1, List({List({"a", 2}), List({"b", 1})})}, {2, List({})}, {3, Datum()}}, fields);
}

TEST(AvroFormatTest, ReadsTheFirstAndLastYears) {
  const std::vector<DataField> fields =
      MakeFields({{"d", DataType::Date()}, {"ts6", DataType::Timestamp(6)}, {"tz3", DataType::TimestampLtz(3)}});
  const auto files = WithTestFile("far_timestamps.avro");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(AvroFormat(), *files, "/far_timestamps.avro", fields));
  ASSERT_EQ(rows.size(), 5U);
  const std::int64_t last = MillisOf(9999, 12, 31, 23, 59, 59, 999);
  ExpectSameRows({rows[0], rows[1]},
                 {{-719162, Timestamp{MillisOf(1, 1, 1), 1000}, Timestamp{MillisOf(1, 1, 1) + 1, 0}},
                  {2932896, Timestamp{last, 999000}, Timestamp{last, 0}}},
                 fields);
}

TEST(AvroFormatTest, ReadsFilesOfVersionOneWhoseRowsAreNullable) {
  const std::vector<DataField> fields = MakeFields({{"dec", DataType::Decimal(20, 4)},
                                                    {"id", DataType::Int()},
                                                    {"added", DataType::String()},
                                                    {"m", DataType::Map(DataType::String(), DataType::Int())}});
  const auto files = WithTestFile("version_1_0.avro");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(AvroFormat(), *files, "/version_1_0.avro", fields));
  ExpectSameRows(rows, {{Digits("21250"), 2, Datum(), List({List({"k2", 2})})}}, fields);
}

TEST(AvroFormatTest, WritesJavasSchema) {
  EXPECT_THAT(MakeAvroSchemaJson(AvroTypeFields()), HasValue(SchemaOfTestFile("types_limits.avro")));
  EXPECT_THAT(MakeAvroSchemaJson(AvroNestedFields()), HasValue(SchemaOfTestFile("nested.avro")));
  EXPECT_THAT(MakeAvroSchemaJson(MakeFields({{"id", DataType::Int()}, {"ms", DataType::Multiset(DataType::String())}})),
              HasValue(SchemaOfTestFile("multiset.avro")));
}

TEST(AvroFormatTest, ReadsBackEveryTypeThatItWrote) {
  const std::vector<DataField> fields = AvroTypeFields();
  std::vector<DatumList> rows = WithoutWideTimestamps(LimitRows());
  for (DatumList& row : WithoutWideTimestamps(SpecialRows())) rows.push_back(std::move(row));
  for (const char* codec : {"zstd", "snappy", "deflate", "null", "none"}) {
    SCOPED_TRACE(codec);
    MemoryFileSystem files;
    BRAID_ASSERT_OK_AND_ASSIGN(
        const WrittenFile written,
        WriteFile(AvroFormat(), files, "/t/f.avro", fields, rows, Options(Options::Map{{"file.compression", codec}})));
    EXPECT_EQ(written.row_count, 6);
    BRAID_ASSERT_OK_AND_ASSIGN(const FileStatus status, files.Stat("/t/f.avro"));
    EXPECT_EQ(written.size_bytes, status.size_bytes);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(AvroFormat(), files, "/t/f.avro", fields));
    ExpectSameRows(read, rows, fields);
  }
}

TEST(AvroFormatTest, WritesDecimalsInTheFewestBytes) {
  const std::vector<DataField> fields = MakeFields({{"d", DataType::Decimal(38, 0).NotNull()}});
  MemoryFileSystem files;
  ASSERT_THAT(WriteFile(AvroFormat(), files, "/f.avro", fields,
                        {{Digits("0")}, {Digits("127")}, {Digits("128")}, {Digits("-128")}, {Digits("-129")}},
                        Options(Options::Map{{"file.compression", "null"}})),
              IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(std::string content, files.ReadAll("/f.avro"));
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer container, AvroContainer::Open(std::move(content)));
  ASSERT_EQ(container.blocks().size(), 1U);
  // Each value behind its length, a zig-zag number: 02 is one byte, 04 are two.
  EXPECT_EQ(container.blocks()[0].bytes, Bytes({2, 0x00, 2, 0x7f, 4, 0x00, 0x80, 2, 0x80, 4, 0xff, 0x7f}));
}

TEST(AvroFormatTest, ReadsBackNestedColumnsAndSlices) {
  std::vector<DataField> fields = AvroNestedFields();
  fields.push_back({FieldId(30), "bag", DataType::Multiset(DataType::Int()), {}, {}});
  std::vector<DatumList> rows = NestedRows();
  for (DatumList& row : rows) row.push_back(List({List({7, 2}), List({8, 1})}));
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, AvroFormat().OpenWriter(files, "/f.avro", fields, {}));
  ASSERT_THAT(writer->Write({batch.rows->Slice(1, 3), nullptr}), IsOk());
  ASSERT_THAT(writer->Write({batch.rows->Slice(0, 1), nullptr}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written, writer->Finish());
  EXPECT_EQ(written.columns[1].null_count, 1);  // Java counts NULLs of nested columns in Avro
  BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(AvroFormat(), files, "/f.avro", fields));
  ExpectSameRows(read, {rows[1], rows[2], rows[3], rows[0]}, fields);
}

TEST(AvroFormatTest, ReadsManyBlocksAndTellsPositions) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::Int().NotNull()}, {"s", DataType::String()}});
  std::vector<DatumList> rows;
  for (int i = 0; i < 20'000; ++i) rows.push_back({i, std::string(static_cast<std::size_t>(i % 60), 'x')});
  for (const char* codec : {"zstd", "null"}) {
    MemoryFileSystem files;
    ASSERT_THAT(WriteFile(AvroFormat(), files, "/f.avro", fields, rows, Options(Options::Map{{"avro.codec", codec}})),
                IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(
        const auto reader,
        AvroFormat().OpenReader(files, "/f.avro", {.columns = fields, .filter = nullptr, .batch_rows = 3000}));
    std::int64_t first = 0;
    while (true) {
      BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      EXPECT_EQ(reader->first_row_of_last_batch(), first);
      EXPECT_TRUE(SameDatum(DatumAt(*batch->rows->column(0), 0, fields[0].type), first));
      first += batch->rows->num_rows();
    }
    EXPECT_EQ(first, 20'000);
  }
}

TEST(AvroFormatTest, RefusesWhatAvroCannotHold) {
  MemoryFileSystem files;
  for (const auto& [name, type] : std::vector<std::pair<std::string, DataType>>{{"t", DataType::Timestamp(9)},
                                                                                {"t", DataType::Time(6)},
                                                                                {"v", DataType::Variant()},
                                                                                {"a b", DataType::Int()}}) {
    SCOPED_TRACE(type.ToString());
    EXPECT_THAT(AvroFormat().OpenWriter(files, "/f.avro", MakeFields({{name, type}}), {}),
                IsError(ErrorCode::kUnsupported));
  }
  EXPECT_THAT(AvroFormat().OpenWriter(files, "/f.avro", MakeFields({{"k", DataType::Int()}}),
                                      Options(Options::Map{{"file.compression", "xz"}})),
              HasMessage("xz"));
  EXPECT_THAT(files.AllFiles(), testing::IsEmpty());
}

// Avro can hold them, where keys are a union; batches cannot.
TEST(AvroFormatTest, ReportsMapsWithNullKeys) {
  constexpr std::string_view kSchema =
      R"({"type": "record", "name": "r", "fields": [{"name": "m", "type": {"type": "array", "logicalType": "map",
          "items": {"type": "record", "name": "pair", "fields": [{"name": "key", "type": ["null", "int"]},
                                                                 {"name": "value", "type": "int"}]}}}]})";
  const auto write = [&](FileSystem& files, std::string_view path, bool has_key) -> Status {
    AvroCompressor compressor;
    BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> output, files.Create(path));
    AvroContainerWriter writer(std::move(output), kSchema, {.codec = AvroCodec::kNull}, compressor);
    AvroEncoder encoder(writer.block());
    encoder.Long(1);  // a block of one item
    encoder.Long(has_key ? 1 : 0);
    if (has_key) encoder.Long(5);
    encoder.Long(7);
    encoder.Long(0);  // no more blocks
    BRAID_TRY(writer.EndRecord());
    BRAID_TRY(writer.Finish());
    return Ok();
  };
  MemoryFileSystem files;
  ASSERT_THAT(write(files, "/good.avro", true), IsOk());
  ASSERT_THAT(write(files, "/bad.avro", false), IsOk());
  const std::vector<DataField> fields = MakeFields({{"m", DataType::Map(DataType::Int(), DataType::Int())}});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(AvroFormat(), files, "/good.avro", fields));
  ExpectSameRows(rows, {{Datum(DatumList{Datum(DatumList{Datum(5), Datum(7)})})}}, fields);
  const auto bad = ReadFile(AvroFormat(), files, "/bad.avro", fields);
  EXPECT_THAT(bad, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(bad, HasMessage("a map has a NULL key"));
}

TEST(AvroFormatTest, ReportsDamagedFilesByName) {
  const std::string good = TestFile("types_limits.avro");
  const auto read = [&](std::string content) -> Status {
    MemoryFileSystem files;
    BRAID_TRY(files.Replace("/t/bad.avro", content));
    BRAID_TRY_ASSIGN(const auto reader,
                     AvroFormat().OpenReader(files, "/t/bad.avro", {.columns = AvroTypeFields(), .filter = nullptr}));
    BRAID_TRY(ReadAllBatches(*reader));
    return Ok();
  };
  ASSERT_THAT(read(good), IsOk());
  for (std::size_t size = 0; size < good.size(); size += 41) {
    SCOPED_TRACE(size);
    const Status status = read(good.substr(0, size));
    EXPECT_THAT(status, IsError(ErrorCode::kCorruption));
    EXPECT_THAT(status, HasMessage("/t/bad.avro"));
  }
  for (std::size_t at = 0; at < good.size(); at += 7) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    if (const Status status = read(changed); !status) {
      EXPECT_THAT(status.error().code(), testing::AnyOf(ErrorCode::kCorruption, ErrorCode::kUnsupported)) << at;
    }
  }
}

TEST(AvroFormatTest, PassesOnEveryFailureOfTheStorage) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::Int()}});
  for (int nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    FaultInjectingFileSystem files(std::make_shared<MemoryFileSystem>());
    files.FailAt(nth, FaultInjectingFileSystem::Fault::kFail);
    const auto attempt = [&]() -> Status {
      BRAID_TRY(WriteFile(AvroFormat(), files, "/f.avro", fields, {{1}}));
      BRAID_TRY(ReadFile(AvroFormat(), files, "/f.avro", fields));
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
