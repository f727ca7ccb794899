#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "delta/program_builder_internal.h"

namespace braid {

/// State of distinct rows with two numbers each: how often the row is there (n), and another count (p) of it: of its
/// matches in a join, or of its copies in the other input of a set operation.
class CountedRows {
 public:
  static Result<CountedRows> Make(ProgramBuilder& builder, const std::string& identity, std::string_view role,
                                  std::string content, std::vector<OutputColumn> columns);

  const std::string& table() const { return table_; }

  /// Changes to count, and those of their columns that make up the row.
  struct Part {
    std::vector<Change> changes;
    std::vector<OutputColumn> columns;
  };

  /// Rows to count, and those of their columns that make up the row.
  struct Rows {
    WeightedRows rows;
    std::vector<OutputColumn> columns;
  };
  /// Bootstrap: counts the rows of both; no p: all are 0.
  Status Fill(ProgramBuilder& builder, const Rows& n, const std::optional<Rows>& p) const;
  /// Epoch: adds the weights of changes to n and p.
  Status Update(ProgramBuilder& builder, const Part& n, const Part& p);

  // A weight is an SQL expression with {n} and {p} for the numbers. Rows whose weight is 0 are left out.

  /// The rows: in an epoch before Update the old ones, after it the new ones.
  WeightedRows Read(ProgramBuilder& builder, std::string_view weight) const;
  /// How Read changes in an epoch. After Update.
  Change Changes(ProgramBuilder& builder, std::string_view weight) const;

 private:
  CountedRows() = default;
  std::string table_;
  std::string changed_;  // temp table: v…, r (row id in the state, or NULL), n0, p0, n1, p1
  std::vector<OutputColumn> columns_;
  std::vector<DeltaColumn> types_;
  std::vector<std::string> names_;
};

}  // namespace braid
