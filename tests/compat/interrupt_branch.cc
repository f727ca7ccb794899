// Carries out one operation on branches and dies at the n-th file operation, as a process that is killed does: what tests
// do next, Java among them, finds the table as the crash left it. The lock goes with the process.
//
//   interrupt_branch WAREHOUSE DB.TABLE N create NAME TAG | delete NAME | rename NAME TO | merge NAME
//                                         | replace NAME [KEEP_AS] | point NAME | materialize | undo
//
// `point` replaces main without moving it into the root. Prints {"struck":true|false,"error":"…"}: whether there was an
// n-th operation, and how the command ended.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "io/fault_injecting_file_system.h"
#include "table/branch_merge.h"
#include "table/branch_replace.h"
#include "table/branches.h"

namespace braid {
namespace {

Status Run(const OperationContext& context, const std::vector<std::string>& words) {
  const std::string& operation = words[0];
  const std::string name = words.size() > 1 ? words[1] : std::string();
  const std::string more = words.size() > 2 ? words[2] : std::string();
  if (operation == "create") {
    BRAID_TRY(CreateBranch(context, {.name = name, .tag = more}));
  } else if (operation == "delete") {
    BRAID_TRY(DeleteBranch(context, {.name = name}));
  } else if (operation == "rename") {
    BRAID_TRY(RenameBranch(context, {.from = name, .to = more}));
  } else if (operation == "merge") {
    BRAID_TRY(FastForward(context, {.source = name}));
  } else if (operation == "replace") {
    BRAID_TRY(ReplaceMain(context, {.name = name, .keep_as = more}));
  } else if (operation == "point") {
    BRAID_TRY(ReplaceMain(context, {.name = name, .materialize = false}));
  } else if (operation == "materialize") {
    BRAID_TRY(MaterializeMain(context));
  } else if (operation == "undo") {
    BRAID_TRY(UndoReplaceMain(context, false));
  } else {
    return Error(ErrorCode::kInvalidArgument, "unknown operation " + operation);
  }
  return Ok();
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  using namespace braid;
  if (argc < 5) {
    std::fputs("usage: interrupt_branch WAREHOUSE DB.TABLE N OPERATION ARGUMENT…\n", stderr);
    return 2;
  }
  const std::vector<std::string> name = Split(argv[2], '.');
  const auto files = std::make_shared<FaultInjectingFileSystem>(LocalFileSystem());
  OperationContext context;
  context.file_system = files;
  context.root = std::string(argv[1]) + "/" + name[0] + ".db/" + name[1];
  context.table_name = argv[2];
  files->FailAt(std::atoll(argv[3]), FaultInjectingFileSystem::Fault::kStop);
  const Status done = Run(context, std::vector<std::string>(argv + 4, argv + argc));
  Json json;
  json.Add("struck", files->struck());
  json.Add("error", done ? std::string() : done.error().message());
  std::puts(PrintJson(json).c_str());
  return 0;
}
