#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace braid {

// `braid branch create` and the like, which are also commands of their own: `braid create-branch`.
std::function<Status()> AddCreateBranchCommand(CLI::App& command);
std::function<Status()> AddDeleteBranchCommand(CLI::App& command);
std::function<Status()> AddRenameBranchCommand(CLI::App& command);
std::function<Status()> AddMergeBranchCommand(CLI::App& command);
std::function<Status()> AddReplaceMainCommand(CLI::App& command);
std::function<Status()> AddMaterializeMainCommand(CLI::App& command);
std::function<Status()> AddExpireBranchesCommand(CLI::App& command);
std::function<Status()> AddDiffBranchCommand(CLI::App& command);
std::function<Status()> AddReplaceTagCommand(CLI::App& command);
std::function<Status()> AddPickCommand(CLI::App& command);

/// Actions that the proposals and Paimon name so, beside those that `braid --help` shows.
const std::vector<CommandEntry>& BranchActions();

}  // namespace braid
