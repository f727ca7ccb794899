#include "lineage/lineage.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "base/uuid.h"
#include "meta/stores.h"
#include "table/branch_replace.h"
#include "table/branches.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class LineageTest : public testing::Test {
 protected:
  void SetUp() override {
    warehouse_ = std::filesystem::temp_directory_path() / ("braid-lineage-" + RandomUuid());
    Open({{"table-lineage", "true"}, {"data-lineage", "true"}});
    ASSERT_THAT(catalog_->CreateDatabase("d", false), IsOk());
    for (const char* name : {"words", "counts"}) {
      ASSERT_THAT(catalog_->CreateTable({.database = "d", .table = name, .branch = {}, .system_table = {}}, TestDefinition({{"n", DataType::Int()}}), false), IsOk());
    }
  }
  void TearDown() override { std::filesystem::remove_all(warehouse_); }

  void Open(Options::Map options) {
    lineage_.reset();
    options["warehouse"] = warehouse_.string();
    catalog_ = MakeFileSystemCatalog("c", Options(options)).value();
    Result<CatalogIdentity> identity = SettleCatalogIdentity(*catalog_->file_system(), catalog_->warehouse(), Options(options));
    ASSERT_THAT(identity, IsOk());
    Result<std::shared_ptr<Lineage>> lineage = Lineage::Open(catalog_, *identity, clock_);
    ASSERT_THAT(lineage, IsOk());
    lineage_ = *lineage;
    RegisterSystemDatabase(*catalog_, catalog_->options(), lineage_, /*is_taken=*/false);
  }

  Table TableNamed(const std::string& name, const std::optional<std::string>& branch = {}) const {
    return catalog_->OpenTable({.database = "d", .table = name, .branch = branch, .system_table = {}}).value();
  }

  // A batch job that reads all of `words` and appends a row to `counts`, of main or a branch.
  void RunJob(const std::string& name, std::int64_t words_snapshot, const std::optional<std::string>& branch = {}) {
    const Table counts = TableNamed("counts", branch);
    const LineageJob start{.name = name, .mode = "batch", .sql_text = "INSERT …", .sources = {{.table = TableNamed("words", branch), .mode = SourceMode::kFull, .from = {}, .to = SnapshotId(words_snapshot)}},
                         .sinks = {counts}};
    BRAID_ASSERT_OK_AND_ASSIGN(const StartedRun run, lineage_->Begin(start));
    Committable committable;
    committable.properties = run.properties;
    BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(counts, {{1}}));
    ASSERT_THAT(TableCommit(counts, run.commit_user, clock_).Commit(committable), HasValue(SizeIs(1)));
    clock_.Advance(1000);
    ASSERT_THAT(lineage_->Finish(run, {counts}), IsOk());
  }

  std::vector<std::string> Rows(const std::string& table) const {
    const Relation relation = catalog_->Open({.database = "paimon", .table = table, .branch = {}, .system_table = {}}).value();
    const auto& virtual_table = std::get<std::shared_ptr<const VirtualTable>>(relation);
    const auto reader = ReadVirtualTable(*virtual_table, {}).value();
    const std::vector<Batch> batches = ReadAllBatches(*reader).value();
    std::vector<std::string> rows;
    for (const Batch& batch : batches) {
      for (std::int64_t row = 0; row < batch.row_count(); ++row) AppendRowJson(batch, row, virtual_table->fields(), rows.emplace_back());
    }
    return rows;
  }

  std::vector<std::vector<std::string>> ProposalTables() const {
    return {Rows("source_job_lineage"), Rows("sink_job_lineage"), Rows("source_snapshot_lineage"), Rows("sink_snapshot_lineage"), Rows("catalog_options")};
  }

  std::filesystem::path warehouse_;
  ManualClock clock_{1'700'000'000'000};  // 2023-11-14T22:13:20
  std::shared_ptr<Catalog> catalog_;
  std::shared_ptr<Lineage> lineage_;
};

