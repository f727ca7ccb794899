// The commands that need no SQL.

#include "cli/command.h"

int main(int argc, char** argv) {
  return braid::RunProgram(braid::Commands({}), "braid " BRAID_VERSION, argc, argv);
}
