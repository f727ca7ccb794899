#pragma once

// What CALL runs. A new procedure is one file `procedure_<topic>.cc`, a declaration here and a line in procedures.cc.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/statement_internal.h"
#include "table/table.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

struct ProcedureParameter {
  const char* name;
  DataType type;
  bool optional = false;
  /// The parameter that a positional argument of another type is for; nullptr: none.
  const char* otherwise = nullptr;
  /// The last one, TEXT: takes all positional arguments from here on.
  bool repeated = false;
};

/// The arguments of a call by the names of the parameters, cast to their types. NULL counts as not given.
class ProcedureArguments {
 public:
  using Values = std::map<std::string, Datum, std::less<>>;

  ProcedureArguments() = default;
  explicit ProcedureArguments(Values values) : values_(std::move(values)) {}

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  /// nullopt if it was not given. Precondition: the parameter has the type.
  std::optional<std::string> Text(std::string_view name) const;
  std::optional<std::int64_t> Int(std::string_view name) const;  ///< of INT and BIGINT
  std::optional<bool> Bool(std::string_view name) const;
  std::vector<std::string> Texts(std::string_view name) const;  ///< of a repeated one

 private:
  const Datum* Find(std::string_view name) const;

  Values values_;
};

struct Procedure {
  const char* name;
  std::vector<ProcedureParameter> parameters;  ///< in the order of positional arguments; named, but those repeated
  std::function<Result<StatementResult>(const ProcedureArguments&, const StatementContext&)> run;
};

/// All procedures of the database `sys`, in no order.
const std::vector<Procedure>& Procedures();

/// A procedure of Paimon that Braid does without.
struct AbsentProcedure {
  const char* name;
  const char* instead;  ///< what does the same, or why nothing does
};
/// By name.
std::span<const AbsentProcedure> AbsentProcedures();

/// The stored table that an argument names ('db.t', or 't' in the current database; `$branch_b` chooses a
/// branch) in the current catalog. Errors: kNotFound; kInvalidArgument for a system table.
Result<Table> OpenTableArgument(const ProcedureArguments& arguments, const StatementContext& context,
                                std::string_view argument = "table");

/// The argument "key=value,key=value"; none: no options. Errors: kInvalidArgument, naming the argument.
Result<Options> OptionsArgument(const ProcedureArguments& arguments, std::string_view name);

/// The single row `result` = "Success" with which Paimon's procedures answer.
Result<StatementResult> ProcedureSuccess();

// procedure_branches.cc
std::vector<Procedure> BranchProcedures();
// procedure_compact.cc
Procedure CompactProcedure();
Procedure CompactDatabaseProcedure();
Procedure CompactManifestProcedure();
Procedure RescaleProcedure();

// procedure_indexes.cc
Procedure RewriteFileIndexProcedure();

// procedure_merge.cc
Procedure MergeIntoProcedure();

// procedure_repair.cc
Procedure RemoveUnexistingFilesProcedure();
Procedure RemoveUnexistingManifestsProcedure();

// procedure_tags.cc
Procedure CreateTagProcedure();
Procedure CreateTagFromTimestampProcedure();
Procedure CreateTagFromWatermarkProcedure();
Procedure DeleteTagProcedure();
Procedure ExpireTagsProcedure();
Procedure RenameTagProcedure();
Procedure ReplaceTagProcedure();
Procedure TriggerTagAutomaticCreationProcedure();

// procedure_expiry.cc
Procedure ExpireChangelogsProcedure();
Procedure ExpirePartitionsProcedure();
Procedure ExpireSnapshotsProcedure();

// procedure_partitions.cc
Procedure DropPartitionProcedure();
Procedure MarkPartitionDoneProcedure();

// procedure_rollback.cc
Procedure RollbackToProcedure();
Procedure RollbackToAsLatestProcedure();
Procedure RollbackToTimestampProcedure();
Procedure RollbackToWatermarkProcedure();

// procedure_consumers.cc
Procedure ClearConsumersProcedure();
Procedure ResetConsumerProcedure();

// procedure_purge.cc
Procedure PurgeFilesProcedure();

// procedure_orphans.cc
Procedure RemoveOrphanFilesProcedure();

}  // namespace braid
