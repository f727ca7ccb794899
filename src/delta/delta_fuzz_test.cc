// Random queries over tables that change at random: after every epoch the sum of all outputs is the query over the
// tables as they are.

#include <cstdlib>
#include <random>

#include "delta/delta_testing.h"

namespace braid {
namespace {

using Random = std::mt19937_64;

int Below(Random& random, int count) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(count));
}

const std::vector<std::string> kTables = {"t0", "t1", "t2"};

/// Writes queries with the columns k INT, v INT, s STRING, all nullable.
class QueryWriter {
 public:
  explicit QueryWriter(Random& random) : random_(random) {}

  std::string Write(int depth) {
    if (depth <= 0) return Base();
    switch (Below(random_, 22)) {
      case 0: return Base();
      case 1: return fmt::format("SELECT k, v + 1 AS v, s FROM {} WHERE {}", Input(depth), Condition("k", "v", "s"));
      case 2: return fmt::format("SELECT v AS k, k AS v, UPPER(s) AS s FROM {}", Input(depth));
      case 3: return fmt::format("SELECT * FROM {} UNION ALL SELECT * FROM {}", Input(depth), Input(depth));
      case 4: return SetOperation(depth);
      case 5: return InnerJoin(depth);
      case 6:
        return fmt::format("SELECT a.k, b.v, c.s FROM {} AS a JOIN {} AS b ON a.k = b.k JOIN {} AS c ON b.v = c.v",
                           Input(depth - 1), Input(depth - 1), Input(depth - 1));
      case 7:
        return fmt::format("SELECT a.k, b.v, c.s FROM {} AS a, {} AS b, {} AS c WHERE a.k = b.k AND a.s = c.s",
                           Input(depth - 1), Input(depth - 1), Input(depth - 1));
      case 8:
      case 9: return OuterJoin(depth);
      case 10:
      case 11: return GroupBy(depth);
      case 12: return GlobalAggregate(depth);
      case 13: return fmt::format("SELECT DISTINCT k, v, s FROM {}", Input(depth));
      case 14:
        return fmt::format("SELECT k, x AS v, s FROM {} AS a CROSS JOIN UNNEST(ARRAY[k, v, 3]) AS u(x)", Input(depth));
      case 15: {
        const std::string join = Pick("CROSS JOIN", "LEFT JOIN");
        return fmt::format("SELECT k, v, x AS s FROM {} AS a {} UNNEST(SPLIT(s, 'b')) AS u(x){}", Input(depth), join,
                           join == "LEFT JOIN" ? " ON TRUE" : "");
      }
      case 16:
      case 17: return InnerQuery(depth);
      case 18: return TopN(depth);
      case 19:
        return fmt::format("SELECT k, CAST({} AS INT) AS v, s FROM {} GROUP BY {}",
                           Pick("COUNT(v)", "SUM(v)", "GROUPING(k)"), Input(depth),
                           Pick("ROLLUP (k, s)", "CUBE (k, s)", "GROUPING SETS ((k), (s), ())"));
      case 20: return Over(depth);
      default:
        return fmt::format("SELECT k, v, s FROM {} ORDER BY k, v, s LIMIT {}", Input(depth), 1 + Below(random_, 6));
    }
  }

 private:
  template <typename... Texts>
  std::string Pick(Texts... texts) {
    const std::vector<std::string> all = {texts...};
    return all[static_cast<std::size_t>(Below(random_, static_cast<int>(all.size())))];
  }

  std::string Base() {
    return fmt::format("SELECT {} FROM {}", Pick("a AS k, b AS v, s", "b AS k, a AS v, s", "b AS k, c AS v, s"),
                       kTables[static_cast<std::size_t>(Below(random_, 3))]);
  }
  std::string Input(int depth) { return fmt::format("({})", Write(depth - 1 - Below(random_, 2))); }

  std::string Condition(const std::string& k, const std::string& v, const std::string& s) {
    return Pick(k + " > 1", v + " IS NOT NULL", s + " LIKE 'a%'", k + " = " + v, v + " < 3 OR " + s + " IS NULL");
  }

  std::string SetOperation(int depth) {
    return fmt::format("SELECT * FROM {} {} SELECT * FROM {}", Input(depth),
                       Pick("UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"), Input(depth));
  }

  std::string InnerJoin(int depth) {
    return fmt::format(
        "SELECT a.k, b.v, {} AS s FROM {} AS a JOIN {} AS b ON {}", Pick("a.s", "b.s", "a.s || b.s"), Input(depth),
        Input(depth),
        Pick("a.k = b.k", "a.k = b.k AND a.v < b.v", "a.s = b.s", "a.k = b.v AND a.s = b.s", "a.k < b.k"));
  }

