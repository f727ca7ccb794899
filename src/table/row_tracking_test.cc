#include "table/row_tracking.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "table/delete_rows.h"
#include "table/row_id_lookup.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const DataType kInt = DataType::Int();

// The rows with their ids and sequence numbers.
ReadRequest Tracked(PredicatePtr filter = nullptr) {
  return {.projection = std::vector<std::string>{"id", "_ROW_ID", "_SEQUENCE_NUMBER"}, .filter = std::move(filter)};
}

PredicatePtr IdIs(std::int32_t id) {
  return Predicate::Leaf(Predicate::Op::kEqual, "id", kInt, {Datum(id)});
}

PredicatePtr RowIdIs(std::int64_t id) {
  return Predicate::Leaf(Predicate::Op::kEqual, "_ROW_ID", DataType::BigInt(), {Datum(id)});
}

DataFileMeta FileOf(std::string name, std::int64_t rows, std::vector<std::string> columns = {}) {
  DataFileMeta file{.file_name = std::move(name), .row_count = rows};
  file.file_source = FileSource::kAppend;
  if (!columns.empty()) file.write_cols = std::move(columns);
  return file;
}

std::vector<ManifestEntry> Added(std::vector<DataFileMeta> files) {
  std::vector<ManifestEntry> entries;
  for (DataFileMeta& file : files) entries.push_back({.kind = FileKind::kAdd, .file = std::move(file)});
  return entries;
}

class RowTrackingTest : public testing::Test {
 protected:
  Table Create(Options::Map options = {}) {
    options.emplace("row-tracking.enabled", "true");
    options.emplace("compaction.min.file-num", "2");
    Result<Table> table = CreateTestTable(fs_, TestDefinition({{"id", kInt}}, {}, std::move(options)));
    EXPECT_THAT(table, IsOk());
    return *std::move(table);
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(RowTrackingTest, NumbersRowsAtTheCommit) {
  const Table table = Create();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto first, Insert(table, {{10}, {11}}));
  EXPECT_EQ(first[0].next_row_id, 2);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto second, Insert(table, {{12}}));
  EXPECT_EQ(second[0].next_row_id, 3);
  EXPECT_THAT(SortedRows(table, Tracked()), HasValue(ElementsAre(R"({"id":10,"_ROW_ID":0,"_SEQUENCE_NUMBER":1})",
                                                                 R"({"id":11,"_ROW_ID":1,"_SEQUENCE_NUMBER":1})",
                                                                 R"({"id":12,"_ROW_ID":2,"_SEQUENCE_NUMBER":2})")));
}

TEST_F(RowTrackingTest, KeepsIdsWhereRowsAreRewritten) {
  for (const char* vectors : {"false", "true"}) {
    SCOPED_TRACE(vectors);
    fs_ = std::make_shared<MemoryFileSystem>();
    const Table table = Create({{"deletion-vectors.enabled", vectors}});
    ASSERT_THAT(Insert(table, {{10}, {11}, {12}}), IsOk());
    ASSERT_THAT(Insert(table, {{13}}), IsOk());
    ASSERT_THAT(DeleteRows(table, IdIs(11), "user"), HasValue(SizeIs(1)));
    const std::vector<std::string> rest = {R"({"id":10,"_ROW_ID":0,"_SEQUENCE_NUMBER":1})",
                                           R"({"id":12,"_ROW_ID":2,"_SEQUENCE_NUMBER":1})",
                                           R"({"id":13,"_ROW_ID":3,"_SEQUENCE_NUMBER":2})"};
    EXPECT_THAT(SortedRows(table, Tracked()), HasValue(rest));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto compacted, CompactTable(table, true, nullptr, "user"));
    ASSERT_THAT(compacted, SizeIs(1));
    EXPECT_EQ(compacted[0].next_row_id, 4) << "no id is given twice";
    EXPECT_THAT(SortedRows(table, Tracked()), HasValue(rest));
    ASSERT_THAT(DeleteRows(table, IdIs(12), "user"), HasValue(SizeIs(1)));
    ASSERT_THAT(Insert(table, {{14}}), IsOk());
    EXPECT_THAT(SortedRows(table, Tracked()), HasValue(ElementsAre(rest[0], rest[2], R"({"id":14,"_ROW_ID":4,"_SEQUENCE_NUMBER":6})")));
  }
}

