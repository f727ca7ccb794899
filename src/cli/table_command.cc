// braid table …: upkeep of tables. A new subcommand is one file cli/table_<name>_command.cc, a declaration in
// cli/table_command.h and a line here.

#include "cli/table_command.h"

#include "cli/upkeep_arguments.h"

namespace braid {

std::function<Status()> AddTableCommand(CLI::App& command) {
  return AddSubcommands(
      command, {
                   {"expire", "remove old snapshots, and the files that only they needed", AddTableExpireCommand},
                   {"expire-partitions", "drop partitions whose time is over", AddTableExpirePartitionsCommand},
                   {"rollback", "give a table an older content", AddTableRollbackCommand},
                   {"clean", "delete files that nothing names", AddTableCleanCommand},
                   {"check", "look whether everything that a table needs is there", AddTableCheckCommand},
                   {"why", "say what needs a file", AddTableWhyCommand},
                   {"repair", "finish what a crash left, and mend hints", AddTableRepairCommand},
                   {"consumers", "list, move or forget consumers", AddTableConsumersCommand},
                   {"set-maintenance", "say who expires snapshots and tags", AddTableMaintenanceCommand},
               });
}

}  // namespace braid
