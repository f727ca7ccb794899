// CALL of procedures that change tables.

#include "sql/procedure.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "sql/session_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::IsEmpty;

class ProcedureTest : public SessionTest {};

TEST_F(ProcedureTest, EveryProcedureOfPaimonIsThereOrRefusedByName) {
  // Those of Paimon 1.4.2's Flink connector.
  const std::vector<std::string> of_paimon = {"alter_column_default_value",
                                              "alter_function",
                                              "alter_view_dialect",
                                              "clear_consumers",
                                              "clone",
                                              "compact",
                                              "compact_database",
                                              "compact_manifest",
                                              "copy_files",
                                              "create_branch",
                                              "create_function",
                                              "create_global_index",
                                              "create_privileged_user",
                                              "create_tag",
                                              "create_tag_from_timestamp",
                                              "create_tag_from_watermark",
                                              "data_evolution_merge_into",
                                              "delete_branch",
                                              "delete_tag",
                                              "drop_function",
                                              "drop_partition",
                                              "drop_privileged_user",
                                              "expire_changelogs",
                                              "expire_partitions",
                                              "expire_snapshots",
                                              "expire_tags",
                                              "fast_forward",
                                              "grant_privilege_to_user",
                                              "init_file_based_privilege",
                                              "mark_partition_done",
                                              "merge_into",
                                              "migrate_database",
                                              "migrate_table",
                                              "purge_files",
                                              "query_service",
                                              "remove_orphan_files",
                                              "remove_unexisting_files",
                                              "remove_unexisting_manifests",
                                              "rename_branch",
                                              "rename_tag",
                                              "repair",
                                              "replace_tag",
                                              "rescale",
                                              "reset_consumer",
                                              "revoke_privilege_from_user",
                                              "rewrite_file_index",
                                              "rollback_to",
                                              "rollback_to_timestamp",
                                              "rollback_to_watermark",
                                              "trigger_tag_automatic_creation",
                                              "vector_search"};
  std::set<std::string> known;
  for (const Procedure& procedure : Procedures()) known.insert(procedure.name);
  for (const AbsentProcedure& absent : AbsentProcedures()) {
    EXPECT_TRUE(known.insert(absent.name).second) << absent.name << " is both there and refused";
    EXPECT_THAT(Run("CALL sys." + std::string(absent.name) + "('a')"), IsError(ErrorCode::kUnsupported));
  }
  for (const std::string& name : of_paimon) EXPECT_TRUE(known.contains(name)) << name;
  EXPECT_THAT(Run("CALL sys.clone('a')"), HasMessage("Braid has no procedure clone"));
  EXPECT_THAT(Run("CALL sys.no_such('a')"), HasMessage("there is no procedure"));
}

TEST_F(ProcedureTest, SortsTablesAsItCompacts) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT, b STRING, p INT) PARTITIONED BY (p)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (3, 'x', 1), (1, 'y', 1), (2, 'z', 2)"), IsOk());
  EXPECT_THAT(Run("CALL sys.compact('t', order_strategy => 'zorder', order_by => 'a, b')"),
              HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("SELECT commit_kind, total_record_count FROM `t$snapshots`"),
              HasValue(ElementsAre("APPEND|3", "OVERWRITE|3")));
  EXPECT_THAT(Run("CALL sys.compact('t', partitions => 'p=2', order_strategy => 'order', order_by => 'b')"), IsOk());
  EXPECT_THAT(Run("CALL sys.compact('t', `where` => 'p = 1', order_strategy => 'hilbert', order_by => 'a,b')"), IsOk());
  EXPECT_THAT(Run("SELECT a, b FROM t ORDER BY a"), HasValue(ElementsAre("1|y", "2|z", "3|x")));
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"order_by => 'a'", "given together or not at all"},
      {"order_strategy => 'order'", "given together or not at all"},
      {"order_strategy => 'best', order_by => 'a'", "'best' is no way to sort"},
      {"order_strategy => 'order', order_by => 'q'", "no column 'q'"},
      {"order_strategy => 'hilbert', order_by => 'a'", "two columns"},
      {"order_strategy => 'order', order_by => 'a', partition_idle_time => '1 d'", "takes no 'partition_idle_time'"},
      {"order_strategy => 'order', order_by => 'a', compact_strategy => 'minor'", "takes no 'compact_strategy'"},
  };
  for (const auto& [arguments, message] : wrong) {
    EXPECT_THAT(Run("CALL sys.compact(`table` => 't', " + arguments + ")"), HasMessage(message));
  }
}

