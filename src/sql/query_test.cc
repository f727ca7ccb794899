// Names, types, errors and sources of queries. What queries compute is the matter of flink_script_test.cc.

#include "sql/query.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "sql/operator.h"
#include "sql/query_testing.h"
#include "sql/sources.h"
#include "table/branch_replace.h"
#include "table/branches.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class QueryTest : public testing::Test {
 protected:
  void SetUp() override {
    engine_ = DuckEngine::Open(EngineSettings{}).value();
    words_ = names_.AddTable("words", {{"word", DataType::String()}, {"n", DataType::Int()}}).value();
    ASSERT_THAT(InsertRows(*words_, {{"to", 1}, {"be", 2}}), IsOk());
    ASSERT_THAT(InsertRows(*words_, {{"to", 3}}), IsOk());
    keyed_ =
        names_
            .AddTable("keyed",
                      {{"k", DataType::Int().NotNull()}, {"v", DataType::String()}, {"d", DataType::Decimal(10, 2)}},
                      {"k"}, {{"bucket", "1"}})
            .value();
    ASSERT_THAT(InsertRows(*keyed_, {{1, "a", Decimal{100}}, {2, "b", Datum()}}), IsOk());
    ASSERT_THAT(InsertRows(*keyed_, {{2, "B", Datum()}, {3, "c", Datum()}}), IsOk());
  }

  std::vector<std::string> Columns(std::string_view sql) {
    const Result<AnalyzedQuery> query = Analyze(sql, names_);
    if (!query) return {query.error().ToString()};
    std::vector<std::string> columns;
    for (const QueryColumn& column : query->columns) columns.push_back(column.name + " " + column.type.ToString());
    return columns;
  }
  std::vector<std::string> Rows(std::string_view sql) {
    const Result<Answer> answer = RunQuery(sql, names_, *engine_);
    if (!answer) return {answer.error().ToString()};
    return answer->rows;
  }
  /// The whole message of what a query fails with.
  std::string Failure(std::string_view sql) {
    const Result<AnalyzedQuery> query = Analyze(sql, names_);
    return query ? "it is accepted" : query.error().ToString();
  }

  TestNames names_;
  std::unique_ptr<DuckEngine> engine_;
  std::optional<Table> words_;
  std::optional<Table> keyed_;
};

// ---- Errors ----

TEST_F(QueryTest, ShowsThePlaceOfAnUnknownColumnAndTheNearestName) {
  EXPECT_EQ(Failure("SELECT n,\n  wrod FROM words"),
            "Column 'wrod' not found in any table, at line 2, column 3\n"
            "      wrod FROM words\n"
            "      ^\n"
            "  try: did you mean 'word'?");
}