TEST_F(LineageTest, ShowsWhichSnapshotsMadeWhich) {
  ASSERT_THAT(Insert(TableNamed("words"), {{1}}), IsOk());
  RunJob("job1", 1);
  ASSERT_THAT(Insert(TableNamed("words"), {{2}}), IsOk());
  RunJob("job1", 2);
  EXPECT_THAT(Rows("source_job_lineage"), ElementsAre(R"({"job":"job1","database":"d","table":"words","create_time":"2023-11-14T22:13:21.000"})"));
  EXPECT_THAT(Rows("sink_job_lineage"), ElementsAre(R"({"job":"job1","database":"d","table":"counts","create_time":"2023-11-14T22:13:21.000"})"));
  EXPECT_THAT(Rows("source_snapshot_lineage"),
              ElementsAre(R"({"job":"job1","barrier_id":1,"database":"d","table":"words","snapshot_id":1,"create_time":"2023-11-14T22:13:20.000"})",
                          R"({"job":"job1","barrier_id":2,"database":"d","table":"words","snapshot_id":2,"create_time":"2023-11-14T22:13:21.000"})"));
  EXPECT_THAT(Rows("sink_snapshot_lineage"),
              ElementsAre(R"({"job":"job1","barrier_id":1,"database":"d","table":"counts","snapshot_id":1,"create_time":"2023-11-14T22:13:20.000"})",
                          R"({"job":"job1","barrier_id":2,"database":"d","table":"counts","snapshot_id":2,"create_time":"2023-11-14T22:13:21.000"})"));
}

TEST_F(LineageTest, RebuildsEqualTablesFromTheSnapshotsAlone) {
  ASSERT_THAT(Insert(TableNamed("words"), {{1}}), IsOk());
  RunJob("job1", 1);
  RunJob("job2", 1);
  RunJob("job1", 1);
  const auto before = ProposalTables();
  ASSERT_THAT(before[2], SizeIs(3));
  ASSERT_THAT(lineage_->Rebuild(), IsOk());
  EXPECT_EQ(ProposalTables(), before);
  // A lost store is made anew when the catalog is opened.
  lineage_.reset();
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(warehouse_ / ".braid" / (std::string("lineage.db") + suffix));
  Open({{"table-lineage", "true"}, {"data-lineage", "true"}});
  EXPECT_EQ(ProposalTables(), before);
  // The job's numbers go on where they were.
  RunJob("job1", 1);
  EXPECT_THAT(Rows("sink_snapshot_lineage"), testing::Contains(testing::HasSubstr(R"("job":"job1","barrier_id":3)")));
}

TEST_F(LineageTest, ShowsWhatWasMadeOnABranchOnceThatIsMain) {
  ASSERT_THAT(Insert(TableNamed("words"), {{1}}), IsOk());
  RunJob("before", 1);
  for (const char* table : {"words", "counts"})
    ASSERT_THAT(CreateBranch(ContextOf(TableNamed(table)), {.name = "fix", .latest = true}), IsOk());
  ASSERT_THAT(Insert(TableNamed("words", "fix"), {{2}}), IsOk());
  RunJob("correct", 2, "fix");
  ASSERT_THAT(Insert(TableNamed("words"), {{3}}), IsOk());
  RunJob("wrong", 2);
  const auto jobs_in = [&](const std::string& table) {
    std::vector<std::string> jobs;
    for (const std::string& row : Rows(table)) jobs.push_back(row.substr(8, row.find('"', 8) - 8));  // {"job":"…
    return jobs;
  };
  for (const char* table : {"source_snapshot_lineage", "sink_snapshot_lineage"}) EXPECT_THAT(jobs_in(table), ElementsAre("before", "wrong"));
  for (const char* table : {"words", "counts"})
    ASSERT_THAT(ReplaceMain(ContextOf(TableNamed(table)), {.name = "fix"}), IsOk());
  ASSERT_THAT(lineage_->CatchUp(), IsOk());
  for (const char* table : {"source_snapshot_lineage", "sink_snapshot_lineage"}) EXPECT_THAT(jobs_in(table), ElementsAre("before", "correct")) << table;
  EXPECT_THAT(Rows("sink_snapshot_lineage"), testing::Contains(testing::HasSubstr(R"("job":"correct","barrier_id":1,"database":"d","table":"counts","snapshot_id":2)")));
  // And the same from the snapshots alone.
  ASSERT_THAT(lineage_->Rebuild(), IsOk());
  for (const char* table : {"source_snapshot_lineage", "sink_snapshot_lineage"}) EXPECT_THAT(jobs_in(table), ElementsAre("before", "correct")) << table;
}

