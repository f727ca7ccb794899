#include <utility>

#include <fmt/format.h>

#include "delta/match_counts_internal.h"

namespace braid {
namespace {

DeltaColumn BigInt(std::string name) {
  return DeltaColumn{.name = std::move(name), .duck_type = "BIGINT"};
}

std::string WeightSql(std::string_view weight, std::string_view n, std::string_view p) {
  return fmt::format(fmt::runtime(weight), fmt::arg("n", n), fmt::arg("p", p));
}

constexpr std::string_view kSums = "CAST(sum(n) AS BIGINT) AS n, CAST(sum(p) AS BIGINT) AS p";
constexpr std::string_view kAnyChange = " HAVING sum(n) <> 0 OR sum(p) <> 0";

}  // namespace

Result<CountedRows> CountedRows::Make(ProgramBuilder& builder, const std::string& identity, std::string_view role,
                                      std::string content, std::vector<OutputColumn> columns) {
  CountedRows rows;
  BRAID_TRY_ASSIGN(rows.types_, builder.ValueColumns(columns));
  rows.names_ = NumberedNames("v", columns.size());
  rows.columns_ = std::move(columns);
  std::vector<DeltaColumn> state = rows.types_;
  state.push_back(BigInt("n"));
  state.push_back(BigInt("p"));
  rows.table_ = builder.AddStateTable(identity, role, std::move(content), std::move(state));
  return rows;
}

Status CountedRows::Fill(ProgramBuilder& builder, const Rows& n, const std::optional<Rows>& p) const {
  const std::string row = CommaList({names_, {"w"}});
  const auto counted = [&](const Rows& part, const std::string& numbers) -> Result<std::string> {
    BRAID_TRY_ASSIGN(const std::string sql, builder.Select(Phase::kBootstrap, part.rows, part.columns));
    return fmt::format("SELECT {} FROM ({}) AS t({})", CommaList({names_, {numbers}}), sql, row);
  };
  BRAID_TRY_ASSIGN(std::string parts, counted(n, "w AS n, CAST(0 AS BIGINT) AS p"));
  if (p) {
    BRAID_TRY_ASSIGN(const std::string second, counted(*p, "CAST(0 AS BIGINT), w"));
    parts += " UNION ALL " + second;
  }
  builder.AddStep(Phase::kBootstrap,
                  fmt::format("INSERT INTO {} SELECT {} FROM ({}){}{}", table_,
                              CommaList({names_, {std::string(kSums)}}), parts, GroupBySql(names_), kAnyChange),
                  {}, table_);
  return Ok();
}

Status CountedRows::Update(ProgramBuilder& builder, const Part& n, const Part& p) {
  std::vector<DeltaColumn> columns = types_;
  columns.push_back(BigInt("n"));
  columns.push_back(BigInt("p"));
  const std::string counts = builder.AddTempTable("g", columns);
  const auto add = [&](const Part& part, const std::string& numbers) -> Status {
    for (const Change& change : part.changes) {
      BRAID_TRY_ASSIGN(const std::string sql, builder.Select(Phase::kEpoch, change.rows, part.columns));
      builder.AddStep(Phase::kEpoch,
                      fmt::format("INSERT INTO {} SELECT {} FROM ({}) AS d({})", counts, CommaList({names_, {numbers}}),
                                  sql, CommaList({names_, {"w"}})),
                      change.inputs, counts);
    }
    return Ok();
  };
  BRAID_TRY(add(n, "w, 0"));
  BRAID_TRY(add(p, "0, w"));

  columns = types_;
  for (const char* name : {"r", "n0", "p0", "n1", "p1"}) columns.push_back(BigInt(name));
  changed_ = builder.AddTempTable("x", std::move(columns));
  builder.AddStep(
      Phase::kEpoch,
      fmt::format("INSERT INTO {} SELECT {} FROM (SELECT {} FROM {}{}{}) AS g LEFT JOIN {} AS s ON {}", changed_,
                  CommaList({Qualified("g", names_),
                             {"s.rowid", "coalesce(s.n, 0)", "coalesce(s.p, 0)", "coalesce(s.n, 0) + g.n",
                              "coalesce(s.p, 0) + g.p"}}),
                  CommaList({names_, {std::string(kSums)}}), counts, GroupBySql(names_), kAnyChange, table_,
                  MatchSql("g", "s", names_)),
      {counts}, changed_);
  builder.AddStep(Phase::kEpoch,
                  fmt::format("DELETE FROM {} WHERE rowid IN (SELECT r FROM {} WHERE r IS NOT NULL)", table_, changed_),
                  {changed_}, table_);
  builder.AddStep(Phase::kEpoch,
                  fmt::format("INSERT INTO {} SELECT {} FROM {} WHERE n1 <> 0 OR p1 <> 0", table_,
                              CommaList({names_, {"n1", "p1"}}), changed_),
                  {changed_}, table_);
  return Ok();
}

WeightedRows CountedRows::Read(ProgramBuilder& builder, std::string_view weight) const {
  const std::string sql = WeightSql(weight, "n", "p");
  return ReadWeighted(builder.columns(),
                      fmt::format("(SELECT {} FROM {} WHERE {} <> 0)", CommaList({names_, {sql}}), table_, sql),
                      columns_);
}

Change CountedRows::Changes(ProgramBuilder& builder, std::string_view weight) const {
  const std::string before = WeightSql(weight, "n0", "p0");
  const std::string after = WeightSql(weight, "n1", "p1");
  return Change{.rows = ReadWeighted(
                    builder.columns(),
                    fmt::format("(SELECT {} FROM {} WHERE {} <> {})",
                                CommaList({names_, {fmt::format("{} - {}", after, before)}}), changed_, after, before),
                    columns_),
                .inputs = {changed_}};
}

}  // namespace braid
