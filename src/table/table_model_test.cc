// Random tables, options and operations: after every step two tables that differ in options alone hold what the model
// says, whole, projected and filtered, now and at their tags, and no file is missing or left over.

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "meta/schema_change.h"
#include "table/delete_rows.h"
#include "table/expire.h"
#include "table/orphan_files.h"
#include "table/rollback.h"
#include "table/table_shapes_testing.h"
#include "table/tag_change.h"
#include "table/tag_removal.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

constexpr std::int64_t kNow = 1'715'681'730'000;

std::string TextOf(const Options::Map& options) {
  std::string text;
  for (const auto& [key, value] : options) text += "\n    '" + key + "' = '" + value + "'";
  return text;
}

// One of the tables that are to hold the same rows.
struct Played {
  std::shared_ptr<MemoryFileSystem> fs;
  Table table;
  Options::Map options;

  bool Has(const std::string& option, const std::string& value) const {
    const auto found = options.find(option);
    return found != options.end() && found->second == value;
  }
};

class TableModelRun {
 public:
  explicit TableModelRun(unsigned seed) : draw_(seed), shape_(draw_.Shape()), model_(shape_) {}

  // False if a table of such options is refused.
  bool Start() {
    said_ = "table:";
    for (const auto& [name, type] : shape_.columns) said_ += " " + name + " " + type.ToString() + ",";
    said_ += " keys " + testing::PrintToString(shape_.primary_keys) + ", partitions " +
             testing::PrintToString(shape_.partition_keys);
    for (int number = 0; number < 2; ++number) {
      Options::Map options = draw_.FreeOptions(shape_);
      options.merge(shape_.options());
      said_ += "\n  options:" + TextOf(options);
      auto fs = std::make_shared<MemoryFileSystem>(clock_);
      Result<Table> table =
          CreateTestTable(fs, TestDefinition(shape_.columns, shape_.primary_keys, options, shape_.partition_keys));
      if (!table) {
        EXPECT_EQ(table.error().code(), ErrorCode::kInvalidArgument) << table.error().ToString() << said_;
        return false;
      }
      tables_.push_back({.fs = std::move(fs), .table = *std::move(table), .options = std::move(options)});
    }
    return true;
  }

  void Step() {
    clock_.Advance(1000);
    switch (draw_.Below(16)) {
      case 0: return Overwrite();
      case 1: return DropPartition();
      case 2: return Compact(draw_.Chance(60));
      case 3: return ChangeSchema();
      case 4: return Expire();
      case 5: return Tag();
      case 6: return DeleteTag();
      case 7: return GoBack();
      case 8: return Clean();
      case 9: return DeleteSome();
      default: return Write();
    }
  }

  void Check() {
    const TableSchema& schema = Schema();
    const std::vector<std::string> all = model_.Rows(schema, schema.fields, nullptr);
    const PredicatePtr filter = draw_.Filter(schema.fields);
    std::vector<std::string> projection;
    for (const DataField& field : schema.fields) {
      if (draw_.Chance(50)) projection.push_back(field.name);
    }
    if (projection.empty()) projection.push_back(schema.fields.front().name);
    std::shuffle(projection.begin(), projection.end(), std::minstd_rand(static_cast<unsigned>(draw_.Below(1000))));
    const std::vector<std::string> some = model_.Rows(schema, schema.Project(projection), filter);
    for (const Played& played : tables_) {
      ExpectRows(played.table, {}, all, played, "all rows");
      ExpectRows(played.table, {.projection = projection, .filter = filter}, some, played,
                 "columns " + testing::PrintToString(projection) + " where " +
                     (filter == nullptr ? "true" : filter->ToString()));
      CheckFiles(played);
    }
    if (!tags_.empty()) CheckTag(draw_.Pick(TagNames()));
  }

  const std::string& said() const { return said_; }

 private:
  struct TagState {
    TableModel model;
    std::vector<TableSchema> schemas;  // of the snapshot in each table; a compaction takes a newer one
  };

  const TableSchema& Schema() const { return tables_.front().table.schema(); }

  void Say(const std::string& text) { said_ += "\n  " + text; }

