// All commands.

#include "cli/command.h"

int main(int argc, char** argv) {
  const braid::SqlCommands with{
      .demo = braid::AddDemoCommand, .sql = braid::AddSqlCommand, .job = braid::AddJobCommand};
  return braid::RunProgram(braid::Commands(with), "braid " BRAID_VERSION, argc, argv);
}
