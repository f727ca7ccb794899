#include "mergetree/compaction_picker.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "mergetree/merge_function.h"

namespace braid {
namespace {

Result<int> GetCount(const Options& options, std::string_view key, std::int64_t fallback, std::int64_t least) {
  BRAID_TRY_ASSIGN(const std::int64_t value, options.GetInt(key, fallback));
  if (value < least || value > INT32_MAX) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("option {} is {}, but must be at least {}", key, value, least));
  }
  return static_cast<int>(value);
}

Result<std::optional<std::int64_t>> FindMemorySize(const Options& options, std::string_view key) {
  if (!options.Has(key)) return std::optional<std::int64_t>();
  BRAID_TRY_ASSIGN(const std::int64_t bytes, options.GetMemorySize(key, 0));
  return std::optional(bytes);
}

Result<std::optional<double>> FindRatio(const Options& options, std::string_view key) {
  const std::optional<std::string> text = options.Find(key);
  if (!text) return std::optional<double>();
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  if (text->empty() || end != text->c_str() + text->size() || !(value >= 0)) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("option {} is '{}', not a number of at least 0", key, *text));
  }
  return std::optional(value);
}

Status ReadLookupOptions(const Options& options, CompactionOptions& result) {
  BRAID_TRY_ASSIGN(const bool force_up, options.GetBool("compaction.force-up-level-0", false));
  BRAID_TRY_ASSIGN(const bool needs_lookup, NeedsLookup(options));
  result.force_up_level0 = force_up || needs_lookup;
  if (!needs_lookup || options.Get("lookup-compact", "radical") != "gentle") return Ok();
  BRAID_TRY_ASSIGN(const int interval,
                   GetCount(options, "lookup-compact.max-interval", 2 * std::int64_t{result.run_trigger}, 0));
  result.gentle_interval = std::max(interval, result.run_trigger);
  return Ok();
}

Status ReadOffpeakOptions(const Options& options, CompactionOptions& result) {
  BRAID_TRY_ASSIGN(result.offpeak_start_hour, GetCount(options, "compaction.offpeak.start.hour", -1, -1));
  BRAID_TRY_ASSIGN(result.offpeak_end_hour, GetCount(options, "compaction.offpeak.end.hour", -1, -1));
  BRAID_TRY_ASSIGN(result.offpeak_ratio, GetCount(options, "compaction.offpeak-ratio", 0, 0));
  return Ok();
}

int HourOfLocalClock(const Clock& clock) {
  const std::time_t seconds = clock.NowMs() / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  return local.tm_hour;
}

std::int64_t TotalBytes(std::span<const LevelRun> runs) {
  std::int64_t total = 0;
  for (const LevelRun& run : runs) total += run.run.total_bytes();
  return total;
}

}  // namespace

Result<CompactionOptions> CompactionOptions::FromOptions(const Options& options) {
  CompactionOptions result;
  BRAID_TRY_ASSIGN(result.run_trigger, GetCount(options, "num-sorted-run.compaction-trigger", result.run_trigger, 1));
  BRAID_TRY_ASSIGN(const int stop,
                   GetCount(options, "num-sorted-run.stop-trigger", std::int64_t{result.run_trigger} + 3, 0));
  result.stop_trigger = std::max(stop, result.run_trigger);
  BRAID_TRY_ASSIGN(result.level_count, GetCount(options, "num-levels", std::int64_t{result.run_trigger} + 1, 2));
  BRAID_TRY_ASSIGN(result.max_size_amplification,
                   GetCount(options, "compaction.max-size-amplification-percent", 200, 0));
  BRAID_TRY_ASSIGN(result.size_ratio, GetCount(options, "compaction.size-ratio", 1, 0));
  BRAID_TRY(ReadOffpeakOptions(options, result));
  if (options.Has("compaction.optimization-interval")) {
    BRAID_TRY_ASSIGN(result.full_interval, options.GetDuration("compaction.optimization-interval", {}));
  }
  BRAID_TRY_ASSIGN(result.total_size_threshold, FindMemorySize(options, "compaction.total-size-threshold"));
  BRAID_TRY_ASSIGN(result.incremental_size_threshold, FindMemorySize(options, "compaction.incremental-size-threshold"));
  BRAID_TRY(ReadLookupOptions(options, result));
  BRAID_TRY_ASSIGN(result.force_rewrite_all_files, options.GetBool("compaction.force-rewrite-all-files", false));
  BRAID_TRY_ASSIGN(const std::int64_t target, options.GetMemorySize("target-file-size", std::int64_t{128} << 20));
  BRAID_TRY_ASSIGN(const std::optional<double> ratio, FindRatio(options, "compaction.small-file-ratio"));
  result.small_file_bytes = ratio ? static_cast<std::int64_t>(static_cast<double>(target) * *ratio) : target / 10 * 7;
  return result;
}

CompactUnit CompactUnit::FromRuns(int output_level, std::span<const LevelRun> runs) {
  CompactUnit unit{output_level, {}, false};
  for (const LevelRun& run : runs) {
    unit.files.insert(unit.files.end(), run.run.files().begin(), run.run.files().end());
  }
  return unit;
}

CompactionPicker::CompactionPicker(CompactionOptions options, const Clock& clock,
                                   std::optional<std::int64_t> last_full_ms, std::function<int()> local_hour)
    : options_(options), clock_(&clock), last_full_ms_(last_full_ms), local_hour_(std::move(local_hour)) {
  if (local_hour_ == nullptr) local_hour_ = [&clock] { return HourOfLocalClock(clock); };
}

