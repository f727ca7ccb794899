#include "connectors/row_format.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/row_json.h"

namespace braid {
namespace {

std::vector<DataField> Fields(const std::vector<std::pair<std::string, DataType>>& columns) {
  std::vector<DataField> fields;
  for (const auto& [name, type] : columns)
    fields.push_back({.id = FieldId(static_cast<std::int32_t>(fields.size())),
                      .name = name,
                      .type = type,
                      .description = {},
                      .default_value = {}});
  return fields;
}

struct Case {
  std::vector<DataField> fields;
  Options::Map options;
};

std::shared_ptr<const RowFormat> Make(const Case& c) {
  auto format = MakeRowFormat({.fields = c.fields, .options = Options(c.options)});
  EXPECT_THAT(format, IsOk());
  return *format;
}

// Rows as JSON lines.
Result<std::vector<std::string>> Decode(const Case& c, const std::vector<std::string>& records) {
  const auto format = Make(c);
  const auto decoder = format->MakeDecoder();
  for (std::string record : records) BRAID_TRY(decoder->Add(record));
  BRAID_TRY_ASSIGN(const Batch batch, decoder->Finish());
  std::vector<std::string> rows;
  for (std::int64_t row = 0; row < batch.row_count(); ++row) AppendRowJson(batch, row, c.fields, rows.emplace_back());
  return rows;
}

std::string Encode(const Case& c, const std::vector<DatumList>& rows) {
  const auto batch = MakeBatch(c.fields, rows);
  std::string text;
  EXPECT_THAT(Make(c)->Encode(*batch, text), IsOk());
  return text;
}

using testing::ElementsAre;

const std::vector<DataField> kIdAndName = Fields({{"id", DataType::Int()}, {"name", DataType::String()}});

TEST(CsvFormatTest, ReadsQuotedFieldsAndNulls) {
  const Case csv{kIdAndName, {{"format", "csv"}, {"csv.null-literal", "n/a"}}};
  EXPECT_THAT(Decode(csv, {"1,apple\n", "2,\"a, \"\"b\"\"\"\r\n", "n/a,n/a\n", "3,"}),
              HasValue(ElementsAre(R"({"id":1,"name":"apple"})", R"({"id":2,"name":"a, \"b\""})",
                                   R"({"id":null,"name":null})", R"({"id":3,"name":""})")));
}

TEST(CsvFormatTest, SaysWhichColumnIsWrongOrLeavesItOut) {
  const auto failed = Decode({kIdAndName, {{"format", "csv"}}}, {"x,apple\n"});
  EXPECT_THAT(failed, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Decode({kIdAndName, {{"format", "csv"}}}, {"1\n"}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Decode({kIdAndName, {{"format", "csv"}, {"csv.ignore-parse-errors", "true"}}}, {"x,apple\n", "2\n"}),
              HasValue(ElementsAre(R"({"id":null,"name":"apple"})", R"({"id":2,"name":null})")));
}

// Quotes are Jackson's choice: around every text with a character up to the comma, and around long ones.
TEST(CsvFormatTest, QuotesAsFlinkDoes) {
  EXPECT_EQ(Encode({kIdAndName, {{"format", "csv"}}},
                   {{1, "apple"}, {2, "a b"}, {3, "say \"x\""}, {4, Datum()}, {5, "abcdefghijklmnopqrstuvwxyz"}}),
            "1,apple\n2,\"a b\"\n3,\"say \"\"x\"\"\"\n4,\n5,\"abcdefghijklmnopqrstuvwxyz\"\n");
}

TEST(CsvFormatTest, RecordsEndOutsideOfQuotesOnly) {
  const auto format = Make({kIdAndName, {{"format", "csv"}, {"csv.escape-character", "\\"}}});
  for (const auto& [text, end] : std::vector<std::pair<std::string, std::size_t>>{
           {"1,\"a\nb\"\n2,c\n", 8},
           {"1,\"a\n", std::string::npos},
           {"1,\"a\"\"\n\"\n", 9},
           {"1,5\" pipe\n2,c\n", 10},  // a quote within a field is none
           {"1,\"a\"b\"\n", 8},
           {"1,\\\n\n", 5},
           {"1,\\\"\n", 5}}) {
    SCOPED_TRACE(text);
    RecordSearch at_once;
    EXPECT_EQ(format->RecordEnd(text, at_once), end);
    // And as well if it comes piece by piece.
    RecordSearch search;
    std::size_t found = std::string::npos;
    for (std::size_t size = 0; size <= text.size() && found == std::string::npos; ++size)
      found = format->RecordEnd(std::string_view(text).substr(0, size), search);
    EXPECT_EQ(found, end);
  }
}

TEST(JsonFormatTest, ReadsFieldsByName) {
  const Case json{
      Fields(
          {{"id", DataType::Int()}, {"price", DataType::Decimal(8, 2)}, {"tags", DataType::Array(DataType::String())}}),
      {{"format", "json"}}};
  EXPECT_THAT(
      Decode(json, {R"({"price":1.50,"id":7,"other":true,"tags":["a",null]})", "\n", R"({"id":"8"})"}),
      HasValue(ElementsAre(R"({"id":7,"price":"1.50","tags":["a",null]})", R"({"id":8,"price":null,"tags":null})")));
}

TEST(JsonFormatTest, RefusesWhatIsNoJsonUnlessToldToLeaveItOut) {
  EXPECT_THAT(Decode({kIdAndName, {{"format", "json"}}}, {"{oops"}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Decode({kIdAndName, {{"format", "json"}, {"json.fail-on-missing-field", "true"}}}, {R"({"id":1})"}),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Decode({kIdAndName, {{"format", "json"}, {"json.ignore-parse-errors", "true"}}},
                     {"{oops", R"({"id":1,"name":"a"})"}),
              HasValue(ElementsAre(R"({"id":1,"name":"a"})")));
}

TEST(JsonFormatTest, WritesOneObjectALine) {
  EXPECT_EQ(Encode({kIdAndName, {{"format", "json"}}}, {{1, "a\"b"}, {2, Datum()}}),
            "{\"id\":1,\"name\":\"a\\\"b\"}\n{\"id\":2,\"name\":null}\n");
  EXPECT_EQ(Encode({kIdAndName, {{"format", "json"}, {"json.encode.ignore-null-fields", "true"}}}, {{2, Datum()}}),
            "{\"id\":2}\n");
}

TEST(RawFormatTest, TakesLinesAsTheyAre) {
  const Case raw{Fields({{"line", DataType::String()}}), {{"format", "raw"}}};
  EXPECT_THAT(Decode(raw, {"a, b\n", "\n", "last"}),
              HasValue(ElementsAre(R"({"line":"a, b"})", R"({"line":""})", R"({"line":"last"})")));
  EXPECT_THAT(MakeRowFormat({.fields = kIdAndName, .options = Options(Options::Map{{"format", "raw"}})}),
              IsError(ErrorCode::kInvalidArgument));
}

TEST(RowFormatTest, NamesTheFormatsThereAre) {
  EXPECT_THAT(MakeRowFormat({.fields = kIdAndName, .options = Options(Options::Map{{"format", "avro"}})}),
              IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(MakeRowFormat(
                  {.fields = kIdAndName, .options = Options(Options::Map{{"format", "csv"}, {"csv.delimiter", ";"}})}),
              IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
