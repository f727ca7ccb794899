#include "table/sorted_compaction.h"

#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/commit.h"
#include "table/conflict_check.h"
#include "table/deletion_vectors.h"
#include "table/file_scan.h"
#include "table/file_sorter.h"
#include "table/kept_rows.h"
#include "table/partitions.h"
#include "table/row_tracking.h"

namespace braid {

namespace {

constexpr BucketId kOnlyBucket{0};

Status CheckSortable(const Table& table) {
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  const char* reason = table.schema().has_primary_key() ? "it has a primary key, which its files are sorted by"
                       : buckets != -1                  ? "it has buckets, whose rows keep their order"
                       : evolves                        ? "it has 'data-evolution.enabled'='true'"
                                                        : nullptr;
  if (reason != nullptr) {
    return Error(ErrorCode::kUnsupported, fmt::format("the rows of {} cannot be sorted: {}", table.name(), reason))
        .Hint("only append tables with 'bucket'='-1' can; leave the order out to compact it");
  }
  return Ok();
}

// The files of one snapshot that are to be sorted, by partition.
struct Unsorted {
  std::optional<Snapshot> snapshot;
  std::map<BinaryRow, CommitMessage> partitions;  // deleting the files

  static Result<Unsorted> Find(const Table& table, const PredicatePtr& filter) {
    Unsorted unsorted;
    BRAID_TRY_ASSIGN(unsorted.snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
    if (!unsorted.snapshot) return unsorted;
    BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, ScanScope{.filter = filter}));
    BRAID_TRY_ASSIGN(std::vector<ManifestEntry> live, scan->LiveFiles(*unsorted.snapshot));
    for (ManifestEntry& entry : live) {
      CommitMessage& message = unsorted.partitions[entry.partition];
      message.partition = entry.partition;
      message.bucket = entry.bucket;
      message.total_buckets = entry.total_buckets;
      message.deleted_files.push_back(std::move(entry.file));
    }
    return unsorted;
  }

  Result<std::vector<SortedPartition>> Describe(const Table& table) const {
    const std::vector<DataType> types = PartitionTypes(table.layout());
    std::vector<SortedPartition> described;
    for (const auto& [partition, message] : partitions) {
      BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(types));
      SortedPartition& of = described.emplace_back();
      of.name = table.layout().PartitionPath(values);
      of.file_count = static_cast<std::int64_t>(message.deleted_files.size());
      for (const DataFileMeta& file : message.deleted_files) {
        of.row_count += file.row_count;
        of.bytes += file.file_size;
      }
    }
    return described;
  }
};

// Tells about every so many rows.
class RowCounter {
 public:
  RowCounter(const UpkeepProgress& progress, std::int64_t total) : progress_(progress), total_(total) {}

  void Add(std::int64_t rows) {
    done_ += rows;
    if (!progress_ || done_ < next_) return;
    next_ = done_ + kEvery;
    progress_("rows sorted", done_, total_);
  }
  void Finish() {
    if (progress_) progress_("rows sorted", total_, total_);
  }

 private:
  static constexpr std::int64_t kEvery = 100'000;

  const UpkeepProgress& progress_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  std::int64_t next_ = kEvery;
};

// Sorts the partitions of one snapshot, one after the other.
class PartitionSorter {
 public:
  static Result<PartitionSorter> Make(const Table& table, const Snapshot& snapshot, FileSorter& files,
                                      RowCounter& counter) {
    PartitionSorter sorter(table, snapshot, files, counter);
    BRAID_TRY_ASSIGN(sorter.deletions_, DeletionVectorIndex::Read(table, snapshot));
    return sorter;
  }

  // Adds the new files to what takes the old ones away.
  Status Sort(CommitMessage& message) {
    BRAID_TRY_ASSIGN(message.new_files, files_.Sort(message.partition, kOnlyBucket, message.deleted_files, deletions_,
                                                    [this](std::int64_t rows) { counter_.Add(rows); }));
    BRAID_TRY_ASSIGN(DroppedVectors dropped,
                     DropDeletionVectors(table_, snapshot_, deletions_, message, message.deleted_files, names_));
    message.new_index_files = std::move(dropped.indexes.added);
    message.deleted_index_files = std::move(dropped.indexes.removed);
    return Ok();
  }

