#include "base/result_matchers.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

/// Partitioned by p, keyed by (p, k).
TableSchema Table() {
  TableSchema table;
  table.fields = {Field(0, "v", DataType::String()), Field(1, "k", DataType::BigInt().NotNull()),
                  Field(2, "p", DataType::Int().NotNull()), Field(3, "s", DataType::Int()),
                  Field(4, "list", DataType::Array(DataType::Int()))};
  table.partition_keys = {"p"};
  table.primary_keys = {"p", "k"};
  return table;
}

std::vector<std::string> FieldNames(const std::vector<DataField>& fields) {
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  return names;
}

TEST(KeyValueSchemaTest, LaysOutFilesAsPaimonDoes) {
  BRAID_ASSERT_OK_AND_ASSIGN(const KeyValueSchema schema, KeyValueSchema::Make(Table(), {}));
  const std::vector<DataField> fields = KeyValueFileFields(schema, false);
  EXPECT_EQ(FieldNames(fields),
            (std::vector<std::string>{"_KEY_k", "_SEQUENCE_NUMBER", "_VALUE_KIND", "v", "k", "p", "s", "list"}));
  EXPECT_EQ(fields[0].id, FieldId(1073741824));
  EXPECT_EQ(fields[0].type, DataType::BigInt().NotNull());
  EXPECT_EQ(fields[1].id, FieldId(2147483646));
  EXPECT_EQ(fields[1].type, DataType::BigInt().NotNull());
  EXPECT_EQ(fields[2].id, FieldId(2147483645));
  EXPECT_EQ(fields[2].type, DataType::TinyInt().NotNull());
  EXPECT_EQ(FieldNames(KeyValueFileFields(schema, true))[0], "_SEQUENCE_NUMBER");
}

TEST(KeyValueSchemaTest, AddsWhatMergingNeedsBehindTheRequestedColumns) {
  const Options options(Options::Map{{"sequence.field", "s, v"}, {"sequence.field.sort-order", "descending"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const KeyValueSchema schema,
                             KeyValueSchema::Make(Table(), options, std::vector<std::string>{"v", "p"}));
  EXPECT_EQ(FieldNames(schema.value_fields), (std::vector<std::string>{"v", "p", "s"}));
  EXPECT_EQ(schema.requested_values, 2U);
  EXPECT_EQ(schema.sequence_fields, (std::vector<std::size_t>{2, 0}));
  EXPECT_TRUE(schema.sequence_descending);
  EXPECT_EQ(FieldNames(KeyValueReadFields(schema)),
            (std::vector<std::string>{"_SEQUENCE_NUMBER", "_VALUE_KIND", "v", "p", "s", "k"}));
}

TEST(KeyValueSchemaTest, NamesColumnsThatCannotBe) {
  EXPECT_THAT(KeyValueSchema::Make(Table(), Options(Options::Map{{"sequence.field", "x"}})),
              HasMessage("sequence.field names x"));
  EXPECT_THAT(KeyValueSchema::Make(Table(), Options(Options::Map{{"sequence.field", "list"}})),
              IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(KeyValueSchema::Make(Table(), {}, std::vector<std::string>{"y"}), HasMessage("no column y"));
}

}  // namespace
}  // namespace braid
