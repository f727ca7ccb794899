#pragma once

#include <functional>

#include "base/result.h"

namespace CLI {
class App;
}

namespace braid {

// `braid branch create` and the like, which are also commands of their own: `braid create-branch`.
std::function<Status()> AddCreateBranchCommand(CLI::App& command);
std::function<Status()> AddDeleteBranchCommand(CLI::App& command);
std::function<Status()> AddRenameBranchCommand(CLI::App& command);
std::function<Status()> AddMergeBranchCommand(CLI::App& command);
std::function<Status()> AddReplaceMainCommand(CLI::App& command);
std::function<Status()> AddMaterializeMainCommand(CLI::App& command);
std::function<Status()> AddExpireBranchesCommand(CLI::App& command);

}  // namespace braid
