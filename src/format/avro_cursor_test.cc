#include "format/avro_cursor.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "base/text.h"

namespace braid {
namespace {

std::string Hex(std::string_view hex) {
  return FromHex(hex).value();
}

// Examples of the Avro specification, "Binary Encoding", and the ends of the range.
TEST(AvroCursorTest, ReadsAndWritesNumbers) {
  struct Case {
    std::int64_t value;
    std::string hex;
  };
  for (const Case& c : {Case{0, "00"}, Case{-1, "01"}, Case{1, "02"}, Case{-2, "03"}, Case{-64, "7f"}, Case{64, "8001"},
                        Case{std::numeric_limits<std::int64_t>::max(), "feffffffffffffffff01"},
                        Case{std::numeric_limits<std::int64_t>::min(), "ffffffffffffffffff01"}}) {
    SCOPED_TRACE(c.value);
    const std::string bytes = Hex(c.hex);
    AvroCursor cursor(bytes);
    EXPECT_EQ(cursor.Long(), c.value);
    EXPECT_TRUE(cursor.ok() && cursor.at_end());
    std::string out;
    AvroEncoder(out).Long(c.value);
    EXPECT_EQ(ToHex(out), c.hex);
  }
}

TEST(AvroCursorTest, ReadsAndWritesOtherPrimitives) {
  std::string out;
  AvroEncoder encoder(out);
  encoder.Bytes("foo");
  encoder.Boolean(true);
  encoder.Float(1.5F);
  encoder.Double(-2.0);
  EXPECT_EQ(ToHex(out), "06666f6f010000c03f00000000000000c0");
  AvroCursor cursor(out);
  EXPECT_EQ(cursor.Bytes(), "foo");
  EXPECT_TRUE(cursor.Boolean());
  EXPECT_EQ(cursor.Float(), 1.5F);
  EXPECT_EQ(cursor.Double(), -2.0);
  EXPECT_TRUE(cursor.at_end());
}

TEST(AvroCursorTest, ReadsBlocksOfItems) {
  // The specification's array of the longs 3 and 27, then the same as a block that says its size in bytes.
  for (const char* hex : {"04063600", "0304063600"}) {
    const std::string bytes = Hex(hex);
    AvroCursor cursor(bytes);
    ASSERT_EQ(cursor.ItemCount(), 2U);
    EXPECT_EQ(cursor.Long(), 3);
    EXPECT_EQ(cursor.Long(), 27);
    EXPECT_EQ(cursor.ItemCount(), 0U);
    EXPECT_TRUE(cursor.ok() && cursor.at_end());
  }
}

TEST(AvroCursorTest, StaysFailedAfterDamage) {
  struct Case {
    std::string name;
    std::string hex;
    void (*read)(AvroCursor&);
  };
  for (const Case& c :
       {Case{"nothing left", "", [](AvroCursor& cursor) { cursor.Long(); }},
        Case{"number cut", "80", [](AvroCursor& cursor) { cursor.Long(); }},
        Case{"number too long", "8080808080808080808001", [](AvroCursor& cursor) { cursor.Long(); }},
        Case{"int out of range", "8080808010", [](AvroCursor& cursor) { cursor.Int(); }},
        Case{"text too long", "0661", [](AvroCursor& cursor) { cursor.Bytes(); }},
        Case{"text of negative length", "01", [](AvroCursor& cursor) { cursor.Bytes(); }},
        Case{"more items than bytes", "0a0000", [](AvroCursor& cursor) { cursor.ItemCount(); }},
        Case{"least count", "ffffffffffffffffff0100", [](AvroCursor& cursor) { cursor.ItemCount(); }}}) {
    SCOPED_TRACE(c.name);
    const std::string bytes = Hex(c.hex);
    AvroCursor cursor(bytes);
    c.read(cursor);
    EXPECT_FALSE(cursor.ok());
    EXPECT_EQ(cursor.Long(), 0);
    EXPECT_EQ(cursor.Bytes(), "");
    EXPECT_EQ(cursor.ItemCount(), 0U);
  }
}

TEST(AvroCursorTest, SkipsValuesOfEveryType) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroSchema schema, AvroSchema::Parse(R"({"type": "record", "name": "r", "fields": [
    {"name": "a", "type": "null"}, {"name": "b", "type": "boolean"}, {"name": "c", "type": "int"},
    {"name": "d", "type": "float"},
    {"name": "e", "type": "double"}, {"name": "f", "type": "bytes"},
    {"name": "g", "type": {"type": "fixed", "name": "x", "size": 3}},
    {"name": "h", "type": {"type": "enum", "name": "y", "symbols": ["p", "q"]}},
    {"name": "i", "type": {"type": "array", "items": "long"}},
    {"name": "j", "type": {"type": "map", "values": "string"}}, {"name": "k", "type": ["null", "string", "r"]},
    {"name": "l", "type": {"type": "array", "items": "null"}}]})"));
  // Written out field by field: the array has a plain block (3, 27) and a sized block (1 item, 1 byte); the map two
  // pairs; the union its second branch; the array of nulls claims 2^40 items, which take no time.
  const std::string record =
      Hex("01"
          "8001"
          "00000000"
          "0000000000000000"
          "046162"
          "010203"
          "02"
          "040636"
          "010206"
          "00"
          "0402610278"
          "02620279"
          "00"
          "02"
          "0263"
          "808080808040"
          "00");
  AvroCursor cursor(record);
  cursor.Skip(schema, schema.root());
  EXPECT_TRUE(cursor.ok()) << cursor.failure();
  EXPECT_TRUE(cursor.at_end());
}

TEST(AvroCursorTest, SkipsNoMoreThanThereIsOfTypesThatReferToThemselves) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroSchema endless, AvroSchema::Parse(R"({"type": "record", "name": "r", "fields": [
    {"name": "a", "type": "int"}, {"name": "b", "type": "r"}]})"));
  const std::string zeros(1000, '\0');
  AvroCursor cursor(zeros);
  cursor.Skip(endless, endless.root());
  EXPECT_STREQ(cursor.failure(), "values are nested too deep");
}

}  // namespace
}  // namespace braid
