#pragma once

#include <functional>

#include "base/result.h"
#include "cli/command.h"

namespace braid {

// Subcommands of `braid table`.
std::function<Status()> AddTableAnalyzeCommand(CLI::App& command);
std::function<Status()> AddTableCheckCommand(CLI::App& command);
std::function<Status()> AddTableCleanCommand(CLI::App& command);
std::function<Status()> AddTableCompactCommand(CLI::App& command);
std::function<Status()> AddTableCompactManifestsCommand(CLI::App& command);
std::function<Status()> AddTableConsumersCommand(CLI::App& command);
std::function<Status()> AddTableDropPartitionsCommand(CLI::App& command);
std::function<Status()> AddTableExpireCommand(CLI::App& command);
std::function<Status()> AddTableExpirePartitionsCommand(CLI::App& command);
std::function<Status()> AddTableForgetMissingCommand(CLI::App& command);
std::function<Status()> AddTableMaintenanceCommand(CLI::App& command);
std::function<Status()> AddTableMarkDoneCommand(CLI::App& command);
std::function<Status()> AddTablePurgeCommand(CLI::App& command);
std::function<Status()> AddTableRepairCommand(CLI::App& command);
std::function<Status()> AddTableRescaleCommand(CLI::App& command);
std::function<Status()> AddTableRewriteIndexesCommand(CLI::App& command);
std::function<Status()> AddTableRollbackCommand(CLI::App& command);
std::function<Status()> AddTableTruncateCommand(CLI::App& command);
std::function<Status()> AddTableWhyCommand(CLI::App& command);

}  // namespace braid
