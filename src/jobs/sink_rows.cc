#include "jobs/sink_rows.h"

#include <utility>

#include <fmt/format.h>

#include "duck/type_mapping.h"

namespace braid {

SinkRows::SinkRows(std::string table, const std::vector<DataField>& fields, const SinkTraits& traits, bool append_only)
    : table_(std::move(table)), column_count_(fields.size()), traits_(traits), append_only_(append_only) {
  for (const DataField& field : fields) names_.push_back(field.name);
  for (const std::string& name : traits.key) {
    if (const auto position = FindField(fields, name)) key_.push_back(*position);
  }
}

std::string SinkRows::Columns(const std::string& prefix) const {
  std::string list;
  for (std::size_t i = 0; i < column_count_; ++i) list += fmt::format("{}{}s{}", i > 0 ? ", " : "", prefix, i);
  return list;
}

std::string SinkRows::Key() const {
  std::string list;
  for (const std::size_t position : key_) list += fmt::format("{}s{}", list.empty() ? "" : ", ", position);
  return list;
}

std::string SinkRows::CreateSql(const std::string& weighted_rows) const {
  return fmt::format(
      "CREATE OR REPLACE TEMP TABLE {0} AS SELECT {1}, CAST(sum(w) AS BIGINT) AS w FROM ({2}) AS t({1}, w) GROUP BY "
      "{1} HAVING sum(w) <> 0",
      table_, Columns(), weighted_rows);
}

// Groups of what is wrong, with one row of each.
std::string SinkRows::FaultyRows() const {
  if (key_.empty()) {
    if (traits_.takes_deletions) return {};
    return fmt::format("SELECT {} FROM {} WHERE w < 0", Columns(), table_);
  }
  if (append_only_) return {};
  return fmt::format("SELECT {} FROM {} WHERE w > 0 QUALIFY sum(w) OVER (PARTITION BY {}) > 1", Columns(), table_,
                     Key());
}

std::string SinkRows::FaultsSql() const {
  const std::string rows = FaultyRows();
  return rows.empty() ? rows : fmt::format("SELECT count(*) FROM ({})", rows);
}

std::string SinkRows::ExampleSql() const {
  return fmt::format(
      "SELECT CASE WHEN comes THEN 'missing ' ELSE 'too many ' END || t FROM (SELECT w > 0 AS comes, ({}) AS t "
      "FROM {} ORDER BY w DESC LIMIT 1)",
      Text(), table_);
}

// One row of those.
std::string SinkRows::TextSql(const std::string& rows) const {
  return fmt::format("SELECT {} FROM ({}) LIMIT 1", Text(), rows);
}

std::string SinkRows::Text() const {
  std::string text;
  for (std::size_t i = 0; i < column_count_; ++i) {
    text += fmt::format("{}{} || coalesce(CAST(s{} AS VARCHAR), 'NULL')", text.empty() ? "" : " || ",
                        QuoteDuckText((i > 0 ? ", " : "") + names_[i] + "="), i);
  }
  return text;
}

std::string SinkRows::RowsSql() const {
  // A row that counts several times is written as often.
  const auto repeated = [&](const std::string& rows) {
    return fmt::format("SELECT {}, k FROM (SELECT *, unnest(range(abs(w))) FROM ({}))", Columns(), rows);
  };
  if (key_.empty()) {
    return repeated(fmt::format("SELECT {}, w, CAST(CASE WHEN w > 0 THEN 0 ELSE 3 END AS TINYINT) AS k FROM {}",
                                Columns(), table_)) +
           " ORDER BY k DESC";
  }
  if (append_only_) {
    return repeated(fmt::format("SELECT {}, w, CAST(0 AS TINYINT) AS k FROM {}", Columns(), table_)) + " ORDER BY ALL";
  }
  const std::string marked = fmt::format(
      "SELECT *, bool_or(w > 0) OVER (PARTITION BY {0}) AS comes, bool_or(w < 0) OVER (PARTITION BY {0}) AS goes FROM "
      "{1}",
      Key(), table_);
  if (traits_.wants_update_before) {
    return fmt::format(
        "SELECT {}, CAST(CASE WHEN w > 0 THEN CASE WHEN goes THEN 2 ELSE 0 END ELSE CASE WHEN comes THEN 1 ELSE 3 END "
        "END AS TINYINT) AS k "
        "FROM ({}) ORDER BY w > 0",
        Columns(), marked);
  }
  return fmt::format(
      "SELECT {}, CAST(CASE WHEN w < 0 THEN 3 WHEN goes THEN 2 ELSE 0 END AS TINYINT) AS k FROM ({}) WHERE w > 0 OR "
      "NOT comes",
      Columns(), marked);
}

}  // namespace braid
