// Row ids and data evolution through SQL. Expectations by hand, from spec data.md §1.6.

#include <fmt/format.h>

#include "catalog/temporary_folder_testing.h"
#include "sql/session_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class TrackedRowsTest : public SessionTest {
 protected:
  void Create(const std::string& columns, const std::string& options) {
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    ASSERT_THAT(Run(fmt::format("CREATE TABLE t ({}) WITH ('row-tracking.enabled' = 'true', {})", columns, options)), IsOk());
  }
  Result<std::vector<std::string>> Rows() { return Run("SELECT * FROM `t$row_tracking` ORDER BY `_ROW_ID`"); }
  Result<std::vector<std::string>> Kinds() { return Run("SELECT commit_kind FROM `t$snapshots` ORDER BY snapshot_id"); }
};

TEST_F(TrackedRowsTest, KeepIdsWhateverChangesThem) {
  for (const char* vectors : {"false", "true"}) {
    SCOPED_TRACE(vectors);
    Create("k INT, v INT", fmt::format("'deletion-vectors.enabled' = '{}'", vectors));
    ASSERT_THAT(Run("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)"), IsOk());
    ASSERT_THAT(Run("UPDATE t SET v = v + 1 WHERE k = 2"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10|0|1", "2|21|1|2", "3|30|2|1")));
    ASSERT_THAT(Run("DROP TABLE IF EXISTS s"), IsOk());
    ASSERT_THAT(Run("CREATE TABLE s (k INT, v INT)"), IsOk());
    ASSERT_THAT(Run("INSERT INTO s VALUES (2, 200), (3, 0), (4, 400)"), IsOk());
    ASSERT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND s.v = 0 THEN DELETE "
                    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)"),
                IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10|0|1", "2|200|1|3", "4|400|3|3")));
    ASSERT_THAT(Run("DELETE FROM t WHERE k = 1"), IsOk());
    ASSERT_THAT(Run("INSERT INTO t VALUES (5, 50)"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("2|200|1|3", "4|400|3|3", "5|50|4|5")));
    EXPECT_THAT(Run("SELECT k FROM `t$row_tracking` WHERE `_ROW_ID` = 3"), HasValue(ElementsAre("4")));
    EXPECT_THAT(Run("SELECT COUNT(*) FROM t"), HasValue(ElementsAre("3")));
  }
}

TEST_F(TrackedRowsTest, GetNewColumnsInFilesOfTheirOwn) {
  Create("k INT, a STRING, b INT", "'data-evolution.enabled' = 'true'");
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (3, 'c', 30)"), IsOk());
  ASSERT_THAT(Run("UPDATE t SET b = b + 1 WHERE k = 2"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|a|10|0|3", "2|b|21|1|3", "3|c|30|2|2")));
  EXPECT_THAT(Run("SELECT first_row_id, record_count, write_cols FROM `t$files` ORDER BY min_sequence_number"),
              HasValue(ElementsAre("0|2|<NULL>", "2|1|<NULL>", "0|2|[b]")));
  ASSERT_THAT(Run("CREATE TABLE s (k INT, v STRING)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO s VALUES (1, 'A'), (3, CAST(NULL AS STRING)), (4, 'new')"), IsOk());
  ASSERT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET a = s.v "
                  "WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v, 0)"),
              IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|A|10|0|4", "2|b|21|1|4", "3|<NULL>|30|2|4", "4|new|0|3|4")));
  EXPECT_THAT(Run("SELECT k FROM t WHERE b > 20 ORDER BY k"), HasValue(ElementsAre("2", "3")));
  EXPECT_THAT(Run("SELECT COUNT(*) FROM t"), HasValue(ElementsAre("4")));
  EXPECT_THAT(Kinds(), HasValue(ElementsAre("APPEND", "APPEND", "APPEND", "APPEND"))) << "no row went";
  ASSERT_THAT(Run("CALL sys.compact('default.t')"), IsOk());
  EXPECT_THAT(Run("SELECT first_row_id, record_count, min_sequence_number, max_sequence_number, write_cols FROM `t$files`"),
              HasValue(ElementsAre("0|4|1|4|<NULL>")));
  EXPECT_THAT(Run("SELECT * FROM t ORDER BY k"), HasValue(ElementsAre("1|A|10", "2|b|21", "3|<NULL>|30", "4|new|0")));
  ASSERT_THAT(Run("UPDATE t SET b = 1 WHERE k = 4"), IsOk());
  EXPECT_THAT(Run("SELECT b FROM t ORDER BY k"), HasValue(ElementsAre("10", "21", "30", "1")));
  EXPECT_THAT(Run("SELECT k, a, b FROM t /*+ OPTIONS('scan.snapshot-id' = '2') */ ORDER BY k"),
              HasValue(ElementsAre("1|a|10", "2|b|20", "3|c|30")));
}

TEST_F(TrackedRowsTest, RefuseWhatWouldMoveOrDropRowsOfEvolvingTables) {
  ASSERT_THAT(Run("CREATE TABLE t (k INT, p INT) PARTITIONED BY (p) WITH ('row-tracking.enabled' = 'true', "
                  "'data-evolution.enabled' = 'true')"),
              IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 1), (2, 2)"), IsOk());
  for (const char* statement : {"DELETE FROM t WHERE k = 1", "UPDATE t SET p = 3 WHERE k = 1",
                                "MERGE INTO t USING t AS s ON t.k = s.k WHEN MATCHED THEN DELETE"}) {
    SCOPED_TRACE(statement);
    EXPECT_THAT(Run(statement), IsError(ErrorCode::kUnsupported));
  }
  ASSERT_THAT(Run("DELETE FROM t WHERE p = 1"), IsOk());
  EXPECT_THAT(Run("SELECT k FROM t"), HasValue(ElementsAre("2")));
  ASSERT_THAT(Run("INSERT OVERWRITE t VALUES (5, 5)"), IsOk());
  ASSERT_THAT(Run("TRUNCATE TABLE t"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM t"), HasValue(IsEmpty()));
}

TEST_F(TrackedRowsTest, KeepBlobsBesideTheirRows) {
  Create("k INT, b BLOB, a STRING", "'data-evolution.enabled' = 'true'");
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, x'00ff', 'a'), (2, CAST(NULL AS BYTES), 'b'), (3, x'', 'c')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (4, x'04', 'd')"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM t ORDER BY k"), HasValue(ElementsAre("1|x'00ff'|a", "2|<NULL>|b", "3|x''|c", "4|x'04'|d")));
  EXPECT_THAT(Run("SELECT file_format, first_row_id, record_count, write_cols FROM `t$files` ORDER BY first_row_id, file_format"),
              HasValue(ElementsAre("blob|0|3|[b]", "parquet|0|3|[k, a]", "blob|3|1|[b]", "parquet|3|1|[k, a]")));
  ASSERT_THAT(Run("UPDATE t SET a = 'z' WHERE k = 1"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM t WHERE k < 3 ORDER BY k"), HasValue(ElementsAre("1|x'00ff'|z", "2|<NULL>|b")));
  EXPECT_THAT(Run("UPDATE t SET b = x'01'"), IsError(ErrorCode::kUnsupported));
}

TEST_F(TrackedRowsTest, MakeBlobsOfBytesAsTheOptionSays) {
  Create("k INT, b BYTES, c VARBINARY(3)", "'data-evolution.enabled' = 'true', 'blob-field' = 'b, c'");
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, x'00ff', x'0102030405')"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM t"), HasValue(ElementsAre("1|x'00ff'|x'0102030405'")));
  EXPECT_THAT(Run("SELECT write_cols FROM `t$files` WHERE file_format = 'blob' ORDER BY write_cols"), HasValue(ElementsAre("[b]", "[c]")));
  EXPECT_THAT(Run("CREATE TABLE wrong (k INT, b INT) WITH ('row-tracking.enabled' = 'true', 'data-evolution.enabled' = 'true', 'blob-field' = 'b')"),
              IsError(ErrorCode::kInvalidArgument));
}

TEST_F(TrackedRowsTest, ChangeBlobsThatLieOutside) {
  const TemporaryFolder outside;
  Create("k INT, b BLOB", fmt::format("'data-evolution.enabled' = 'true', 'blob-descriptor-field' = 'b', "
                                      "'blob-external-storage-field' = 'b', 'blob-external-storage-path' = '{}'", outside.path()));
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, x'00ff'), (2, x'02')"), IsOk());
  ASSERT_THAT(Run("UPDATE t SET b = x'0a' WHERE b = x'02'"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM t ORDER BY k"), HasValue(ElementsAre("1|x'00ff'", "2|x'0a'")));
  EXPECT_THAT(Run("SELECT k FROM t WHERE b = x'00ff'"), HasValue(ElementsAre("1")));
  EXPECT_THAT(Run("DELETE FROM t WHERE k = 1"), IsError(ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace braid
