#include "connectors/connectors.h"

#include <fstream>
#include <set>

#include <fmt/format.h>

#include "sql/session_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ConnectorsTest : public SessionTest {
 protected:
  ConnectorsTest() : files_(std::filesystem::path(warehouse()).parent_path() / "files") {
    std::filesystem::create_directories(files_);
    SessionSettings settings;
    settings.connectors = StandardConnectors(clock_);
    Restart(std::move(settings));
  }

  void WriteFile(const std::string& name, const std::string& text) { std::ofstream(files_ / name) << text; }

  std::vector<std::string> FileNames() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(files_)) names.push_back(entry.path().filename());
    return names;
  }

  std::shared_ptr<const ConnectorTable> Lines(Options::Map more = {}) {
    Options::Map options = {{"connector", "filesystem"}, {"path", files_.string()}, {"format", "raw"}};
    options.merge(more);
    auto table = StandardConnectors(clock_)->Open(
        {.name = "c.d.lines",
         .fields =
             {{.id = FieldId(0), .name = "line", .type = DataType::String(), .description = {}, .default_value = {}}},
         .primary_key = {},
         .partition_keys = {},
         .options = Options(options)});
    EXPECT_THAT(table, IsOk());
    return *table;
  }

  // The lines that a stream finds behind the position, which moves on; "-" if it finds nothing.
  static Result<std::vector<std::string>> Step(ConnectorStream& stream, Json& position) {
    BRAID_TRY_ASSIGN(std::optional<StreamStep> step, stream.Next(position));
    if (!step) return std::vector<std::string>{"-"};
    position = step->to;
    std::vector<std::string> lines;
    BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*step->rows));
    for (const Batch& batch : batches) {
      for (std::int64_t row = 0; row < batch.row_count(); ++row)
        lines.push_back(DatumAt(*batch.rows->column(0), row, DataType::String()).as_string());
    }
    return lines;
  }

  ManualClock clock_{1'700'000'000'000};
  std::filesystem::path files_;
};

TEST_F(ConnectorsTest, BatchQueriesReadFilesAndInsertsWriteThem) {
  WriteFile("a.csv", "1,apple\n2,pear\n");
  WriteFile(".b.csv", "9,hidden\n");
  ASSERT_THAT(
      Run(fmt::format(
          "CREATE TEMPORARY TABLE fruit (id INT, name STRING, twice AS id * 2) WITH ('connector' = 'filesystem', "
          "'path' = '{}', 'format' = 'csv')",
          files_.string())),
      IsOk());
  EXPECT_THAT(Run("SELECT * FROM fruit ORDER BY id"), HasValue(ElementsAre("1|apple|2", "2|pear|4")));
  ASSERT_THAT(Run("INSERT INTO fruit VALUES (3, 'fig')"), IsOk());
  EXPECT_THAT(Run("SELECT name FROM fruit WHERE id > 1 ORDER BY id"), HasValue(ElementsAre("pear", "fig")));
  EXPECT_EQ(FileNames().size(), 3U);
  ASSERT_THAT(Run("CREATE TABLE stored (id INT, name STRING)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO stored SELECT id, name FROM fruit"), IsOk());
  EXPECT_THAT(Run("SELECT COUNT(*) FROM stored"), HasValue(ElementsAre("3")));
}

