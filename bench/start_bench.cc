// One small question a process of `braid`: B9. What counts is the whole process, from its start to its exit.

#include <string>
#include <vector>

#include <sys/resource.h>

#include "measurement.h"

namespace braid {
namespace {

std::vector<std::string> CommandOf(const std::string& what, const std::string& binary, const std::string& warehouse) {
  if (what == "version") return {binary, "--version"};
  if (what == "tables") return {binary, "sql", "--no-init", "--warehouse", warehouse, "-e", "USE b; SHOW TABLES"};
  if (what == "snapshot") return {binary, "log", warehouse, "b.append", "-n", "1"};
  return {binary, "sql", "--no-init", "--warehouse", warehouse, "-e", "SELECT COUNT(*) FROM b.append"};
}

Result<Measurement> Run(const Options& arguments) {
  BRAID_TRY_ASSIGN(const std::string what, WordArgument(arguments, "what", {"version", "tables", "snapshot", "count"}));
  BRAID_TRY_ASSIGN(const std::string binary, RequiredArgument(arguments, "binary"));
  BRAID_TRY_ASSIGN(const std::string warehouse, RequiredArgument(arguments, "warehouse"));
  BRAID_TRY_ASSIGN(const std::int64_t runs, CountArgument(arguments, "runs", 10));
  const auto ask = [&] { return RunProgram(CommandOf(what, binary, warehouse)); };
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
