// braid table …: upkeep of tables. A new subcommand is one file cli/table_<name>_command.cc, a declaration in
// cli/table_command.h and a line here.

#include "cli/table_command.h"

#include "cli/upkeep_arguments.h"

namespace braid {

std::function<Status()> AddTableCommand(CLI::App& command) {
  return AddSubcommands(
      command,
      {
          {"compact", "merge data files", AddTableCompactCommand},
          {"compact-manifests", "write manifests anew, few and in order", AddTableCompactManifestsCommand},
          {"rewrite-indexes", "give data files the indexes that are wanted now", AddTableRewriteIndexesCommand},
          {"analyze", "compute the table's statistics", AddTableAnalyzeCommand},
          {"rescale", "distribute rows over another number of buckets", AddTableRescaleCommand},
          {"expire", "remove old snapshots, and the files that only they needed", AddTableExpireCommand},
          {"expire-partitions", "drop partitions whose time is over", AddTableExpirePartitionsCommand},
          {"mark-done", "mark partitions as complete", AddTableMarkDoneCommand},
          {"drop-partitions", "delete all rows of partitions", AddTableDropPartitionsCommand},
          {"truncate", "delete all rows", AddTableTruncateCommand},
          {"purge", "delete all rows, branches, tags, snapshots and files", AddTablePurgeCommand},
          {"rollback", "give a table an older content", AddTableRollbackCommand},
          {"clean", "delete files that nothing names", AddTableCleanCommand},
          {"check", "look whether everything that a table needs is there", AddTableCheckCommand},
          {"why", "say what needs a file", AddTableWhyCommand},
          {"repair", "finish what a crash left, and mend hints", AddTableRepairCommand},
          {"forget-missing", "go on without data files that are gone", AddTableForgetMissingCommand},
          {"consumers", "list, move or forget consumers", AddTableConsumersCommand},
          {"set-maintenance", "say who expires snapshots and tags", AddTableMaintenanceCommand},
      });
}

}  // namespace braid
