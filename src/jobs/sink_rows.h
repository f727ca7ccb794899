#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jobs/epoch_sink.h"
#include "types/data_type.h"

namespace braid {

/// The change of a sink's rows as a temp table of DuckDB, consolidated: columns s0, s1, … and the weight w, no row
/// twice and no weight 0; and the SQL that turns it into rows with kinds (spec streaming.md §1.5.2).
class SinkRows {
 public:
  /// `append_only`: no row of the query is ever taken back, so that several rows of one key may come at once.
  SinkRows(std::string table, const std::vector<DataField>& fields, const SinkTraits& traits, bool append_only);

  const std::string& table() const { return table_; }
  /// Makes the table from SQL that gives the sink's columns and w, in any number of rows.
  std::string CreateSql(const std::string& weighted_rows) const;
  /// Counts rows.
  std::string CountSql() const { return "SELECT count(*) FROM " + table_; }
  /// Counts what the sink cannot take: rows taken back, or keys with several rows. Empty: nothing can be wrong.
  std::string FaultsSql() const;
  /// One of them as text, for the error.
  std::string FaultExampleSql() const { return TextSql(FaultyRows()); }
  /// A row that comes, or else one that goes, as text with its sign.
  std::string ExampleSql() const;
  /// The sink's columns and the row kind as TINYINT, -U before +U of one key.
  std::string RowsSql() const;

 private:
  std::string Columns(const std::string& prefix = "") const;
  std::string Key() const;
  std::string FaultyRows() const;
  std::string TextSql(const std::string& rows) const;
  std::string Text() const;  // of a row

  std::string table_;
  std::size_t column_count_;
  std::vector<std::size_t> key_;  // positions
  std::vector<std::string> names_;
  SinkTraits traits_;
  bool append_only_;
};

}  // namespace braid
