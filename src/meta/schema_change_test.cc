#include "meta/schema_change.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using testing::ElementsAre;
using Where = ColumnPosition::Where;

DataField Field(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

// k INT NOT NULL (0), p STRING (1), v BIGINT (2), r ROW<a INT (4), b STRING (5)> (3), l ARRAY<ROW<x INT (7)>> (6),
// m MAP<STRING, INT> (8), d DATE (9); a column with id 10 was dropped. Primary key (k, p), partitioned by p.
TableSchema Before() {
  TableSchema schema;
  schema.id = SchemaId(4);
  schema.fields = {
      Field(0, "k", DataType::Int().NotNull()),
      Field(1, "p", DataType::String().NotNull()),
      Field(2, "v", DataType::BigInt()),
      Field(3, "r", DataType::Row({Field(4, "a", DataType::Int()), Field(5, "b", DataType::String())})),
      Field(6, "l", DataType::Array(DataType::Row({Field(7, "x", DataType::Int())}))),
      Field(8, "m", DataType::Map(DataType::String(), DataType::Int())),
      Field(9, "d", DataType::Date()),
  };
  schema.highest_field_id = 10;
  schema.primary_keys = {"k", "p"};
  schema.partition_keys = {"p"};
  schema.options.Set("bucket", "2");
  return schema;
}

Result<TableSchema> After(SchemaChange change, bool has_snapshot = true) {
  return Apply(Before(), std::vector{std::move(change)}, has_snapshot, 99);
}

Result<TableSchema> AfterWithOptions(std::initializer_list<std::pair<std::string, std::string>> options,
                                     SchemaChange change, bool has_snapshot = true) {
  TableSchema schema = Before();
  for (const auto& [key, value] : options) schema.options.Set(key, value);
  return Apply(schema, std::vector{std::move(change)}, has_snapshot, 99);
}

std::vector<std::string> ColumnNames(const Result<TableSchema>& schema) {
  std::vector<std::string> names;
  if (!schema) return {schema.error().ToString()};
  for (const DataField& field : schema->fields) names.push_back(field.name);
  return names;
}

AddColumn Add(ColumnPath path, DataType type, std::optional<ColumnPosition> position = std::nullopt) {
  return {std::move(path), std::move(type), "note", std::move(position)};
}

TEST(SchemaChangeTest, CountsTheIdOnAndKeepsTheRest) {
  TableSchema old = Before();
  old.version = 2;
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema,
                             Apply(old, std::vector<SchemaChange>{UpdateComment{"hello"}}, true, 99));
  TableSchema expected = Before();
  expected.id = SchemaId(5);
  expected.comment = "hello";
  expected.time_millis = 99;
  EXPECT_EQ(schema, expected);
}

TEST(SchemaChangeTest, AddsColumnsWithFreshIds) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const TableSchema schema,
      After(Add({"n"}, DataType::Row({Field(0, "i", DataType::Int()),
                                      Field(0, "j", DataType::Row({Field(0, "z", DataType::Int())}))}))));
  const DataField& added = schema.fields.back();
  EXPECT_EQ(added.name, "n");
  EXPECT_EQ(added.id, FieldId(11));
  EXPECT_EQ(added.description, "note");
  EXPECT_EQ(added.type.fields()[0].id, FieldId(12));
  EXPECT_EQ(added.type.fields()[1].id, FieldId(14));
  EXPECT_EQ(added.type.fields()[1].type.fields()[0].id, FieldId(13));
  EXPECT_EQ(schema.highest_field_id, 14);
}

TEST(SchemaChangeTest, AddsColumnsWhereTold) {
  const DataType type = DataType::Int();
  EXPECT_THAT(ColumnNames(After(Add({"n"}, type, ColumnPosition{Where::kFirst, ""}))),
              ElementsAre("n", "k", "p", "v", "r", "l", "m", "d"));
  EXPECT_THAT(ColumnNames(After(Add({"n"}, type, ColumnPosition{Where::kAfter, "p"}))),
              ElementsAre("k", "p", "n", "v", "r", "l", "m", "d"));
  EXPECT_THAT(ColumnNames(After(Add({"n"}, type, ColumnPosition{Where::kBefore, "p"}))),
              ElementsAre("k", "n", "p", "v", "r", "l", "m", "d"));
  EXPECT_THAT(ColumnNames(AfterWithOptions({{"add-column-before-partition", "true"}}, Add({"n"}, type))),
              ElementsAre("k", "n", "p", "v", "r", "l", "m", "d"));
  EXPECT_THAT(After(Add({"n"}, type, ColumnPosition{Where::kAfter, "w"})), IsError(ErrorCode::kNotFound));
}

