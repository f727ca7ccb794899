// `braid`, which users call: goes over to the program that runs the command. Loading DuckDB takes longer than most commands
// run, so those that need no SQL have a program without it; this one loads nothing.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

#include "cli/programs.h"

int main(int argc, char** argv) {
  std::string_view command;
  for (int i = 1; i < argc && command.empty(); ++i) {
    if (argv[i][0] != '-') command = argv[i];
  }
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    std::fprintf(stderr, "error: cannot tell where this program lies: %s\n", error.message().c_str());
    return 8;
  }
  const std::filesystem::path program = self.parent_path() / braid::ProgramOf(command);
  ::execv(program.c_str(), argv);
  std::fprintf(stderr, "error: cannot run %s: %s\n  try: install Braid again; its programs lie in one folder\n", program.c_str(),
               std::strerror(errno));
  return 8;
}
