// braid table expire-partitions

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/partition_expiry.h"

namespace braid {

namespace {

struct ExpiryArguments : UpkeepArguments {
  std::string expiration_time;
  std::string strategy;
  std::string timestamp_pattern;
  std::string timestamp_formatter;
  std::int64_t max_count = 0;  // 0: not given
};

Options Overrides(const ExpiryArguments& arguments) {
  Options options;
  const auto set = [&](const char* key, const std::string& value) {
    if (!value.empty()) options.Set(key, value);
  };
  set("partition.expiration-time", arguments.expiration_time);
  set("partition.expiration-strategy", arguments.strategy);
  set("partition.timestamp-pattern", arguments.timestamp_pattern);
  set("partition.timestamp-formatter", arguments.timestamp_formatter);
  if (arguments.max_count > 0) set("partition.expiration-max-num", std::to_string(arguments.max_count));
  return options;
}

void PrintResult(const ExpiryArguments& arguments, const ExpiredPartitions& expired) {
  Json::Array list;
  std::vector<std::string> lines;
  for (const auto& partition : expired.partitions) {
    Json json;
    std::vector<std::string> texts;
    for (const auto& [column, value] : partition) {
      json.Add(column, value);
      texts.push_back(column + "=" + value);
    }
    list.push_back(std::move(json));
    lines.push_back("  " + Join(texts, ", "));
  }
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("partitions", std::move(list));
    json.Add("snapshots", expired.snapshots);
    Json::Array timeless;
    for (const std::string& partition : expired.timeless) timeless.push_back(partition);
    json.Add("without_time", std::move(timeless));
    std::puts(PrintJson(json).c_str());
    return;
  }
  if (lines.empty()) std::puts(fmt::format("no partition of {} may expire", arguments.table).c_str());
  if (!lines.empty()) {
    std::puts(fmt::format("{} {} partitions of {}:", arguments.dry_run ? "would expire" : "expired", lines.size(), arguments.table).c_str());
  }
  for (const std::string& line : lines) std::puts(line.c_str());
  for (const std::string& partition : expired.timeless) {
    std::puts(fmt::format("note: {} means no time, so it never expires by its values", partition).c_str());
  }
}

Status Run(const ExpiryArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(auto expiry, PartitionExpiry::FromOptions(table.options().With(Overrides(arguments))));
  if (!expiry) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("partitions of {} do not expire", arguments.table))
        .Hint("set the table's option partition.expiration-time, or give --expiration-time '30 d'");
  }
  expiry->dry_run = arguments.dry_run;
  BRAID_TRY_ASSIGN(const ExpiredPartitions expired, ExpirePartitions(table, *expiry, SystemClock()));
  PrintResult(arguments, expired);
  return Ok();
}

}  // namespace

std::function<Status()> AddTableExpirePartitionsCommand(CLI::App& command) {
  auto arguments = std::make_shared<ExpiryArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_option("--expiration-time", arguments->expiration_time,
                     "partitions this much older than now go, \"30 d\"; default: the table's partition.expiration-time");
  command.add_option("--strategy", arguments->strategy,
                     "values-time: by what the partition's values say; update-time: by its newest file");
  command.add_option("--timestamp-pattern", arguments->timestamp_pattern, "the time's text in terms of columns, \"$day $hour:00:00\"");
  command.add_option("--timestamp-formatter", arguments->timestamp_formatter, "how that text is written, \"yyyyMMdd\"");
  command.add_option("--max-count", arguments->max_count, "at most so many go; default: partition.expiration-max-num")
      ->check(CLI::PositiveNumber);
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table expire-partitions /warehouse default.orders --expiration-time '30 d' --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
