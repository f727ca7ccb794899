#include "table/clustering.h"

#include <algorithm>
#include <map>
#include <utility>

#include "mergetree/data_file_options.h"
#include "table/clustering_options.h"
#include "table/deletion_vectors.h"
#include "table/file_sorter.h"
#include "table/live_files.h"

namespace braid {

namespace {

// Chooses among the files of one bucket.
class RunPicker {
 public:
  static Result<RunPicker> Make(const Table& table, const Clock& clock) {
    BRAID_TRY_ASSIGN(const CompactionOptions options, CompactionOptions::FromOptions(table.options()));
    BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
    // Java heeds no other option of universal compaction here.
    const CompactionOptions heeded{.run_trigger = options.run_trigger,
                                   .level_count = options.level_count,
                                   .max_size_amplification = options.max_size_amplification,
                                   .size_ratio = options.size_ratio};
    return RunPicker(table, heeded, /*deepens=*/buckets != -1, clock);
  }

  int max_level() const { return options_.level_count - 1; }

  Result<std::optional<CompactUnit>> Pick(std::vector<DataFileMeta> files, bool full) const {
    int level_count = options_.level_count;
    for (const DataFileMeta& file : files) {
      if (deepens_) level_count = std::max(level_count, file.level + 1);
    }
    const std::vector<LevelRun> runs = RunsOf(std::move(files));
    if (!full) return CompactionPicker(options_, *clock_).Pick(level_count, runs);
    if (runs.empty()) return std::optional<CompactUnit>();
    const int top = level_count - 1;
    if (runs.size() == 1 && runs[0].level == top) {
      BRAID_TRY_ASSIGN(const auto schema, table_.schemas().Get(runs[0].run.files().front().schema_id));
      if (ClusteringColumns(schema->options) == ClusteringColumns(table_.options())) return std::optional<CompactUnit>();
    }
    return std::optional(CompactUnit::FromRuns(top, runs));
  }

 private:
  RunPicker(Table table, const CompactionOptions& options, bool deepens, const Clock& clock)
      : table_(std::move(table)), options_(options), deepens_(deepens), clock_(&clock) {}

  // Level 0 from the oldest file to the newest, as Java takes them, then the levels that have files.
  static std::vector<LevelRun> RunsOf(std::vector<DataFileMeta> files) {
    std::stable_sort(files.begin(), files.end(), [](const DataFileMeta& a, const DataFileMeta& b) {
      return a.min_sequence_number < b.min_sequence_number;
    });
    std::vector<LevelRun> runs;
    std::map<std::int32_t, std::vector<DataFileMeta>> levels;
    for (DataFileMeta& file : files) {
      if (file.level > 0) {
        levels[file.level].push_back(std::move(file));
      } else {
        runs.push_back({0, SortedRun::Single(std::move(file))});
      }
    }
    for (auto& [level, of_level] : levels) runs.push_back({level, SortedRun::FromSorted(std::move(of_level))});
    return runs;
  }

  Table table_;
  CompactionOptions options_;
  bool deepens_;  // a file below the last level makes that one the last
  const Clock* clock_;
};

// Those of the buckets that have files below the top level, all of them old; the oldest first, up to the limit.
std::vector<LiveFilesOfBuckets::const_iterator> IdleBuckets(const LiveFilesOfBuckets& buckets, const ClusteringOptions& options,
                                                        int max_level, std::int64_t now_ms) {
  std::vector<std::pair<std::int64_t, LiveFilesOfBuckets::const_iterator>> idle;
  for (auto bucket = buckets.begin(); bucket != buckets.end(); ++bucket) {
    std::optional<std::int64_t> newest_ms;
    for (const DataFileMeta& file : bucket->second) {
      if (file.level >= max_level) continue;
      newest_ms = std::max(newest_ms.value_or(0), UtcOfLocalTimeMs(file.creation_time_ms.value_or(0)));
    }
    if (newest_ms && *newest_ms < now_ms - options.history_idle->count()) idle.emplace_back(*newest_ms, bucket);
  }
  std::stable_sort(idle.begin(), idle.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(options.history_limit, 0));
  if (idle.size() > limit) idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(limit), idle.end());
  std::vector<LiveFilesOfBuckets::const_iterator> oldest;
  for (const auto& [newest_ms, bucket] : idle) oldest.push_back(bucket);
  return oldest;
}

// Sorts the units of one snapshot, one after the other.
class UnitSorter {
 public:
  static Result<UnitSorter> Make(const Table& table, const Snapshot& snapshot) {
    BRAID_TRY_ASSIGN(const ClusteringOptions options, ClusteringOptions::FromOptions(table.options()));
    BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
    // What the new files say of themselves, as Java's do.
    const FileSource source = buckets == -1 ? FileSource::kAppend : FileSource::kCompact;
    BRAID_TRY_ASSIGN(FileSorter files, FileSorter::Make(table, options.columns, options.CompactionStrategy(), source));
    UnitSorter sorter(table, snapshot, static_cast<std::int32_t>(buckets), std::move(files));
    BRAID_TRY_ASSIGN(sorter.deletions_, DeletionVectorIndex::Read(table, snapshot));
    return sorter;
  }