TEST_F(RowTrackingTest, WritesDownWhatJavaWouldOfRewrittenRows) {
  const Table table = Create();
  ASSERT_THAT(Insert(table, {{10}, {11}}), IsOk());
  ASSERT_THAT(Insert(table, {{12}}), IsOk());
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {}));
  ASSERT_THAT(plan.splits, SizeIs(1));
  ASSERT_EQ(plan.splits[0].files.size(), 1U);
  const DataFileMeta& file = plan.splits[0].files[0];
  EXPECT_EQ(file.first_row_id, std::nullopt);
  EXPECT_EQ(file.file_source, FileSource::kCompact);
  EXPECT_THAT(*file.write_cols, ElementsAre("id", "_ROW_ID", "_SEQUENCE_NUMBER"));
  EXPECT_EQ(file.min_sequence_number, 1);
  EXPECT_EQ(file.max_sequence_number, 2);
}

TEST_F(RowTrackingTest, WritesUpdatedRowsUnderTheirIds) {
  const Table table = Create();
  ASSERT_THAT(Insert(table, {{10}, {11}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = "user", .spill_directory = {}, .rows_are_known = true}));
  std::vector<DataField> fields = TrackedFields(table.schema());
  fields.back().type = fields.back().type.Nullable();
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch updated, MakeBatch(fields, std::vector<DatumList>{{21, std::int64_t{1}, Datum()}}));
  ASSERT_THAT(writer->Write(updated), IsOk());
  Committable committable;
  BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, writer->PrepareCommit(true, kBatchCommitIdentifier));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto snapshots, TableCommit(table, "user").Commit(committable));
  EXPECT_EQ(snapshots[0].next_row_id, 2) << "the row has its id";
  EXPECT_THAT(SortedRows(table, Tracked(RowIdIs(1))), HasValue(ElementsAre(R"({"id":11,"_ROW_ID":1,"_SEQUENCE_NUMBER":1})",
                                                                           R"({"id":21,"_ROW_ID":1,"_SEQUENCE_NUMBER":2})")));
}

TEST_F(RowTrackingTest, FindsIdsByAddress) {
  const Table table = Create();
  ASSERT_THAT(Insert(table, {{10}, {11}, {12}}), IsOk());
  ASSERT_THAT(DeleteRows(table, IdIs(11), "user"), IsOk());  // rewrites the rest with its ids
  ASSERT_THAT(Insert(table, {{13}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, AddressedRows::Make(table));
  RowIdLookup ids(rows);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, rows->Read({table.schema().fields}, nullptr));
  std::map<std::int64_t, std::int64_t> found;
  for (;;) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto batch, reader->Next());
    if (!batch) break;
    const auto& files = static_cast<const arrow::Int32Array&>(*batch->rows->column(1));
    const auto& positions = static_cast<const arrow::Int64Array&>(*batch->rows->column(2));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto column, ids.Find(files, positions));
    for (std::int64_t row = 0; row < batch->row_count(); ++row) {
      found[DatumAt(*batch->rows->column(0), row, kInt).as_int()] = DatumAt(*column, row, DataType::BigInt()).as_int();
    }
  }
  EXPECT_THAT(found, ElementsAre(std::pair(10, 0), std::pair(12, 2), std::pair(13, 3)));
}

