// One small question a process of `braid`: B9. What counts is the whole process, from its start to its exit.

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measurement.h"

namespace braid {
namespace {

std::vector<std::string> CommandOf(const std::string& what, const std::string& binary, const std::string& warehouse) {
  if (what == "version") return {binary, "--version"};
  if (what == "tables") return {binary, "sql", "--no-init", "--warehouse", warehouse, "-e", "USE b; SHOW TABLES"};
  if (what == "snapshot") return {binary, "log", warehouse, "b.append", "-n", "1"};
  return {binary, "sql", "--no-init", "--warehouse", warehouse, "-e", "SELECT COUNT(*) FROM b.append"};
}

/// Runs a command without its output to the end. Errors: kIo if it cannot be run, kInternal if it fails.
Status RunProcess(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int failure = posix_spawn(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return Error(ErrorCode::kIo, fmt::format("cannot run {}: {}", words[0], std::strerror(failure)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Ok();
  return Error(ErrorCode::kInternal, fmt::format("{} failed", fmt::join(words, " ")));
}

Result<Measurement> Run(const Options& arguments) {
  BRAID_TRY_ASSIGN(const std::string what, WordArgument(arguments, "what", {"version", "tables", "snapshot", "count"}));
  BRAID_TRY_ASSIGN(const std::string binary, RequiredArgument(arguments, "binary"));
  BRAID_TRY_ASSIGN(const std::string warehouse, RequiredArgument(arguments, "warehouse"));
  BRAID_TRY_ASSIGN(const std::int64_t runs, CountArgument(arguments, "runs", 10));
  const auto ask = [&] { return RunProcess(CommandOf(what, binary, warehouse)); };
  Measurement measurement{.seconds = {}, .rows = 1};
  measurement.detail = {{"what", what}};
  for (std::int64_t run = 0; run < runs; ++run) {
    const double cpu_before = CpuSeconds(RUSAGE_CHILDREN);
    BRAID_TRY_ASSIGN(const double seconds, Seconds(ask));
    measurement.seconds.push_back(seconds);
    measurement.cpu_seconds.push_back(CpuSeconds(RUSAGE_CHILDREN) - cpu_before);
  }
  return measurement;
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  return braid::RunBenchmark(argc, argv,
                             {.case_name = "B9",
                              .usage = "binary=PATH warehouse=DIR [what=version|tables|snapshot|count] [runs=N]",
                              .keys = {"binary", "warehouse", "what", "runs"},
                              .run = braid::Run});
}
