#include "delta/delta_program.h"

#include <regex>

#include "delta/delta_testing.h"

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Tables words (word STRING), a (k INT, v INT), b (k INT, v INT).
class DeltaProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(names_.AddTable("words", {{"line", DataType::String()}, {"word", DataType::String()}}), IsOk());
    for (const char* name : {"a", "b"})
      ASSERT_THAT(names_.AddTable(name, {{"k", DataType::Int()}, {"v", DataType::Int()}}), IsOk());
    tables_["words"].types = {"VARCHAR", "VARCHAR"};
    for (const char* name : {"a", "b"}) tables_[name].types = {"INTEGER", "INTEGER"};
  }

  Result<DeltaProgram> Make(std::string_view sql, SourceTraits traits = {}) {
    BRAID_TRY_ASSIGN(query_, Analyze(sql, names_));
    return MakeDeltaProgram(query_, {.traits = [=](const ResolvedTable&) { return traits; }});
  }
  void Start(std::string_view sql, SourceTraits traits = {}) {
    Result<DeltaProgram> program = Make(sql, traits);
    ASSERT_THAT(program, IsOk());
    run_ = std::make_unique<DeltaRun>(query_, *std::move(program), tables_);
    ASSERT_THAT(run_->Start(), IsOk());
  }
  /// Runs an epoch after `table` has got these rows; gives the output.
  Result<std::vector<std::string>> Set(const std::string& table, std::vector<std::string> rows) {
    run_->tables()[table].rows = std::move(rows);
    return Epoch();
  }
  Result<std::vector<std::string>> Epoch() {
    BRAID_TRY(run_->Epoch());
    return run_->Output();
  }
  /// The plan with the identities in names of state tables left out.
  static std::string Explained(const DeltaProgram& program) {
    return std::regex_replace(ExplainDelta(program), std::regex("op_[0-9a-f]{16}"), "op_#");
  }

  TestNames names_;
  AnalyzedQuery query_;
  std::map<std::string, TestTable> tables_;
  std::unique_ptr<DeltaRun> run_;
};

TEST_F(DeltaProgramTest, CountsWords) {
  tables_["words"].rows = {"('1', 'a')", "('1', 'b')", "('2', 'a')"};
  Start("SELECT word, COUNT(*) FROM words GROUP BY word", {.append_only = true});
  EXPECT_THAT(run_->Output(), HasValue(ElementsAre("\"a\" 2 1", "\"b\" 1 1")));
  EXPECT_THAT(Set("words", {"('1', 'a')", "('1', 'b')", "('2', 'a')", "('3', 'a')", "('3', 'c')"}),
              HasValue(ElementsAre("\"a\" 2 -1", "\"a\" 3 1", "\"c\" 1 1")));
  EXPECT_THAT(Epoch(), HasValue(IsEmpty()));
}

TEST_F(DeltaProgramTest, ReadsOnlyTheColumnsThatAreUsed) {
  const Result<DeltaProgram> program = Make("SELECT word, COUNT(*) FROM words GROUP BY word");
  ASSERT_THAT(program, IsOk());
  ASSERT_EQ(program->sources.size(), 1);
  EXPECT_THAT(program->sources[0].columns, ElementsAre(1));
  EXPECT_EQ(program->sources[0].changes.create_sql, "CREATE OR REPLACE TEMP TABLE src_0 (c1 VARCHAR, w BIGINT)");
  EXPECT_FALSE(program->sources[0].needs_old);
  EXPECT_FALSE(program->sources[0].needs_new);
}