  void ExpectRows(const Table& table, const ReadRequest& request, const std::vector<std::string>& want,
                  const Played& played, const std::string& what) {
    const Result<std::vector<std::string>> got = SortedRows(table, request);
    ASSERT_TRUE(got.has_value()) << what << ": " << got.error().ToString() << Where(played);
    if (*got == want) return;
    std::vector<std::string> missing;
    std::vector<std::string> unexpected;
    std::set_difference(want.begin(), want.end(), got->begin(), got->end(), std::back_inserter(missing));
    std::set_difference(got->begin(), got->end(), want.begin(), want.end(), std::back_inserter(unexpected));
    ADD_FAILURE() << what << "\nmissing " << testing::PrintToString(missing) << "\nunexpected "
                  << testing::PrintToString(unexpected) << Where(played);
  }

  std::string Where(const Played& played) const {
    return "\nin table " + std::to_string(&played - tables_.data() + 1) + " of\n" + said_;
  }

  void CheckFiles(const Played& played) {
    Result<std::set<std::string>> needed = NeededFiles(*played.fs, kTestTableRoot).Find();
    ASSERT_TRUE(needed.has_value()) << needed.error().ToString() << Where(played);
    const std::set<std::string> present = PresentFiles(*played.fs);
    for (const std::string& name : *needed)
      EXPECT_TRUE(present.contains(name)) << name << " is missing" << Where(played);
    for (const std::string& name : present) EXPECT_TRUE(needed->contains(name)) << name << " is left" << Where(played);
  }