TEST_F(QueryTest, RefusesNamesAndPlacesThemAsFlinkDoes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SELECT x.word FROM words", "Table 'x' not found, at line 1, column 8"},
      {"SELECT w.word FROM words AS word", "Table 'w' not found"},
      {"SELECT words.nope FROM words", "Column 'nope' not found in table 'words', at line 1, column 14"},
      {"SELECT words.word FROM words AS w", "Table 'words' not found"},
      {"SELECT Word FROM words", "did you mean 'word'?"},
      {"SELECT word FROM words, words AS w", "Column 'word' is ambiguous, at line 1, column 8"},
      {"SELECT * FROM wrods", "Object 'wrods' not found, at line 1, column 15"},
      {"SELECT nofunction(n) FROM words", "there is no function NOFUNCTION, at line 1, column 8"},
      {"SELECT * FROM words WHERE COUNT(*) > 1",
       "Aggregate expression is illegal in WHERE clause, at line 1, column 27"},
      {"SELECT SUM(COUNT(*)) FROM words", "Aggregate expression is illegal in an aggregate"},
      {"SELECT word FROM words GROUP BY COUNT(*)", "Aggregate expression is illegal in GROUP BY clause"},
      {"SELECT word, n FROM words GROUP BY word", "Expression 'n' is not being grouped, at line 1, column 14"},
      {"SELECT word, COUNT(*) FROM words", "Expression 'word' is not being grouped"},
      {"SELECT * FROM words GROUP BY word", "Expression 'n' is not being grouped, at line 1, column 8"},
      {"SELECT word FROM words HAVING n > 1", "is not being grouped"},
      {"SELECT word FROM words GROUP BY word ORDER BY n", "Expression 'n' is not being grouped, at line 1, column 47"},
      {"SELECT DISTINCT word FROM words ORDER BY n", "not in the select clause"},
      {"SELECT word FROM words ORDER BY 2", "Ordinal out of range"},
      {"SELECT word FROM words WHERE n", "WHERE clause must be a condition, but this is INT, at line 1, column 30"},
      {"SELECT word FROM words WHERE ROW_NUMBER() OVER (ORDER BY n) = 1",
       "Windowed aggregate expression is illegal in WHERE clause"},
      {"SELECT ROW_NUMBER() FROM words", "ROW_NUMBER needs an OVER clause"},
      {"SELECT RANK() OVER (PARTITION BY n) FROM words", "RANK requires an ORDER BY"},
      {"SELECT SUM(n) OVER w FROM words", "Window 'w' not found, at line 1, column 20"},
      {"SELECT SUM(word) FROM words", "Cannot apply 'SUM' to arguments of type 'SUM(<STRING>)', at line 1, column 8"},
      {"SELECT NULL FROM words", "Illegal use of 'NULL'"},
      {"SELECT *", "'*' needs a table in FROM"},
      {"SELECT GROUPING(n) FROM words GROUP BY word", "must be a grouped expression, at line 1, column 17"},
      {"VALUES (1, 2), (3)", "this row has 1 value, the first one 2"},
      {"VALUES (1), ('a')", "compatible types: INT and CHAR(1), at line 1, column 14"},
      {"SELECT n FROM words UNION SELECT n, n FROM words", "Column count mismatch in UNION: 1 and 2"},
      {"SELECT n FROM words UNION SELECT word FROM words", "Type mismatch in column 1 of UNION: INT and STRING"},
      {"SELECT n FROM words AS w(a)", "table has 2 columns ('word', 'n'), whereas alias list has 1 column"},
      {"SELECT (SELECT n, word FROM words)", "the inner query has 2 columns, but one is needed"},
      {"SELECT n FROM words LIMIT 99999999999999999999", "out of range"},
      {"SELECT * FROM words w JOIN keyed k ON w.word = k.k", "cannot be compared"},
      {"SELECT * FROM words JOIN keyed USING (nope)", "Column 'nope' not found in any table, at line 1, column 39"},
      {"SELECT * FROM TABLE(NOPE(TABLE words))", "there is no table function NOPE"},
      {"SELECT * FROM TABLE(TUMBLE(TABLE words, DESCRIPTOR(n), INTERVAL '1' HOUR))",
       "a window needs a TIMESTAMP, not INT"},
      {"SELECT CAST(n AS NOPE) FROM words", "Unknown type 'NOPE', at line 1, column 18"},
      {"SELECT * FROM words /*+ OPTIONS('a') */", "the hint OPTIONS takes 'key' = 'value' pairs"},
      {"SELECT n FROM words FOR SYSTEM_TIME AS OF n", "Column 'n' cannot be used here"},
      {"SELECT ? FROM words", "parameters ('?') have no value here"},
      {"SELECT PARSE_JSON(word) = PARSE_JSON(word) FROM words", "values of type VARIANT cannot be compared"},
      {"SELECT COUNT(*) FROM words GROUP BY PARSE_JSON(word)", "cannot be a group key"},
      {"SELECT word FROM words ORDER BY PARSE_JSON(word)", "values of type VARIANT have no order"},
      {"SELECT MAX(PARSE_JSON(word)) FROM words", "MAX cannot order values of type VARIANT"},
      {"WITH c AS (SELECT n FROM words) SELECT word FROM c", "Column 'word' not found in any table"},
  };
  for (const auto& [sql, message] : cases) EXPECT_THAT(Failure(sql), HasSubstr(message)) << sql;
}