TEST(SchemaChangeTest, ChangesNestedFieldsByPath) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const TableSchema schema,
      Apply(Before(),
            std::vector<SchemaChange>{
                Add({"r", "n"}, DataType::Double()), DropColumn{{"r", "b"}}, RenameColumn{{"r", "a"}, "aa"},
                Add({"l", "element", "z"}, DataType::Int()), DropColumn{{"l", "element", "x"}},
                UpdateColumnType{{"m", "value"}, DataType::BigInt()}, UpdateColumnComment{{"r", "aa"}, "nested"}},
            true, 99));
  DataField renamed = Field(4, "aa", DataType::Int());
  renamed.description = "nested";
  DataField added = Field(11, "n", DataType::Double());
  added.description = "note";
  EXPECT_EQ(schema.fields[3].type, DataType::Row({renamed, added}));
  DataField element = Field(12, "z", DataType::Int());
  element.description = "note";
  EXPECT_EQ(schema.fields[4].type, DataType::Array(DataType::Row({element})));
  EXPECT_EQ(schema.fields[5].type, DataType::Map(DataType::String(), DataType::BigInt()));
}

TEST(SchemaChangeTest, DropsColumnsAndNeverUsesTheirIdsAgain) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const TableSchema schema,
      Apply(Before(), std::vector<SchemaChange>{DropColumn{{"v"}}, Add({"v"}, DataType::Int())}, true, 99));
  EXPECT_EQ(schema.fields.back().name, "v");
  EXPECT_EQ(schema.fields.back().id, FieldId(11));
}

TEST(SchemaChangeTest, RenamesAColumnWhereverItIsNamed) {
  const std::initializer_list<std::pair<std::string, std::string>> options = {
      {"bucket-key", "k"},
      {"sequence.field", "v,d"},
      {"fields.v.stats-mode", "none"},
      {"fields.v,d.sequence-group", "m,v"},
      {"fields.m.nested-key", "v"},
      {"merge-engine", "partial-update"},
  };
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema, AfterWithOptions(options, RenameColumn{{"v"}, "w"}));
  EXPECT_EQ(schema.fields[2].name, "w");
  EXPECT_EQ(schema.fields[2].id, FieldId(2));
  Options expected;
  expected.Set("bucket", "2");
  expected.Set("bucket-key", "k");
  expected.Set("sequence.field", "w,d");
  expected.Set("fields.w.stats-mode", "none");
  expected.Set("fields.w,d.sequence-group", "m,w");
  expected.Set("fields.m.nested-key", "w");
  expected.Set("merge-engine", "partial-update");
  EXPECT_EQ(schema.options, expected);

  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema key, AfterWithOptions(options, RenameColumn{{"k"}, "key"}));
  EXPECT_THAT(key.primary_keys, ElementsAre("key", "p"));
  EXPECT_EQ(key.options.Get("bucket-key", ""), "key");
}

TEST(SchemaChangeTest, ChangesTypesAndNullability) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema type, After(UpdateColumnType{{"v"}, DataType::String()}));
  EXPECT_EQ(type.fields[2], Field(2, "v", DataType::String()));
  TableSchema strict = Before();
  strict.fields[2].type = DataType::BigInt().NotNull();
  const SchemaChange keep = UpdateColumnType{{"v"}, DataType::Double(), true};
  EXPECT_EQ(Apply(strict, std::vector{keep}, true, 99)->fields[2].type, DataType::Double().NotNull());
  const SchemaChange relax = UpdateColumnNullability{{"v"}, true};
  EXPECT_EQ(Apply(strict, std::vector{relax}, true, 99)->fields[2].type, DataType::BigInt());
  const SchemaChange tighten = UpdateColumnNullability{{"v"}, false};
  EXPECT_EQ(AfterWithOptions({{"alter-column-null-to-not-null.disabled", "false"}}, tighten)->fields[2].type,
            DataType::BigInt().NotNull());
  EXPECT_EQ(After(UpdateColumnType{{"v"}, DataType::BigInt()})->fields[2].type, DataType::BigInt());
}

TEST(SchemaChangeTest, ChangesCommentsAndDefaults) {
  EXPECT_EQ(After(UpdateColumnComment{{"v"}, "c"})->fields[2].description, "c");
  EXPECT_EQ(After(UpdateColumnDefault{{"v"}, "7"})->fields[2].default_value, "7");
  TableSchema with_default = Before();
  with_default.fields[2].default_value = "7";
  const SchemaChange remove = UpdateColumnDefault{{"v"}, std::nullopt};
  EXPECT_EQ(Apply(with_default, std::vector{remove}, true, 99)->fields[2].default_value, std::nullopt);
  const SchemaChange retype = UpdateColumnType{{"v"}, DataType::Boolean()};
  EXPECT_THAT(Apply(with_default, std::vector{retype}, true, 99),
              HasMessage("the default '7' of column 'v' is no BOOLEAN"));
}

