#pragma once

#include <functional>

#include "base/result.h"
#include "cli/command.h"

namespace braid {

// Subcommands of `braid table`.
std::function<Status()> AddTableCheckCommand(CLI::App& command);
std::function<Status()> AddTableCleanCommand(CLI::App& command);
std::function<Status()> AddTableConsumersCommand(CLI::App& command);
std::function<Status()> AddTableExpireCommand(CLI::App& command);
std::function<Status()> AddTableExpirePartitionsCommand(CLI::App& command);
std::function<Status()> AddTableMaintenanceCommand(CLI::App& command);
std::function<Status()> AddTableRepairCommand(CLI::App& command);
std::function<Status()> AddTableRollbackCommand(CLI::App& command);
std::function<Status()> AddTableWhyCommand(CLI::App& command);

}  // namespace braid