TEST_F(ConnectorsTest, TemporaryTablesAreListedDescribedAndDropped) {
  ASSERT_THAT(Run("CREATE TEMPORARY TABLE sink (a INT, b STRING) WITH ('connector' = 'blackhole')"), IsOk());
  EXPECT_THAT(Run("SHOW TABLES"), HasValue(ElementsAre("sink")));
  EXPECT_THAT(Run("DESCRIBE sink"), IsOk());
  EXPECT_THAT(Run("INSERT INTO sink VALUES (1, 'x')"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM sink"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(Run("CREATE TEMPORARY TABLE sink (a INT) WITH ('connector' = 'print')"),
              IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(Run("DROP TABLE sink"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Run("DROP TEMPORARY TABLE sink"), IsOk());
  EXPECT_THAT(Run("SHOW TABLES"), HasValue(IsEmpty()));
}

TEST_F(ConnectorsTest, CatalogsOfPaimonTakeNoOtherTables) {
  const auto refused = Run("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')");
  ASSERT_THAT(refused, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(refused.error().hint(), HasSubstr("CREATE TEMPORARY TABLE"));
  ASSERT_THAT(Run("USE CATALOG default_catalog"), IsOk());
  EXPECT_THAT(Run("CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'number-of-rows' = '2')"), IsOk());
  EXPECT_THAT(Run("SELECT COUNT(*) FROM t"), HasValue(ElementsAre("2")));
}

TEST_F(ConnectorsTest, MisspeltOptionsAndConnectorsAreNamed) {
  const auto option = Run("CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'datagen', 'number-of-row' = '2')");
  ASSERT_THAT(option, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(option.error().hint(), HasSubstr("number-of-rows"));
  const auto connector = Run("CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'kafka')");
  ASSERT_THAT(connector, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(connector.error().hint(), HasSubstr("filesystem"));
}

TEST_F(ConnectorsTest, DatagenMakesTheSameRowsEveryTime) {
  ASSERT_THAT(Run("CREATE TEMPORARY TABLE g (id BIGINT, n INT, s STRING) WITH ('connector' = 'datagen', "
                  "'fields.id.kind' = 'sequence', "
                  "'fields.id.start' = '10', 'fields.id.end' = '14', 'fields.n.min' = '1', 'fields.n.max' = '3', "
                  "'fields.s.length' = '4')"),
              IsOk());
  EXPECT_THAT(Run("SELECT id FROM g ORDER BY id"), HasValue(ElementsAre("10", "11", "12", "13", "14")));
  EXPECT_THAT(Run("SELECT COUNT(*) FROM g WHERE n BETWEEN 1 AND 3 AND CHAR_LENGTH(s) = 4"), HasValue(ElementsAre("5")));
  const auto once = Run("SELECT * FROM g ORDER BY id");
  const auto again = Run("SELECT * FROM g ORDER BY id");
  ASSERT_THAT(once, IsOk());
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(*once, *again);
}

TEST_F(ConnectorsTest, DatagenWithoutEndIsForStreamsAlone) {
  ASSERT_THAT(Run("CREATE TEMPORARY TABLE g (n INT) WITH ('connector' = 'datagen')"), IsOk());
  const auto refused = Run("SELECT * FROM g");
  ASSERT_THAT(refused, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(refused.error().hint(), HasSubstr("number-of-rows"));
}

TEST_F(ConnectorsTest, FileStreamsReadEachFileOnce) {
  WriteFile("b.txt", "two\n");
  WriteFile("a.txt", "one\n");
  const auto table = Lines({{"source.monitor-interval", "1 s"}});
  const auto stream = table->OpenStream();
  ASSERT_THAT(stream, IsOk());
  Json position;
  EXPECT_THAT(Step(**stream, position), HasValue(ElementsAre("one", "two")));
  EXPECT_THAT(Step(**stream, position), HasValue(ElementsAre("-")));
  WriteFile("c.txt", "three\nand more");
  EXPECT_THAT(Step(**stream, position), HasValue(ElementsAre("three", "and more")));
  EXPECT_FALSE((*stream)->IsEnd(position));
  // Another stream goes on from there.
  const auto restarted = table->OpenStream();
  EXPECT_THAT(Step(**restarted, position), HasValue(ElementsAre("-")));
}

TEST_F(ConnectorsTest, AFileThatChangesAfterItWasReadIsAnError) {
  WriteFile("a.txt", "one\n");
  Json position;
  ASSERT_THAT(Step(**Lines()->OpenStream(), position), HasValue(ElementsAre("one")));
  WriteFile("a.txt", "one\nmore\n");
  EXPECT_THAT(Step(**Lines()->OpenStream(), position), IsError(ErrorCode::kConflict));
  EXPECT_THAT(Step(**Lines({{"source.changed-files", "ignore"}})->OpenStream(), position), HasValue(ElementsAre("-")));
  EXPECT_THAT(Step(**Lines({{"source.changed-files", "read-again"}})->OpenStream(), position),
              HasValue(ElementsAre("one", "more")));
}

TEST_F(ConnectorsTest, PatternsChooseFilesByTheirWholePath) {
  WriteFile("a.txt", "one\n");
  WriteFile("a.log", "two\n");
  Json position;
  EXPECT_THAT(Step(**Lines({{"source.path.regex-pattern", ".*[.]txt"}})->OpenStream(), position),
              HasValue(ElementsAre("one")));
}

TEST_F(ConnectorsTest, ACommitOfFilesMayBeRepeated) {
  const auto table = Lines();
  auto sink = table->OpenSink("job_g1_abc");
  ASSERT_THAT(sink, IsOk());
  const std::vector<DataField> fields = table->fields();
  const std::vector<DatumList> rows = {{"x"}, {"y"}};
  ASSERT_THAT((*sink)->Write(*MakeBatch(fields, rows)), IsOk());
  const auto prepared = (*sink)->Prepare(7);
  ASSERT_THAT(prepared, IsOk());
  Json position;
  EXPECT_THAT(Step(**table->OpenStream(), position), HasValue(ElementsAre("-"))) << "visible before the commit";
  ASSERT_THAT((*table->OpenSink("job_g1_abc"))->Commit(*prepared), IsOk());
  ASSERT_THAT((*table->OpenSink("job_g1_abc"))->Commit(*prepared), IsOk());
  EXPECT_THAT(FileNames(), UnorderedElementsAre("part-job_g1_abc-7.txt"));
  EXPECT_THAT(Step(**table->OpenStream(), position), HasValue(ElementsAre("x", "y")));
}

TEST_F(ConnectorsTest, FilesTakeNoRowsBack) {
  const auto table = Lines();
  const std::vector<DatumList> rows = {{"x"}};
  const std::vector<RowKind> kinds = {RowKind::kDelete};
  EXPECT_THAT((*table->OpenSink("w"))->Write(*MakeBatch(table->fields(), rows, kinds)),
              IsError(ErrorCode::kInvalidArgument));
}

TEST_F(ConnectorsTest, DatagenKeepsItsPace) {
  auto table = StandardConnectors(clock_)->Open(
      {.name = "g",
       .fields = {{.id = FieldId(0), .name = "s", .type = DataType::String(), .description = {}, .default_value = {}}},
       .primary_key = {},
       .partition_keys = {},
       .options = Options({{"connector", "datagen"}, {"rows-per-second", "3"}, {"number-of-rows", "7"}})});
  ASSERT_THAT(table, IsOk());
  const auto stream = (*table)->OpenStream();
  Json position;
  EXPECT_THAT(Step(**stream, position), HasValue(testing::SizeIs(3)));
  EXPECT_THAT(Step(**stream, position), HasValue(ElementsAre("-")));
  clock_.Advance(1000);
  EXPECT_THAT(Step(**stream, position), HasValue(testing::SizeIs(3)));
  EXPECT_FALSE((*stream)->IsEnd(position));
  clock_.Advance(1000);
  EXPECT_THAT(Step(**stream, position), HasValue(testing::SizeIs(1)));
  EXPECT_TRUE((*stream)->IsEnd(position));
}

}  // namespace
}  // namespace braid