TEST_F(ProcedureTest, SortsWhatIsDueOfClusteredTables) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT, b INT, p INT) PARTITIONED BY (p) WITH ("
                  "'clustering.incremental' = 'true', 'clustering.columns' = 'a')"),
              IsOk());
  for (int i = 0; i < 4; ++i) ASSERT_THAT(Run("INSERT INTO t VALUES (3, 1, 1), (1, 2, 1), (2, 3, 2)"), IsOk());
  const auto levels = [&] { return Run("SELECT `partition`, level, COUNT(*) FROM `t$files` GROUP BY `partition`, level ORDER BY `partition`, level"); };
  const auto unsorted = levels();
  ASSERT_THAT(unsorted, HasValue(SizeIs(2)));
  EXPECT_THAT(Run("CALL sys.compact('t')"), HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("CALL sys.compact('t', compact_strategy => 'minor')"), IsOk());
  EXPECT_EQ(levels().value(), unsorted.value()) << "four runs are not due";
  EXPECT_THAT(Run("CALL sys.compact('t', partitions => 'p=1', compact_strategy => 'full')"), IsOk());
  EXPECT_THAT(levels(), HasValue(ElementsAre("{1}|5|1", "{2}|0|4")));
  ASSERT_THAT(Run("INSERT INTO t VALUES (0, 0, 2)"), IsOk());
  EXPECT_THAT(Run("CALL sys.compact('t', `where` => 'p > 0')"), IsOk());
  EXPECT_THAT(levels(), HasValue(ElementsAre("{1}|5|1", "{2}|5|1"))) << "five are";
  const std::string kinds = "SELECT commit_kind, COUNT(*) FROM `t$snapshots` GROUP BY commit_kind ORDER BY commit_kind";
  EXPECT_THAT(Run(kinds), HasValue(ElementsAre("APPEND|5", "COMPACT|2")));
  EXPECT_THAT(Run("CALL sys.compact('t', compact_strategy => 'full')"), IsOk());
  EXPECT_THAT(Run(kinds), HasValue(ElementsAre("APPEND|5", "COMPACT|2"))) << "all is sorted";
  ASSERT_THAT(Run("ALTER TABLE t SET ('clustering.columns' = 'b')"), IsOk());
  EXPECT_THAT(Run("CALL sys.compact('t', compact_strategy => 'full')"), IsOk());
  EXPECT_THAT(Run("CALL sys.compact('t', compact_strategy => 'full')"), IsOk());
  EXPECT_THAT(Run(kinds), HasValue(ElementsAre("APPEND|5", "COMPACT|3"))) << "by other columns, once";
  EXPECT_THAT(Run("SELECT COUNT(*), SUM(a), SUM(b) FROM t"), HasValue(ElementsAre("13|24|24")));
}

TEST_F(ProcedureTest, DropsPartitionsAsTheyAreNamed) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT, p INT, q STRING) PARTITIONED BY (p, q)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'x'), (4, 3, 'x')"), IsOk());
  EXPECT_THAT(Run("CALL sys.drop_partition('t', 'p=1,q=x', 'p=2')"), HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("SELECT a FROM t ORDER BY a"), HasValue(ElementsAre("2", "4")));
  EXPECT_THAT(Run("CALL sys.drop_partition('t')"), HasMessage("argument 'partitions' is missing"));
  EXPECT_THAT(Run("CALL sys.drop_partition('t', 'a=1')"), HasMessage("'a' is no partition column"));
  EXPECT_THAT(Run("CALL sys.drop_partition('t', '')"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Run("CALL sys.drop_partition('t', 'p=3', 7)"), HasMessage("argument 'partitions' is STRING, not INT"));
  EXPECT_THAT(Run("SELECT a FROM t ORDER BY a"), HasValue(ElementsAre("2", "4")));
}

