#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace braid {

/// What `braid sql` is told; `braid job run` takes the same.
struct SqlArguments {
  std::vector<std::string> scripts;
  std::vector<std::string> statements;
  std::string init;
  bool no_init = false;
  std::vector<std::string> options;
  bool keep_going = false;
  std::string state_directory;
  std::string output = "tableau";
  std::string warehouse;
  std::string catalog;
};

/// Runs the statements; without any, those of standard input or of a conversation.
Status RunSql(const SqlArguments& arguments);

/// Adds the options that say what to run and where, all but `--output`.
void AddSqlOptions(CLI::App& command, SqlArguments& arguments);

}  // namespace braid
