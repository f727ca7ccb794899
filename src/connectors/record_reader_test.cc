// Records of files, long ones above all: what they become and what they take in memory.

#include "connectors/record_reader.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "types/buffer_pool.h"
#include "types/long_rows.h"

namespace braid {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

std::vector<DataField> Fields() {
  const auto field = [](std::string name, DataType type) {
    return DataField{
        .id = FieldId(0), .name = std::move(name), .type = std::move(type), .description = {}, .default_value = {}};
  };
  return {field("k", DataType::Int()), field("s", DataType::String()), field("b", DataType::Bytes())};
}

struct Reading {
  std::vector<DatumList> rows;
  std::vector<std::int64_t> batches;  // rows of each
  std::int64_t peak_bytes = 0;
};

Result<Reading> Read(const std::vector<std::string>& texts, const std::vector<DataField>& fields, Options::Map options) {
  MemoryFileSystem fs;
  std::vector<FilePart> parts;
  for (const std::string& text : texts) {
    parts.push_back({.path = "/f" + std::to_string(parts.size()), .size_bytes = static_cast<std::int64_t>(text.size())});
    BRAID_TRY_ASSIGN(const auto file, fs.Create(parts.back().path));
    BRAID_TRY(file->Append(text));
    BRAID_TRY(file->Close());
  }
  BRAID_TRY_ASSIGN(const auto format, MakeRowFormat({.fields = fields, .options = Options(std::move(options))}));
  const BufferPeak peak;
  Reading reading;
  const auto reader = MakeRecordReader(fs, parts, format);
  while (true) {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, reader->Next());
    if (!batch) break;
    reading.peak_bytes = std::max(reading.peak_bytes, peak.bytes());
    reading.batches.push_back(batch->row_count());
    for (std::int64_t row = 0; row < batch->row_count(); ++row) {
      DatumList& values = reading.rows.emplace_back();
      for (std::size_t i = 0; i < fields.size(); ++i)
        values.push_back(DatumAt(*batch->rows->column(static_cast<int>(i)), row, fields[i].type));
    }
  }
  return reading;
}

/// Why it cannot be read, with context and hint.
std::string Failure(const std::vector<std::string>& texts, const std::vector<DataField>& fields, Options::Map options) {
  const Result<Reading> reading = Read(texts, fields, std::move(options));
  return reading ? "none" : reading.error().ToString();
}

TEST(RecordReaderTest, ALongRowIsByItselfInTheMemoryOfItsRecord) {
  constexpr std::size_t kBytes = 40 * kMiB;
  const std::string as(kBytes, 'a');
  const DatumList short_row = {1, "x", "abc"};
  const DatumList long_row = {2, "say \"" + as + "\"\n", std::string(6, '\0')};
  const std::vector<DatumList> rows = {short_row, short_row, long_row, short_row};
  struct Case {
    std::string format;
    std::string text;
  };
  for (const Case& c : std::vector<Case>{
           {"csv", "1,x,YWJj\n1,\"x\",YWJj\n2,\"say \"\"" + as + "\"\"\n\",AAAAAAAA\n1,x,YWJj\n"},
           {"json", "{\"k\":1,\"s\":\"x\",\"b\":\"YWJj\"}\n{\"b\":\"YWJj\",\"k\":1,\"s\":\"\\u0078\"}\n"
                    "{\"k\":2,\"more\":[{}],\"s\":\"s\\u0061y \\\"" + as + "\\\"\\n\",\"b\":\"AAAAAAAA\"}\n"
                    "{\"k\":1,\"s\":\"x\",\"b\":\"YWJj\"}"}}) {
    SCOPED_TRACE(c.format);
    BRAID_ASSERT_OK_AND_ASSIGN(const Reading reading, Read({c.text}, Fields(), {{"format", c.format}}));
    EXPECT_TRUE(reading.rows == rows);
    EXPECT_THAT(reading.batches, testing::ElementsAre(2, 1, 1));
    EXPECT_LT(reading.peak_bytes, static_cast<std::int64_t>(kBytes) + 16 * kMiB);
  }
}

TEST(RecordReaderTest, LongBytesAreDecodedWhereTheyAre) {
  constexpr std::size_t kDigits = 40 * kMiB;
  const std::string digits(kDigits, 'A');
  const std::string zeros(kDigits / 4 * 3, '\0');
  for (const auto& [format, text] : std::vector<std::pair<std::string, std::string>>{
           {"csv", "7,," + digits + "\r\n"}, {"json", "{\"k\":7,\"s\":\"\",\"b\":\"" + digits + "\"}\n"}}) {
    SCOPED_TRACE(format);
    BRAID_ASSERT_OK_AND_ASSIGN(const Reading reading, Read({text}, Fields(), {{"format", format}}));
    EXPECT_TRUE(reading.rows == (std::vector<DatumList>{{7, "", zeros}}));
    EXPECT_LT(reading.peak_bytes, static_cast<std::int64_t>(kDigits) + 16 * kMiB);
  }
}