TEST_F(DeltaProgramTest, TakesBackGroups) {
  tables_["a"].rows = {"(1, 5)", "(1, 7)", "(NULL, 1)", "(2, NULL)"};
  Start("SELECT k, COUNT(*), COUNT(v), SUM(v), MIN(v), MAX(v), COUNT(DISTINCT v), AVG(v) FROM a GROUP BY k");
  EXPECT_THAT(run_->Output(),
              HasValue(ElementsAre("1 2 2 12 5 7 2 6 1", "2 1 0 null null null 0 null 1", "null 1 1 1 1 1 1 1 1")));
  // Group 1 loses its minimum, group 2 all rows, group NULL gains a row.
  EXPECT_THAT(Set("a", {"(1, 7)", "(NULL, 1)", "(NULL, 1)"}),
              HasValue(ElementsAre("1 1 1 7 7 7 1 7 1", "1 2 2 12 5 7 2 6 -1", "2 1 0 null null null 0 null -1",
                                   "null 1 1 1 1 1 1 1 -1", "null 2 2 2 1 1 1 1 1")));
}

TEST_F(DeltaProgramTest, SaysNothingOfGroupsThatStayTheSame) {
  tables_["a"].rows = {"(1, 5)", "(1, 7)"};
  Start("SELECT k, MAX(v) FROM a GROUP BY k");
  EXPECT_THAT(Set("a", {"(1, 6)", "(1, 7)"}), HasValue(IsEmpty()));
}

TEST_F(DeltaProgramTest, HasOneRowForAllRowsEvenIfThereAreNone) {
  Start("SELECT COUNT(*), SUM(v) FROM a");
  EXPECT_THAT(run_->Output(), HasValue(ElementsAre("0 null 1")));
  EXPECT_THAT(Set("a", {"(1, 5)"}), HasValue(ElementsAre("0 null -1", "1 5 1")));
  EXPECT_THAT(Set("a", {}), HasValue(ElementsAre("0 null 1", "1 5 -1")));
}

TEST_F(DeltaProgramTest, WrapsSumsAsFlinkDoes) {
  tables_["a"].rows = {"(1, 2147483647)"};
  Start("SELECT SUM(v) FROM a");
  EXPECT_THAT(Set("a", {"(1, 2147483647)", "(1, 1)"}), HasValue(ElementsAre("-2147483648 1", "2147483647 -1")));
}

TEST_F(DeltaProgramTest, TakesRowsInTheOrderOfTheEpochsInWhichTheyCame) {
  tables_["words"].rows = {"('x', 'm')"};
  Start(
      "SELECT line, FIRST_VALUE(word), LAST_VALUE(word), LISTAGG(word), COUNT(DISTINCT word) FROM words GROUP BY line");
  EXPECT_THAT(run_->Output(), HasValue(ElementsAre(R"("x" "m" "m" "m" 1 1)")));
  EXPECT_THAT(Set("words", {"('x', 'm')", "('x', 'z')"}),
              HasValue(ElementsAre(R"("x" "m" "m" "m" 1 -1)", R"("x" "m" "z" "m,z" 2 1)")));
  EXPECT_THAT(Set("words", {"('x', 'm')", "('x', 'z')", "('x', 'a')"}),
              HasValue(ElementsAre(R"("x" "m" "a" "m,z,a" 3 1)", R"("x" "m" "z" "m,z" 2 -1)")));
  EXPECT_THAT(Set("words", {"('x', 'z')"}),
              HasValue(ElementsAre(R"("x" "m" "a" "m,z,a" 3 -1)", R"("x" "z" "z" "z" 1 1)")));
}

TEST_F(DeltaProgramTest, JoinsWhenBothSidesChange) {
  tables_["a"].rows = {"(1, 10)", "(NULL, 0)"};
  tables_["b"].rows = {"(1, 100)", "(NULL, 0)"};
  Start("SELECT a.v, b.v FROM a JOIN b ON a.k = b.k");
  EXPECT_THAT(run_->Output(), HasValue(ElementsAre("10 100 1")));
  run_->tables()["a"].rows = {"(1, 11)", "(2, 20)"};
  EXPECT_THAT(Set("b", {"(1, 100)", "(1, 100)", "(2, 200)"}),
              HasValue(ElementsAre("10 100 -1", "11 100 2", "20 200 1")));
}

