#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/options.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "mergetree/bucket_deletions.h"
#include "mergetree/compaction_picker.h"
#include "mergetree/key_value.h"
#include "mergetree/key_value_file.h"
#include "mergetree/levels.h"
#include "mergetree/sort_buffer.h"
#include "meta/manifest.h"
#include "types/batch.h"

namespace braid {

/// What one bucket's writer did since the last PrepareCommit (spec data.md §3.4).
struct BucketChanges {
  std::vector<DataFileMeta> new_files;
  std::vector<DataFileMeta> changelog_files;
  std::vector<DataFileMeta> compact_before;
  std::vector<DataFileMeta> compact_after;
  std::vector<DataFileMeta> compact_changelog_files;
  /// The bucket's deletion vectors after the compactions; nullopt: as they were before.
  std::optional<BucketDeletions> deletions = std::nullopt;

  bool empty() const;
  friend bool operator==(const BucketChanges&, const BucketChanges&) = default;
};

struct MergeTreeWriterConfig {
  KeyValueSchema schema;            ///< of all the table's columns
  Options options;                  ///< the table's
  std::vector<DataFileMeta> files;  ///< of the bucket in the snapshot that the writer starts from
  BucketDeletions deletions = {};   ///< deletion vectors of those files
  std::shared_ptr<KeyValueReaderFactory> readers;
  std::shared_ptr<KeyValueWriterFactory> writers;
  std::string spill_directory;  ///< local; empty: no spilling
  /// Compactions run on this pool; null: on the caller's thread. Must outlive the writer.
  ThreadPool* compaction_pool = nullptr;
  /// What compactions take their memory from; they wait for it. Null: there is no bound. Must outlive the writer.
  MemoryBudget* compaction_memory = nullptr;
  const Clock* clock = &SystemClock();
};

/// Writes one bucket: buffers rows, flushes them to level 0, compacts (spec data.md §3). One thread at a time.
/// Destroying it waits for its compaction and deletes the files that no PrepareCommit has returned.
class MergeTreeWriter {
 public:
  /// Errors: kInvalidArgument for options that cannot be followed; kUnsupported for what a merge engine lacks;
  /// kCorruption.
  static Result<std::unique_ptr<MergeTreeWriter>> Make(MergeTreeWriterConfig config);
  virtual ~MergeTreeWriter() = default;

  /// Adds rows of the table's columns with their kinds, after dropping those that `ignore-delete` and
  /// `ignore-update-before` say; flushes or spills when the buffer is full.
  virtual Status Write(const Batch& values) = 0;

  /// Bytes of rows in memory. Who has many writers under one bound calls ReleaseMemory on the largest (§3.2).
  virtual std::int64_t memory_bytes() const = 0;
  /// Spills, or flushes if that is not possible.
  virtual Status ReleaseMemory() = 0;

  /// Flushes, and starts a compaction if one is due; `full`: of everything to the top level. Does not wait for it.
  virtual Status Compact(bool full) = 0;

  /// Flushes and returns what to commit. `wait_compaction`: also what the compaction that is due will have done; in
  /// tables with lookup compaction (spec data.md §3.9) always, and until level 0 is empty, unless `lookup-wait` is
  /// false. The writer can go on afterwards.
  virtual Result<BucketChanges> PrepareCommit(bool wait_compaction) = 0;

  /// Whether a compaction runs or its result has not been returned.
  virtual bool is_compacting() const = 0;
  virtual std::int64_t max_sequence_number() const = 0;
  /// All files of the bucket as this writer sees it.
  virtual std::vector<DataFileMeta> Files() const = 0;
};

}  // namespace braid
