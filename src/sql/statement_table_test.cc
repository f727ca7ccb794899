// DDL: what it makes and how it is shown. Texts of Flink 2.2.1 (tests of Flink's own client and of fixture 16_ddl).

#include "sql/session_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StatementTableTest : public SessionTest {
 protected:
  void MakeTable() {
    ASSERT_THAT(Run("CREATE TABLE t (a INT NOT NULL COMMENT 'key', b STRING, c AS a + 1, ts TIMESTAMP(3), "
                    "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (a) NOT ENFORCED) COMMENT 'tbl' WITH "
                    "('bucket' = '2')"),
                IsOk());
  }
};

TEST_F(StatementTableTest, DescribesAsFlink) {
  MakeTable();
  EXPECT_THAT(Run("DESCRIBE t"),
              HasValue(ElementsAre("a|INT|FALSE|PRI(a)|<NULL>|<NULL>|key", "b|STRING|TRUE|<NULL>|<NULL>|<NULL>|<NULL>",
                                   "c|INT|FALSE|<NULL>|AS `a` + 1|<NULL>|<NULL>",
                                   "ts|TIMESTAMP(3)|TRUE|<NULL>|<NULL>|`ts` - INTERVAL '5' SECOND|<NULL>")));
  EXPECT_THAT(columns(), ElementsAre("name STRING", "type STRING", "null BOOLEAN", "key STRING", "extras STRING",
                                     "watermark STRING", "comment STRING"));
  EXPECT_THAT(Run("SHOW COLUMNS FROM t LIKE 't%'"), HasValue(ElementsAre(HasSubstr("ts|"))));
}

TEST_F(StatementTableTest, ShowsTheStatementThatMakesTheTable) {
  MakeTable();
  EXPECT_THAT(Run("SHOW CREATE TABLE t"),
              HasValue(ElementsAre("CREATE TABLE `c`.`default`.`t` (\n  `a` INT NOT NULL COMMENT 'key',\n  `b` "
                                   "VARCHAR(2147483647),\n  `c` AS `a` + 1,\n"
                                   "  `ts` TIMESTAMP(3),\n  WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND,\n  "
                                   "CONSTRAINT `PK_a` PRIMARY KEY (`a`) NOT ENFORCED\n)\n"
                                   "COMMENT 'tbl'\nWITH (\n  'bucket' = '2',\n  'path' = '" +
                                   warehouse() + "/default.db/t'\n)\n")));
}

TEST_F(StatementTableTest, ComputesColumnsWhenTheyAreRead) {
  MakeTable();
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'x', TIMESTAMP '2020-01-02 03:04:05')"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM t"), HasValue(ElementsAre("1|x|2|2020-01-02 03:04:05.000")));
  EXPECT_THAT(Run("SELECT c FROM t /*+ OPTIONS('scan.snapshot-id' = '1') */ WHERE c > 1"), HasValue(ElementsAre("2")));
}

TEST_F(StatementTableTest, AltersEveryPartOfATable) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, b STRING) WITH ('bucket' = '1')"), IsOk());
  ASSERT_THAT(Run("ALTER TABLE t ADD (e FLOAT COMMENT 'e', f ARRAY<INT>)"), IsOk());
  ASSERT_THAT(Run("ALTER TABLE t ADD g INT FIRST"), IsOk());
  ASSERT_THAT(Run("ALTER TABLE t MODIFY e DOUBLE COMMENT 'new' AFTER a"), IsOk());
  ASSERT_THAT(Run("ALTER TABLE t RENAME b TO h"), IsOk());
  ASSERT_THAT(Run("ALTER TABLE t DROP f"), IsOk());
  EXPECT_THAT(
      Run("DESCRIBE t"),
      HasValue(ElementsAre("g|INT|TRUE|<NULL>|<NULL>|<NULL>|<NULL>", "a|INT|FALSE|PRI(a)|<NULL>|<NULL>|<NULL>",
                           "e|DOUBLE|TRUE|<NULL>|<NULL>|<NULL>|new", "h|STRING|TRUE|<NULL>|<NULL>|<NULL>|<NULL>")));
  ASSERT_THAT(Run("ALTER TABLE t SET ('snapshot.time-retained' = '2 h')"), IsOk());
  EXPECT_THAT(Run("SHOW CREATE TABLE t"), HasValue(ElementsAre(HasSubstr("'snapshot.time-retained' = '2 h'"))));
  ASSERT_THAT(Run("ALTER TABLE t RESET ('snapshot.time-retained')"), IsOk());
  EXPECT_THAT(Run("ALTER TABLE t SET ('snapshot.num-retained.max' = '5')"), IsError(ErrorCode::kInvalidArgument));
  ASSERT_THAT(Run("ALTER TABLE t RENAME TO u"), IsOk());
  EXPECT_THAT(Run("SHOW TABLES"), HasValue(ElementsAre("u")));
  EXPECT_THAT(Run("ALTER TABLE t DROP a"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Run("ALTER TABLE IF EXISTS t DROP a"), IsOk());
}

