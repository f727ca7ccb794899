// The procedures that there are, and what they share.

#include <algorithm>
#include <utility>

#include "base/option_lists.h"
#include "sql/procedure.h"

namespace braid {

const std::vector<Procedure>& Procedures() {
  static const std::vector<Procedure> procedures = [] {
    std::vector<Procedure> all = {
        CompactProcedure(),
        CompactDatabaseProcedure(),
        CompactManifestProcedure(),
        RescaleProcedure(),
        MergeIntoProcedure(),
        RewriteFileIndexProcedure(),
        RemoveUnexistingFilesProcedure(),
        RemoveUnexistingManifestsProcedure(),
        CreateTagProcedure(),
        CreateTagFromTimestampProcedure(),
        CreateTagFromWatermarkProcedure(),
        DeleteTagProcedure(),
        ExpireTagsProcedure(),
        RenameTagProcedure(),
        ReplaceTagProcedure(),
        TriggerTagAutomaticCreationProcedure(),
        ExpireChangelogsProcedure(),
        ExpirePartitionsProcedure(),
        ExpireSnapshotsProcedure(),
        DropPartitionProcedure(),
        MarkPartitionDoneProcedure(),
        RollbackToProcedure(),
        RollbackToAsLatestProcedure(),
        RollbackToTimestampProcedure(),
        RollbackToWatermarkProcedure(),
        ClearConsumersProcedure(),
        ResetConsumerProcedure(),
        RemoveOrphanFilesProcedure(),
        PurgeFilesProcedure(),
    };
    for (Procedure& procedure : BranchProcedures()) all.push_back(std::move(procedure));
    return all;
  }();
  return procedures;
}

std::vector<std::string> ProcedureNames() {
  std::vector<std::string> names;
  for (const Procedure& procedure : Procedures()) names.emplace_back(procedure.name);
  std::sort(names.begin(), names.end());
  return names;
}

const Datum* ProcedureArguments::Find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.is_null() ? nullptr : &found->second;
}

std::optional<std::string> ProcedureArguments::Text(std::string_view name) const {
  const Datum* value = Find(name);
  return value == nullptr ? std::nullopt : std::optional(std::string(value->as_string()));
}

std::optional<std::int64_t> ProcedureArguments::Int(std::string_view name) const {
  const Datum* value = Find(name);
  return value == nullptr ? std::nullopt : std::optional<std::int64_t>(value->as_int());
}

std::optional<bool> ProcedureArguments::Bool(std::string_view name) const {
  const Datum* value = Find(name);
  return value == nullptr ? std::nullopt : std::optional(value->as_bool());
}

std::vector<std::string> ProcedureArguments::Texts(std::string_view name) const {
  std::vector<std::string> texts;
  const Datum* value = Find(name);
  if (value == nullptr) return texts;
  for (const Datum& text : value->as_list()) texts.push_back(text.is_null() ? "" : text.as_string());
  return texts;
}

Result<Table> OpenTableArgument(const ProcedureArguments& arguments, const StatementContext& context,
                                std::string_view argument) {
  const std::string name = arguments.Text(argument).value_or("");
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(context.session.current_catalog()));
  const bool has_database = name.find('.') != std::string::npos;
  BRAID_TRY_ASSIGN(const Identifier identifier,
                   Identifier::Parse(has_database ? name : context.session.current_database() + "." + name));
  return catalog->OpenTable(identifier);
}

Result<Options> OptionsArgument(const ProcedureArguments& arguments, std::string_view name) {
  return ParseOptionPairs(arguments.Text(name).value_or("")).Context("in argument '" + std::string(name) + "'");
}

Result<StatementResult> ProcedureSuccess() {
  return TextResult("result", {"Success"});
}

}  // namespace braid
