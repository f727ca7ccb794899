#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/reading.h"

namespace braid {

namespace {

Status Read(const ReadingArguments& arguments) {
  BRAID_TRY_ASSIGN(const Reading reading, OpenReading(arguments));
  if (const auto* table = std::get_if<Table>(&reading.relation)) {
    BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(*table, reading.request));
    BRAID_TRY_ASSIGN(const auto rows, ReadPlan(*table, plan, reading.request));
    return PrintRows(*rows, reading.fields);
  }
  const auto& table = std::get<std::shared_ptr<const VirtualTable>>(reading.relation);
  BRAID_TRY_ASSIGN(const auto rows, ReadVirtualTable(*table, reading.request));
  return PrintRows(*rows, reading.fields);
}

}  // namespace

std::function<Status()> AddReadCommand(CLI::App& command) {
  auto arguments = std::make_shared<ReadingArguments>();
  AddReadingArguments(command, *arguments);
  command.footer("example:\n  braid read /warehouse 'sales.orders' --option scan.snapshot-id=3 --filter \"amount > 10\"");
  return [arguments] { return Read(*arguments); };
}

}  // namespace braid
