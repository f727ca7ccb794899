// INSERT: which columns get what, and what Flink's sinks refuse. Expectations: fixtures 14 and 27 of Flink 2.2.1, or by
// hand.

#include "sql/session_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StatementInsertTest : public SessionTest {
 protected:
  StatementInsertTest() {
    EXPECT_THAT(Run("CREATE TABLE t (k INT, dt STRING, v DECIMAL(10, 2), PRIMARY KEY (k, dt) NOT ENFORCED) PARTITIONED "
                    "BY (dt) WITH ('bucket' = '1')"),
                IsOk());
  }
  Result<std::vector<std::string>> Rows() { return Run("SELECT * FROM t ORDER BY k"); }
};

TEST_F(StatementInsertTest, RoundsDecimalsAndFillsMissingColumnsWithNull) {
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'd1', 1.555), (2, 'd2', CAST(NULL AS DECIMAL(10, 2)))"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t (dt, k) VALUES ('d2', 3)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t PARTITION (dt = 'd3') SELECT 4, CAST(9 AS DECIMAL(10, 2))"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|d1|1.56", "2|d2|<NULL>", "3|d2|<NULL>", "4|d3|9.00")));
}

TEST_F(StatementInsertTest, OverwritesAPartition) {
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'd1', 1), (2, 'd2', 2), (3, 'd2', 3)"), IsOk());
  ASSERT_THAT(Run("INSERT OVERWRITE t PARTITION (dt = 'd2') VALUES (7, CAST(7 AS DECIMAL(10, 2)))"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|d1|1.00", "7|d2|7.00")));
  // Without PARTITION, the partitions that rows fall into are replaced.
  ASSERT_THAT(Run("INSERT OVERWRITE t VALUES (8, 'd1', 8)"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("7|d2|7.00", "8|d1|8.00")));
}

TEST_F(StatementInsertTest, SortsRowsByTheClusteringColumns) {
  ASSERT_THAT(Run("CREATE TABLE s (k INT, v INT) WITH ('clustering.columns' = 'v')"), IsOk());
  const std::string stored = "SELECT k FROM s";  // one file, so in its order
  ASSERT_THAT(Run("INSERT INTO s VALUES (1, 30), (2, 10), (3, 20)"), IsOk());
  EXPECT_THAT(Run(stored), HasValue(ElementsAre("2", "3", "1")));
  ASSERT_THAT(Run("INSERT OVERWRITE s VALUES (1, 3), (2, 2), (3, 1)"), IsOk());
  EXPECT_THAT(Run(stored), HasValue(ElementsAre("3", "2", "1")));
  EXPECT_THAT(Run("INSERT INTO s SELECT k, v FROM s WHERE k > 9"), IsOk()) << "no row";
  EXPECT_THAT(Run("INSERT INTO s /*+ OPTIONS('clustering.columns' = 'z') */ VALUES (1, 1)"), HasMessage("no column 'z'"));
  EXPECT_THAT(Run("SELECT COUNT(*) FROM s"), HasValue(ElementsAre("3")));
}

TEST_F(StatementInsertTest, RefusesWhatFlinksSinksRefuse) {
  struct Case {
    const char* statement;
    const char* message;
  };
  for (const Case& c :
       {Case{"INSERT INTO t VALUES ('x', 'd1', 1)", "column 'k' is INT and cannot take CHAR(1)"},
        Case{"INSERT INTO t VALUES (1, 'd1')", "it gives 2 columns and the table takes 3"},
        Case{"INSERT INTO t SELECT 1", "it gives 1 columns"},
        Case{"INSERT INTO t VALUES (8, 'd1', '12.345')", "column 'v' is DECIMAL(10, 2) and cannot take CHAR(6)"},
        Case{"INSERT INTO t (k, dt) SELECT CAST(1 AS BIGINT), 'd1'", "CAST it to INT"},
        Case{"INSERT INTO t (k, k) VALUES (1, 1)", "column 'k' is given twice"},
        Case{"INSERT INTO t (k, nope) VALUES (1, 1)", "the table has no column 'nope'"},
        Case{"INSERT INTO t PARTITION (v = 1) SELECT 1, 'd'", "'v' is no partition column"},
        Case{"INSERT INTO t VALUES (CAST(NULL AS INT), 'd1', 1)", "k"}}) {
    SCOPED_TRACE(c.statement);
    EXPECT_THAT(Run(c.statement), HasMessage(c.message));
  }
  EXPECT_THAT(Rows(), HasValue(IsEmpty()));
}

// Numbers become what Paimon's GenericVariantBuilder makes of them: integers of 64 bits, decimals of 38 digits, DOUBLEs.
TEST_F(StatementInsertTest, WritesVariants) {
  ASSERT_THAT(Run("CREATE TABLE j (k INT, v VARIANT, o ROW<v VARIANT>)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO j VALUES "
                  "(1, PARSE_JSON('{\"b\": [1, 1.50, 1e2, 99999999999999999999], \"a\": null}'), ROW(PARSE_JSON('true'))), "
                  "(2, TRY_PARSE_JSON('bad'), CAST(NULL AS ROW<v VARIANT>))"),
              IsOk());
  EXPECT_THAT(Run("SELECT k, v, JSON_STRING(v), o.v FROM j ORDER BY k"),
              HasValue(ElementsAre("1|{\"a\":null,\"b\":[1,1.5,100.0,99999999999999999999]}|"
                                   "{\"a\":null,\"b\":[1,1.5,100.0,99999999999999999999]}|true",
                                   "2|<NULL>|<NULL>|<NULL>")));
  EXPECT_THAT(Run("SELECT CAST(v AS STRING), CAST(o AS STRING), JSON_OBJECT(KEY 'v' VALUE v) FROM j WHERE k = 1"),
              HasValue(ElementsAre("{\"a\":null,\"b\":[1,1.5,100.0,99999999999999999999]}|(true)|"
                                   "{\"v\":{\"a\":null,\"b\":[1,1.5,100.0,99999999999999999999]}}")));
  EXPECT_THAT(Run("SELECT PARSE_JSON('{\"a\":')"), HasMessage("is no JSON"));
  EXPECT_THAT(Run("SELECT PARSE_JSON('{\"a\":1,\"a\":2}')"), HasMessage("two members 'a'"));
}

TEST_F(StatementInsertTest, DropsRowsWithNullKeysWhenAskedTo) {
  ASSERT_THAT(Run("SET 'table.exec.sink.not-null-enforcer' = 'DROP'"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (CAST(NULL AS INT), 'd1', 1), (2, 'd1', 2)"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("2|d1|2.00")));
}

TEST_F(StatementInsertTest, FitsLengthsWhenAskedTo) {
  ASSERT_THAT(Run("CREATE TABLE l (c CHAR(3), v VARCHAR(2))"), IsOk());
  ASSERT_THAT(Run("SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD'"), IsOk());
  ASSERT_THAT(Run("INSERT INTO l VALUES ('a', 'abc')"), IsOk());
  EXPECT_THAT(Run("SELECT c || '|', v FROM l"), HasValue(ElementsAre("a  ||ab")));
}

TEST_F(StatementInsertTest, RefusesOtherLengthsWhenAskedTo) {
  ASSERT_THAT(Run("CREATE TABLE l (c CHAR(3), v VARCHAR(2), b BINARY(2), w VARBINARY(2))"), IsOk());
  ASSERT_THAT(Run("SET 'table.exec.sink.type-length-enforcer' = 'ERROR'"), IsOk());
  struct Case {
    const char* row;
    const char* message;
  };
  for (const Case& c : {Case{"('ab', 'ab', x'0102', x'01')", "column 'c' is CHAR(3), but a value of length 2"},
                        Case{"('abcd', 'ab', x'0102', x'01')", "column 'c' is CHAR(3), but a value of length 4"},
                        Case{"('abc', 'abc', x'0102', x'01')", "column 'v' is VARCHAR(2), but a value of length 3"},
                        Case{"('abc', 'ab', x'01', x'01')", "column 'b' is BINARY(2), but a value of length 1"},
                        Case{"('abc', 'ab', x'0102', x'010203')", "column 'w' is VARBINARY(2), but a value of length 3"}}) {
    SCOPED_TRACE(c.row);
    const auto refused = Run(std::string("INSERT INTO l VALUES ") + c.row);
    EXPECT_THAT(refused, IsError(ErrorCode::kInvalidArgument));
    EXPECT_THAT(refused, HasMessage(c.message));
  }
  EXPECT_THAT(Run("INSERT INTO l VALUES ('abc', '', x'0102', x'')"), IsOk());
  EXPECT_THAT(Run("INSERT INTO l SELECT CAST(NULL AS CHAR(1)), 'ab', CAST(NULL AS BINARY(1)), x'0102'"), IsOk());
  ASSERT_THAT(Run("SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD'"), IsOk());
  ASSERT_THAT(Run("INSERT INTO l VALUES ('x', 'abc', x'01', x'010203')"), IsOk());
  EXPECT_THAT(Run("SELECT c || '|', v, b, w FROM l WHERE c LIKE 'x%'"), HasValue(ElementsAre("x  ||ab|x'0100'|x'0102'")));
}

TEST_F(StatementInsertTest, TakesRowsWhoseFieldsBearOtherNames) {
  ASSERT_THAT(Run("CREATE TABLE r (k INT, a ROW<x INT, y ROW<z STRING>>)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO r VALUES (1, ROW(1, ROW('a'))), (2, CAST(NULL AS ROW<x INT, y ROW<z STRING>>)), "
                  "(3, ROW(CAST(NULL AS INT), CAST(NULL AS ROW<w STRING>)))"),
              IsOk());
  EXPECT_THAT(Run("SELECT k, a.x, a.y.z FROM r ORDER BY k"),
              HasValue(ElementsAre("1|1|a", "2|<NULL>|<NULL>", "3|<NULL>|<NULL>")));
}

TEST_F(StatementInsertTest, UsesDefaultsOfColumns) {
  ASSERT_THAT(Run("CREATE TABLE d (a INT, b INT DEFAULT 1 + 1, s STRING DEFAULT 'x')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO d (a) VALUES (1)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO d VALUES (2, 5, 'y')"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM d ORDER BY a"), HasValue(ElementsAre("1|2|x", "2|5|y")));
}

TEST_F(StatementInsertTest, TruncatesAndDropsPartitions) {
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'd1', 1), (2, 'd2', 2)"), IsOk());
  EXPECT_THAT(Run("SHOW PARTITIONS t"), HasValue(ElementsAre("dt=d1", "dt=d2")));
  EXPECT_THAT(Run("SHOW PARTITIONS t PARTITION (dt = 'd2')"), HasValue(ElementsAre("dt=d2")));
  ASSERT_THAT(Run("ALTER TABLE t DROP PARTITION (dt = 'd2')"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|d1|1.00")));
  EXPECT_THAT(Run("ALTER TABLE t DROP PARTITION (k = 1)"), IsError(ErrorCode::kNotFound));
  ASSERT_THAT(Run("TRUNCATE TABLE t"), IsOk());
  EXPECT_THAT(Rows(), HasValue(IsEmpty()));
}

TEST_F(StatementInsertTest, CompactsByProcedure) {
  for (int i = 0; i < 3; ++i) ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'd1', " + std::to_string(i) + ")"), IsOk());
  EXPECT_THAT(Run("CALL sys.compact(`table` => 'default.t')"), HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("SELECT level, record_count FROM t$files"), HasValue(ElementsAre("5|1")));
  EXPECT_THAT(Run("CALL sys.compact()"), HasMessage("argument 'table' is missing"));
  EXPECT_THAT(Run("CALL sys.compact(1)"), HasMessage("argument 'table' is STRING, not INT"));
  EXPECT_THAT(Run("CALL sys.compact(nope => 'x')"), HasMessage("there is no argument 'nope'"));
}

TEST_F(StatementInsertTest, CompactsThePartitionsAndWithTheOptionsOfTheCall) {
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'd1', " + n + "), (1, 'd2', " + n + "), (1, 'd3', " + n + ")"), IsOk());
  }
  ASSERT_THAT(Run("CALL sys.compact(`table` => 'default.t', partitions => 'dt=d1;dt=d3', options => 'num-levels=3')"), IsOk());
  EXPECT_THAT(Run("SELECT `partition`, level FROM t$files ORDER BY 1, 2"),
              HasValue(ElementsAre("{d1}|2", "{d2}|0", "{d2}|0", "{d2}|0", "{d3}|2")));
  EXPECT_THAT(Run("CALL sys.compact(`table` => 'default.t', partitions => 'k=1')"), HasMessage("'k' is no partition column"));
  EXPECT_THAT(Run("CALL sys.compact(`table` => 'default.t', partitions => 'd1')"), HasMessage("not of the form key=value"));
  EXPECT_THAT(Run("CALL sys.compact(`table` => 'default.t', partitions => 'dt=d1', `where` => 'dt = ''d1''')"),
              HasMessage("cannot be given together"));
  ASSERT_THAT(Run("CALL sys.compact(`table` => 'default.t', options => 'num-level=3')"), IsOk());
  EXPECT_THAT(notices(), ElementsAre(testing::HasSubstr("did you mean 'num-levels'?")));
}

TEST_F(StatementInsertTest, NotesOptionsThatLookMisspelt) {
  ASSERT_THAT(Run("SELECT * FROM t /*+ OPTIONS('scan.snapshotid' = '1') */"), IsOk());
  EXPECT_THAT(notices(), ElementsAre("there is no option 'scan.snapshotid', and it does nothing; did you mean 'scan.snapshot-id'?"));
  ASSERT_THAT(Run("CREATE TABLE m (a INT) WITH ('file.fromat' = 'orc', 'owner' = 'me')"), IsOk());
  EXPECT_THAT(notices(), ElementsAre(testing::HasSubstr("did you mean 'file.format'?")));
  ASSERT_THAT(Run("INSERT INTO t /*+ OPTIONS('write-bufer-size' = '1 mb') */ VALUES (1, 'd1', 1)"), IsOk());
  EXPECT_THAT(notices(), ElementsAre(testing::HasSubstr("did you mean 'write-buffer-size'?")));
  ASSERT_THAT(Run("SET 'pipline.name' = 'x'"), IsOk());
  EXPECT_THAT(notices(), ElementsAre(testing::HasSubstr("did you mean 'pipeline.name'?")));
  ASSERT_THAT(Run("SELECT 1"), IsOk());
  EXPECT_THAT(notices(), IsEmpty());
}

TEST_F(StatementInsertTest, CopiesFromATableIntoItself) {
  ASSERT_THAT(Run("CREATE TABLE a (x INT)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO a VALUES (1), (2)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO a SELECT x + 10 FROM a"), IsOk());
  EXPECT_THAT(Run("SELECT x FROM a ORDER BY x"), HasValue(ElementsAre("1", "2", "11", "12")));
}

}  // namespace
}  // namespace braid
