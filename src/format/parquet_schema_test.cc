#include "format/parquet_schema.h"

#include <sstream>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/printer.h>

#include "format/field_ids.h"
#include "format/parquet_format.h"
#include "format/golden_rows_testing.h"
#include "format/rows_testing.h"

namespace braid {
namespace {

std::string SchemaOf(std::string content) {
  const auto buffer = arrow::Buffer::FromString(std::move(content));
  const auto reader = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(buffer));
  std::ostringstream text;
  parquet::schema::PrintSchema(reader->metadata()->schema()->schema_root().get(), text);
  return text.str();
}

/// The schema as a file that we write keeps it.
Result<std::string> WrittenSchema(const std::vector<DataField>& fields) {
  MemoryFileSystem files;
  BRAID_TRY(WriteFile(ParquetFormat(), files, "/f.parquet", fields, {}));
  BRAID_TRY_ASSIGN(std::string content, files.ReadAll("/f.parquet"));
  return SchemaOf(std::move(content));
}

TEST(ParquetSchemaTest, IsJavasForEveryFlatType) {
  const std::vector<DataField> fields = MakeFields(
      {{"b", DataType::Boolean()},         {"i8", DataType::TinyInt()},        {"i16", DataType::SmallInt()},
       {"i32", DataType::Int()},           {"i64", DataType::BigInt()},        {"f32", DataType::Float()},
       {"f64", DataType::Double()},        {"d5", DataType::Decimal(5, 2)},    {"d18", DataType::Decimal(18, 6)},
       {"d38", DataType::Decimal(38, 10)}, {"c", DataType::Char(4)},           {"vc", DataType::VarChar(20)},
       {"s", DataType::String()},          {"bin", DataType::Binary(4)},       {"vb", DataType::VarBinary(10)},
       {"by", DataType::Bytes()},          {"dt", DataType::Date()},           {"t0", DataType::Time(0)},
       {"t3", DataType::Time(3)},          {"ts0", DataType::Timestamp(0)},    {"ts3", DataType::Timestamp(3)},
       {"ts6", DataType::Timestamp(6)},    {"ts9", DataType::Timestamp(9)},    {"tz0", DataType::TimestampLtz(0)},
       {"tz3", DataType::TimestampLtz(3)}, {"tz6", DataType::TimestampLtz(6)}, {"tz9", DataType::TimestampLtz(9)}});
  EXPECT_THAT(WrittenSchema(fields), HasValue(SchemaOf(TestFile("types_limits.parquet"))));
}

TEST(ParquetSchemaTest, IsJavasForNestedTypesDownToTheIdsOfUnnamedParts) {
  EXPECT_THAT(WrittenSchema(NestedFields()), HasValue(SchemaOf(TestFile("nested.parquet"))));
}

TEST(ParquetSchemaTest, IsJavasForVariantAndMultiset) {
  const std::vector<DataField> variant = MakeFields({{"id", DataType::Int()}, {"v", DataType::Variant()}});
  EXPECT_THAT(WrittenSchema(variant), HasValue(SchemaOf(TestFile("variant.parquet"))));
  const std::vector<DataField> multisets = MakeFields({{"id", DataType::Int()},
                                                       {"ms", DataType::Multiset(DataType::String())},
                                                       {"mi", DataType::Multiset(DataType::Int())}});
  EXPECT_THAT(WrittenSchema(multisets), HasValue(SchemaOf(TestFile("multiset.parquet"))));
}

TEST(ParquetSchemaTest, NumbersUnnamedPartsAsTheSpecificationsExample) {
  // ARRAY<MAP<INT, ARRAY<INT>>> with id 10 (spec data.md §1.2).
  EXPECT_EQ(ElementFieldId(10, 1), 536870911 + 10240 + 1);
  EXPECT_EQ(KeyFieldId(10, 2), 536870911 - 10240 - 2);
  EXPECT_EQ(ElementFieldId(10, 2), 536870911 + 10240 + 2);
  EXPECT_EQ(ElementFieldId(10, 3), 536870911 + 10240 + 3);
}

}  // namespace
}  // namespace braid