TEST_F(QueryTest, NamesTheViewThatAnErrorIsIn) {
  names_.AddView("broken", "SELECT nope FROM words");
  EXPECT_THAT(Failure("SELECT * FROM broken"), HasSubstr("in the view d.broken"));
  names_.AddView("endless", "SELECT * FROM endless");
  EXPECT_THAT(Failure("SELECT * FROM endless"), HasSubstr("views are nested more than 32 deep"));
}

// ---- Names and types ----

TEST_F(QueryTest, NamesColumnsAsFlinkDoes) {
  EXPECT_THAT(Columns("SELECT word, n + 1, words.n, COUNT(*) OVER () AS c FROM words"),
              ElementsAre("word STRING", "EXPR$1 INT", "n INT", "c BIGINT NOT NULL"));
  EXPECT_THAT(Columns("SELECT * FROM words a, words b"), ElementsAre("word STRING", "n INT", "word0 STRING", "n0 INT"));
  EXPECT_THAT(Columns("SELECT b.*, a.word FROM words a, keyed b"),
              ElementsAre("k INT NOT NULL", "v STRING", "d DECIMAL(10, 2)", "word STRING"));
  EXPECT_THAT(Columns("SELECT d.words.word, c.d.words.n FROM c.d.words"), ElementsAre("word STRING", "n INT"));
  EXPECT_THAT(Columns("TABLE keyed"), ElementsAre("k INT NOT NULL", "v STRING", "d DECIMAL(10, 2)"));
}

TEST_F(QueryTest, DerivesNullabilityFromOuterJoins) {
  EXPECT_THAT(Columns("SELECT l.k, r.k FROM keyed l LEFT JOIN keyed r ON l.k = r.k"),
              ElementsAre("k INT NOT NULL", "k0 INT"));
  EXPECT_THAT(Columns("SELECT l.k, r.k FROM keyed l RIGHT JOIN keyed r ON l.k = r.k"),
              ElementsAre("k INT", "k0 INT NOT NULL"));
  EXPECT_THAT(Columns("SELECT l.k, r.k FROM keyed l FULL JOIN keyed r ON l.k = r.k"), ElementsAre("k INT", "k0 INT"));
  EXPECT_THAT(Columns("SELECT * FROM keyed l JOIN keyed r USING (k, v)"),
              ElementsAre("k INT NOT NULL", "v STRING", "d DECIMAL(10, 2)", "d0 DECIMAL(10, 2)"));
  EXPECT_THAT(Columns("SELECT k, l.k FROM keyed l FULL JOIN keyed r USING (k)"), ElementsAre("k INT", "k0 INT"));
}

TEST_F(QueryTest, DerivesTypesOfAggregates) {
  EXPECT_THAT(
      Columns("SELECT k, SUM(k), AVG(k), MAX(d), SUM(d), AVG(d), COUNT(d), ARRAY_AGG(v), COLLECT(k), VAR_SAMP(k), "
              "FIRST_VALUE(v) "
              "FROM keyed GROUP BY k"),
      ElementsAre("k INT NOT NULL", "EXPR$1 INT NOT NULL", "EXPR$2 INT NOT NULL", "EXPR$3 DECIMAL(10, 2)",
                  "EXPR$4 DECIMAL(38, 2)", "EXPR$5 DECIMAL(38, 6)", "EXPR$6 BIGINT NOT NULL", "EXPR$7 ARRAY<STRING>",
                  "EXPR$8 MULTISET<INT NOT NULL> NOT NULL", "EXPR$9 INT", "EXPR$10 STRING"));
  EXPECT_THAT(Columns("SELECT SUM(k), COUNT(*) FROM keyed"), ElementsAre("EXPR$0 INT", "EXPR$1 BIGINT NOT NULL"));
  EXPECT_THAT(Columns("SELECT SUM(k) FILTER (WHERE k > 1) FROM keyed GROUP BY v"), ElementsAre("EXPR$0 INT"));
}

TEST_F(QueryTest, FindsFieldsOfRowsBehindDots) {
  names_.AddView("r", "SELECT CAST(ROW(1, ROW('x')) AS ROW<a INT, b ROW<c STRING>>) AS word");
  EXPECT_THAT(Rows("SELECT word.a, r.word.b.c, word.b FROM r"), ElementsAre("[1,\"x\",{\"c\":\"x\"}]"));
}

