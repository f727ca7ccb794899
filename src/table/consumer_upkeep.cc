#include "table/consumer_upkeep.h"

#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "meta/line_upkeep.h"
#include "meta/stores.h"
#include "table/time_travel.h"

namespace braid {

namespace {

Result<std::regex> ParsePattern(const std::string& text) {
  try {
    return std::regex(text, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no regular expression: {}", text, error.what()));
  }
}

}  // namespace

Status ResetConsumer(const Table& table, const std::string& id, SnapshotId next_snapshot) {
  BRAID_TRY(ReadExistingSnapshot(table.file_system(), table.paths(), next_snapshot));
  return WriteConsumer(table.file_system(), table.paths(), {.id = id, .next_snapshot = next_snapshot});
}

Result<std::vector<std::string>> ClearConsumers(const Table& table, const ConsumerPattern& pattern, bool dry_run) {
  BRAID_TRY_ASSIGN(const std::regex including, ParsePattern(pattern.including.empty() ? ".*" : pattern.including));
  BRAID_TRY_ASSIGN(const std::regex excluding, ParsePattern(pattern.excluding));
  BRAID_TRY_ASSIGN(const std::vector<std::string> ids, ListConsumerIds(table.file_system(), table.paths()));
  std::vector<std::string> cleared;
  for (const std::string& id : ids) {
    if (!std::regex_match(id, including)) continue;
    if (!pattern.excluding.empty() && std::regex_match(id, excluding)) continue;
    if (!dry_run) BRAID_TRY(DeleteConsumer(table.file_system(), table.paths(), id));
    cleared.push_back(id);
  }
  return cleared;
}

Result<std::vector<std::string>> ExpireConsumers(const Table& table, std::int64_t older_than_ms) {
  FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const std::vector<std::string> ids, ListConsumerIds(fs, table.paths()));
  std::vector<std::string> expired;
  for (const std::string& id : ids) {
    const Result<FileStatus> status = fs.Stat(table.paths().ConsumerFile(id));
    if (!status && status.error().code() == ErrorCode::kNotFound) continue;
    if (!status) return status.error();
    if (status->modified_ms >= older_than_ms) continue;
    BRAID_TRY(DeleteConsumer(fs, table.paths(), id));
    expired.push_back(id);
  }
  return expired;
}

}  // namespace braid
