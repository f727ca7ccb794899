#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "meta/snapshot.h"
#include "table/bucket_assigners.h"
#include "table/commit.h"
#include "table/table.h"
#include "types/batch.h"
#include "types/predicate.h"

namespace braid {

struct TableWriterOptions {
  std::string commit_user;
  std::string spill_directory;          ///< local folder for spilled sort buffers; empty: a temporary folder of the process
  /// Pretend that the table is empty (INSERT OVERWRITE: new files must not take part in compactions with old ones).
  bool ignore_previous_files = false;
  /// Compact buckets fully at every so many-th commit, as `full-compaction.delta-commits` and changelog producer
  /// full-compaction ask (spec data.md §3.8); else only Compact does.
  bool compacts_fully_when_due = true;
  /// The rows are ones that the table has had before: if it tracks rows, they come with two columns more, RowIdField
  /// and RowSequenceField, the latter NULL where the row was changed.
  bool rows_are_known = false;
  /// The rows come out of data files of the table: they have their kinds, whatever `rowkind.field` says, and NULL where
  /// it is meant.
  bool rows_were_written = false;
  /// Rows wait for PrepareCommit and are sorted then, where ClusteringOfWrites says so: those of a batch statement. Errors
  /// about them come as late.
  bool sorts_rows = false;
  /// What to go on from; nullopt: the newest snapshot.
  std::optional<Snapshot> snapshot = std::nullopt;
  /// In tables with dynamic buckets: this is one of several writers at the same time, whose new keys go to other
  /// buckets than theirs. It gets the rows that WriterOf gives it. nullopt: it gets any row. Without a share others may
  /// write at the same time too, but a key new to both may have to be written twice (see TableCommit::Commit).
  std::optional<AssignerShare> share = std::nullopt;
};

/// The number of the writer, of `writers` in all, that each row of a batch belongs to in tables with dynamic buckets,
/// as Java's jobs share rows out (spec data.md §9.2). Columns are the table's. Errors: kInvalidArgument for other
/// tables.
Result<std::vector<std::int32_t>> WriterOf(const Table& table, const Batch& batch, std::int32_t writers);

/// Turns rows into data files of their partitions and buckets (spec data.md §3, §8, §9). One thread at a time.
/// Destroying it without PrepareCommit leaves no visible change; files already written are deleted.
class TableWriter {
 public:
  /// Errors: kUnsupported if the table has a feature that this version must not write, naming it.
  static Result<std::unique_ptr<TableWriter>> Make(const Table& table, TableWriterOptions options);
  virtual ~TableWriter() = default;

  /// Adds rows: all columns of the table in schema order, already of their types (casting is the caller's). Errors:
  /// kInvalidArgument for NULL in a NOT NULL column, or a retraction in an append table.
  virtual Status Write(const Batch& batch) = 0;

  /// Flushes everything and ends the checkpoint: what to commit. `wait_compaction`: finish compactions that were due.
  /// The writer can go on afterwards, unless somebody else committed before this was: then a new one is needed, since rows
  /// may have been written again and files be gone that this one knows.
  virtual Result<std::vector<CommitMessage>> PrepareCommit(bool wait_compaction, std::int64_t identifier) = 0;

  /// Tells that all that PrepareCommit returned is committed, that this is the newest snapshot, and that nobody else has made
  /// any since the writer was made: what it knows is what is there. To be called before a writer goes on; without it a
  /// commit takes the rows for misplaced once the snapshot that the writer began with has expired.
  virtual void CommittedUpTo(const Snapshot& snapshot) = 0;

  /// Compacts a bucket, or all buckets of a partition that this writer knows; the result comes with the next PrepareCommit.
  virtual Status Compact(const BinaryRow& partition, BucketId bucket, bool full) = 0;
};

/// Compacts a table in a commit of its own: `full` merges everything to the top level; otherwise what universal compaction (or
/// Java's coordinator for unaware buckets) would pick. Tables that ClustersIncrementally names are sorted as PlanClustering
/// says. `filter` chooses partitions; may be null. Begins again when others have compacted or deleted its files
/// meanwhile. Returns the snapshots made.
Result<std::vector<Snapshot>> CompactTable(const Table& table, bool full, const PredicatePtr& partition_filter,
                                           const std::string& commit_user, const Clock& clock = SystemClock());

}  // namespace braid
