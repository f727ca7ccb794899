#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "mergetree/levels.h"
#include "meta/manifest.h"

namespace braid {

/// Options of compaction under Paimon's names with its defaults (spec data.md §3.6).
struct CompactionOptions {
  int run_trigger = 5;               ///< `num-sorted-run.compaction-trigger`
  int stop_trigger = 8;              ///< `num-sorted-run.stop-trigger`: at least the trigger; default trigger + 3
  int level_count = 6;               ///< `num-levels`, default trigger + 1
  int max_size_amplification = 200;  ///< percent; `compaction.max-size-amplification-percent`
  int size_ratio = 1;                ///< percent; `compaction.size-ratio`
  int offpeak_start_hour = -1;       ///< `compaction.offpeak.start.hour`, 0 … 23; -1 none
  int offpeak_end_hour = -1;         ///< `compaction.offpeak.end.hour`, exclusive
  int offpeak_ratio = 0;             ///< `compaction.offpeak-ratio`, added to size_ratio within these hours
  std::optional<std::chrono::milliseconds> full_interval = std::nullopt;  ///< `compaction.optimization-interval`
  std::optional<std::int64_t> total_size_threshold = std::nullopt;        ///< bytes; `compaction.total-size-threshold`
  std::optional<std::int64_t> incremental_size_threshold =
      std::nullopt;              ///< bytes; `compaction.incremental-size-threshold`
  bool force_up_level0 = false;  ///< `compaction.force-up-level-0`, or the table needs lookup
  /// With force_up_level0: level 0 is moved up only at every so many-th opportunity (`lookup-compact` = gentle); else
  /// always.
  std::optional<int> gentle_interval = std::nullopt;
  bool force_rewrite_all_files = false;  ///< `compaction.force-rewrite-all-files`
  /// Smaller files are rewritten where larger ones just move up: seven tenths of the target, or what
  /// `compaction.small-file-ratio` says.
  std::int64_t small_file_bytes = (std::int64_t{128} << 20) / 10 * 7;

  /// Errors: kInvalidArgument.
  static Result<CompactionOptions> FromOptions(const Options& options);
};

/// Files to merge and the level, never 0, that the result goes to.
struct CompactUnit {
  int output_level = 0;
  std::vector<DataFileMeta> files;
  /// Each file is written anew on its own, even where nothing overlaps it.
  bool rewrites_each_file = false;

  static CompactUnit FromRuns(int output_level, std::span<const LevelRun> runs);
};

/// Universal compaction: picks adjacent runs, youngest first (§3.6). One thread at a time.
class CompactionPicker {
 public:
  /// `last_full_ms`: when the bucket was last fully compacted, nullopt if unknown. `local_hour`: the hour of day by the
  /// local clock.
  CompactionPicker(CompactionOptions options, const Clock& clock,
                   std::optional<std::int64_t> last_full_ms = std::nullopt, std::function<int()> local_hour = nullptr);

  /// `runs` as Levels::Runs gives them. Nullopt if nothing is due, or only a single file that is already where it
  /// belongs.
  std::optional<CompactUnit> Pick(int level_count, std::span<const LevelRun> runs);
  /// All runs to the top level; where all is there already, the files that `must_rewrite` (may be null) and the options
  /// want to be written anew; nullopt if there are none.
  std::optional<CompactUnit> PickFull(int level_count, std::span<const LevelRun> runs,
                                      const std::function<bool(const DataFileMeta&)>& must_rewrite = nullptr) const;

 private:
  std::optional<CompactUnit> PickAny(int level_count, std::span<const LevelRun> runs);
  std::optional<CompactUnit> PickEarlyFull(int max_level, std::span<const LevelRun> runs);
  std::optional<CompactUnit> PickForSizeAmplification(int max_level, std::span<const LevelRun> runs);
  std::optional<CompactUnit> PickForSizeRatio(int max_level, std::span<const LevelRun> runs, std::size_t candidates,
                                              bool force);
  std::optional<CompactUnit> PickLevel0(int max_level, std::span<const LevelRun> runs);
  CompactUnit MakeUnit(int max_level, std::span<const LevelRun> runs, std::size_t count);
  int OffpeakRatio() const;

  CompactionOptions options_;
  const Clock* clock_;
  std::optional<std::int64_t> last_full_ms_;
  std::function<int()> local_hour_;
  int gentle_count_ = 0;
};

}  // namespace braid