TEST_F(DeltaProgramTest, KeepsNoRowsOfSourcesThatCanBeReadAgain) {
  tables_["a"].rows = {"(1, 10)"};
  Start("SELECT a.v, b.v FROM a JOIN b ON a.k = b.k", {.append_only = false, .time_travel = true});
  EXPECT_THAT(run_->program().state_tables, IsEmpty());
  EXPECT_FALSE(run_->program().sources[0].needs_old);
  EXPECT_TRUE(run_->program().sources[0].needs_new);
  EXPECT_TRUE(run_->program().sources[1].needs_old);
  EXPECT_FALSE(run_->program().sources[1].needs_new);
  EXPECT_THAT(Set("b", {"(1, 100)"}), HasValue(ElementsAre("10 100 1")));
}

TEST_F(DeltaProgramTest, PadsRowsWithoutMatch) {
  tables_["a"].rows = {"(1, 10)", "(1, 10)", "(NULL, 0)"};
  Start("SELECT a.k, a.v, b.v FROM a LEFT JOIN b ON a.k = b.k");
  EXPECT_THAT(run_->Output(), HasValue(ElementsAre("1 10 null 2", "null 0 null 1")));
  EXPECT_THAT(Set("b", {"(1, 7)"}), HasValue(ElementsAre("1 10 7 2", "1 10 null -2")));
  EXPECT_THAT(Set("b", {"(1, 7)", "(1, 8)"}), HasValue(ElementsAre("1 10 8 2")));
  EXPECT_THAT(Set("b", {}), HasValue(ElementsAre("1 10 7 -2", "1 10 8 -2", "1 10 null 2")));
}

TEST_F(DeltaProgramTest, SubtractsAndIntersects) {
  tables_["a"].rows = {"(1, 1)", "(1, 1)", "(NULL, NULL)"};
  tables_["b"].rows = {"(1, 1)"};
  Start("SELECT * FROM a EXCEPT ALL SELECT * FROM b");
  EXPECT_THAT(run_->Output(), HasValue(ElementsAre("1 1 1", "null null 1")));
  EXPECT_THAT(Set("b", {"(1, 1)", "(1, 1)", "(NULL, NULL)"}), HasValue(ElementsAre("1 1 -1", "null null -1")));
}

TEST_F(DeltaProgramTest, KeepsTheFirstRowsOfEachPartition) {
  tables_["a"].rows = {"(1, 5)", "(1, 6)", "(2, 1)"};
  Start("SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM a) WHERE rn <= 2");
  // A row that only moves from first to second place is not told.
  EXPECT_THAT(Set("a", {"(1, 4)", "(1, 5)", "(1, 6)", "(2, 1)"}), HasValue(ElementsAre("1 4 1", "1 6 -1")));
}

TEST_F(DeltaProgramTest, LeavesOutWindowsThatNothingReads) {
  tables_["a"].rows = {"(1, 5)"};
  Start("SELECT v FROM (SELECT v, COUNT(*) OVER (PARTITION BY k) AS n FROM a) AS x");
  EXPECT_THAT(run_->program().state_tables, IsEmpty());
  EXPECT_THAT(Set("a", {"(1, 6)"}), HasValue(ElementsAre("5 -1", "6 1")));
}

TEST_F(DeltaProgramTest, AnswersNotInAsNullsDemand) {
  tables_["a"].rows = {"(1, 0)", "(2, 0)", "(NULL, 0)"};
  Start("SELECT k FROM a WHERE k NOT IN (SELECT v FROM b)");
  EXPECT_THAT(run_->Output(), HasValue(ElementsAre("1 1", "2 1", "null 1")));
  EXPECT_THAT(Set("b", {"(0, 1)"}), HasValue(ElementsAre("1 -1", "null -1")));
  EXPECT_THAT(Set("b", {"(0, 1)", "(0, NULL)"}), HasValue(ElementsAre("2 -1")));
}

