#include "format/avro_schema.h"

#include <string>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using testing::ElementsAre;

TEST(AvroSchemaTest, ParsesNestedTypesAndLogicalTypes) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroSchema schema,
                             AvroSchema::Parse(R"(["null", {"type": "record", "name": "r", "namespace": "n", "fields": [
    {"name": "a", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "b", "type": ["null", {"type": "array", "items": "string"}], "default": null},
    {"name": "c", "type": {"type": "map", "values": {"type": "fixed", "name": "f", "size": 4}}},
    {"name": "d", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
    {"name": "e", "type": {"type": "enum", "name": "s", "symbols": ["x", "y"]}}]}])"));
  const AvroNode& top = schema.node(schema.root());
  ASSERT_EQ(top.kind, AvroKind::kUnion);
  const AvroNode& record = schema.node(top.children[1]);
  EXPECT_EQ(record.name, "n.r");
  EXPECT_THAT(record.names, ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(schema.node(record.children[0]).kind, AvroKind::kLong);
  EXPECT_EQ(schema.node(record.children[0]).logical_type, "timestamp-millis");
  const AvroNode& array = schema.node(schema.node(record.children[1]).children[1]);
  EXPECT_EQ(schema.node(array.children[0]).kind, AvroKind::kString);
  EXPECT_EQ(schema.node(schema.node(record.children[2]).children[0]).fixed_size, 4);
  EXPECT_EQ(schema.node(record.children[3]).precision, 10);
  EXPECT_EQ(schema.node(record.children[3]).scale, 2);
  EXPECT_THAT(schema.node(record.children[4]).names, ElementsAre("x", "y"));
}

TEST(AvroSchemaTest, LetsTypesReferToEarlierOnesAndToThemselves) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroSchema schema,
                             AvroSchema::Parse(R"({"type": "record", "name": "a.list", "fields": [
    {"name": "next", "type": ["null", "list"]}, {"name": "again", "type": "a.list"}]})"));
  const AvroNode& record = schema.node(schema.root());
  EXPECT_EQ(schema.node(record.children[0]).children[1], schema.root());
  EXPECT_EQ(record.children[1], schema.root());
}

TEST(AvroSchemaTest, KnowsWhichTypesTakeNoBytes) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroSchema schema, AvroSchema::Parse(R"({"type": "record", "name": "r", "fields": [
    {"name": "a", "type": {"type": "record", "name": "e", "fields": [{"name": "n", "type": "null"}]}},
    {"name": "b", "type": {"type": "fixed", "name": "f", "size": 0}},
    {"name": "c", "type": {"type": "array", "items": "e"}}]})"));
  const AvroNode& record = schema.node(schema.root());
  EXPECT_FALSE(schema.node(record.children[0]).takes_bytes);
  EXPECT_FALSE(schema.node(record.children[1]).takes_bytes);
  EXPECT_TRUE(schema.node(record.children[2]).takes_bytes);
  EXPECT_TRUE(record.takes_bytes);
}

TEST(AvroSchemaTest, RefusesWhatIsNoSchema) {
  for (const char* text :
       {"", "{", "1", "\"unknown\"", "[]", R"({"type": "record", "name": "r"})", R"({"type": "array"})",
        R"({"type": "record", "name": "r", "fields": [{"name": "a"}]})", R"({"type": "record", "fields": []})",
        R"({"type": "fixed", "name": "f", "size": -1})", R"({"type": "enum", "name": "e", "symbols": [1]})",
        R"({"type": "bytes", "logicalType": "decimal", "precision": 0})"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(AvroSchema::Parse(text), IsError(ErrorCode::kCorruption));
  }
}

}  // namespace
}  // namespace braid