TEST_F(QueryTest, MatchesNamesThatDifferInCaseOnly) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      names_.AddTable("cased", {{"Col", DataType::Int()}, {"col", DataType::Int()}, {"COL", DataType::Int()}}));
  ASSERT_THAT(InsertRows(table, {{1, 2, 3}}), IsOk());
  EXPECT_THAT(Rows("SELECT COL, Col FROM cased WHERE col = 2"), ElementsAre("[3,1]"));
}

TEST_F(QueryTest, SeesOuterColumnsInInnerQueriesUnlessHidden) {
  EXPECT_THAT(Rows("SELECT k FROM keyed WHERE EXISTS (SELECT 1 FROM words WHERE n = k AND word = 'be')"),
              ElementsAre("[2]"));
  // `n` of the inner table hides the outer one.
  EXPECT_THAT(Rows("SELECT DISTINCT n FROM words WHERE EXISTS (SELECT 1 FROM (VALUES (7)) AS t(n) WHERE n = 1)"),
              IsEmpty());
}

TEST_F(QueryTest, EvaluatesCommonTablesWhereTheyAreNamed) {
  EXPECT_THAT(
      Rows("WITH a AS (SELECT n FROM words), b(m) AS (SELECT MAX(n) FROM a) SELECT a.n, b.m FROM a, b ORDER BY n"),
      ElementsAre("[1,3]", "[2,3]", "[3,3]"));
  // An inner WITH hides an outer one, and a table of the catalog is hidden too.
  EXPECT_THAT(Rows("WITH words AS (SELECT 1 AS x) SELECT * FROM (WITH words AS (SELECT 2 AS y) SELECT * FROM words)"),
              ElementsAre("[2]"));
}

// ---- Tables ----

TEST_F(QueryTest, CountsWordsOfASnapshotByAHint) {
  EXPECT_THAT(Rows("SELECT word, COUNT(*) FROM words GROUP BY word"), UnorderedElementsAre("[\"to\",2]", "[\"be\",1]"));
  EXPECT_THAT(Rows("SELECT word, COUNT(*) FROM words /*+ OPTIONS('scan.snapshot-id'='1') */ GROUP BY word"),
              UnorderedElementsAre("[\"to\",1]", "[\"be\",1]"));
}

TEST_F(QueryTest, ComparesTwoSnapshotsByAFullJoin) {
  EXPECT_THAT(Rows("SELECT n.k, n.v, o.k, o.v FROM keyed n FULL OUTER JOIN keyed /*+ OPTIONS('scan.snapshot-id'='1') "
                   "*/ o ON n.k = o.k "
                   "WHERE n.v IS DISTINCT FROM o.v"),
              UnorderedElementsAre("[2,\"B\",2,\"b\"]", "[3,\"c\",null,null]"));
}