TEST(RecordReaderTest, LongLinesOfRawFiles) {
  const std::vector<DataField> fields = {Fields()[1]};
  const std::string line(40 * kMiB, 'l');
  const std::string broken = std::string(5 * kMiB, 'l') + "\xff";
  BRAID_ASSERT_OK_AND_ASSIGN(const Reading reading,
                             Read({"a\n" + line + "\r\n", broken, "b"}, fields, {{"format", "raw"}}));
  EXPECT_TRUE(reading.rows ==
              (std::vector<DatumList>{{"a"}, {line}, {std::string(5 * kMiB, 'l') + "\xef\xbf\xbd"}, {"b"}}));
  EXPECT_LT(reading.peak_bytes, 40 * kMiB + 16 * kMiB);
}

TEST(RecordReaderTest, WhatIsWrongInALongRecord) {
  const std::string text(5 * kMiB, 'a');
  const Options::Map csv = {{"format", "csv"}};
  const Options::Map json = {{"format", "json"}};
  EXPECT_THAT(Failure({"1,x,\n1," + text + ",%%%\n"}, Fields(), csv),
              testing::AllOf(HasSubstr("'%%%' is no Base64"), HasSubstr("record 2 of /f0")));
  EXPECT_THAT(Failure({"1,x," + text + "%\n"}, Fields(), csv), testing::SizeIs(testing::Lt(1000U)));
  EXPECT_THAT(Failure({"{\"k\":1,\"s\":\"" + text + "\\x\"}\n"}, Fields(), json), HasSubstr("no JSON"));
  EXPECT_THAT(Failure({"{\"k\":1,\"s\":\"" + text + "\xff\"}\n"}, Fields(), json), HasSubstr("no JSON"));
  EXPECT_THAT(Failure({"{\"k\":1,\"b\":\"" + text + "%\"}\n"}, Fields(), json), HasSubstr("no Base64"));
  // Left out where that is wanted: the field, or the row.
  const auto with = [](Options::Map options, const std::string& name) {
    options.emplace(name, "true");
    return options;
  };
  BRAID_ASSERT_OK_AND_ASSIGN(const Reading from_csv, Read({"1," + text + ",%%%\n" + "2,\"" + text}, Fields(),
                                                          with(csv, "csv.ignore-parse-errors")));
  EXPECT_TRUE(from_csv.rows == (std::vector<DatumList>{{1, text, Datum()}}));
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Reading from_json,
      Read({"{\"k\":1,\"b\":\"" + text + "%\"}\n{\"k\":2,\"s\":\"" + text + "\\x\"}\n"}, Fields(),
           with(json, "json.ignore-parse-errors")));
  EXPECT_TRUE(from_json.rows == (std::vector<DatumList>{{1, Datum(), Datum()}}));
}

// As the parser of short ones does, which counts the first.
TEST(RecordReaderTest, LongMembersOfJsonThatAreThereTwiceOrOfOtherTypes) {
  const std::string text(5 * kMiB, 'a');
  const Options::Map json = {{"format", "json"}};
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Reading reading,
      Read({"{\"s\":null,\"s\":\"" + text + "\"}\n{\"s\":[\"" + text + "\"]}\n{\"s\":\"x\",\"other\":\"" + text + "\"}\n"},
           Fields(), json));
  EXPECT_TRUE(reading.rows == (std::vector<DatumList>{{Datum(), Datum(), Datum()},
                                                      {Datum(), "[\"" + text + "\"]", Datum()},
                                                      {Datum(), "x", Datum()}}));
  EXPECT_THAT(Failure({"{\"k\":\"" + text + "\"}\n"}, Fields(), json), HasSubstr("'k'"));
}

TEST(RecordReaderTest, TellsTheLineOfAQuoteThatIsNotClosed) {
  const Options::Map csv = {{"format", "csv"}};
  const auto hint = [&](const std::vector<std::string>& texts) { return Failure(texts, Fields(), csv); };
  EXPECT_THAT(hint({"1,\"a\nb\",\n2,\"x\n\ny\",\n3,\"c,\n4,d,\n"}), HasSubstr("the quote in line 6 is not closed"));
  EXPECT_THAT(hint({"1,a,\n", "1,a,\n2,\"a\n\",\"c"}), HasSubstr("the quote in line 3 is not closed"));
  EXPECT_THAT(hint({"1,\"a\",\n2,b,zz!\n"}), testing::Not(HasSubstr("the quote")));
  std::string endless = "1,\"a\n\",\n2,\"b\n";
  endless.resize(static_cast<std::size_t>(kMaxRecordBytes) + 10 * kMiB, '\n');
  EXPECT_THAT(hint({endless}), testing::AllOf(HasSubstr("the quote in line 3 is not closed"), HasSubstr("256 MiB")));
}

}  // namespace
}  // namespace braid
