#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "syntax/parser.h"

namespace braid::syntax {
namespace {

using testing::ElementsAre;

template <typename Node>
Node ParsedAs(std::string_view text) {
  const Result<Statement> statement = ParseStatement(text);
  EXPECT_THAT(statement, IsOk()) << text;
  const Node* node = statement ? std::get_if<Node>(&statement->node) : nullptr;
  EXPECT_NE(node, nullptr) << text;
  return node != nullptr ? *node : Node{};
}

TEST(StatementParserTest, ReadsTheWordCountOfTheLineageProposal) {
  const CreateTable table = ParsedAs<CreateTable>(
      "CREATE TABLE word_count_table (word STRING PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket'='1');");
  ASSERT_EQ(table.columns.size(), 2U);
  const PhysicalColumn& word = std::get<PhysicalColumn>(table.columns[0].kind);
  EXPECT_TRUE(word.primary_key);
  EXPECT_EQ(word.enforced, false);
  const Insert insert =
      ParsedAs<Insert>("INSERT INTO word_count_table SELECT word, count(*) FROM word_table GROUP BY word");
  EXPECT_EQ(insert.table.last(), "word_count_table");
}

TEST(StatementParserTest, ReadsEveryKindOfColumn) {
  const CreateTable table = ParsedAs<CreateTable>(
      "CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (a INT NOT NULL COMMENT 'x', b STRING DEFAULT 'y' NOT NULL, "
      "m TIMESTAMP(3) METADATA FROM 'ts' VIRTUAL, p AS a + 1, WATERMARK FOR m AS m - INTERVAL '5' SECOND, "
      "CONSTRAINT k PRIMARY KEY (a, b) NOT ENFORCED) COMMENT 'z' DISTRIBUTED BY HASH(a) INTO 4 BUCKETS PARTITIONED BY "
      "(b) "
      "WITH ('k'='v') LIKE s (INCLUDING ALL EXCLUDING OPTIONS)");
  EXPECT_TRUE(table.temporary && table.if_not_exists);
  ASSERT_EQ(table.columns.size(), 4U);
  EXPECT_EQ(table.columns[0].comment, "x");
  EXPECT_EQ(std::get<PhysicalColumn>(table.columns[0].kind).type.not_null, true);
  EXPECT_TRUE(std::get<PhysicalColumn>(table.columns[1].kind).default_value);
  EXPECT_EQ(std::get<PhysicalColumn>(table.columns[1].kind).type.not_null, true);
  EXPECT_EQ(std::get<MetadataColumn>(table.columns[2].kind).key, "ts");
  EXPECT_TRUE(std::get<MetadataColumn>(table.columns[2].kind).is_virtual);
  EXPECT_TRUE(std::holds_alternative<ComputedColumn>(table.columns[3].kind));
  EXPECT_EQ(table.watermarks.size(), 1U);
  EXPECT_EQ(table.constraints[0].columns.size(), 2U);
  EXPECT_EQ(table.distribution->buckets, 4);
  EXPECT_EQ(table.partitioned_by[0].name, "b");
  EXPECT_EQ(table.options[0].value, "v");
  EXPECT_THAT(table.like->options, ElementsAre(LikeOption{LikeMerging::kIncluding, LikeFeature::kAll},
                                               LikeOption{LikeMerging::kExcluding, LikeFeature::kOptions}));
}

TEST(StatementParserTest, ReadsCreateTableAs) {
  const CreateTable table = ParsedAs<CreateTable>("CREATE TABLE t (a, b) WITH ('k'='v') AS SELECT 1, 2");
  EXPECT_TRUE(std::holds_alternative<BareColumn>(table.columns[0].kind));
  EXPECT_TRUE(table.query);
  EXPECT_TRUE(ParsedAs<CreateTable>("CREATE OR REPLACE TABLE t AS SELECT 1").or_replace);
}

TEST(StatementParserTest, ReadsChangesOfColumns) {
  const AlterTable add = ParsedAs<AlterTable>(
      "ALTER TABLE t ADD (x INT COMMENT 'c' FIRST, r.f STRING AFTER r.e, PRIMARY KEY (x) NOT ENFORCED)");
  const AddOrModify& change = std::get<AddOrModify>(add.change);
  ASSERT_EQ(change.columns.size(), 2U);
  EXPECT_TRUE(change.columns[0].place->first);
  EXPECT_EQ(change.columns[1].parents[0].name, "r");
  EXPECT_EQ(change.columns[1].column.name.name, "f");
  EXPECT_EQ(change.columns[1].place->after->last(), "e");
  EXPECT_EQ(change.constraints.size(), 1U);
  EXPECT_TRUE(std::get<AddOrModify>(ParsedAs<AlterTable>("ALTER TABLE t MODIFY b STRING COMMENT 'new'").change).modify);
  EXPECT_EQ(std::get<DropColumns>(ParsedAs<AlterTable>("ALTER TABLE t DROP (a, b.c)").change).columns.size(), 2U);
  EXPECT_EQ(std::get<RenameColumn>(ParsedAs<AlterTable>("ALTER TABLE t RENAME a TO b").change).new_name.name, "b");
  EXPECT_EQ(std::get<RenameTable>(ParsedAs<AlterTable>("ALTER TABLE t RENAME TO d.u").change).new_name.parts.size(),
            2U);
  EXPECT_EQ(
      std::get<DropPartitions>(ParsedAs<AlterTable>("ALTER TABLE t DROP PARTITION (a='1'), PARTITION (a='2')").change)
          .partitions.size(),
      2U);
}

TEST(StatementParserTest, ReadsInsertsInAllForms) {
  const Insert insert =
      ParsedAs<Insert>("INSERT OVERWRITE t /*+ OPTIONS('a'='b') */ PARTITION (p='x', q) (c, d) VALUES (1, DEFAULT)");
  EXPECT_TRUE(insert.overwrite);
  EXPECT_EQ(insert.hints.size(), 1U);
  ASSERT_EQ(insert.partition.size(), 2U);
  EXPECT_TRUE(insert.partition[0].value);
  EXPECT_FALSE(insert.partition[1].value);
  EXPECT_EQ(insert.columns->size(), 2U);
  EXPECT_FALSE(ParsedAs<Insert>("INSERT INTO t (SELECT 1)").columns);
}

TEST(StatementParserTest, ReadsChangesOfRows) {
  EXPECT_EQ(ParsedAs<Update>("UPDATE t SET a = 1, b = b + 1 WHERE c").assignments.size(), 2U);
  EXPECT_FALSE(ParsedAs<Delete>("DELETE FROM t").where);
}

TEST(StatementParserTest, ReadsMerges) {
  const Merge merge = ParsedAs<Merge>(
      "MERGE INTO t AS a USING s AS b ON a.k = b.k WHEN MATCHED AND b.gone THEN DELETE WHEN MATCHED THEN UPDATE SET v "
      "= "
      "b.v, w = 1 WHEN NOT MATCHED BY TARGET AND b.k > 0 THEN INSERT (k, v) VALUES (b.k, b.v) WHEN NOT MATCHED BY "
      "SOURCE "
      "THEN DELETE");
  ASSERT_EQ(merge.clauses.size(), 4U);
  EXPECT_TRUE(merge.clauses[0].condition);
  EXPECT_TRUE(std::holds_alternative<MergeDelete>(merge.clauses[0].action));
  EXPECT_EQ(std::get<MergeUpdate>(merge.clauses[1].action).assignments.size(), 2U);
  EXPECT_EQ(merge.clauses[2].match, MergeMatch::kNotMatched);
  EXPECT_EQ(std::get<MergeInsert>(merge.clauses[2].action).values.size(), 2U);
  EXPECT_EQ(merge.clauses[3].match, MergeMatch::kNotMatchedBySource);
  const Merge whole = ParsedAs<Merge>(
      "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *");
  EXPECT_TRUE(std::get<MergeUpdate>(whole.clauses[0].action).assignments.empty());
  EXPECT_TRUE(std::get<MergeInsert>(whole.clauses[1].action).values.empty());
  EXPECT_THAT(ParseStatement("MERGE INTO t USING s ON a"), HasMessage("expected WHEN MATCHED"));
  EXPECT_THAT(ParseStatement("MERGE INTO t USING s ON a WHEN MATCHED THEN INSERT *"),
              HasMessage("expected UPDATE or DELETE"));
  EXPECT_THAT(ParseStatement("MERGE INTO t USING s ON a WHEN NOT MATCHED THEN DELETE"), HasMessage("expected INSERT"));
}

TEST(StatementParserTest, ReadsStatementSetsWholeAndInPieces) {
  EXPECT_EQ(ParsedAs<StatementSet>("EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;")
                .statements.size(),
            2U);
  EXPECT_EQ(ParsedAs<StatementSet>("BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END;").statements.size(), 1U);
  ParsedAs<BeginStatementSet>("BEGIN STATEMENT SET;");
  ParsedAs<EndStatementSet>("END");
  EXPECT_THAT(ParseStatement("EXECUTE STATEMENT SET BEGIN SELECT 1; END"), HasMessage("expected INSERT or END"));
}

TEST(StatementParserTest, ReadsSettingsWithAndWithoutQuotes) {
  EXPECT_FALSE(ParsedAs<Set>("SET;").property);
  EXPECT_EQ(ParsedAs<Set>("SET 'a.b' = 'it''s'").property->value, "it's");
  EXPECT_EQ(ParsedAs<Set>("set a.b=c;").property->value, "c");
  EXPECT_EQ(ParsedAs<Set>("-- note\nSET path = file:///tmp/x y ;").property->value, "file:///tmp/x y");
  EXPECT_EQ(ParsedAs<Set>("SET a.b = 'c'").property->key, "a.b");
  EXPECT_EQ(ParsedAs<Reset>("RESET a.b").key, "a.b");
  EXPECT_FALSE(ParsedAs<Reset>("RESET").key);
}

TEST(StatementParserTest, ReadsCalls) {
  const Call call =
      ParsedAs<Call>("CALL c.sys.create_tag(`table` => 'd.t', tag => 'x', snapshot_id => CAST(1 AS BIGINT))");
  EXPECT_EQ(call.procedure.parts.size(), 3U);
  EXPECT_EQ(call.arguments[0].name->name, "table");
  EXPECT_FALSE(ParsedAs<Call>("CALL sys.x('a', 1)").arguments[1].name);
}

TEST(StatementParserTest, ReadsShows) {
  const Show show = ParsedAs<Show>("SHOW TABLES IN c.d NOT LIKE 'x%'");
  EXPECT_EQ(show.kind, ShowKind::kTables);
  EXPECT_EQ(show.name->parts.size(), 2U);
  EXPECT_TRUE(show.negated);
  EXPECT_EQ(show.pattern, "x%");
  EXPECT_EQ(ParsedAs<Show>("SHOW CREATE TABLE t").kind, ShowKind::kCreateTable);
  EXPECT_EQ(ParsedAs<Show>("SHOW PARTITIONS t PARTITION (a = '1')").partition.size(), 1U);
  EXPECT_THAT(ParseStatement("SHOW COLUMNS"), HasMessage("expected FROM or IN"));
  EXPECT_THAT(ParseStatement("SHOW TABELS"), HasMessage("did you mean TABLES?"));
}

TEST(StatementParserTest, LetsFreeWordsBeTables) {
  EXPECT_EQ(ParsedAs<Describe>("DESCRIBE CATALOG c").kind, DescribeKind::kCatalog);
  EXPECT_EQ(ParsedAs<Describe>("DESCRIBE catalog").kind, DescribeKind::kTable);
  EXPECT_EQ(ParsedAs<Describe>("DESC EXTENDED a.b").extended, true);
  EXPECT_EQ(ParsedAs<UseDatabase>("USE catalog").name.last(), "catalog");
}

TEST(StatementParserTest, ReadsJobsAndClientCommands) {
  const StopJob stop = ParsedAs<StopJob>("STOP JOB 'x' WITH SAVEPOINT WITH DRAIN");
  EXPECT_TRUE(stop.with_savepoint && stop.with_drain);
  EXPECT_EQ(ParsedAs<ClientCommand>("exit;").kind, ClientCommandKind::kQuit);
  const Explain explain = ParsedAs<Explain>("EXPLAIN CHANGELOG_MODE, PLAN_ADVICE INSERT INTO t SELECT 1");
  EXPECT_THAT(explain.details, ElementsAre(ExplainDetail::kChangelogMode, ExplainDetail::kPlanAdvice));
}

}  // namespace
}  // namespace braid::syntax