TEST_F(QueryTest, ReadsChangesBetweenSnapshotsWithoutDeletions) {
  ASSERT_THAT(InsertRows(*keyed_, {{1, "a", Datum()}, {4, "d", Datum()}}, {RowKind::kDelete, RowKind::kInsert}),
              IsOk());
  EXPECT_THAT(Rows("SELECT k FROM keyed /*+ OPTIONS('incremental-between'='2,3') */"), ElementsAre("[4]"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM keyed"), ElementsAre("[3]"));
}

TEST_F(QueryTest, AnswersWithPushedFiltersAsWithout) {
  EXPECT_THAT(Rows("SELECT v FROM keyed WHERE k = 2"), ElementsAre("[\"B\"]"));
  EXPECT_THAT(Rows("SELECT v FROM keyed WHERE v = 'b'"), IsEmpty());
  EXPECT_THAT(Rows("SELECT k FROM keyed WHERE d > 0.5"), ElementsAre("[1]"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM keyed WHERE v LIKE 'B%' OR k IN (1, 3)"), ElementsAre("[3]"));
  EXPECT_THAT(Rows("SELECT k.v FROM keyed k JOIN words w ON k.k = w.n WHERE w.word = 'be'"), ElementsAre("[\"B\"]"));
}

TEST_F(QueryTest, ReadsATableTwiceInOneState) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AnalyzedQuery query, Analyze("SELECT COUNT(*) FROM words a, words b", names_));
  BRAID_ASSERT_OK_AND_ASSIGN(const DuckProgram program, EmitDuckSql(query, *engine_));
  ASSERT_EQ(program.sources.size(), 2U);
  EXPECT_EQ(program.sources[0].snapshot, SnapshotId(2));
  EXPECT_EQ(program.sources[1].snapshot, SnapshotId(2));
  // What is committed after the program was made is not seen.
  ASSERT_THAT(InsertRows(*words_, {{"late", 9}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto connection, engine_->Connect());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result, connection->Query(program.sql));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
  EXPECT_EQ(DatumAt(*batches.front().rows->column(0), 0, DataType::BigInt()), Datum(9));
}

TEST_F(QueryTest, PrunesThePinnedSnapshotAndNotALaterOne) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AnalyzedQuery query, Analyze("SELECT n FROM words WHERE n >= 3", names_));
  BRAID_ASSERT_OK_AND_ASSIGN(const DuckProgram program, EmitDuckSql(query, *engine_));
  ASSERT_THAT(InsertRows(*words_, {{"late", 9}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto connection, engine_->Connect());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result, connection->Query(program.sql));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(batches.front().row_count(), 1);
  EXPECT_EQ(DatumAt(*batches.front().rows->column(0), 0, DataType::Int()), Datum(3));
}

TEST_F(QueryTest, TellsWhichSnapshotsAndChangesItReads) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AnalyzedQuery query,
                             Analyze("SELECT * FROM words /*+ OPTIONS('scan.snapshot-id'='1') */, keyed /*+ "
                                     "OPTIONS('incremental-between'='1,2') */ k",
                                     names_));
  BRAID_ASSERT_OK_AND_ASSIGN(const DuckProgram program, EmitDuckSql(query, *engine_));
  ASSERT_EQ(program.sources.size(), 2U);
  EXPECT_EQ(program.sources[0].identifier.ToString(), "d.words");
  EXPECT_EQ(program.sources[0].snapshot, SnapshotId(1));
  EXPECT_EQ(program.sources[0].changes_after, std::nullopt);
  EXPECT_EQ(program.sources[1].snapshot, SnapshotId(2));
  EXPECT_EQ(program.sources[1].changes_after, SnapshotId(1));
}

TEST_F(QueryTest, TravelsToATime) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto query, Analyze("SELECT * FROM words FOR SYSTEM_TIME AS OF TIMESTAMP '2999-01-01 00:00:00.5'", names_));
  names_.zone = "Asia/Shanghai";
  EXPECT_THAT(ExplainQuery(query), HasSubstr("'scan.timestamp-millis'='32472144000500'"));
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto local, Analyze("SELECT * FROM words FOR SYSTEM_TIME AS OF TIMESTAMP '2999-01-01 08:00:00'", names_));
  EXPECT_THAT(ExplainQuery(local), HasSubstr("'scan.timestamp-millis'='32472144000000'"));
}

TEST_F(QueryTest, TravelsToAConstantTime) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto hour,
      Analyze("SELECT * FROM words FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP + INTERVAL '9000' DAY(4)", names_));
  EXPECT_THAT(ExplainQuery(hour),
              HasSubstr("'scan.timestamp-millis'='2355480000000'"));  // 2020-01-01 12:00 and 777,600,000 s
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto text,
      Analyze("SELECT * FROM words FOR SYSTEM_TIME AS OF CAST('2999-01-01 00:00:00' AS TIMESTAMP(3))", names_));
  EXPECT_THAT(ExplainQuery(text), HasSubstr("'scan.timestamp-millis'='32472144000000'"));
}