  std::string OuterJoin(int depth) {
    const std::string kind = Pick("LEFT", "RIGHT", "FULL");
    const bool full = kind == "FULL";  // DuckDB's full join takes equations
    return fmt::format("SELECT {} AS k, {} AS v, {} AS s FROM {} AS a {} JOIN {} AS b ON {}",
                       Pick("a.k", "b.k", "COALESCE(a.k, b.k)"), Pick("a.v", "b.v"), Pick("a.s", "b.s"), Input(depth),
                       kind, Input(depth),
                       full ? Pick("a.k = b.k", "a.s = b.s")
                            : Pick("a.k = b.k", "a.k = b.k AND a.v < b.v", "a.s = b.s", "a.v = b.v AND b.k > 1"));
  }

  std::string Call(const std::string& k, const std::string& v, const std::string& s) {
    const std::string filter = Below(random_, 3) == 0 ? fmt::format(" FILTER (WHERE {})", Condition(k, v, s)) : "";
    const std::string call = Pick("COUNT(*)", "COUNT(" + v + ")", "SUM(" + v + ")", "MIN(" + v + ")", "MAX(" + v + ")",
                                  "COUNT(DISTINCT " + v + ")", "SUM(DISTINCT " + v + ")", "AVG(" + v + ")",
                                  "SUM(CAST(" + v + " AS DOUBLE) / 4)", "SUM(CAST(" + v + " AS DECIMAL(10, 2)))",
                                  "COUNT(DISTINCT " + s + ")", "AVG(DISTINCT " + v + ")", "VAR_POP(" + v + ")",
                                  "MAX(CAST(" + v + " AS DOUBLE))");
    const bool divides = call.starts_with("AVG") || call.starts_with("VAR");
    return fmt::format("CAST({}{} AS INT)", call, divides ? "" : filter);
  }

  std::string GroupBy(int depth) {
    const std::string having =
        Below(random_, 3) == 0 ? Pick(" HAVING COUNT(*) > 1", " HAVING SUM(v) > 3", " HAVING MAX(s) < 'b'") : "";
    return fmt::format("SELECT {} AS k, {} AS v, {} AS s FROM {} GROUP BY k{}", Pick("k", Call("k", "v", "s")),
                       Call("k", "v", "s"), Pick("MIN(s)", "MAX(s)"), Input(depth), having);
  }

  std::string GlobalAggregate(int depth) {
    return fmt::format("SELECT {} AS k, {} AS v, {} AS s FROM {}", Call("k", "v", "s"), Call("k", "v", "s"),
                       Pick("MIN(s)", "MAX(s)"), Input(depth));
  }

  std::string InnerQuery(int depth) {
    const std::string outer = Input(depth);
    const std::string inner = Input(depth);
    switch (Below(random_, 10)) {
      case 0: return fmt::format("SELECT * FROM {} AS a WHERE k IN (SELECT v FROM {} AS b)", outer, inner);
      case 1: return fmt::format("SELECT * FROM {} AS a WHERE k NOT IN (SELECT v FROM {} AS b)", outer, inner);
      case 2:
        return fmt::format("SELECT * FROM {} AS a WHERE EXISTS (SELECT 1 FROM {} AS b WHERE b.k = a.k)", outer, inner);
      case 3:
        return fmt::format(
            "SELECT * FROM {} AS a WHERE NOT EXISTS (SELECT * FROM {} AS b WHERE b.k = a.k AND b.v > a.v)", outer,
            inner);
      case 4: return fmt::format("SELECT k, (SELECT MAX(v) FROM {} AS b) AS v, s FROM {} AS a", inner, outer);
      case 5:
        return fmt::format("SELECT * FROM {} AS a WHERE EXISTS (SELECT 1 FROM {} AS b WHERE v = 2)", outer, inner);
      case 6:
        return fmt::format("SELECT k, (SELECT MAX(b.v) FROM {} AS b WHERE b.k = a.k) AS v, s FROM {} AS a", inner,
                           outer);
      case 7:
        return fmt::format("SELECT k, CASE WHEN k IN (SELECT v FROM {} AS b) THEN 1 ELSE 0 END AS v, s FROM {} AS a",
                           inner, outer);
      case 8: return fmt::format("SELECT * FROM {} AS a WHERE (k, s) IN (SELECT v, s FROM {} AS b)", outer, inner);
      default: return fmt::format("SELECT * FROM {} AS a WHERE v > ALL (SELECT k FROM {} AS b)", outer, inner);
    }
  }