TEST(SchemaChangeTest, MovesColumns) {
  struct Case {
    ColumnPosition position;
    std::vector<std::string> names;
  };
  const std::vector<Case> cases = {
      {{Where::kFirst, ""}, {"v", "k", "p", "r", "l", "m", "d"}},
      {{Where::kLast, ""}, {"k", "p", "r", "l", "m", "d", "v"}},
      {{Where::kAfter, "m"}, {"k", "p", "r", "l", "m", "v", "d"}},
      {{Where::kBefore, "m"}, {"k", "p", "r", "l", "v", "m", "d"}},
      {{Where::kAfter, "k"}, {"k", "v", "p", "r", "l", "m", "d"}},
      {{Where::kBefore, "k"}, {"v", "k", "p", "r", "l", "m", "d"}},
      {{Where::kAfter, "p"}, {"k", "p", "v", "r", "l", "m", "d"}},
  };
  for (const Case& c : cases) EXPECT_EQ(ColumnNames(After(MoveColumn{"v", c.position})), c.names);
}

TEST(SchemaChangeTest, SetsAndResetsOptions) {
  EXPECT_EQ(After(SetOption{"snapshot.time-retained", "1 d"})->options.Get("snapshot.time-retained", ""), "1 d");
  EXPECT_FALSE(AfterWithOptions({{"x", "1"}}, RemoveOption{"x"})->options.Has("x"));
  EXPECT_EQ(After(SetOption{"bucket", "8"})->options.Get("bucket", ""), "8");
  EXPECT_EQ(After(SetOption{"bucket", "-2"})->options.Get("bucket", ""), "-2");
  EXPECT_THAT(After(SetOption{"merge-engine", "aggregation"}, false), IsOk()) << "free while the table is empty";
  EXPECT_THAT(AfterWithOptions({{"merge-engine", "aggregation"}}, SetOption{"merge-engine", "aggregation"}), IsOk())
      << "no change";
  EXPECT_THAT(AfterWithOptions({{"ignore-delete", "false"}}, SetOption{"ignore-delete", "true"}), IsOk());
  EXPECT_THAT(
      AfterWithOptions({{"deletion-vectors.modifiable", "true"}}, SetOption{"deletion-vectors.enabled", "true"}),
      IsOk());
}

TEST(SchemaChangeTest, TakesThePrimaryKeyFromAnOptionWhileTheTableIsEmpty) {
  TableSchema keyless = Before();
  keyless.primary_keys.clear();
  const std::vector<SchemaChange> changes = {SetOption{"primary-key", "k,p"}};
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema, Apply(keyless, changes, /*has_snapshot=*/false, 99));
  EXPECT_THAT(schema.primary_keys, ElementsAre("k", "p"));
  EXPECT_FALSE(schema.options.Has("primary-key"));
  EXPECT_THAT(After(SetOption{"primary-key", "k,p"}), IsOk()) << "it is so already";
  EXPECT_THAT(After(SetOption{"primary-key", "k,v"}, /*has_snapshot=*/false),
              HasMessage("define it in one place only"));
}

TEST(SchemaChangeTest, DropsThePrimaryKeyOfAnEmptyTable) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema,
                             AfterWithOptions({{"bucket", "-1"}}, DropPrimaryKey{}, /*has_snapshot=*/false));
  EXPECT_FALSE(schema.has_primary_key());
  EXPECT_FALSE(schema.fields[0].type.nullable()) << "as in Java, the columns stay NOT NULL";
}

