#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "meta/stores.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::Eq;

TableSchema SchemaOf(std::int64_t id) {
  TableSchema schema;
  schema.id = SchemaId(id);
  schema.fields = {{FieldId(0), "a", DataType::Int(), std::nullopt, std::nullopt}};
  schema.highest_field_id = 0;
  return schema;
}

class SchemaStoreTest : public testing::Test {
 protected:
  MemoryFileSystem fs_;
  const TablePaths paths_{"/w/sales.db/orders", "main"};
};

TEST_F(SchemaStoreTest, FindsNoSchemaWhereNoTableIs) {
  EXPECT_THAT(ReadLatestSchema(fs_, paths_), HasValue(Eq(std::nullopt)));
  EXPECT_THAT(ReadSchema(fs_, paths_, SchemaId(0)), HasMessage("sales.orders has no schema 0"));
}

TEST_F(SchemaStoreTest, ReadsTheHighestSchema) {
  for (const std::int64_t id : {0, 9, 10}) ASSERT_THAT(WriteSchema(fs_, paths_, SchemaOf(id)), IsOk());
  ASSERT_THAT(fs_.Replace(JoinPath(paths_.SchemaDirectory(), "schema-11.tmp"), ""), IsOk());
  EXPECT_THAT(ListSchemas(fs_, paths_), HasValue(ElementsAre(SchemaId(0), SchemaId(9), SchemaId(10))));
  EXPECT_THAT(ReadLatestSchema(fs_, paths_), HasValue(Eq(SchemaOf(10))));
  EXPECT_THAT(ReadSchema(fs_, paths_, SchemaId(9)), HasValue(Eq(SchemaOf(9))));
}

TEST_F(SchemaStoreTest, SaysWhoCameFirst) {
  for (const std::int64_t id : {0, 1}) ASSERT_THAT(WriteSchema(fs_, paths_, SchemaOf(id)), IsOk());
  EXPECT_THAT(WriteSchema(fs_, paths_, SchemaOf(0)), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(WriteSchema(fs_, paths_, SchemaOf(0)), HasMessage("table sales.orders exists already"));
  EXPECT_THAT(WriteSchema(fs_, paths_, SchemaOf(1)), IsError(ErrorCode::kConflict));
}

TEST_F(SchemaStoreTest, ReportsDamagedFilesByPath) {
  ASSERT_THAT(fs_.Replace(paths_.SchemaFile(SchemaId(0)), "{"), IsOk());
  EXPECT_THAT(ReadLatestSchema(fs_, paths_), HasMessage("/w/sales.db/orders/schema/schema-0"));
  ASSERT_THAT(WriteSchema(fs_, paths_, SchemaOf(1)), IsOk());
  ASSERT_THAT(fs_.Rename(paths_.SchemaFile(SchemaId(1)), paths_.SchemaFile(SchemaId(2))), IsOk());
  EXPECT_THAT(ReadSchema(fs_, paths_, SchemaId(2)), IsError(ErrorCode::kCorruption));
}

}  // namespace
}  // namespace braid