  Status Sort(ClusteringUnit unit, CommitMessage& message) {
    message.partition = unit.partition;
    message.bucket = unit.bucket;
    message.total_buckets = buckets_;
    BRAID_TRY_ASSIGN(message.compact_after, files_.Sort(unit.partition, unit.bucket, unit.files.files, deletions_));
    for (DataFileMeta& file : message.compact_after) file.level = unit.files.output_level;
    message.compact_before = std::move(unit.files.files);
    BRAID_TRY_ASSIGN(DroppedVectors dropped,
                     DropDeletionVectors(table_, snapshot_, deletions_, message, message.compact_before, names_));
    message.compact_deletion_base = std::move(dropped.base);
    message.compact_new_index_files = std::move(dropped.indexes.added);
    message.compact_deleted_index_files = std::move(dropped.indexes.removed);
    return Ok();
  }

 private:
  UnitSorter(const Table& table, const Snapshot& snapshot, std::int32_t buckets, FileSorter files)
      : table_(table), snapshot_(snapshot), buckets_(buckets), files_(std::move(files)) {}

  const Table& table_;
  const Snapshot& snapshot_;
  std::int32_t buckets_;
  FileSorter files_;
  DeletionVectorIndex deletions_;
  MetadataFileNames names_;
};

Status SortUnits(UnitSorter& sorter, std::vector<ClusteringUnit> units, std::vector<CommitMessage>& messages) {
  for (ClusteringUnit& unit : units) BRAID_TRY(sorter.Sort(std::move(unit), messages.emplace_back()));
  return Ok();
}

}  // namespace

Result<std::vector<ClusteringUnit>> PlanClustering(const Table& table, const Snapshot& snapshot, bool full,
                                                   const PredicatePtr& filter, const Clock& clock) {
  BRAID_TRY_ASSIGN(const ClusteringOptions options, ClusteringOptions::FromOptions(table.options()));
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  BRAID_TRY_ASSIGN(const RunPicker picker, RunPicker::Make(table, clock));
  std::vector<ClusteringUnit> units;
  const auto pick = [&](const LiveFilesOfBuckets::key_type& key, const std::vector<DataFileMeta>& files, bool all) -> Status {
    BRAID_TRY_ASSIGN(std::optional<CompactUnit> picked, picker.Pick(files, all));
    if (picked) units.push_back({key.first, key.second, *std::move(picked)});
    return Ok();
  };
  BRAID_TRY_ASSIGN(const LiveFilesOfBuckets chosen, ReadLiveFiles(table, snapshot, filter));
  for (const auto& [key, files] : chosen) BRAID_TRY(pick(key, files, full));
  if (filter == nullptr || !options.history_idle || buckets != -1) return units;
  BRAID_TRY_ASSIGN(LiveFilesOfBuckets others, ReadLiveFiles(table, snapshot, nullptr));
  std::erase_if(others, [&](const auto& bucket) { return chosen.contains(bucket.first); });
  for (const auto& bucket : IdleBuckets(others, options, picker.max_level(), clock.NowMs())) {
    BRAID_TRY(pick(bucket->first, bucket->second, true));
  }
  return units;
}

Result<std::vector<CommitMessage>> ClusterFiles(const Table& table, const Snapshot& snapshot, bool full,
                                                const PredicatePtr& filter, const std::string& commit_user,
                                                const Clock& clock) {
  BRAID_TRY_ASSIGN(std::vector<ClusteringUnit> units, PlanClustering(table, snapshot, full, filter, clock));
  std::vector<CommitMessage> messages;
  if (units.empty()) return messages;
  BRAID_TRY_ASSIGN(UnitSorter sorter, UnitSorter::Make(table, snapshot));
  if (const Status sorted = SortUnits(sorter, std::move(units), messages); !sorted) {
    static_cast<void>(TableCommit(table, commit_user, clock).Abort(messages));  // what cannot be deleted is an orphan
    return sorted.error();
  }
  return messages;
}

}  // namespace braid
