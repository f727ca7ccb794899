#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "base/options.h"
#include "base/result.h"
#include "mergetree/changelog_merger_internal.h"
#include "mergetree/compaction_picker.h"
#include "mergetree/interval_partition.h"
#include "mergetree/key_lookup_internal.h"
#include "mergetree/key_value.h"
#include "mergetree/key_value_file.h"
#include "mergetree/levels.h"
#include "mergetree/merge_function.h"
#include "mergetree/record_expiry_internal.h"
#include "meta/manifest.h"

namespace braid {

/// Files that a compaction replaced and what replaced them. An upgraded file stands in both, with its old and its new
/// level.
struct CompactResult {
  std::vector<DataFileMeta> before;
  std::vector<DataFileMeta> after;
  std::vector<DataFileMeta> changelog;
  /// The bucket's deletion vectors from now on; nullopt: as they were.
  std::optional<BucketDeletions> deletions;
};

/// What a compaction has to find out besides merging, by the table's options (spec data.md §3.9, §6, §7.4).
struct CompactionPurpose {
  std::optional<ChangelogRule> rule = std::nullopt;  ///< nullopt: merging is all
  bool writes_changelog = false;
  bool marks_deletions = false;  ///< `deletion-vectors.enabled`
  bool merges_lookups = true;    ///< as ChangelogMergeConfig
  bool deduplicates = false;
  std::vector<std::size_t> compared_values = {};
  /// Whether the newest row is the result, so that a level-0 file can move up as it is.
  bool newest_wins = false;
  /// File formats by level, as far as they are not that of level 0.
  std::vector<int> levels_of_other_format = {};

  /// Errors: kInvalidArgument.
  static Result<CompactionPurpose> FromOptions(const Options& options, const KeyValueSchema& schema, int level_count);
};

/// One compaction, with all that it needs, to be run on any thread (spec data.md §3.7).
struct CompactionTask {
  KeyValueSchema schema;
  std::shared_ptr<KeyValueReaderFactory> readers;
  std::shared_ptr<KeyValueWriterFactory> writers;
  std::shared_ptr<const MergeFunction> function;
  CompactionPurpose purpose;
  CompactUnit unit;
  std::vector<LevelRun> upper;  ///< runs of levels above the output level, from the lowest up
  BucketDeletions deletions;    ///< of the bucket
  std::optional<RecordExpiry> expiry;
  std::int64_t now_ms = 0;  ///< for `expiry`
  int max_level = 0;
  std::int64_t small_file_bytes = 0;
  bool force_rewrite = false;
  bool drop_retractions = false;
  MemoryBudget* memory = nullptr;  ///< of all compactions of a writer; null: without bound

  /// What this compaction takes in memory, about: its readers and writers, not what an aggregate collects.
  std::int64_t MemoryBytes() const;
  /// Waits for its part of `memory` first. After an error nothing that was written is left.
  Result<CompactResult> Run() const;
};

/// Whether a file's statistics show rows that are over. Errors: kCorruption.
Result<bool> HoldsExpiredRows(const RecordExpiry& expiry, KeyValueReaderFactory& readers, const DataFileMeta& file,
                              std::int64_t now_ms);

/// Deletes the changelog, and the files of `after` that are not upgraded files of `before`.
Status DeleteWritten(KeyValueWriterFactory& writers, const CompactResult& result);

}  // namespace braid