TEST_F(LineageTest, LeavesNoRowOfAJobThatCommittedNothing) {
  ASSERT_THAT(Insert(TableNamed("words"), {{1}}), IsOk());
  const LineageJob start{.name = "broken", .mode = "batch", .sql_text = "", .sources = {{.table = TableNamed("words"), .mode = SourceMode::kFull, .from = {}, .to = SnapshotId(1)}}, .sinks = {TableNamed("counts")}};
  BRAID_ASSERT_OK_AND_ASSIGN(const StartedRun run, lineage_->Begin(start));
  ASSERT_THAT(lineage_->Fail(run, Error(ErrorCode::kIo, "the disk is full")), IsOk());
  EXPECT_THAT(Rows("source_snapshot_lineage"), IsEmpty());
  EXPECT_THAT(Rows("sink_snapshot_lineage"), IsEmpty());
  EXPECT_THAT(Rows("job_runs"), ElementsAre(testing::AllOf(testing::HasSubstr(R"("state":"FAILED")"), testing::HasSubstr("the disk is full"))));
}

TEST_F(LineageTest, KeepsTableLineageInSnapshotsTooAndNoBarriersUnlessAsked) {
  std::filesystem::remove_all(warehouse_ / ".braid");
  Open({{"table-lineage", "true"}});
  ASSERT_THAT(Insert(TableNamed("words"), {{1}}), IsOk());
  RunJob("job1", 1);
  const auto before = ProposalTables();
  ASSERT_THAT(before[0], SizeIs(1));
  ASSERT_THAT(before[1], SizeIs(1));
  EXPECT_THAT(before[2], IsEmpty());
  EXPECT_THAT(before[3], IsEmpty());
  // The store is an index here too: losing it loses nothing.
  ASSERT_THAT(lineage_->Rebuild(), IsOk());
  EXPECT_EQ(ProposalTables(), before);
}

// A job over more tables than a snapshot can name.
TEST_F(LineageTest, KeepsManySourcesInASideFileThatGoesWithAFailedRun) {
  LineageJob start{.name = "wide", .mode = "batch", .sql_text = "", .sources = {}, .sinks = {TableNamed("counts")}};
  for (int i = 0; i < 60; ++i) {
    const std::string name = "source_with_a_rather_long_name_" + std::to_string(i);
    ASSERT_THAT(catalog_->CreateTable({.database = "d", .table = name, .branch = {}, .system_table = {}}, TestDefinition({{"n", DataType::Int()}}), false), IsOk());
    ASSERT_THAT(Insert(TableNamed(name), {{i}}), IsOk());
    start.sources.push_back({.table = TableNamed(name), .mode = SourceMode::kFull, .from = {}, .to = SnapshotId(1)});
  }
  const std::filesystem::path folder = warehouse_ / "d.db/counts/.braid/lineage";
  BRAID_ASSERT_OK_AND_ASSIGN(const StartedRun failed, lineage_->Begin(start));
  EXPECT_FALSE(std::filesystem::is_empty(folder));
  ASSERT_THAT(lineage_->Fail(failed, Error(ErrorCode::kIo, "the disk is full")), IsOk());
  EXPECT_TRUE(std::filesystem::is_empty(folder));

  const Table counts = TableNamed("counts");
  BRAID_ASSERT_OK_AND_ASSIGN(const StartedRun run, lineage_->Begin(start));
  Committable committable;
  committable.properties = run.properties;
  BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(counts, {{1}}));
  ASSERT_THAT(TableCommit(counts, run.commit_user, clock_).Commit(committable), HasValue(SizeIs(1)));
  ASSERT_THAT(lineage_->Finish(run, {counts}), IsOk());
  EXPECT_THAT(Rows("source_snapshot_lineage"), SizeIs(60));
  ASSERT_THAT(lineage_->Rebuild(), IsOk());
  EXPECT_THAT(Rows("source_snapshot_lineage"), SizeIs(60));
  // A run of several sinks that fails after one has committed keeps what that one's snapshot names.
  ASSERT_THAT(lineage_->Fail(run, Error(ErrorCode::kConflict, "the other sink")), IsOk());
  EXPECT_FALSE(std::filesystem::is_empty(folder));
}