TEST_F(StatementTableTest, CopiesATableWithLike) {
  MakeTable();
  ASSERT_THAT(Run("CREATE TABLE u LIKE t"), IsOk());
  EXPECT_THAT(Run("SHOW CREATE TABLE u"), HasValue(ElementsAre(HasSubstr("'bucket' = '2'"))));
  EXPECT_THAT(Run("DESCRIBE u"), HasValue(testing::Contains("c|INT|FALSE|<NULL>|AS `a` + 1|<NULL>|<NULL>")));
  ASSERT_THAT(Run("CREATE TABLE v (d INT) LIKE t (EXCLUDING CONSTRAINTS EXCLUDING GENERATED EXCLUDING WATERMARKS "
                  "EXCLUDING OPTIONS)"),
              IsOk());
  EXPECT_THAT(Run("DESCRIBE v"),
              HasValue(ElementsAre("a|INT|FALSE|<NULL>|<NULL>|<NULL>|key", "b|STRING|TRUE|<NULL>|<NULL>|<NULL>|<NULL>",
                                   "ts|TIMESTAMP(3)|TRUE|<NULL>|<NULL>|<NULL>|<NULL>",
                                   "d|INT|TRUE|<NULL>|<NULL>|<NULL>|<NULL>")));
  ASSERT_THAT(Run("CREATE TABLE w WITH ('bucket' = '3') LIKE t"), IsOk());
  EXPECT_THAT(Run("SHOW CREATE TABLE w"), HasValue(ElementsAre(HasSubstr("'bucket' = '3'"))));
  EXPECT_THAT(Run("CREATE TABLE x WITH ('bucket' = '3') LIKE t (INCLUDING OPTIONS)"),
              HasMessage("OVERWRITING OPTIONS"));
}

TEST_F(StatementTableTest, CreatesATableFromAQuery) {
  ASSERT_THAT(Run("CREATE TABLE w WITH ('primary-key' = 'x', 'bucket' = '1') AS SELECT 1 AS x, 'a' AS y"), IsOk());
  EXPECT_THAT(Run("DESCRIBE w"),
              HasValue(ElementsAre("x|INT|FALSE|PRI(x)|<NULL>|<NULL>", "y|CHAR(1)|FALSE|<NULL>|<NULL>|<NULL>")));
  EXPECT_THAT(Run("SELECT * FROM w"), HasValue(ElementsAre("1|a")));
  EXPECT_THAT(columns(), ElementsAre("x INT NOT NULL", "y CHAR(1) NOT NULL"));
  // What fails leaves no table behind.
  EXPECT_THAT(Run("CREATE TABLE z AS SELECT 1 / x AS q FROM (SELECT x - 1 AS x FROM w) AS s"),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Run("SHOW TABLES LIKE 'z'"), HasValue(IsEmpty()));
}

TEST_F(StatementTableTest, ShowsWhereAColumnDefinitionIsWrong) {
  EXPECT_THAT(Run("CREATE TABLE t (a INT, a STRING)"), HasMessage("column 'a' is there already, at line 1, column 24"));
  EXPECT_THAT(Run("CREATE TABLE t (a INT PRIMARY KEY)"), HasMessage("NOT ENFORCED"));
  EXPECT_THAT(Run("CREATE TABLE t (a INT, b AS nope + 1)"), HasMessage("Column 'nope' not found"));
  EXPECT_THAT(Run("CREATE TABLE t (a INT, WATERMARK FOR a AS a)"), HasMessage("a watermark needs a TIMESTAMP(3)"));
  EXPECT_THAT(Run("CREATE TABLE t (a INT, p INT METADATA)"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(Run("CREATE TABLE t (a INT) WITH ('path' = '/x')"), HasMessage("'path' cannot be given"));
  EXPECT_THAT(Run("SHOW TABLES"), HasValue(IsEmpty()));
}

}  // namespace
}  // namespace braid