  void CheckTag(const std::string& name) {
    const TagState& state = tags_.at(name);
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      BRAID_ASSERT_OK_AND_ASSIGN(const Table at, tables_[i].table.With(Options({{"scan.tag-name", name}})));
      const TableSchema& schema = state.schemas[i];
      ExpectRows(at, {}, state.model.Rows(schema, schema.fields, nullptr), tables_[i], "at tag " + name);
    }
  }

  std::vector<std::string> TagNames() const {
    std::vector<std::string> names;
    for (const auto& [name, state] : tags_) names.push_back(name);
    return names;
  }

  struct Drawn {
    std::vector<DatumList> rows;
    std::vector<RowKind> kinds;
  };

  Drawn DrawRows(bool insertions_only) {
    Drawn drawn;
    const bool takes_deletes =
        shape_.has_key() &&
        (shape_.ignores_deletes || (shape_.merge_engine == "deduplicate" && shape_.sequence_field.empty()));
    for (int i = draw_.Chance(10) ? 60 : 1 + draw_.Below(10); i > 0; --i) {
      DatumList row;
      for (const DataField& field : Schema().fields) row.push_back(draw_.ValueOf(shape_, field));
      drawn.rows.push_back(std::move(row));
      const bool deletes = takes_deletes && !insertions_only && draw_.Chance(25);
      drawn.kinds.push_back(deletes ? RowKind::kDelete : RowKind::kInsert);
    }
    return drawn;
  }

  static Result<std::vector<CommitMessage>> WriteTo(const Table& table, const Drawn& drawn, bool ignore_previous) {
    BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = "user",
                                                                  .spill_directory = {},
                                                                  .ignore_previous_files = ignore_previous}));
    BRAID_TRY_ASSIGN(const Batch batch,
                     MakeBatch(table.schema().fields, drawn.rows,
                               table.schema().has_primary_key() ? drawn.kinds : std::vector<RowKind>()));
    BRAID_TRY(writer->Write(batch));
    return writer->PrepareCommit(true, kBatchCommitIdentifier);
  }

  void ToModel(const Drawn& drawn) {
    for (std::size_t i = 0; i < drawn.rows.size(); ++i) model_.Write(Schema(), drawn.rows[i], drawn.kinds[i]);
  }

  // Rows of postponed buckets are seen when they were compacted.
  void Settle(const Played& played) {
    if (!played.Has("bucket", "-2")) return;
    const auto compacted = CompactTable(played.table, true, nullptr, "user", clock_);
    ASSERT_TRUE(compacted.has_value()) << compacted.error().ToString() << Where(played);
  }

  void Write() {
    const Drawn drawn = DrawRows(false);
    Say("write " + std::to_string(drawn.rows.size()) + " rows");
    ToModel(drawn);
    for (const Played& played : tables_) {
      Committable committable;
      auto messages = WriteTo(played.table, drawn, false);
      ASSERT_TRUE(messages.has_value()) << messages.error().ToString() << Where(played);
      committable.messages = *std::move(messages);
      const auto committed = TableCommit(played.table, "user", clock_).Commit(committable);
      ASSERT_TRUE(committed.has_value()) << committed.error().ToString() << Where(played);
      Settle(played);
    }
  }

  // The whole table, or the partitions of the new rows.
  void Overwrite() {
    const bool dynamic = !shape_.partition_keys.empty() && draw_.Chance(60);
    const Drawn drawn = DrawRows(true);
    Say(std::string(dynamic ? "overwrite partitions" : "overwrite all") + " with " + std::to_string(drawn.rows.size()) +
        " rows");
    if (dynamic) {
      std::set<std::string> partitions;
      for (const DatumList& values : drawn.rows) {
        TableModel::Row row;
        for (std::size_t i = 0; i < values.size(); ++i) row[Schema().fields[i].id.value()] = values[i];
        partitions.insert(PartitionOf(row));
      }
      model_.Remove([&](const TableModel::Row& row) { return partitions.contains(PartitionOf(row)); });
    } else {
      model_.Clear();
    }
    ToModel(drawn);
    for (const Played& played : tables_) {
      Committable committable;
      auto messages = WriteTo(played.table, drawn, true);
      ASSERT_TRUE(messages.has_value()) << messages.error().ToString() << Where(played);
      committable.messages = *std::move(messages);
      const auto committed =
          TableCommit(played.table, "user", clock_).Overwrite(committable, {.partition = {}, .dynamic = dynamic});
      ASSERT_TRUE(committed.has_value()) << committed.error().ToString() << Where(played);
      Settle(played);
    }
  }

  std::string PartitionOf(const TableModel::Row& row) const {
    return TableModel::TextOf(Schema(), row, shape_.partition_keys);
  }

  // By one column, whose value's text is itself.
  void DropPartition() {
    for (const std::string& key : shape_.partition_keys) {
      const DataField* field = Schema().FindColumn(key);
      if (!field->type.is_integer()) continue;
      const Datum value = draw_.Value(field->type.NotNull());
      Say("drop partition " + key + " = " + std::to_string(value.as_int()));
      const std::int32_t id = field->id.value();
      model_.Remove([&](const TableModel::Row& row) { return row.at(id) == value; });
      for (const Played& played : tables_) {
        const auto dropped =
            TableCommit(played.table, "user", clock_)
                .Overwrite({}, {.partition = {{key, std::to_string(value.as_int())}}, .dynamic = false});
        ASSERT_TRUE(dropped.has_value()) << dropped.error().ToString() << Where(played);
      }
      return;
    }
    Write();
  }

  void Compact(bool full) {
    Say(full ? "compact fully" : "compact");
    for (const Played& played : tables_) {
      const auto compacted = CompactTable(played.table, full, nullptr, "user", clock_);
      ASSERT_TRUE(compacted.has_value()) << compacted.error().ToString() << Where(played);
    }
  }

  // Of append tables.
  void DeleteSome() {
    const PredicatePtr filter = draw_.Filter(Schema().fields);
    if (shape_.has_key() || filter == nullptr) return Write();
    Say("delete where " + filter->ToString());
    const std::vector<DataField> fields = Schema().fields;
    model_.Remove([&](const TableModel::Row& row) { return filter->Test(fields, TableModel::ValuesOf(fields, row)); });
    for (const Played& played : tables_) {
      const auto deleted = DeleteRows(played.table, filter, "user", clock_);
      ASSERT_TRUE(deleted.has_value()) << deleted.error().ToString() << Where(played);
    }
  }

  void ChangeSchema() {
    std::vector<std::string> free;  // columns that nothing names
    for (const DataField& field : Schema().fields) {
      const bool is_named = field.name.starts_with("k") || field.name.starts_with("p") ||
                            field.name == shape_.sequence_field || shape_.functions.contains(field.name);
      const bool is_indexed = std::any_of(tables_.begin(), tables_.end(), [&](const Played& played) {
        return std::any_of(played.options.begin(), played.options.end(), [&](const auto& option) {
          return option.first.starts_with("file-index.") && option.second == field.name;
        });
      });
      if (!is_named && !is_indexed) free.push_back(field.name);
    }
    SchemaChange change = AddColumn{
        .path = {"n" + std::to_string(++number_)}, .type = draw_.AnyType(1), .description = {}, .position = {}};
    std::string what = "add a column";
    if (!free.empty() && draw_.Chance(70)) {
      const std::string column = draw_.Pick(free);
      const int kind = draw_.Below(3);
      if (kind == 0) change = DropColumn{{column}};
      if (kind == 1) change = RenameColumn{.path = {column}, .new_name = "n" + std::to_string(number_)};
      if (kind == 2)
        change = UpdateColumnType{.path = {column}, .type = draw_.Wider(Schema().FindColumn(column)->type)};
      what = std::vector<std::string>{"drop ", "rename ", "widen "}[static_cast<std::size_t>(kind)] + column;
    }
    Say(what);
    for (Played& played : tables_) {
      Result<TableSchema> next = Apply(played.table.schema(), std::span(&change, 1), true, clock_.NowMs());
      ASSERT_TRUE(next.has_value()) << next.error().ToString() << Where(played);
      ASSERT_THAT(WriteSchema(*played.fs, played.table.paths(), *next), IsOk());
      BRAID_ASSERT_OK_AND_ASSIGN(played.table, Table::Open(played.fs, kTestTableRoot, "d.t"));
    }
  }

  void Expire() {
    ExpireRequest request;
    request.snapshots.retain_max = 1 + draw_.Below(4);
    Say("expire all but " + std::to_string(request.snapshots.retain_max));
    for (const Played& played : tables_)
      ASSERT_THAT(ExpireSnapshots(played.table, request, clock_), IsOk()) << Where(played);
  }

  void Tag() {
    const std::string name = "t" + std::to_string(++number_);
    Say("tag " + name);
    std::vector<TableSchema> schemas;
    for (const Played& played : tables_) {
      BRAID_ASSERT_OK_AND_ASSIGN(const auto latest, FindLatestSnapshot(*played.fs, played.table.paths()));
      if (!latest) return;
      BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*played.fs, played.table.paths(), *latest));
      BRAID_ASSERT_OK_AND_ASSIGN(schemas.emplace_back(),
                                 ReadSchema(*played.fs, played.table.paths(), snapshot.schema_id));
      ASSERT_THAT(CreateTag(played.table, {.name = name, .snapshot = snapshot}, clock_), IsOk());
    }
    tags_.emplace(name, TagState{.model = model_, .schemas = std::move(schemas)});
  }

  void DeleteTag() {
    if (tags_.empty()) return Write();
    const std::string name = draw_.Pick(TagNames());
    Say("delete tag " + name);
    tags_.erase(name);
    for (const Played& played : tables_)
      ASSERT_THAT(DeleteTags(played.table, {name}, {}, clock_), IsOk()) << Where(played);
  }

  void GoBack() {
    if (tags_.empty()) return Write();
    const std::string name = draw_.Pick(TagNames());
    Say("give it the content of tag " + name);
    model_ = tags_.at(name).model;
    for (const Played& played : tables_) {
      const auto gone_back = RollbackAsLatest(played.table, {.tag = name}, clock_);
      ASSERT_TRUE(gone_back.has_value()) << gone_back.error().ToString() << Where(played);
    }
  }

  void Clean() {
    clock_.Advance(2 * kOrphanAgeMs);
    Say("clean");
    for (const Played& played : tables_) {
      const auto cleaned = RemoveOrphanFiles(played.table, {}, clock_);
      ASSERT_TRUE(cleaned.has_value()) << cleaned.error().ToString() << Where(played);
      EXPECT_THAT(cleaned->removed, testing::IsEmpty()) << Where(played);
    }
  }

  TableShapes draw_;
  TableShape shape_;
  TableModel model_;
  ManualClock clock_{kNow};
  std::vector<Played> tables_;
  std::map<std::string, TagState> tags_;
  int number_ = 0;
  std::string said_;
};

TEST(TableModelTest, AnyOptionsGiveTheRowsOfTheModel) {
  const char* given = std::getenv("BRAID_TEST_SEED");
  const char* runs = std::getenv("BRAID_TEST_RUNS");
  const unsigned first = given != nullptr ? static_cast<unsigned>(std::atoll(given)) : std::random_device{}();
  const unsigned count = runs != nullptr ? static_cast<unsigned>(std::atoi(runs)) : 8;
  for (unsigned seed = first; seed != first + count; ++seed) {
    SCOPED_TRACE("BRAID_TEST_SEED=" + std::to_string(seed));
    TableModelRun run(seed);
    if (!run.Start()) continue;
    for (int step = 0; step < 25; ++step) {
      run.Step();
      if (testing::Test::HasFailure()) return;
      run.Check();
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace braid