TEST_F(DeltaProgramTest, DoesNothingWithoutChanges) {
  tables_["a"].rows = {"(1, 10)"};
  Start("SELECT a.k, COUNT(*) FROM a LEFT JOIN b ON a.k = b.k GROUP BY a.k ORDER BY 1 LIMIT 3");
  ASSERT_THAT(Epoch(), HasValue(IsEmpty()));
  EXPECT_EQ(run_->steps_run, 0);
}

TEST_F(DeltaProgramTest, NamesStateByWhatItHolds) {
  const auto state_of = [&](std::string_view sql) {
    std::vector<std::string> tables;
    const Result<DeltaProgram> program = Make(sql);
    for (const StateTable& state : program.value().state_tables) tables.push_back(state.table.create_sql);
    return tables;
  };
  const auto counts = state_of("SELECT k, COUNT(*) AS n FROM a WHERE v > 1 GROUP BY k");
  EXPECT_EQ(counts, state_of("SELECT 'x', n, k FROM (SELECT COUNT(*) AS n, k FROM a AS z WHERE v > 1 GROUP BY k)"));
  EXPECT_NE(counts, state_of("SELECT k, COUNT(*) AS n FROM a WHERE v > 2 GROUP BY k"));
  EXPECT_NE(counts, state_of("SELECT k, COUNT(*) AS n FROM b WHERE v > 1 GROUP BY k"));
  EXPECT_NE(state_of("SELECT k FROM a GROUP BY k HAVING MIN('c1') > 'c0'"),
            state_of("SELECT k FROM a GROUP BY k HAVING MIN('c2') > 'c0'"));
}

TEST_F(DeltaProgramTest, TakesBackTheRandomValuesThatItGave) {
  tables_["a"].rows = {"(1, 10)", "(2, 20)"};
  Start("SELECT COUNT(*), COUNT(DISTINCT r) FROM (SELECT k, RAND() AS r FROM a) AS x");
  EXPECT_THAT(run_->Output(), HasValue(ElementsAre("2 2 1")));
  EXPECT_THAT(Set("a", {"(1, 10)", "(3, 20)", "(4, 20)"}), HasValue(ElementsAre("2 2 -1", "3 3 1")));
  EXPECT_THAT(Set("a", {}), HasValue(ElementsAre("0 0 1", "3 3 -1")));
  EXPECT_THAT(Make("SELECT a.k FROM a JOIN b ON a.v < RAND() * b.v"), IsError(ErrorCode::kUnsupported));
}

TEST_F(DeltaProgramTest, ExplainsEveryNode) {
  const Result<DeltaProgram> program = Make(
      "SELECT k, n FROM (SELECT a.k, COUNT(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY a.k) AS g ORDER BY n LIMIT 2");
  ASSERT_THAT(program, IsOk());
  EXPECT_EQ(Explained(*program), R"(== Incremental Plan ==
Limit(offset=[0], fetch=[2])
|    rule: recompute and compare
|    because: LIMIT has no rule
|    state: op_#_result (the last result)
+- Project(select=[c5 AS c8 k, c7 AS c9 n])
   |    rule: linear
   +- Project(select=[c4 AS c5 k, c6 AS c7 n])
      |    rule: linear
      +- Aggregate(groupBy=[c0 AS c4], select=[COUNT(*) AS c6])
         |    rule: groups
         |    state: op_#_groups (one row a group)
         +- Join(type=[Inner], on=[(c0 = c2)])
            |    rule: join of 2 inputs
            |    state: op_#_input1 (rows of join input 1)
            |    state: op_#_input2 (rows of join input 2)
            :- Scan(table=[c.d.a], columns=[c0 k, c1 v])
            :       rule: source
            +- Scan(table=[c.d.b], columns=[c2 k, c3 v])
                    rule: source
)");
}

}  // namespace
}  // namespace braid