TEST_F(QueryTest, ComparesRowsWithNullsPartByPart) {
  names_.AddView("pairs", "VALUES (1, 5), (9, CAST(NULL AS INT))", {"a", "b"});
  names_.AddView("asked", "VALUES (1, 5), (2, 5), (9, 5), (CAST(NULL AS INT), 7), (CAST(NULL AS INT), 5)", {"x", "y"});
  // (9, 5) may equal (9, NULL), (NULL, 5) may equal (1, 5); (NULL, 7) may equal (9, NULL).
  EXPECT_THAT(Rows("SELECT x, y, (x, y) IN (SELECT a, b FROM pairs) FROM asked"),
              UnorderedElementsAre("[1,5,true]", "[2,5,false]", "[9,5,null]", "[null,7,null]", "[null,5,null]"));
  EXPECT_THAT(Rows("SELECT x FROM asked WHERE (x, y) IN (SELECT a, b FROM pairs)"), ElementsAre("[1]"));
  EXPECT_THAT(Rows("SELECT x FROM asked WHERE (x, y) NOT IN (SELECT a, b FROM pairs)"), ElementsAre("[2]"));
}

TEST_F(QueryTest, ReadsTheLatestColumnsAfterAlterTable) {
  // The newest snapshot is of the schema before: travelling to it would lose the column.
  const std::vector<SchemaChange> changes = {
      AddColumn{.path = {"extra"}, .type = DataType::Int(), .description = {}, .position = {}}};
  BRAID_ASSERT_OK_AND_ASSIGN(const TableSchema schema, Apply(words_->schema(), changes, true, 1'700'000'000'001));
  ASSERT_THAT(WriteSchema(words_->file_system(), words_->paths(), schema), IsOk());
  EXPECT_THAT(Rows("SELECT n, extra FROM words WHERE n = 3"), ElementsAre("[3,null]"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM words WHERE extra IS NULL"), ElementsAre("[3]"));
}

TEST_F(QueryTest, ReadsOnlyTheColumnsThatMatter) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto query, Analyze("SELECT a FROM (SELECT k AS a, UPPER(v) AS b, d FROM keyed) WHERE d IS NULL", names_));
  BRAID_ASSERT_OK_AND_ASSIGN(const DuckProgram program, EmitDuckSql(query, *engine_));
  EXPECT_THAT(program.sql, Not(HasSubstr("upper")));
  EXPECT_THAT(program.sql, HasSubstr("AS t(c0, c2)"));
}

TEST_F(QueryTest, ReadsAnEmptyTable) {
  ASSERT_TRUE(names_.AddTable("bare", {{"x", DataType::Int()}, {"s", DataType::String()}}).has_value());
  EXPECT_THAT(Rows("SELECT * FROM bare"), IsEmpty());
  EXPECT_THAT(Rows("SELECT COUNT(*), MAX(x) FROM bare WHERE s = 'a'"), ElementsAre("[0,null]"));
}

// ---- Structure ----

const op::Aggregate* FindAggregate(const Operator& node) {
  if (const auto* aggregate = std::get_if<op::Aggregate>(&node.node)) return aggregate;
  for (const OperatorPtr& input : InputsOf(node)) {
    if (const op::Aggregate* found = FindAggregate(*input)) return found;
  }
  return nullptr;
}

TEST_F(QueryTest, ReducesAveragesToSumsAndCountsOnce) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto query,
                             Analyze("SELECT word, AVG(n), COUNT(n), COUNT(n) + 1 FROM words GROUP BY word", names_));
  const op::Aggregate* aggregate = FindAggregate(*query.root);
  ASSERT_NE(aggregate, nullptr);
  ASSERT_EQ(aggregate->keys.size(), 1U);
  std::vector<AggregateFunction> functions;
  for (const AggregateCall& call : aggregate->calls) functions.push_back(call.function);
  EXPECT_THAT(functions, UnorderedElementsAre(AggregateFunction::kSum, AggregateFunction::kCount));
}

TEST_F(QueryTest, TellsEquationsOfAJoinFromTheRest) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto query,
      Analyze("SELECT 1 FROM words w JOIN keyed k ON k.k = w.n AND w.word <> k.v AND w.n = 1", names_));
  const auto& join = std::get<op::Join>(InputsOf(*query.root).front()->node);
  ASSERT_EQ(join.keys.size(), 1U);
  EXPECT_EQ(join.keys[0].left.sql, "c1");
  EXPECT_EQ(join.keys[0].right.sql, "c2");
}