TEST_F(ProcedureTest, MergesAsItsArgumentsSay) {
  ASSERT_THAT(Run("CREATE TABLE t (k INT, v STRING, PRIMARY KEY (k) NOT ENFORCED)"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE s (k INT, v STRING)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (9, 'z')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO s VALUES (2, 'B'), (3, 'gone'), (4, 'D'), (5, 'no')"), IsOk());
  EXPECT_THAT(Run("CALL sys.merge_into(target_table => 't', target_alias => 'x', "
                  "source_sqls => 'CREATE TEMPORARY VIEW w AS SELECT k, v FROM s;', source_table => 'w', "
                  "merge_condition => 'x.k = w.k', "
                  "matched_upsert_condition => 'w.v <> ''gone''', matched_upsert_setting => 'v = w.v', "
                  "not_matched_insert_condition => 'w.k < 5', not_matched_insert_values => 'w.k, w.v', "
                  "matched_delete_condition => 'TRUE', "
                  "not_matched_by_source_delete_condition => 'x.k = 9')"),
              HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("SELECT k, v FROM t ORDER BY k"), HasValue(ElementsAre("1|a", "2|B", "4|D")));
  // By position, with '' for what is not wanted.
  EXPECT_THAT(Run("CALL sys.merge_into('t', '', '', 's', 't.k = s.k', '', '*', '', '*', '')"), IsOk());
  EXPECT_THAT(Run("SELECT k, v FROM t ORDER BY k"), HasValue(ElementsAre("1|a", "2|B", "3|gone", "4|D", "5|no")));
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"source_table => 's'", "argument 'merge_condition' is missing"},
      {"source_table => 's', merge_condition => 't.k = s.k'", "not said what to do"},
      {"source_table => 's', merge_condition => 't.k = s.k', matched_upsert_condition => 'TRUE'",
       "given without 'matched_upsert_setting'"},
      {"source_table => 's', merge_condition => 't.k = s.k', not_matched_by_source_upsert_setting => '*'",
       "cannot be '*'"},
      {"source_table => 's', merge_condition => 't.k = s.z', matched_upsert_setting => '*'", "z"},
  };
  for (const auto& [arguments, message] : wrong) {
    EXPECT_THAT(Run("CALL sys.merge_into(target_table => 't', " + arguments + ")"), HasMessage(message));
  }
}

TEST_F(ProcedureTest, RepairsAndPurgesTables) {
  ASSERT_THAT(Run("CREATE TABLE t (a INT)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (1), (2)"), IsOk());
  EXPECT_THAT(Run("CALL sys.remove_unexisting_manifests('t')"), HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("SELECT COUNT(*) FROM `t$snapshots`"), HasValue(ElementsAre("1"))) << "nothing was missing";
  ASSERT_THAT(Run("CALL sys.create_tag('t', 'x')"), IsOk());
  EXPECT_THAT(Run("CALL sys.purge_files('t')"), HasValue(ElementsAre("Success")));
  EXPECT_THAT(Run("SELECT COUNT(*) FROM t"), HasValue(ElementsAre("0")));
  EXPECT_THAT(Run("SELECT COUNT(*) FROM `t$tags`"), HasValue(ElementsAre("0")));
}

TEST_F(ProcedureTest, PartitionsAreMarkedAtTheEndOfInput) {
  ASSERT_THAT(
      Run("CREATE TABLE t (a INT, dt STRING) PARTITIONED BY (dt) WITH ('partition.end-input-to-done' = 'true')"),
      IsOk());
  const auto is_marked = [&](const std::string& partition) {
    return std::filesystem::exists(warehouse() + "/default.db/t/dt=" + partition + "/_SUCCESS");
  };
  ASSERT_THAT(Run("INSERT INTO t VALUES (1, 'x')"), IsOk());
  EXPECT_TRUE(is_marked("x"));
  ASSERT_THAT(Run("INSERT OVERWRITE t VALUES (2, 'y')"), IsOk());
  EXPECT_TRUE(is_marked("y"));
  std::filesystem::remove(warehouse() + "/default.db/t/dt=y/_SUCCESS");
  ASSERT_THAT(Run("UPDATE t SET a = 3 WHERE a = 2"), IsOk());
  EXPECT_TRUE(is_marked("y"));
  ASSERT_THAT(Run("ALTER TABLE t SET ('partition.mark-done-action' = 'http-report')"), IsOk());
  EXPECT_THAT(Run("INSERT INTO t VALUES (3, 'z')"), HasMessage("http-report"));
  EXPECT_THAT(Run("SELECT a FROM t WHERE dt = 'z'"), HasValue(IsEmpty())) << "it is refused before anything is written";
  ASSERT_THAT(Run("ALTER TABLE t RESET ('partition.end-input-to-done')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO t VALUES (3, 'z')"), IsOk());
  EXPECT_FALSE(is_marked("z"));
}

}  // namespace
}  // namespace braid