TEST(SchemaChangeTest, RefusesWhatARuleForbids) {
  struct Case {
    SchemaChange change;
    ErrorCode code;
    std::string message;
  };
  const ErrorCode invalid = ErrorCode::kInvalidArgument;
  const ErrorCode missing = ErrorCode::kNotFound;
  const ErrorCode taken = ErrorCode::kAlreadyExists;
  const std::vector<Case> cases = {
      {Add({"v"}, DataType::Int()), taken, "there is a column 'v' already"},
      {Add({"r", "a"}, DataType::Int()), taken, "there is a column 'a' already"},
      {Add({"n"}, DataType::Int().NotNull()), invalid, "cannot be NOT NULL"},
      {Add({"_KEY_n"}, DataType::Int()), invalid, "keeps for itself"},
      {Add({"x", "n"}, DataType::Int()), missing, "no column 'x.n'"},
      {Add({"v", "n"}, DataType::Int()), invalid, "which has no fields"},
      {Add({"l", "item", "n"}, DataType::Int()), invalid, "only 'element' can be changed there"},
      {RenameColumn{{"p"}, "q"}, invalid, "partition column 'p' cannot be renamed"},
      {RenameColumn{{"v"}, "d"}, taken, "there is a column 'd' already"},
      {RenameColumn{{"V"}, "w"}, missing, "no column 'V'\n  try: did you mean 'v'?"},
      {DropColumn{{"k"}}, invalid, "primary key column 'k' cannot be dropped"},
      {DropColumn{{"p"}}, invalid, "partition column 'p' cannot be dropped"},
      {DropColumn{{"nope"}}, missing, "there is no column 'nope'"},
      {DropColumn{{"l", "element", "x"}}, invalid, "since it is the last one"},
      {UpdateColumnType{{"k"}, DataType::BigInt()}, invalid, "the type of primary key column 'k'"},
      {UpdateColumnType{{"p"}, DataType::BigInt()}, invalid, "the type of partition column 'p'"},
      {UpdateColumnType{{"v"}, DataType::Date()}, invalid, "column 'v' cannot be changed from BIGINT to DATE"},
      {UpdateColumnType{{"v"}, DataType::Double().NotNull()}, invalid, "cannot become NOT NULL"},
      {UpdateColumnType{{"v"}, DataType::Blob()}, invalid, "cannot be changed"},
      {UpdateColumnType{{"r"}, DataType::Row({Field(0, "a", DataType::BigInt())})}, invalid,
       "change its fields one by one"},
      {UpdateColumnType{{"m", "key"}, DataType::Int()}, invalid, "only 'value' can be changed there"},
      {UpdateColumnNullability{{"v"}, false}, invalid, "alter-column-null-to-not-null.disabled"},
      {UpdateColumnNullability{{"k"}, true}, invalid, "primary key column 'k' cannot become nullable"},
      {UpdateColumnDefault{{"v"}, "x"}, invalid, "the default 'x' of column 'v' is no BIGINT"},
      {UpdateColumnComment{{"w"}, "x"}, missing, "there is no column 'w'"},
      {MoveColumn{"v", {Where::kAfter, "v"}}, invalid, "beside itself"},
      {MoveColumn{"v", {Where::kAfter, "w"}}, missing, "there is no column 'w'"},
      {MoveColumn{"w", {Where::kFirst, ""}}, missing, "there is no column 'w'"},
      {DropPrimaryKey{}, invalid, "the primary key cannot be dropped"},
      {SetOption{"merge-engine", "aggregation"}, invalid,
       "'merge-engine' cannot be changed, since the table holds data"},
      {SetOption{"primary-key", "v"}, invalid, "'primary-key' cannot be changed"},
      {SetOption{"partition", "v"}, invalid, "partition columns of a table cannot be changed"},
      {SetOption{"bucket", "-1"}, invalid, "'bucket' cannot be changed from 2 to -1"},
      {SetOption{"bucket-key", "k"}, invalid, "'bucket-key' cannot be changed"},
      {SetOption{"rowkind.field", "v"}, invalid, "'rowkind.field' cannot be changed"},
      {SetOption{"deletion-vectors.enabled", "true"}, invalid, "deletion-vectors.modifiable"},
      {SetOption{"type", "format-table"}, invalid, "kind of a table"},
      {SetOption{"path", "/x"}, invalid, "location of a table"},
      {SetOption{"snapshot.num-retained.min", "0"}, invalid, "must be 1 or more"},
      {RemoveOption{"bucket"}, invalid, "'bucket' cannot be reset"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    const Result<TableSchema> schema = After(c.change);
    EXPECT_THAT(schema, IsError(c.code));
    EXPECT_THAT(schema, HasMessage(c.message));
  }
}

TEST(SchemaChangeTest, RefusesExplicitCastsIfAskedTo) {
  const SchemaChange narrow = UpdateColumnType{{"v"}, DataType::Int()};
  EXPECT_THAT(After(narrow), IsOk());
  EXPECT_THAT(AfterWithOptions({{"disable-explicit-type-casting", "true"}}, narrow),
              HasMessage("disable-explicit-type-casting"));
  const SchemaChange widen = UpdateColumnType{{"v"}, DataType::Double()};
  EXPECT_THAT(AfterWithOptions({{"disable-explicit-type-casting", "true"}}, widen), IsOk());
}

TEST(SchemaChangeTest, RefusesToSwitchIgnoringOff) {
  for (const char* key : {"ignore-delete", "ignore-update-before"}) {
    EXPECT_THAT(AfterWithOptions({{key, "true"}}, SetOption{key, "false"}), HasMessage("from true to false"));
  }
}

}  // namespace
}  // namespace braid