TEST_F(LineageTest, CatchesUpWithCommitsThatTheStoreMissed) {
  ASSERT_THAT(Insert(TableNamed("words"), {{1}}), IsOk());
  RunJob("job1", 1);
  ASSERT_THAT(Insert(TableNamed("counts"), {{5}}), IsOk());  // a writer without lineage
  EXPECT_THAT(Rows("snapshot_writers"), testing::Contains(testing::AllOf(testing::HasSubstr(R"("snapshot_id":2)"), testing::HasSubstr(R"("job":null)"))));
  EXPECT_THAT(Rows("sink_snapshot_lineage"), SizeIs(1));
}

TEST_F(LineageTest, DropsRowsOfSnapshotsThatARollbackRemoved) {
  ASSERT_THAT(Insert(TableNamed("words"), {{1}}), IsOk());
  RunJob("job1", 1);
  RunJob("job1", 1);
  // As another engine's rollback to snapshot 1 does it.
  const TablePaths paths = TableNamed("counts").paths();
  ASSERT_THAT(catalog_->file_system()->Delete(paths.SnapshotFile(SnapshotId(2))), IsOk());
  ASSERT_THAT(WriteLatestHint(*catalog_->file_system(), paths, SnapshotId(1)), IsOk());
  EXPECT_THAT(Rows("sink_snapshot_lineage"), SizeIs(1));
  RunJob("job1", 1);  // snapshot 2 again, another one
  EXPECT_THAT(Rows("sink_snapshot_lineage"), SizeIs(2));
}

TEST_F(LineageTest, FixesItsOptionsForGood) {
  FileSystem& fs = *catalog_->file_system();
  EXPECT_THAT(SettleCatalogIdentity(fs, catalog_->warehouse(), Options(Options::Map{{"table-lineage", "true"}})), IsOk());
  EXPECT_THAT(SettleCatalogIdentity(fs, catalog_->warehouse(), Options(Options::Map{{"data-lineage", "false"}})), HasMessage("'data-lineage' is 'true'"));
  const std::string other = (warehouse_ / "other").string();
  EXPECT_THAT(SettleCatalogIdentity(fs, other, Options(Options::Map{{"data-lineage", "true"}})), HasMessage("needs 'table-lineage'"));
  BRAID_ASSERT_OK_AND_ASSIGN(const CatalogIdentity none, SettleCatalogIdentity(fs, other, Options()));
  EXPECT_FALSE(none.table_lineage());
  EXPECT_THAT(fs.Exists(other), HasValue(false));
}

TEST_F(LineageTest, ForgetsAJobOnRequest) {
  ASSERT_THAT(Insert(TableNamed("words"), {{1}}), IsOk());
  RunJob("job1", 1);
  EXPECT_THAT(lineage_->DeleteJob("jobb1"), HasMessage("did you mean 'job1'?"));
  EXPECT_THAT(lineage_->DeleteJob("job1"), HasValue(1));
  EXPECT_THAT(Rows("sink_job_lineage"), IsEmpty());
}

}  // namespace
}  // namespace braid
