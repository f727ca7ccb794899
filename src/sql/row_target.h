#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sql/analysis.h"
#include "sql/expressions.h"
#include "sql/queries.h"
#include "sql/statement_internal.h"
#include "table/addressed_rows.h"

namespace braid {

/// The table whose rows DELETE, UPDATE or MERGE changes. Rows of key tables are changed by writing rows of other kinds,
/// those of append tables by their addresses.
struct RowTarget {
  std::string_view statement;          ///< "DELETE", for errors
  syntax::TableExpression expression;  ///< as it is named, with alias and hints
  StoredTable stored;
  std::shared_ptr<const AddressedRows> rows;  ///< null for a key table

  bool has_key() const { return rows == nullptr; }
  const std::vector<DataField>& fields() const { return stored.table.schema().fields; }
};

/// Opens it. Errors, placed: those of OpenStored; kUnsupported in streaming mode, for tables of connectors, and if
/// options travel in time.
Result<RowTarget> OpenRowTarget(std::string_view statement, const syntax::QualifiedName& name,
                                const std::vector<syntax::Hint>& hints, const std::optional<syntax::Identifier>& alias,
                                const StatementContext& context);

/// What expressions see in a target's place.
enum class TargetView {
  kRows,        ///< its rows; those of append tables with their addresses
  kPartitions,  ///< of each partition its values, and its number
};

/// A target as the FROM of the statement's expressions: an analysis, names and columns.
class TargetScope {
 public:
  /// `target` and the context's text are borrowed.
  static Result<std::unique_ptr<TargetScope>> Make(const RowTarget& target, TargetView view,
                                                   const StatementContext& context);
  ~TargetScope();

  Analysis& analysis();
  const FromClause& from() const;
  /// The column of the table. Precondition: there is one.
  Scalar Column(const std::string& name) const;
  /// Of append tables: number of the file and position.
  std::vector<Scalar> Address() const;
  /// Of TargetView::kPartitions.
  Scalar PartitionNumber() const;
  const std::vector<BinaryRow>& partitions() const;
  /// The stored column that SET or a list of columns names. Errors, placed: unknown, computed, or a field of a row.
  Result<const DataField*> FindColumn(const syntax::QualifiedName& name) const;
  /// A value as one of a column, as INSERT stores it; its type is the column's, nullable. Errors, placed: it does not
  /// fit.
  Result<Scalar> Store(const Scalar& value, const DataField& field, syntax::Position position) const;

 private:
  struct State;
  explicit TargetScope(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Values of a row's columns, by name.
using ColumnValues = std::map<std::string, Scalar>;
/// The SET of an UPDATE; `site`: what its values see. Errors, placed: a column given twice, one of the primary key, and
/// those of FindColumn and Store.
Result<ColumnValues> AnalyzeAssignments(const std::vector<syntax::Assignment>& assignments, const RowTarget& target,
                                        TargetScope& scope, const ExpressionSite& site);

/// Whether the column is part of the primary key.
bool IsKeyColumn(const RowTarget& target, const std::string& name);

/// Whether rows of kind -D take rows out of the table, as Java Paimon's Flink sink decides it. Always of append tables.
/// Errors: kUnsupported, placed, naming the option that would make it so.
Status CheckDeletable(const RowTarget& target, const StatementContext& context);
/// The same for rows of kind +U that take the place of others.
Status CheckUpdatable(const RowTarget& target, const StatementContext& context);

}  // namespace braid