 private:
  PartitionSorter(const Table& table, const Snapshot& snapshot, FileSorter& files, RowCounter& counter)
      : table_(table), snapshot_(snapshot), files_(files), counter_(counter) {}

  const Table& table_;
  const Snapshot& snapshot_;
  FileSorter& files_;
  RowCounter& counter_;
  DeletionVectorIndex deletions_;
  MetadataFileNames names_;
};

// Sorts what there is and commits it once.
class SortingCommit {
 public:
  SortingCommit(const Table& table, FileSorter& files, const UpkeepProgress& progress, const std::string& commit_user,
                const Clock& clock)
      : table_(table),
        files_(files),
        progress_(progress),
        commit_user_(commit_user),
        commit_(table, commit_user, clock) {}

  Result<SnapshotId> Run(Unsorted unsorted, const std::vector<SortedPartition>& described, std::int64_t& new_files) {
    Committable committable;
    committable.properties.emplace(kKeptRowsProperty, commit_user_);
    const Status sorted = SortAll(std::move(unsorted), described, committable.messages);
    if (!sorted) {
      static_cast<void>(commit_.Abort(committable.messages));  // what cannot be deleted is an orphan
      return sorted.error();
    }
    const auto snapshots = commit_.Commit(committable);
    if (!snapshots) {
      if (snapshots.error().code() == ErrorCode::kCommitUnknown) return snapshots.error();
      static_cast<void>(commit_.Abort(committable.messages));
      return snapshots.error();
    }
    new_files = 0;
    for (const CommitMessage& message : committable.messages) new_files += std::ssize(message.new_files);
    return snapshots->back().id;
  }

 private:
  Status SortAll(Unsorted unsorted, const std::vector<SortedPartition>& described,
                 std::vector<CommitMessage>& messages) {
    std::int64_t total = 0;
    for (const SortedPartition& partition : described) total += partition.row_count;
    RowCounter counter(progress_, total);
    BRAID_TRY_ASSIGN(PartitionSorter sorter,
                     PartitionSorter::Make(table_, *unsorted.snapshot, files_, counter));
    std::size_t number = 0;
    for (auto& [partition, message] : unsorted.partitions) {
      BRAID_TRY(sorter.Sort(messages.emplace_back(std::move(message)))
                    .Context(fmt::format("while sorting {} {}", table_.name(), described[number].name)));
      ++number;
    }
    counter.Finish();
    return Ok();
  }

  const Table& table_;
  FileSorter& files_;
  const UpkeepProgress& progress_;
  const std::string& commit_user_;
  TableCommit commit_;
};

}  // namespace

Result<SortedCompaction> CompactSorted(const Table& table, const SortedCompactionRequest& request,
                                       const std::string& commit_user, const Clock& clock) {
  BRAID_TRY(CheckSortable(table));
  BRAID_TRY_ASSIGN(const std::int64_t max_retries, table.options().GetInt("commit.max-retries", 10));
  BRAID_TRY_ASSIGN(FileSorter files, FileSorter::Make(table, request.columns, request.strategy, FileSource::kAppend,
                                                      request.spill_directory));
  SortedCompaction compaction;
  for (std::int64_t attempt = 0;; ++attempt) {
    BRAID_TRY_ASSIGN(Unsorted unsorted, Unsorted::Find(table, request.partitions));
    BRAID_TRY_ASSIGN(compaction.partitions, unsorted.Describe(table));
    if (compaction.partitions.empty() || request.dry_run) return compaction;
    SortingCommit commit(table, files, request.progress, commit_user, clock);
    const Result<SnapshotId> snapshot =
        commit.Run(std::move(unsorted), compaction.partitions, compaction.new_file_count);
    if (snapshot) {
      compaction.snapshot = *snapshot;
      return compaction;
    }
    if (!LostFiles(snapshot.error()) || attempt >= max_retries) return snapshot.error();
  }
}

}  // namespace braid
