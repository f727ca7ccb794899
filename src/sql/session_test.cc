#include "sql/session.h"

#include "sql/session_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(SessionTest, StartsInFlinksDefaultCatalog) {
  ASSERT_THAT(Run("USE CATALOG default_catalog"), IsOk());
  EXPECT_THAT(Run("SHOW CURRENT DATABASE"), HasValue(ElementsAre("default_database")));
  EXPECT_THAT(Run("SHOW CATALOGS"), HasValue(ElementsAre("c", "default_catalog")));
  ASSERT_THAT(Run("CREATE TABLE t (x INT)"), IsOk());
  EXPECT_THAT(notices(), ElementsAre(HasSubstr("ends with this session")));
  ASSERT_THAT(Run("INSERT INTO t VALUES (1)"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM default_catalog.default_database.t"), HasValue(ElementsAre("1")));
}

TEST_F(SessionTest, MakesTheDefaultDatabaseOfAPaimonCatalog) {
  EXPECT_THAT(Run("SHOW DATABASES"), HasValue(ElementsAre("default")));
  EXPECT_THAT(Run("CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = 'x')"), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(Run("CREATE CATALOG IF NOT EXISTS c WITH ('type' = 'paimon', 'warehouse' = 'x')"), IsOk());
  EXPECT_THAT(Run("CREATE CATALOG d WITH ('type' = 'hive')"), HasMessage("type 'hive' are not supported"));
  EXPECT_THAT(Run("CREATE CATALOG d WITH ('type' = 'paimon')"), HasMessage("warehouse"));
}

TEST_F(SessionTest, KeepsCatalogsAndDatabasesInUse) {
  EXPECT_THAT(Run("DROP CATALOG c"), HasMessage("in use"));
  EXPECT_THAT(Run("DROP DATABASE `default`"), HasMessage("in use"));
  ASSERT_THAT(Run("CREATE DATABASE d"), IsOk());
  ASSERT_THAT(Run("USE d"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE t (a INT)"), IsOk());
  ASSERT_THAT(Run("USE `default`"), IsOk());
  EXPECT_THAT(Run("DROP DATABASE d"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Run("DROP DATABASE d CASCADE"), IsOk());
  EXPECT_THAT(Run("USE d"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Run("USE CATALOG nope"), HasMessage("catalog nope does not exist"));
}

TEST_F(SessionTest, ChecksOptionsThatResultsDependOn) {
  EXPECT_THAT(Run("SET 'execution.runtime-mode' = 'nope'"), HasMessage("streaming, batch, automatic"));
  EXPECT_THAT(Run("SET 'table.local-time-zone' = 'Nowhere/Land'"), IsError(ErrorCode::kInvalidArgument));
  ASSERT_THAT(Run("SET 'pipeline.name' = 'job1'"), IsOk());
  EXPECT_EQ(session().Option("pipeline.name"), "job1");
  ASSERT_THAT(Run("RESET 'pipeline.name'"), IsOk());
  EXPECT_EQ(session().Option("pipeline.name"), "");
  EXPECT_THAT(Run("SET"), HasValue(ElementsAre("execution.runtime-mode|batch", "table.local-time-zone|UTC")));
}

TEST_F(SessionTest, ShowsPlaceAndNearestNameOfAnUnknownTable) {
  ASSERT_THAT(Run("CREATE TABLE orders (a INT)"), IsOk());
  EXPECT_THAT(Run("SELECT *\n  FROM order_"), HasMessage("at line 2, column 8"));
  EXPECT_THAT(Run("INSERT INTO ordes VALUES (1)"), HasMessage("did you mean 'orders'?"));
  EXPECT_THAT(Run("DROP TABLE nope"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Run("DROP TABLE IF EXISTS nope"), IsOk());
}

TEST_F(SessionTest, RefusesWhatItLacksByName) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT)"), IsOk());
  for (const auto& [statement, message] : std::vector<std::pair<const char*, const char*>>{
           {"ANALYZE TABLE t PARTITION (a = 1) COMPUTE STATISTICS", "statistics of whole tables"},
           {"CREATE TEMPORARY TABLE k (a INT) WITH ('connector' = 'kafka')", "this session has no connectors"},
           {"CREATE TABLE k (a INT) WITH ('connector' = 'kafka')", "no table of the connector 'kafka'"},
           {"CREATE VIEW v AS SELECT 1", "cannot store views"},
           {"ADD JAR 'x.jar'", "runs no Java code"},
           {"CALL sys.no_such('x')", "there is no procedure sys.no_such"},
       }) {
    SCOPED_TRACE(statement);
    const auto result = Run(statement);
    EXPECT_THAT(result, IsError(ErrorCode::kUnsupported));
    EXPECT_THAT(result, HasMessage(message));
  }
}

TEST_F(SessionTest, AnalyzesTables) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT, b STRING)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'x'), (2, NULL)"), IsOk());
  ASSERT_THAT(Run("ANALYZE TABLE t COMPUTE STATISTICS"), IsOk());
  EXPECT_THAT(Run("SELECT snapshot_id, mergedRecordCount, colstat FROM `t$statistics`"),
              HasValue(ElementsAre("1|2|{ }")));
  ASSERT_THAT(Run("ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS b"), IsOk());
  EXPECT_THAT(
      Run("SELECT REPLACE(colstat, U&'\\000A', '') FROM `t$statistics`"),
      HasValue(ElementsAre(HasSubstr("\"b\" : {    \"colId\" : 1,    \"distinctCount\" : 1,    \"nullCount\" : 1"))));
  EXPECT_THAT(Run("ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS a, nope"),
              HasMessage("has no column 'nope', at line 1, column 51"));
}

TEST_F(SessionTest, LooksAfterTables) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('bucket' = '1')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'x'), (2, 'y')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (2, 'z')"), IsOk());
  EXPECT_THAT(Run("CALL sys.compact_manifest('t')"), HasValue(ElementsAre("Success")));
  ASSERT_THAT(Run("ALTER TABLE t SET ('bucket' = '3')"), IsOk());
  EXPECT_THAT(Run("INSERT INTO t VALUES (9, 'later')"), HasMessage("has 1 buckets, but option 'bucket' is 3 now"));
  EXPECT_THAT(Run("CALL sys.rescale('t')"), HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("CALL sys.remove_unexisting_files('t')"), HasValue(IsEmpty()));
  EXPECT_THAT(Run("CALL sys.compact_database(including_tables => 'def.*\\.t')"), HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("CALL sys.compact_database(including_tables => '(')"), HasMessage("no regular expression"));
  EXPECT_THAT(Run("SELECT a, b FROM t ORDER BY a"), HasValue(ElementsAre("1|x", "2|z")));
  EXPECT_THAT(Run("SELECT DISTINCT commit_kind FROM `t$snapshots` ORDER BY commit_kind"),
              HasValue(ElementsAre("APPEND", "COMPACT", "OVERWRITE")));
}

