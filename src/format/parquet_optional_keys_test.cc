#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>

#include "format/golden_rows_testing.h"
#include "format/parquet_format.h"
#include "format/rows_testing.h"

namespace braid {
namespace {

using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;

/// optional group NAME (MAP) { repeated group key_value { optional int32 key; VALUE } }
NodePtr OptionalKeyMap(const std::string& name, const NodePtr& value) {
  const NodePtr key = PrimitiveNode::Make("key", Repetition::OPTIONAL, LogicalType::None(), parquet::Type::INT32);
  const NodePtr pairs = GroupNode::Make("key_value", Repetition::REPEATED, {key, value});
  return GroupNode::Make(name, Repetition::OPTIONAL, {pairs}, LogicalType::Map());
}

NodePtr OptionalInt(const std::string& name) {
  return PrimitiveNode::Make(name, Repetition::OPTIONAL, LogicalType::None(), parquet::Type::INT32);
}

struct IntColumn {
  std::vector<std::int16_t> definition_levels;
  std::vector<std::int16_t> repetition_levels;
  std::vector<std::int32_t> values;
};

/// A file of one row group at /f.parquet.
Status WriteColumns(MemoryFileSystem& files, const NodePtr& field, const std::vector<IntColumn>& columns) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto schema = std::static_pointer_cast<GroupNode>(GroupNode::Make("schema", Repetition::REQUIRED, {field}));
  auto file = parquet::ParquetFileWriter::Open(sink, schema);
  parquet::RowGroupWriter* group = file->AppendRowGroup();
  for (const IntColumn& column : columns) {
    auto* writer = static_cast<parquet::Int32Writer*>(group->NextColumn());
    writer->WriteBatch(static_cast<std::int64_t>(column.definition_levels.size()), column.definition_levels.data(),
                       column.repetition_levels.data(), column.values.data());
    writer->Close();
  }
  file->Close();
  return files.Replace("/f.parquet", sink->Finish().ValueOrDie()->ToString());
}

DataType IntMap() {
  return DataType::Map(DataType::Int().NotNull(), DataType::Int());
}

Datum Pair(Datum key, Datum value) {
  return DatumList{std::move(key), std::move(value)};
}

TEST(ParquetOptionalKeysTest, ReadsMapsThatPaimon08Wrote) {
  const std::vector<DataField> fields =
      MakeFields({{"id", DataType::Int()}, {"m", DataType::Map(DataType::String().NotNull(), DataType::Int())}});
  const auto files = WithTestFile("optional_map_keys.parquet");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), *files, "/optional_map_keys.parquet", fields));
  ExpectSameRows(rows, {{1, DatumList{Pair("k1", 1)}}}, fields);
}

TEST(ParquetOptionalKeysTest, KeepsEmptyMapsNullMapsAndNullValuesApart) {
  MemoryFileSystem files;
  ASSERT_THAT(
      WriteColumns(files, OptionalKeyMap("m", OptionalInt("value")),
                   {{{3, 3, 1, 0, 3}, {0, 1, 0, 0, 0}, {1, 2, 3}}, {{3, 2, 1, 0, 3}, {0, 1, 0, 0, 0}, {10, 30}}}),
      IsOk());
  const std::vector<DataField> fields = MakeFields({{"m", IntMap()}});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), files, "/f.parquet", fields));
  ExpectSameRows(rows, {{Datum(DatumList{Pair(1, 10), Pair(2, Datum())})}, {Datum(DatumList{})}, {Datum()}, {Datum(DatumList{Pair(3, 30)})}},
                 fields);
}

TEST(ParquetOptionalKeysTest, ReadsMapsWithinMaps) {
  MemoryFileSystem files;
  // One row: {7: {1: 10, 2: 20}, 8: NULL}.
  ASSERT_THAT(
      WriteColumns(files, OptionalKeyMap("m", OptionalKeyMap("value", OptionalInt("value"))),
                   {{{3, 3}, {0, 1}, {7, 8}}, {{5, 5, 2}, {0, 2, 1}, {1, 2}}, {{5, 5, 2}, {0, 2, 1}, {10, 20}}}),
      IsOk());
  const std::vector<DataField> fields = MakeFields({{"m", DataType::Map(DataType::Int().NotNull(), IntMap())}});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), files, "/f.parquet", fields));
  ExpectSameRows(rows, {{Datum(DatumList{Pair(7, DatumList{Pair(1, 10), Pair(2, 20)}), Pair(8, Datum())})}}, fields);
}

TEST(ParquetOptionalKeysTest, ReportsANullKeyAsDamage) {
  MemoryFileSystem files;
  ASSERT_THAT(WriteColumns(files, OptionalKeyMap("m", OptionalInt("value")), {{{2}, {0}, {}}, {{3}, {0}, {10}}}),
              IsOk());
  const auto rows = ReadFile(ParquetFormat(), files, "/f.parquet", MakeFields({{"m", IntMap()}}));
  EXPECT_THAT(rows, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(rows, HasMessage("a map in column m has a NULL key"));
}

}  // namespace
}  // namespace braid
