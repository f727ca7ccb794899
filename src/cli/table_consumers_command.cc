// braid table consumers

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "meta/stores.h"
#include "table/consumer_upkeep.h"

namespace braid {

namespace {

struct ConsumerArguments : UpkeepArguments {
  std::string reset;
  std::int64_t next = 0;
  std::string forget;
  std::string excluding;
};

Status Reset(const ConsumerArguments& arguments, const Table& table) {
  if (!arguments.dry_run) BRAID_TRY(ResetConsumer(table, arguments.reset, SnapshotId(arguments.next)));
  std::puts(fmt::format("consumer {} of {} {} on at snapshot {}", arguments.reset, arguments.table,
                        arguments.dry_run ? "would read" : "reads", arguments.next)
                .c_str());
  return Ok();
}

Status Forget(const ConsumerArguments& arguments, const Table& table) {
  BRAID_TRY_ASSIGN(
      const std::vector<std::string> cleared,
      ClearConsumers(table, {.including = arguments.forget, .excluding = arguments.excluding}, arguments.dry_run));
  if (cleared.empty()) std::puts("no consumer of such a name");
  for (const std::string& id : cleared)
    std::puts(fmt::format("{} consumer {}", arguments.dry_run ? "would forget" : "forgot", id).c_str());
  return Ok();
}

Status List(const ConsumerArguments& arguments, const Table& table) {
  BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(table.file_system(), table.paths()));
  for (const Consumer& consumer : consumers) {
    if (arguments.json()) {
      Json json;
      json.Add("consumer", consumer.id);
      json.Add("next_snapshot", consumer.next_snapshot.value());
      std::puts(PrintJson(json).c_str());
    } else {
      std::puts(fmt::format("{:<32} reads on at snapshot {}", consumer.id, consumer.next_snapshot).c_str());
    }
  }
  if (consumers.empty() && !arguments.json()) std::puts(fmt::format("{} has no consumers", arguments.table).c_str());
  return Ok();
}

Status Run(const ConsumerArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  if (!arguments.reset.empty()) return Reset(arguments, table);
  if (!arguments.forget.empty()) return Forget(arguments, table);
  return List(arguments, table);
}

}  // namespace

std::function<Status()> AddTableConsumersCommand(CLI::App& command) {
  auto arguments = std::make_shared<ConsumerArguments>();
  AddUpkeepArguments(command, *arguments);
  CLI::Option* next = command.add_option("--next", arguments->next, "snapshot at which the consumer reads on")
                          ->check(CLI::PositiveNumber);
  CLI::Option* reset = command.add_option("--reset", arguments->reset, "a consumer to move")->needs(next);
  CLI::Option* forget =
      command.add_option("--forget", arguments->forget, "consumers to forget, a regular expression on the whole name")
          ->excludes(reset);
  command.add_option("--excluding", arguments->excluding, "with --forget: but not those")->needs(forget);
  AddDryRun(command, *arguments);
  command.footer(
      "examples:\n  braid table consumers /warehouse default.orders\n  braid table consumers /warehouse default.orders "
      "--reset job1 --next 12");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
