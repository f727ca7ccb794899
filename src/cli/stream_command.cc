#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/reading.h"

namespace braid {

namespace {

struct StreamArguments {
  ReadingArguments reading;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

bool ChoosesStart(const ReadingArguments& arguments) {
  for (const std::string& option : arguments.options) {
    if (option.starts_with("scan.")) return true;
  }
  return false;
}

Status Stream(const StreamArguments& arguments) {
  if (arguments.from > 0 && arguments.to > 0 && arguments.from > arguments.to) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("--from {} lies behind --to {}", arguments.from, arguments.to))
        .Hint("give the older snapshot with --from");
  }
  Options start;
  if (!ChoosesStart(arguments.reading)) {
    if (arguments.from <= 0) return Error(ErrorCode::kInvalidArgument, "a stream needs a first snapshot").Hint("give --from N or an option scan.…");
    start.Set("scan.mode", "from-snapshot");
    start.Set("scan.snapshot-id", std::to_string(arguments.from));
  }
  BRAID_TRY_ASSIGN(const Reading reading, OpenReading(arguments.reading, start));
  const auto* table = std::get_if<Table>(&reading.relation);
  if (table == nullptr) return Error(ErrorCode::kUnsupported, arguments.reading.table + " is a system table and cannot be streamed").Hint("use `braid read`");
  BRAID_TRY_ASSIGN(const auto scan, StreamScan::Open(*table, reading.request));
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Plan> plan, scan->Next());
    if (!plan) return Ok();  // nothing newer is there
    if (!plan->snapshot) continue;
    if (arguments.to > 0 && plan->snapshot->value() > arguments.to) return Ok();
    BRAID_TRY_ASSIGN(const auto rows, ReadPlan(*table, *plan, reading.request));
    BRAID_TRY(PrintRows(*rows, reading.fields, fmt::format("\"snapshot\":{},", *plan->snapshot)));
  }
}

}  // namespace

std::function<Status()> AddStreamCommand(CLI::App& command) {
  auto arguments = std::make_shared<StreamArguments>();
  AddReadingArguments(command, arguments->reading);
  command.add_option("--from", arguments->from, "first snapshot whose changes are printed")->check(CLI::PositiveNumber);
  command.add_option("--to", arguments->to, "last snapshot; without it, up to the latest")->check(CLI::PositiveNumber);
  command.footer("example:\n  braid stream /warehouse sales.orders --from 1 --to 4");
  return [arguments] { return Stream(*arguments); };
}

}  // namespace braid