std::optional<CompactUnit> CompactionPicker::Pick(int level_count, std::span<const LevelRun> runs) {
  std::optional<CompactUnit> unit = PickAny(level_count, runs);
  if (!unit || unit->files.empty()) return std::nullopt;
  if (unit->files.size() == 1 && unit->files[0].level == unit->output_level) return std::nullopt;
  return unit;
}

std::optional<CompactUnit> CompactionPicker::PickAny(int level_count, std::span<const LevelRun> runs) {
  const int max_level = level_count - 1;
  if (std::optional<CompactUnit> unit = PickEarlyFull(max_level, runs)) return unit;
  const auto trigger = static_cast<std::size_t>(options_.run_trigger);
  if (runs.size() >= trigger) {
    if (std::optional<CompactUnit> unit = PickForSizeAmplification(max_level, runs)) return unit;
    if (std::optional<CompactUnit> unit = PickForSizeRatio(max_level, runs, 1, false)) return unit;
  }
  if (runs.size() > trigger) return PickForSizeRatio(max_level, runs, runs.size() - trigger + 1, false);
  if (options_.force_up_level0) return PickLevel0(max_level, runs);
  return std::nullopt;
}

std::optional<CompactUnit> CompactionPicker::PickEarlyFull(int max_level, std::span<const LevelRun> runs) {
  if (runs.size() == 1) return std::nullopt;
  bool due =
      options_.full_interval && (!last_full_ms_ || clock_->NowMs() - *last_full_ms_ > options_.full_interval->count());
  due = due || (options_.total_size_threshold && TotalBytes(runs) < *options_.total_size_threshold);
  if (!due && options_.incremental_size_threshold) {
    std::int64_t incremental = 0;
    for (const LevelRun& run : runs) incremental += run.level == max_level ? 0 : run.run.total_bytes();
    due = incremental > *options_.incremental_size_threshold;
  }
  if (!due) return std::nullopt;
  last_full_ms_ = clock_->NowMs();
  return CompactUnit::FromRuns(max_level, runs);
}

std::optional<CompactUnit> CompactionPicker::PickForSizeAmplification(int max_level, std::span<const LevelRun> runs) {
  const std::int64_t younger = TotalBytes(runs.first(runs.size() - 1));
  const std::int64_t oldest = runs.back().run.total_bytes();
  if (younger * 100 <= options_.max_size_amplification * oldest) return std::nullopt;
  last_full_ms_ = clock_->NowMs();
  return CompactUnit::FromRuns(max_level, runs);
}

std::optional<CompactUnit> CompactionPicker::PickForSizeRatio(int max_level, std::span<const LevelRun> runs,
                                                              std::size_t candidates, bool force) {
  std::int64_t size = TotalBytes(runs.first(candidates));
  std::size_t count = candidates;
  for (; count < runs.size(); ++count) {
    const std::int64_t next = runs[count].run.total_bytes();
    // In floating point, as Java does: files are picked alike to the byte.
    const double limit = static_cast<double>(size) * (100.0 + options_.size_ratio + OffpeakRatio()) / 100.0;
    if (limit < static_cast<double>(next)) break;
    size += next;
  }
  if (!force && count <= 1) return std::nullopt;
  return MakeUnit(max_level, runs, count);
}

std::optional<CompactUnit> CompactionPicker::PickLevel0(int max_level, std::span<const LevelRun> runs) {
  if (options_.gentle_interval && ++gentle_count_ < *options_.gentle_interval) return std::nullopt;
  gentle_count_ = 0;
  const auto upper = std::find_if(runs.begin(), runs.end(), [](const LevelRun& run) { return run.level > 0; });
  const auto count = static_cast<std::size_t>(upper - runs.begin());
  if (count == 0) return std::nullopt;
  return PickForSizeRatio(max_level, runs, count, true);
}

CompactUnit CompactionPicker::MakeUnit(int max_level, std::span<const LevelRun> runs, std::size_t count) {
  int output_level = count == runs.size() ? max_level : std::max(0, runs[count].level - 1);
  if (output_level == 0) {
    // Nothing is ever written to level 0: take runs until one lives above it, and put the result there.
    while (count < runs.size()) {
      const int level = runs[count++].level;
      if (level != 0) {
        output_level = level;
        break;
      }
    }
  }
  if (count == runs.size()) {
    last_full_ms_ = clock_->NowMs();
    output_level = max_level;
  }
  return CompactUnit::FromRuns(output_level, runs.first(count));
}

int CompactionPicker::OffpeakRatio() const {
  const int start = options_.offpeak_start_hour;
  const int end = options_.offpeak_end_hour;
  if (start < 0 || end < 0 || start == end) return 0;
  const int hour = local_hour_();
  const bool inside = start < end ? start <= hour && hour < end : hour >= start || hour < end;
  return inside ? options_.offpeak_ratio : 0;
}

std::optional<CompactUnit> CompactionPicker::PickFull(
    int level_count, std::span<const LevelRun> runs,
    const std::function<bool(const DataFileMeta&)>& must_rewrite) const {
  const int max_level = level_count - 1;
  if (runs.empty()) return std::nullopt;
  if (runs.size() > 1 || runs[0].level != max_level) return CompactUnit::FromRuns(max_level, runs);
  CompactUnit unit{max_level, {}, true};
  for (const DataFileMeta& file : runs[0].run.files()) {
    if (options_.force_rewrite_all_files || (must_rewrite != nullptr && must_rewrite(file))) unit.files.push_back(file);
  }
  if (unit.files.empty()) return std::nullopt;
  return unit;
}

}  // namespace braid