TEST_F(QueryTest, ExplainsTheTree) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto query,
      Analyze("SELECT word, COUNT(*) AS c FROM words WHERE n > 1 GROUP BY word ORDER BY c LIMIT 2", names_));
  EXPECT_EQ(ExplainQuery(query),
            "== Operator Tree ==\n"
            "Limit(offset=[0], fetch=[2])\n"
            "+- Sort(orderBy=[(c5) ASC NULLS FIRST])\n"
            "   +- Project(select=[c2 AS c3 word, c4 AS c5 c])\n"
            "      +- Aggregate(groupBy=[c0 AS c2], select=[COUNT(*) AS c4])\n"
            "         +- Filter(condition=[(c1 > CAST('1' AS INTEGER))])\n"
            "            +- Scan(table=[c.d.words], columns=[c0 word, c1 n])\n");
  EXPECT_TRUE(query.ordered);
}

// ---- Constants ----

TEST_F(QueryTest, AnalysesConstantsWithoutColumns) {
  const auto constant = [this](std::string_view sql) -> Result<EmittedCall> {
    BRAID_TRY_ASSIGN(const syntax::Expression expression, syntax::ParseExpression(sql));
    return AnalyzeConstant(expression, sql, names_);
  };
  BRAID_ASSERT_OK_AND_ASSIGN(const EmittedCall number, constant("-5"));
  EXPECT_EQ(number.type.ToString(), "INT NOT NULL");
  EXPECT_EQ(number.literal, Datum(-5));
  BRAID_ASSERT_OK_AND_ASSIGN(const EmittedCall today, constant("CURRENT_DATE"));
  EXPECT_EQ(today.literal, Datum(18262));  // 2020-01-01
  EXPECT_THAT(constant("n + 1"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(constant("(SELECT 1)"), IsError(ErrorCode::kUnsupported));
}

TEST_F(QueryTest, LeavesTheTypeOfNullToAnInsert) {
  const std::string sql = "SELECT n, NULL FROM words";
  BRAID_ASSERT_OK_AND_ASSIGN(const syntax::Query query, syntax::ParseQuery(sql));
  BRAID_ASSERT_OK_AND_ASSIGN(const AnalyzedQuery analyzed, AnalyzeInsertSource(query, sql, names_));
  EXPECT_EQ(analyzed.columns[1].type, SqlType::Null());
}

TEST_F(QueryTest, ShowsOneTimeInTheZoneOfTheSession) {
  names_.zone = "Asia/Shanghai";
  EXPECT_THAT(Rows("SELECT LOCALTIMESTAMP, CURRENT_DATE, UNIX_TIMESTAMP(), CURRENT_DATABASE()"),
              ElementsAre("[\"2020-01-01T20:00:00.000\",\"2020-01-01\",1577880000,\"d\"]"));
}

TEST_F(QueryTest, AQueryReadsOneMainWhollyWhileAnotherBranchTakesItsPlace) {
  OperationContext context;
  context.file_system = words_->shared_file_system();
  context.root = words_->paths().root();
  context.table_name = words_->name();
  ASSERT_THAT(CreateBranch(context, {.name = "fix", .snapshot = SnapshotId(1)}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const AnalyzedQuery of_former, Analyze("SELECT word, n FROM words WHERE n > 1", names_));
  ASSERT_THAT(ReplaceMain(context, {.name = "fix", .materialize = false}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Answer former, RunQuery(of_former, *engine_));
  EXPECT_THAT(former.rows, UnorderedElementsAre("[\"be\",2]", "[\"to\",3]"));

  // The new main moves into the table's root between the plan of a read and the read.
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Table::Open(context.file_system, context.root, context.table_name));
  BRAID_ASSERT_OK_AND_ASSIGN(auto pinned, PinnedScan::Make(main));
  const auto source = MakeTableSource("words", std::move(pinned), main.schema().fields);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto plan, source->Plan({.columns = {0}, .filter = nullptr}));
  ASSERT_THAT(MaterializeMain(context), IsOk());
  ASSERT_EQ(plan->partition_count(), 1U);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, plan->Open(0, nullptr));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> rows, ReadAllBatches(*reader));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].row_count(), 2);
}

}  // namespace
}  // namespace braid