  std::string TopN(int depth) {
    const std::string rank = Pick("ROW_NUMBER", "RANK", "DENSE_RANK");
    return fmt::format("SELECT {} FROM (SELECT *, {}() OVER ({}ORDER BY v {}, s, k) AS rn FROM {}) WHERE rn <= {}",
                       Pick("k, v, s", "k, CAST(rn AS INT) AS v, s"), rank, Pick("PARTITION BY k ", ""),
                       Pick("ASC", "DESC"), Input(depth), 1 + Below(random_, 3));
  }

  std::string Over(int depth) {
    const std::string call = Pick("SUM(v) OVER (PARTITION BY k ORDER BY v)", "COUNT(*) OVER (PARTITION BY k)",
                                  "MAX(v) OVER (PARTITION BY k)", "SUM(v) OVER (ORDER BY v)");
    return fmt::format("SELECT k, CAST({} AS INT) AS v, s FROM {}", call, Input(depth));
  }

  Random& random_;
};

std::string RandomRow(Random& random) {
  const auto number = [&](int count) { return Below(random, 5) == 0 ? "NULL" : std::to_string(Below(random, count)); };
  const std::vector<std::string> texts = {"NULL", "'a'", "'ab'", "'b'", "'ba'"};
  return fmt::format("({}, {}, {}, {})", number(4), number(4), Below(random, 3),
                     texts[static_cast<std::size_t>(Below(random, 5))]);
}

/// Changes a table by up to a few rows.
void ChangeRows(Random& random, TestTable& table, bool append_only) {
  const int changes = Below(random, 4) == 0 ? 0 : Below(random, 5);
  for (int i = 0; i < changes; ++i) {
    const bool removes = !append_only && !table.rows.empty() && (table.rows.size() > 14 || Below(random, 2) == 0);
    if (removes) {
      table.rows.erase(table.rows.begin() + Below(random, static_cast<int>(table.rows.size())));
    } else if (!table.rows.empty() && Below(random, 4) == 0) {
      table.rows.push_back(table.rows[static_cast<std::size_t>(Below(random, static_cast<int>(table.rows.size())))]);
    } else {
      table.rows.push_back(RandomRow(random));
    }
  }
}

class DeltaFuzzTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(DeltaFuzzTest, SumOfOutputsIsTheQueryOverTheTables) {
  Random random(GetParam());
  TestNames names;
  for (const std::string& table : kTables) {
    ASSERT_THAT(names.AddTable(table, {{"a", DataType::Int()},
                                       {"b", DataType::Int()},
                                       {"c", DataType::Int().NotNull()},
                                       {"s", DataType::String()}}),
                IsOk());
  }
  for (int i = 0; i < 10; ++i) {
    const std::string sql = QueryWriter(random).Write(1 + Below(random, 3));
    std::map<std::string, SourceTraits> traits;
    std::map<std::string, TestTable> tables;
    for (const std::string& name : kTables) {
      traits[name] = {.append_only = Below(random, 3) == 0, .time_travel = Below(random, 3) == 0};
      TestTable table{.types = {"INTEGER", "INTEGER", "INTEGER", "VARCHAR"}, .old_rows = {}, .rows = {}};
      for (int row = Below(random, 10); row > 0; --row) table.rows.push_back(RandomRow(random));
      tables[name] = std::move(table);
    }
    SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={} query {}: {}", GetParam(), i, sql));
    const Result<AnalyzedQuery> query = Analyze(sql, names);
    ASSERT_THAT(query, IsOk());
    const Result<DeltaProgram> program = MakeDeltaProgram(
        *query, {.traits = [&](const ResolvedTable& table) { return traits.at(table.identifier.table); }});
    ASSERT_THAT(program, IsOk());
    DeltaRun run(*query, *program, std::move(tables));
    run.skips = Below(random, 2) == 0;
    ASSERT_THAT(run.Start(), IsOk());
    ASSERT_THAT(run.DifferenceFromQuery(), HasValue(0)) << "after the bootstrap\n" << ExplainDelta(*program);
    for (int epoch = 0; epoch < 6; ++epoch) {
      for (auto& [name, table] : run.tables()) ChangeRows(random, table, traits[name].append_only);
      ASSERT_THAT(run.Epoch(), IsOk());
      ASSERT_THAT(run.DifferenceFromQuery(), HasValue(0)) << "after epoch " << epoch << "\n" << ExplainDelta(*program);
    }
  }
}

std::vector<std::uint64_t> Seeds() {
  if (const char* seed = std::getenv("BRAID_TEST_SEED")) return {std::strtoull(seed, nullptr, 10)};
  return {1, 2, 3, 4, 5, 6, 7, 207, 412};
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeltaFuzzTest, ::testing::ValuesIn(Seeds()));

}  // namespace
}  // namespace braid