TEST_F(SessionTest, MarksPartitionsDone) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT, dt STRING) PARTITIONED BY (dt)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'x'), (2, 'y')"), IsOk());
  EXPECT_THAT(Run("CALL sys.mark_partition_done('t', 'dt=x')"), HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("CALL sys.mark_partition_done('t', '')"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Run("CALL sys.mark_partition_done('t', 'a=1')"), HasMessage("'a' is no partition column"));
}

TEST_F(SessionTest, ListsWhatThereIs) {
  ASSERT_THAT(Run("CREATE TABLE orders (a INT)"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE items (a INT)"), IsOk());
  ASSERT_THAT(Run("CREATE TEMPORARY VIEW open_orders AS SELECT a FROM orders"), IsOk());
  EXPECT_THAT(Run("SHOW TABLES"), HasValue(ElementsAre("items", "open_orders", "orders")));
  EXPECT_THAT(Run("SHOW TABLES LIKE '%orders'"), HasValue(ElementsAre("open_orders", "orders")));
  EXPECT_THAT(Run("SHOW TABLES NOT LIKE '%orders'"), HasValue(ElementsAre("items")));
  EXPECT_THAT(Run("SHOW VIEWS"), HasValue(ElementsAre("open_orders")));
  EXPECT_THAT(Run("SHOW PROCEDURES LIKE 'comp%'"),
              HasValue(ElementsAre("compact", "compact_database", "compact_manifest")));
  EXPECT_THAT(Run("SHOW FUNCTIONS LIKE 'LISTAGG'"), HasValue(ElementsAre("LISTAGG")));
  EXPECT_THAT(Run("SHOW MODULES"), HasValue(ElementsAre("core")));
  EXPECT_THAT(Run("SHOW JOBS"), HasValue(IsEmpty()));
}

TEST_F(SessionTest, ViewsMeanTheSameAfterUse) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT, b STRING)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'x'), (2, 'y')"), IsOk());
  ASSERT_THAT(Run("CREATE TEMPORARY VIEW v (n) AS SELECT a FROM t WHERE b = 'y'"), IsOk());
  ASSERT_THAT(Run("CREATE DATABASE d"), IsOk());
  ASSERT_THAT(Run("USE d"), IsOk());
  EXPECT_THAT(Run("SELECT n + 1 FROM `default`.v"), HasValue(ElementsAre("3")));
  EXPECT_THAT(Run("SHOW CREATE VIEW `default`.v"), HasValue(ElementsAre(HasSubstr("FROM c.`default`.t"))));
  EXPECT_THAT(Run("CREATE TEMPORARY VIEW `default`.v AS SELECT 1"), IsError(ErrorCode::kAlreadyExists));
  EXPECT_THAT(Run("INSERT INTO `default`.v VALUES (1)"), HasMessage("is a view"));
  ASSERT_THAT(Run("DROP TEMPORARY VIEW `default`.v"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM `default`.v"), IsError(ErrorCode::kNotFound));
}

TEST_F(SessionTest, WithoutAJobServiceStreamingIsRefusedAndTheUnsetModeIsBatch) {
  ASSERT_THAT(Run("CREATE TABLE s (a INT)"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE t (a INT)"), IsOk());
  ASSERT_THAT(Run("SET 'execution.runtime-mode' = 'streaming'"), IsOk());
  EXPECT_THAT(Run("INSERT INTO s VALUES (1)"), IsOk());
  EXPECT_THAT(Run("INSERT INTO t SELECT a FROM s"), HasMessage("this program keeps no streaming jobs"));
  EXPECT_THAT(Run("SELECT * FROM s"), IsError(ErrorCode::kUnsupported));
  ASSERT_THAT(Run("RESET 'execution.runtime-mode'"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t SELECT a FROM s"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM t"), HasValue(ElementsAre("1")));
}

// Keeps what it is given.
class RememberedJobs : public JobService {
 public:
  Result<JobInfo> Submit(const JobPlan& plan, const SessionScript& session) override {
    plans.push_back(plan);
    script = session;
    return JobInfo{
        .id = "7", .name = plan.name, .status = "RUNNING", .start_ms = 0, .statement = plan.statement, .error = {}};
  }
  Result<std::string> Explain(const JobPlan& plan) override { return "how " + plan.name + " works"; }
  Result<std::vector<JobInfo>> List() override {
    return std::vector<JobInfo>{
        {.id = "7", .name = "j", .status = "RUNNING", .start_ms = 0, .statement = {}, .error = {}}};
  }
  Result<JobInfo> Find(const std::string& job) override { return Error(ErrorCode::kNotFound, "no job " + job); }
  Result<std::optional<std::string>> Stop(const std::string&, bool with_savepoint,
                                          const std::string& directory) override {
    return with_savepoint ? std::optional(directory + "/7") : std::nullopt;
  }
  Status Wait(const std::string&) override { return Ok(); }

  std::vector<JobPlan> plans;
  SessionScript script;
};

TEST_F(SessionTest, InsertsFromTablesAreJobsUnlessBatchIsAskedFor) {
  const auto jobs = std::make_shared<RememberedJobs>();
  SessionSettings settings;
  settings.jobs = jobs;
  Restart(std::move(settings));
  ASSERT_THAT(Run("CREATE TABLE s (a INT)"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE t (a INT)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t SELECT a FROM s"), IsOk());
  EXPECT_THAT(jobs->plans, IsEmpty()) << "the test's sessions are in batch mode";
  ASSERT_THAT(Run("RESET 'execution.runtime-mode'"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1)"), IsOk());
  ASSERT_THAT(Run("INSERT OVERWRITE t SELECT a FROM s"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t SELECT CAST(snapshot_id AS INT) FROM s$snapshots"), IsOk());
  EXPECT_THAT(jobs->plans, IsEmpty()) << "values, overwrites and system tables are for batch";
  ASSERT_THAT(Run("INSERT INTO t SELECT a FROM s"), IsOk());
  ASSERT_EQ(jobs->plans.size(), 1U);
  EXPECT_EQ(jobs->plans[0].name, "insert-into_c.default.t");
  EXPECT_EQ(jobs->plans[0].inserts.at(0).name, "c.default.t");
  ASSERT_THAT(Run("SET 'execution.runtime-mode' = 'streaming'"), IsOk());
  EXPECT_THAT(Run("INSERT OVERWRITE t SELECT a FROM s"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(Run("EXPLAIN INSERT INTO t SELECT a FROM s"), HasValue(ElementsAre("how insert-into_c.default.t works")));
  EXPECT_THAT(Run("SHOW JOBS"), HasValue(ElementsAre("7|j|RUNNING|1970-01-01 00:00:00.000")));
  ASSERT_THAT(Run("SET 'execution.checkpointing.savepoint-dir' = '/saved'"), IsOk());
  EXPECT_THAT(Run("STOP JOB '7' WITH SAVEPOINT"), HasValue(ElementsAre("/saved/7")));
  EXPECT_THAT(Run("STOP JOB '7' WITH DRAIN"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(Run("DESCRIBE JOB '8'"), IsError(ErrorCode::kNotFound));
}

TEST_F(SessionTest, AJobsScriptMakesTheSameSession) {
  const auto jobs = std::make_shared<RememberedJobs>();
  SessionSettings settings;
  settings.jobs = jobs;
  Restart(std::move(settings));
  ASSERT_THAT(Run("CREATE TABLE s (a INT)"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE t (a INT)"), IsOk());
  ASSERT_THAT(Run("CREATE DATABASE d"), IsOk());
  ASSERT_THAT(Run("USE d"), IsOk());
  ASSERT_THAT(Run("CREATE TEMPORARY VIEW v (b) AS SELECT a + 1 FROM `default`.s"), IsOk());
  ASSERT_THAT(Run("SET 'execution.runtime-mode' = 'streaming'"), IsOk());
  ASSERT_THAT(Run("SET 'pipeline.name' = 'copy'"), IsOk());
  ASSERT_THAT(Run("BEGIN STATEMENT SET"), IsOk());
  ASSERT_THAT(Run("INSERT INTO `default`.t SELECT b FROM v"), IsOk());
  ASSERT_THAT(Run("END"), IsOk());
  ASSERT_EQ(jobs->plans.size(), 1U);
  Session again({.options = jobs->script.options});
  for (const std::string& statement : jobs->script.statements)
    ASSERT_THAT(again.Execute(statement), IsOk()) << statement;
  const auto plan = again.PlanJob(jobs->plans[0].statement);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->name, "copy");
  EXPECT_EQ(plan->inserts.at(0).name, "c.default.t");
  EXPECT_THAT(again.PlanJob("SELECT 1"), IsError(ErrorCode::kInvalidArgument));
}

// Remembers what it is told.
class Recorder : public JobObserver {
 public:
  Status CatalogOpened(const std::shared_ptr<Catalog>& catalog) override {
    events.push_back("opened " + catalog->name());
    return Ok();
  }
  Result<StartedJob> Begin(const JobDescription& job) override {
    events.push_back("begin " + job.name);
    for (const QuerySource& source : job.sources)
      events.push_back("reads " + source.identifier.ToString() + "@" +
                       std::to_string(source.snapshot ? source.snapshot->value() : 0));
    for (const JobSink& sink : job.sinks) events.push_back("writes " + sink.identifier.ToString());
    return StartedJob{.job_id = "j", .commit_user = "the-user", .properties = {{"lineage.job", job.name}}};
  }
  Status Finished(const StartedJob& start, const std::vector<std::vector<Snapshot>>& snapshots) override {
    events.push_back("finished " + start.job_id);
    for (const auto& list : snapshots) {
      for (const Snapshot& snapshot : list)
        events.push_back(std::to_string(snapshot.id.value()) + " by " + snapshot.commit_user + " of " +
                         snapshot.properties.at("lineage.job"));
    }
    return Ok();
  }
  void Failed(const StartedJob&, const Error& error) override { events.push_back("failed " + error.message()); }

  std::vector<std::string> events;
};

TEST_F(SessionTest, TellsTheObserverOfJobsAndPutsItsPropertiesIntoSnapshots) {
  const auto recorder = std::make_shared<Recorder>();
  SessionSettings settings;
  settings.observer = recorder;
  Restart(std::move(settings));
  ASSERT_THAT(Run("CREATE TABLE s (a INT)"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE t (k INT PRIMARY KEY NOT ENFORCED, n BIGINT) WITH ('bucket' = '1')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO s VALUES (1), (1)"), IsOk());
  ASSERT_THAT(Run("SET 'pipeline.name' = 'count'"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t SELECT a, COUNT(*) FROM s GROUP BY a"), IsOk());
  EXPECT_THAT(recorder->events,
              ElementsAre("opened c", "begin insert-into_c.default.s", "writes default.s", "finished j",
                          "1 by the-user of insert-into_c.default.s", "begin count", "reads default.s@1",
                          "writes default.t", "finished j", "1 by the-user of count"));
  recorder->events.clear();
  EXPECT_THAT(Run("INSERT INTO t SELECT CAST(NULL AS INT), CAST(a AS BIGINT) FROM s"),
              IsError(ErrorCode::kInvalidArgument));
  ASSERT_THAT(recorder->events, SizeIs(4));
  EXPECT_THAT(recorder->events.back(), HasSubstr("failed"));
}

// The rows stay: a job that cannot be recorded is not run again.
TEST_F(SessionTest, FailsWhereTheObserverCannotRecordWhatIsCommitted) {
  class Forgetful : public Recorder {
   public:
    Status Finished(const StartedJob&, const std::vector<std::vector<Snapshot>>&) override {
      return Error(ErrorCode::kUnavailable, "the store is gone");
    }
  };
  SessionSettings settings;
  settings.observer = std::make_shared<Forgetful>();
  Restart(std::move(settings));
  ASSERT_THAT(Run("CREATE TABLE s (a INT)"), IsOk());
  const auto inserted = Run("INSERT INTO s VALUES (1)");
  EXPECT_THAT(inserted, IsError(ErrorCode::kUnavailable));
  EXPECT_THAT(inserted, HasMessage("the rows are committed, but their lineage is not recorded: the store is gone"));
  EXPECT_THAT(Run("SELECT * FROM s"), HasValue(ElementsAre("1")));
  EXPECT_THAT(Run("CREATE TABLE c AS SELECT a FROM s"), IsError(ErrorCode::kUnavailable));
  EXPECT_THAT(Run("SELECT * FROM c"), HasValue(ElementsAre("1")));
}

TEST_F(SessionTest, RunsAStatementSetAsOneJob) {
  const auto recorder = std::make_shared<Recorder>();
  SessionSettings settings;
  settings.observer = recorder;
  Restart(std::move(settings));
  ASSERT_THAT(Run("CREATE TABLE s (a INT)"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE t (a INT)"), IsOk());
  recorder->events.clear();
  ASSERT_THAT(Run("BEGIN STATEMENT SET"), IsOk());
  ASSERT_THAT(Run("INSERT INTO s VALUES (1)"), IsOk());
  EXPECT_THAT(Run("SHOW TABLES"), HasMessage("only INSERT can stand in a statement set"));
  ASSERT_THAT(Run("INSERT INTO t VALUES (2)"), IsOk());
  EXPECT_THAT(recorder->events, IsEmpty());
  ASSERT_THAT(Run("END"), IsOk());
  EXPECT_THAT(recorder->events,
              ElementsAre("begin insert-into_c.default.s,c.default.t", "writes default.s", "writes default.t",
                          "finished j", HasSubstr("1 by the-user"), HasSubstr("1 by the-user")));
  ASSERT_THAT(Run("EXECUTE STATEMENT SET BEGIN INSERT INTO s VALUES (3); INSERT INTO t SELECT a FROM s; END"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM t ORDER BY a"), HasValue(ElementsAre("1", "2")));
  EXPECT_THAT(Run("END"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
