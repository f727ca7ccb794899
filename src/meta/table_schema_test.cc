#include "meta/table_schema.h"

#include <functional>

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

DataField Column(std::string name, DataType type) {
  return {FieldId(0), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

Options OptionsOf(std::initializer_list<std::pair<std::string, std::string>> values) {
  Options options;
  for (const auto& [key, value] : values) options.Set(key, value);
  return options;
}

// k INT NOT NULL, p INT NOT NULL, v STRING, ts TIMESTAMP(3); primary key (k, p), partitioned by p, one bucket.
TableDefinition KeyTable() {
  TableDefinition definition;
  definition.fields = {Column("k", DataType::Int().NotNull()), Column("p", DataType::Int().NotNull()),
                       Column("v", DataType::String()), Column("ts", DataType::Timestamp(3))};
  definition.primary_keys = {"k", "p"};
  definition.partition_keys = {"p"};
  definition.options = OptionsOf({{"bucket", "1"}});
  return definition;
}

TableDefinition AppendTable() {
  TableDefinition definition;
  definition.fields = {Column("a", DataType::Int()), Column("b", DataType::String()),
                       Column("l", DataType::Array(DataType::Int()))};
  return definition;
}

TableDefinition BlobTable() {
  TableDefinition definition;
  definition.fields = {Column("k", DataType::Int()), Column("b", DataType::Blob())};
  definition.options = OptionsOf({{"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}});
  return definition;
}

TEST(TableSchemaTest, NumbersFieldsInTheOrderOfJava) {
  // As Java numbered table nested_parquet: a column before its fields, but within a ROW the inner fields first.
  TableDefinition definition;
  const DataType inner = DataType::Row({Column("z", DataType::String()), Column("w w", DataType::Decimal(10, 2))});
  const DataType element = DataType::Row({Column("p", DataType::Int().NotNull())});
  definition.fields = {
      Column("id", DataType::Int()),
      Column("r", DataType::Row({Column("x", DataType::Int()), Column("y", inner)})),
      Column("ar", DataType::Array(element)),
      Column("m", DataType::Map(DataType::Row({Column("mk", DataType::Int())}),
                                DataType::Row({Column("mv", DataType::Int())}))),
      Column("last", DataType::Int()),
  };
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema, NewTableSchema(definition, 77));
  EXPECT_EQ(schema.fields[0].id, FieldId(0));
  EXPECT_EQ(schema.fields[1].id, FieldId(1));
  const auto r = schema.fields[1].type.fields();
  EXPECT_EQ(r[0].id, FieldId(2));
  EXPECT_EQ(r[1].id, FieldId(5));
  EXPECT_EQ(r[1].type.fields()[0].id, FieldId(3));
  EXPECT_EQ(r[1].type.fields()[1].id, FieldId(4));
  EXPECT_EQ(schema.fields[2].id, FieldId(6));
  EXPECT_EQ(schema.fields[2].type.element().fields()[0].id, FieldId(7));
  EXPECT_EQ(schema.fields[3].id, FieldId(8));
  EXPECT_EQ(schema.fields[3].type.key().fields()[0].id, FieldId(9));
  EXPECT_EQ(schema.fields[3].type.element().fields()[0].id, FieldId(10));
  EXPECT_EQ(schema.fields[4].id, FieldId(11));
  EXPECT_EQ(schema.highest_field_id, 11);
  EXPECT_EQ(schema.id, SchemaId(0));
  EXPECT_EQ(schema.version, 3);
  EXPECT_EQ(schema.time_millis, 77);
}

TEST(TableSchemaTest, MakesPrimaryKeyColumnsNotNull) {
  TableDefinition definition = KeyTable();
  definition.fields[0].type = DataType::Int();
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema, NewTableSchema(definition, 0));
  EXPECT_EQ(schema.fields[0].type, DataType::Int().NotNull());
}

TEST(TableSchemaTest, TakesKeysFromOptions) {
  TableDefinition definition = KeyTable();
  definition.primary_keys.clear();
  definition.partition_keys.clear();
  definition.options.Set("primary-key", " k , p");
  definition.options.Set("partition", "p");
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema, NewTableSchema(definition, 0));
  EXPECT_THAT(schema.primary_keys, ElementsAre("k", "p"));
  EXPECT_THAT(schema.partition_keys, ElementsAre("p"));
  EXPECT_EQ(schema.options, OptionsOf({{"bucket", "1"}}));

  definition.primary_keys = {"p", "k"};
  EXPECT_THAT(NewTableSchema(definition, 0), HasMessage("define it in one place only"));
}

TEST(TableSchemaTest, DerivesTrimmedAndBucketKeys) {
  BRAID_ASSERT_OK_AND_ASSIGN(TableSchema schema, NewTableSchema(KeyTable(), 0));
  EXPECT_THAT(schema.TrimmedPrimaryKeys(), ElementsAre("k"));
  EXPECT_THAT(schema.BucketKeys(), ElementsAre("k"));
  EXPECT_EQ(schema.PartitionFields()[0].name, "p");
  EXPECT_EQ(schema.TrimmedPrimaryKeyFields()[0].name, "k");
  schema.options.Set("bucket-key", "v,k");
  EXPECT_THAT(schema.BucketKeys(), ElementsAre("v", "k"));

  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema append, NewTableSchema(AppendTable(), 0));
  EXPECT_THAT(append.BucketKeys(), IsEmpty());
}

struct RuleCase {
  std::string name;
  TableDefinition table;
  std::function<void(TableDefinition&)> change;
  std::string message;  // empty: allowed
  ErrorCode code = ErrorCode::kInvalidArgument;
};

std::function<void(TableDefinition&)> With(std::initializer_list<std::pair<std::string, std::string>> values) {
  return [options = OptionsOf(values)](TableDefinition& table) { table.options = table.options.With(options); };
}

void Check(const std::vector<RuleCase>& cases) {
  for (const RuleCase& c : cases) {
    SCOPED_TRACE(c.name);
    TableDefinition table = c.table;
    c.change(table);
    const Result<TableSchema> schema = NewTableSchema(table, 0);
    if (c.message.empty()) {
      EXPECT_THAT(schema, IsOk());
    } else {
      EXPECT_THAT(schema, IsError(c.code));
      EXPECT_THAT(schema, HasMessage(c.message));
    }
  }
}

TEST(TableSchemaTest, EnforcesRulesOfColumns) {
  using Table = TableDefinition;
  Check({
      {"no column", AppendTable(), [](Table& t) { t.fields.clear(); }, "at least one column"},
      {"nameless column", AppendTable(), [](Table& t) { t.fields[0].name = ""; }, "must have a name"},
      {"two of a name", AppendTable(), [](Table& t) { t.fields[1].name = "a"; }, "column 'a' is defined twice"},
      {"names differ in case", AppendTable(), [](Table& t) { t.fields[1].name = "A"; }, ""},
      {"system name", AppendTable(), [](Table& t) { t.fields[0].name = "_ROW_ID"; }, "keeps for itself"},
      {"key prefix", AppendTable(), [](Table& t) { t.fields[0].name = "_KEY_a"; }, "keeps for itself"},
      {"default", AppendTable(), [](Table& t) { t.fields[0].default_value = "12"; }, ""},
      {"bad default", AppendTable(), [](Table& t) { t.fields[0].default_value = "x"; },
       "the default 'x' of column 'a' is no INT"},
  });
}

TEST(TableSchemaTest, EnforcesRulesOfKeys) {
  using Table = TableDefinition;
  Check({
      {"unknown key", KeyTable(), [](Table& t) { t.primary_keys = {"K"}; },
       "'K' does not exist\n  try: did you mean 'k'?"},
      {"unknown partition", KeyTable(), [](Table& t) { t.partition_keys = {"q"}; },
       "partition key column 'q' does not exist"},
      {"key twice", KeyTable(),
       [](Table& t) {
         t.primary_keys = {"k", "k"};
       },
       "the primary key names column 'k' twice"},
      {"partition twice", KeyTable(),
       [](Table& t) {
         t.partition_keys = {"p", "p"};
       },
       "the partition key names column 'p' twice"},
      {"key is all partition", KeyTable(), [](Table& t) { t.primary_keys = {"p"}; },
       "consists of partition columns only"},
      {"key across partitions", KeyTable(), [](Table& t) { t.primary_keys = {"k"}; }, ""},
      {"array key", AppendTable(), [](Table& t) { t.primary_keys = {"l"}; }, "cannot be part of a key"},
      {"array partition", AppendTable(), [](Table& t) { t.partition_keys = {"l"}; }, "cannot be part of a key"},
  });
}

TEST(TableSchemaTest, EnforcesRulesOfBuckets) {
  Check({
      {"no bucket", KeyTable(), With({{"bucket", "0"}}), "option 'bucket' is 0; it must be 1 or more, or -1, or -2"},
      {"no number", KeyTable(), With({{"bucket", "many"}}), "'bucket'"},
      {"too many buckets", KeyTable(), With({{"bucket", "2147483648"}}), "it must be 2147483647 or less"},
      {"postponed", KeyTable(), With({{"bucket", "-2"}}), ""},
      {"dynamic", KeyTable(), With({{"bucket", "-1"}}), ""},
      {"postponed without key", AppendTable(), With({{"bucket", "-2"}}),
       "option 'bucket' is -2; it must be 1 or more, or -1"},
      {"append without bucket key", AppendTable(), With({{"bucket", "2"}}), "needs option 'bucket-key'"},
      {"append with bucket key", AppendTable(), With({{"bucket", "2"}, {"bucket-key", "b,a"}}), ""},
      {"spaces are not trimmed", AppendTable(), With({{"bucket", "2"}, {"bucket-key", "b, a"}}),
       "leave out the spaces"},
      {"bucket key without buckets", AppendTable(), With({{"bucket-key", "a"}}), "no fixed buckets"},
      {"nested bucket key", AppendTable(), With({{"bucket", "2"}, {"bucket-key", "l"}}), "cannot be hashed"},
      {"bucket key is partition", KeyTable(), With({{"bucket-key", "p"}}), "which is a partition column"},
      {"bucket key is no key", KeyTable(), With({{"bucket-key", "v"}}), "no column of the primary key"},
      {"bucket key is key", KeyTable(), With({{"bucket-key", "k"}}), ""},
  });
}

TEST(TableSchemaTest, EnforcesRulesOfEnginesAndProducers) {
  Check({
      {"engine", KeyTable(), With({{"merge-engine", "Partial-Update"}}), ""},
      {"bad engine", KeyTable(), With({{"merge-engine", "nonsense"}}),
       "'merge-engine' is 'nonsense', which is none of deduplicate"},
      {"bad producer", KeyTable(), With({{"changelog-producer", "all"}}), "which is none of none, input"},
      {"producer without key", AppendTable(), With({{"changelog-producer", "lookup"}}),
       "but the table has no primary key"},
      {"first row, input", KeyTable(), With({{"merge-engine", "first-row"}, {"changelog-producer", "input"}}),
       "not 'input'"},
      {"first row, lookup", KeyTable(), With({{"merge-engine", "first-row"}, {"changelog-producer", "lookup"}}), ""},
      {"vectors, full compaction", KeyTable(),
       With({{"deletion-vectors.enabled", "true"}, {"changelog-producer", "full-compaction"}}),
       "not 'full-compaction'"},
      {"vectors, first row", KeyTable(), With({{"deletion-vectors.enabled", "true"}, {"merge-engine", "first-row"}}),
       "of no use"},
      {"overwrite read twice", KeyTable(),
       With({{"streaming-read-overwrite", "true"}, {"changelog-producer", "lookup"}}), "twice"},
      {"overwrite without key", AppendTable(), With({{"streaming-read-overwrite", "true"}}),
       "streaming-read-append-overwrite"},
      {"sequence field", KeyTable(), With({{"sequence.field", "v,ts"}}), ""},
      {"sequence field missing", KeyTable(), With({{"sequence.field", "nope"}}), "'sequence.field' names 'nope'"},
      {"sequence field twice", KeyTable(), With({{"sequence.field", "v,v"}}), "names 'v' twice"},
      {"sequence, first row", KeyTable(), With({{"sequence.field", "v"}, {"merge-engine", "first-row"}}), "first-row"},
      {"sequence, aggregated", KeyTable(), With({{"sequence.field", "ts"}, {"fields.ts.aggregate-function", "max"}}),
       "is a sequence field"},
      {"sequence across partitions", KeyTable(),
       [](TableDefinition& t) {
         t.primary_keys = {"k"};
         t.options.Set("sequence.field", "v");
       },
       "rows move between partitions"},
      {"row kind field", KeyTable(), With({{"rowkind.field", "nope"}}), "'rowkind.field' names 'nope'"},
      {"chain", KeyTable(), With({{"chain-table.enabled", "true"}}), "not supported", ErrorCode::kUnsupported},
  });
}

TEST(TableSchemaTest, EnforcesRulesOfOtherOptions) {
  Check({
      {"unknown option", KeyTable(), With({{"unknown.option", "fine"}}), ""},
      {"field option", KeyTable(), With({{"fields.v.aggregate-function", "max"}}), ""},
      {"field default", KeyTable(), With({{"fields.default-aggregate-function", "max"}}), ""},
      {"field group", KeyTable(), With({{"fields.v,ts.sequence-group", "v"}}), ""},
      {"field unknown", KeyTable(), With({{"fields.nope.stats-mode", "none"}}), "names 'nope', which is no column"},
      {"retain none", KeyTable(), With({{"snapshot.num-retained.min", "0"}}), "must be 1 or more"},
      {"retain crossed", KeyTable(), With({{"snapshot.num-retained.min", "5"}, {"snapshot.num-retained.max", "4"}}),
       "which is more than"},
      {"retain changelog", KeyTable(), With({{"changelog.num-retained.max", "4"}}),
       "'changelog.num-retained.min' is 10"},
      {"partition expiry", AppendTable(), With({{"partition.expiration-time", "1 d"}}), "needs a partitioned table"},
      {"record expiry", KeyTable(), With({{"record-level.time-field", "ts"}}), ""},
      {"record expiry of text", KeyTable(), With({{"record-level.time-field", "v"}}),
       "must be INT, BIGINT or TIMESTAMP"},
      {"row tracking", AppendTable(), With({{"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}}), ""},
      {"row tracking with key", KeyTable(), With({{"row-tracking.enabled", "true"}, {"bucket", "-1"}}),
       "without a primary key"},
      {"evolution alone", AppendTable(), With({{"data-evolution.enabled", "true"}}), "needs row tracking"},
      {"clustering", AppendTable(), With({{"clustering.incremental", "true"}, {"deletion-vectors.enabled", "true"}}), ""},
      {"clustering with key", KeyTable(), With({{"clustering.incremental", "true"}}), "without a primary key"},
      {"clustering with evolution", AppendTable(),
       With({{"clustering.incremental", "true"}, {"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}}),
       "exclude each other"},
      {"clustering in ordered buckets", AppendTable(),
       With({{"clustering.incremental", "true"}, {"bucket", "2"}, {"bucket-key", "a"}}), "'bucket-append-ordered'"},
      {"clustering in buckets", AppendTable(),
       With({{"clustering.incremental", "true"}, {"bucket", "2"}, {"bucket-key", "a"}, {"bucket-append-ordered", "false"}}),
       ""},
      {"clustering in buckets with vectors", AppendTable(),
       With({{"clustering.incremental", "true"},
             {"bucket", "2"},
             {"bucket-key", "a"},
             {"bucket-append-ordered", "false"},
             {"deletion-vectors.enabled", "true"}}),
       "need bucket = -1"},
      {"blob", AppendTable(), [](TableDefinition& t) { t.fields[0].type = DataType::Blob(); },
       "'data-evolution.enabled'"},
      {"materialized", AppendTable(), With({{"type", "materialized-table"}}), ""},
      {"files of a format", AppendTable(), With({{"type", "format-table"}}), "'type'='format-table'", ErrorCode::kUnsupported},
      {"objects", AppendTable(), With({{"type", "object-table"}}), "'type'='object-table'", ErrorCode::kUnsupported},
      {"descriptors of no column", AppendTable(), With({{"blob-descriptor-field", "nowhere"}}), "no BLOB column"},
      {"descriptors of a number", BlobTable(), With({{"blob.stored-descriptor-fields", "k"}}), "no BLOB column"},
      {"values outside of no column", BlobTable(), With({{"blob-external-storage-field", "k"}}), "no BLOB column"},
      {"values outside without descriptors", BlobTable(), With({{"blob-external-storage-field", "b"}}),
       "which 'blob-descriptor-field' does not"},
      {"values outside without a path", BlobTable(),
       With({{"blob-descriptor-field", "b"}, {"blob-external-storage-field", "b"}}), "'blob-external-storage-path'"},
  });
}

}  // namespace
}  // namespace braid