TEST_F(RowTrackingTest, ReadsOnlyFilesThatMayHoldARowId) {
  const Table table = Create();
  for (std::int32_t id = 0; id < 4; ++id) ASSERT_THAT(Insert(table, {{id}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, Tracked(RowIdIs(2))));
  ASSERT_THAT(plan.splits, SizeIs(1));
  ASSERT_EQ(plan.splits[0].files.size(), 1U);
  EXPECT_EQ(plan.splits[0].files[0].first_row_id, 2);
  EXPECT_THAT(SortedRows(table, Tracked(RowIdIs(2))), HasValue(ElementsAre(R"({"id":2,"_ROW_ID":2,"_SEQUENCE_NUMBER":3})")));
}

TEST_F(RowTrackingTest, OffersNoRowIdsElsewhere) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(fs_, TestDefinition({{"id", kInt}})));
  EXPECT_THAT(SortedRows(table, Tracked()), IsError(ErrorCode::kNotFound));
}

TEST(AssignRowIdsTest, NumbersNewFilesInOrder) {
  DataFileMeta compacted = FileOf("compacted", 9);
  compacted.file_source = FileSource::kCompact;
  DataFileMeta given = FileOf("given", 4);
  given.first_row_id = 3;
  std::vector<ManifestEntry> delta = Added({FileOf("a", 2), compacted, FileOf("updated", 5, {"id", "_ROW_ID", "_SEQUENCE_NUMBER"}), given, FileOf("b", 3)});
  delta.push_back({.kind = FileKind::kDelete, .file = FileOf("gone", 7)});
  EXPECT_THAT(AssignRowIds(SnapshotId(4), 100, delta), HasValue(105));
  EXPECT_EQ(delta[0].file.first_row_id, 100);
  EXPECT_EQ(delta[1].file.first_row_id, std::nullopt);
  EXPECT_EQ(delta[2].file.first_row_id, std::nullopt);
  EXPECT_EQ(delta[3].file.first_row_id, 3);
  EXPECT_EQ(delta[4].file.first_row_id, 102);
  EXPECT_EQ(delta[5].file.first_row_id, std::nullopt);
}

// Spec data.md §1.6: 0 stands for the snapshot of the commit.
TEST(AssignRowIdsTest, FillsInSequenceNumbers) {
  struct Case {
    std::int64_t min, max, expected_min, expected_max;
  };
  for (const Case& c : {Case{0, 0, 7, 7}, Case{0, 3, 7, 7}, Case{2, 0, 2, 7}, Case{2, 3, 2, 3}}) {
    DataFileMeta file = FileOf("a", 1);
    file.min_sequence_number = c.min;
    file.max_sequence_number = c.max;
    std::vector<ManifestEntry> delta = Added({file});
    ASSERT_THAT(AssignRowIds(SnapshotId(7), 0, delta), IsOk());
    EXPECT_EQ(delta[0].file.min_sequence_number, c.expected_min);
    EXPECT_EQ(delta[0].file.max_sequence_number, c.expected_max);
  }
}

TEST(AssignRowIdsTest, PutsBlobsIntoTheRangeOfTheFileBefore) {
  std::vector<ManifestEntry> delta = Added({FileOf("a.parquet", 4, {"id"}), FileOf("b1.blob", 1, {"b"}), FileOf("b2.blob", 3, {"b"}),
                                            FileOf("c.blob", 4, {"c"}), FileOf("d.parquet", 1, {"id"}), FileOf("e.blob", 1, {"b"})});
  EXPECT_THAT(AssignRowIds(SnapshotId(1), 10, delta), HasValue(15));
  std::vector<std::int64_t> first;
  for (const ManifestEntry& entry : delta) first.push_back(entry.file.first_row_id.value_or(-1));
  EXPECT_THAT(first, ElementsAre(10, 10, 11, 10, 14, 14));
  std::vector<ManifestEntry> alone = Added({FileOf("b.blob", 1, {"b"})});
  EXPECT_THAT(AssignRowIds(SnapshotId(1), 0, alone), IsError(ErrorCode::kInternal));
}

}  // namespace
}  // namespace braid
