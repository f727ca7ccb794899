#include "meta/schema_json.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// Written by Java Paimon 1.0.1, shortened.
constexpr std::string_view kPaimon10 = R"json({
  "version" : 3,
  "id" : 2,
  "fields" : [ {
    "id" : 0,
    "name" : "k",
    "type" : "INT NOT NULL",
    "description" : "the \"key\""
  }, {
    "id" : 1,
    "name" : "dec",
    "type" : "DECIMAL(20, 4)",
    "defaultValue" : "1.5"
  }, {
    "id" : 8,
    "name" : "tz",
    "type" : "TIMESTAMP(3) WITH LOCAL TIME ZONE"
  }, {
    "id" : 10,
    "name" : "ar",
    "type" : {
      "type" : "ARRAY",
      "element" : {
        "type" : "ROW",
        "fields" : [ {
          "id" : 11,
          "name" : "p",
          "type" : "INT NOT NULL"
        }, {
          "id" : 12,
          "name" : "q",
          "type" : "STRING"
        } ]
      }
    }
  }, {
    "id" : 13,
    "name" : "m",
    "type" : {
      "type" : "MAP NOT NULL",
      "key" : "STRING NOT NULL",
      "value" : "BYTES"
    }
  } ],
  "highestFieldId" : 13,
  "partitionKeys" : [ ],
  "primaryKeys" : [ "k" ],
  "options" : {
    "bucket" : "2",
    "file.format" : "parquet"
  },
  "comment" : "größer",
  "timeMillis" : 1795966587308
})json";

TEST(SchemaJsonTest, PrintsWhatJavaPrinted) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema, ParseTableSchema(kPaimon10));
  EXPECT_EQ(PrintTableSchema(schema), kPaimon10);
}

TEST(SchemaJsonTest, ReadsColumnsKeysAndOptions) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema, ParseTableSchema(kPaimon10));
  EXPECT_EQ(schema.id, SchemaId(2));
  ASSERT_EQ(schema.fields.size(), 5U);
  EXPECT_EQ(schema.fields[0], (DataField{FieldId(0), "k", DataType::Int().NotNull(), "the \"key\"", std::nullopt}));
  EXPECT_EQ(schema.fields[1], (DataField{FieldId(1), "dec", DataType::Decimal(20, 4), std::nullopt, "1.5"}));
  EXPECT_EQ(schema.fields[2].type, DataType::TimestampLtz(3));
  const DataType row = DataType::Row({{FieldId(11), "p", DataType::Int().NotNull(), std::nullopt, std::nullopt},
                                      {FieldId(12), "q", DataType::String(), std::nullopt, std::nullopt}});
  EXPECT_EQ(schema.fields[3].type, DataType::Array(row));
  EXPECT_EQ(schema.fields[4].type, DataType::Map(DataType::String().NotNull(), DataType::Bytes()).NotNull());
  EXPECT_EQ(schema.highest_field_id, 13);
  EXPECT_EQ(schema.options.Get("bucket", ""), "2");
  EXPECT_EQ(schema.comment, "größer");
  EXPECT_EQ(schema.time_millis, 1795966587308);
}

TEST(SchemaJsonTest, MakesDefaultsOfOldVersionsExplicit) {
  struct Case {
    std::string version;  // JSON
    std::string options;
    std::string bucket;
    std::string format;
  };
  const std::vector<Case> cases = {
      {R"("version": 3,)", "{}", "none", "none"},
      {R"("version": 2,)", "{}", "none", "orc"},
      {R"("version": 1,)", "{}", "1", "orc"},
      {"", "{}", "1", "orc"},
      {R"("version": 1,)", R"({"bucket": "4", "file.format": "avro"})", "4", "avro"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.version + c.options);
    BRAID_ASSERT_OK_AND_ASSIGN(
        const TableSchema schema,
        ParseTableSchema("{" + c.version + R"("id": 0, "fields": [{"id": 0, "name": "a", "type": "INT"}],
        "highestFieldId": 0, "partitionKeys": [], "primaryKeys": [], "options": )" +
                         c.options + "}"));
    EXPECT_EQ(schema.options.Get("bucket", "none"), c.bucket);
    EXPECT_EQ(schema.options.Get("file.format", "none"), c.format);
    EXPECT_EQ(schema.time_millis, 0);
  }
}

TEST(SchemaJsonTest, ToleratesUnknownKeysNullsAndScalarOptions) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema,
                             ParseTableSchema(R"({"future": {}, "comment": null, "timeMillis": 5,
      "options": {"bucket": 2, "bucket-key": "a", "x": true}, "primaryKeys": [], "partitionKeys": [], "highestFieldId": 0,
      "fields": [{"type": "int", "name": "a", "id": 0, "description": null, "future": 1}], "id": 1, "version": 3})"));
  EXPECT_EQ(schema.options.Get("bucket", ""), "2");
  EXPECT_EQ(schema.options.Get("x", ""), "true");
  EXPECT_EQ(schema.comment, std::nullopt);
  EXPECT_EQ(schema.fields[0], (DataField{FieldId(0), "a", DataType::Int(), std::nullopt, std::nullopt}));
}

TEST(SchemaJsonTest, RefusesWhatIsNoSchema) {
  struct Case {
    std::string text;
    ErrorCode code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"{", ErrorCode::kCorruption, ""},
      {"[]", ErrorCode::kCorruption, "must be a JSON object"},
      {R"({"version": 4})", ErrorCode::kUnsupported, "format version 4"},
      {R"({"version": 3, "id": 0})", ErrorCode::kCorruption, "'fields'"},
      {R"({"version": 3, "id": 99999999999, "fields": []})", ErrorCode::kCorruption, "too large"},
      {R"({"version": 3, "id": 0, "fields": [{"id": 0, "name": "a", "type": "QUANTUM"}], "highestFieldId": 0})",
       ErrorCode::kCorruption, "QUANTUM"},
      {R"({"version": 3, "id": 0, "fields": [{"id": 0, "name": "a", "type": "GEOMETRY"}], "highestFieldId": 0})",
       ErrorCode::kUnsupported, "GEOMETRY"},
      {R"({"version": 3, "id": 0, "fields": [{"id": 0, "name": "a", "type": "INT"}], "highestFieldId": 0, "primaryKeys": ["b"]})",
       ErrorCode::kCorruption, "key column 'b' is no column"},
      {R"({"version": 3, "id": 0, "fields": [{"id": 0, "name": "a", "type": "INT"}], "highestFieldId": 0, "primaryKeys": [1]})",
       ErrorCode::kCorruption, "'primaryKeys' is no array of column names"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<TableSchema> schema = ParseTableSchema(c.text);
    EXPECT_THAT(schema, IsError(c.code));
    EXPECT_THAT(schema, HasMessage(c.message));
  }
}

}  // namespace
}  // namespace braid
