#include "table/maintenance_mode.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "meta/stores.h"
#include "meta/table_schema.h"
#include "table/lines.h"
#include "table/recoveries_internal.h"

namespace braid {

namespace {

constexpr const char* kMode = "braid.maintenance";

// An option by which other engines expire, and the value with which they expire nothing; nullptr: the option is absent
// then. Braid's copies have "braid." before the name.
struct ExpiryOption {
  const char* key;
  const char* keep_all;
};
constexpr std::array kExpiryOptions = {
    ExpiryOption{"snapshot.num-retained.min", "2147483647"},
    ExpiryOption{"snapshot.num-retained.max", nullptr},
    ExpiryOption{"changelog.num-retained.min", nullptr},  // then as many as snapshots
    ExpiryOption{"changelog.num-retained.max", nullptr},
    ExpiryOption{"tag.time-expire-enabled", "false"},
    ExpiryOption{"tag.num-retained-max", nullptr},
};

std::string CopyOf(const ExpiryOption& option) {
  return fmt::format("braid.{}", option.key);
}

void MakeExclusive(Options& options) {
  for (const ExpiryOption& option : kExpiryOptions) {
    if (const auto value = options.Find(option.key)) options.Set(CopyOf(option), *value);
    options.Remove(option.key);
    if (option.keep_all != nullptr) options.Set(option.key, option.keep_all);
  }
  options.Set(kMode, std::string(MaintenanceModeName(MaintenanceMode::kExclusive)));
}

void MakeShared(Options& options) {
  for (const ExpiryOption& option : kExpiryOptions) {
    options.Remove(option.key);
    if (const auto value = options.Find(CopyOf(option))) options.Set(option.key, *value);
    options.Remove(CopyOf(option));
  }
  options.Remove(kMode);
}

MaintenanceMode ModeOf(const TableSchema& schema) {
  return IsMaintainedExclusively(schema.options) ? MaintenanceMode::kExclusive : MaintenanceMode::kShared;
}

// Lines that are in the other mode, with their latest schemas.
Result<std::vector<std::pair<const Line*, TableSchema>>> LinesToChange(const FileSystem& fs, const TableLines& lines,
                                                                       MaintenanceMode mode) {
  std::vector<std::pair<const Line*, TableSchema>> others;
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
    BRAID_TRY_ASSIGN(std::optional<TableSchema> schema, ReadLatestSchema(fs, line.paths));
    if (schema && ModeOf(*schema) != mode) others.emplace_back(&line, *std::move(schema));
  }
  return others;
}

// May be repeated.
Status ChangeAll(const LockedTable& table, MaintenanceMode mode) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), table.context().root, Inference::kSkip));
  BRAID_TRY_ASSIGN(auto others, LinesToChange(table.fs(), lines, mode));
  for (auto& [line, schema] : others) {
    mode == MaintenanceMode::kExclusive ? MakeExclusive(schema.options) : MakeShared(schema.options);
    schema.id = schema.id.next();
    schema.time_millis = table.NowMs();
    BRAID_TRY(WriteSchema(table.fs(), line->paths, schema));
  }
  return Ok();
}

}  // namespace

bool IsMaintainedExclusively(const Options& options) {
  return options.Get(kMode, "shared") == MaintenanceModeName(MaintenanceMode::kExclusive);
}

std::string_view MaintenanceModeName(MaintenanceMode mode) {
  return mode == MaintenanceMode::kExclusive ? "exclusive" : "shared";
}

Result<ChangedMaintenance> SetMaintenance(const OperationContext& context, MaintenanceMode mode, bool dry_run) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), context.root, Inference::kSkip));
  ChangedMaintenance changed{.lines = {}, .repairs = table.repairs()};
  BRAID_TRY_ASSIGN(const auto others, LinesToChange(table.fs(), lines, mode));
  for (const auto& [line, schema] : others) changed.lines.push_back(line->is_main ? std::string(kMainBranch) : line->name);
  if (dry_run || others.empty()) return changed;
  Json args;
  args.Add("exclusive", mode == MaintenanceMode::kExclusive);
  BRAID_TRY_ASSIGN(const OperationJournal journal, table.Begin("maintenance", "CHANGING", std::move(args)));
  BRAID_TRY(RunJournalled(table, journal, [&] { return ChangeAll(table, mode); }));
  return changed;
}

Result<Recovered> RecoverMaintenance(const LockedTable& table, const OperationJournal& journal) {
  BRAID_TRY(ChangeAll(table, journal.args.IsTrue("exclusive") ? MaintenanceMode::kExclusive : MaintenanceMode::kShared));
  return Recovered::kCompleted;
}

}  // namespace braid
