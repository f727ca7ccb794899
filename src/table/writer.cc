// TableWriter: routes rows to one writer a bucket and turns what they wrote into commit messages.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/memory_budget.h"
#include "base/thread_pool.h"
#include "io/temporary_directory.h"
#include "meta/stores.h"
#include "table/bucket_writer.h"
#include "table/clustering_options.h"
#include "table/default_values.h"
#include "table/deletion_vectors.h"
#include "table/file_scan.h"
#include "table/partitions.h"
#include "table/row_kind_column.h"
#include "table/row_router.h"
#include "table/row_sorter.h"
#include "table/writable.h"
#include "table/write.h"
#include "types/buffer_pool.h"

namespace braid {

namespace {

using BucketKey = std::pair<BinaryRow, BucketId>;

constexpr std::int64_t kMuchBytes = std::int64_t{32} << 20;  // for an allocator to keep

// A folder for spilled rows; one of the writer's own goes with it.
class SpillDirectory {
 public:
  static Result<SpillDirectory> Make(std::string wanted) {
    if (!wanted.empty()) return SpillDirectory(std::move(wanted), std::nullopt);
    BRAID_TRY_ASSIGN(TemporaryDirectory made, TemporaryDirectory::Make());
    std::string path = made.path();
    return SpillDirectory(std::move(path), std::move(made));
  }
  const std::string& path() const { return path_; }

 private:
  SpillDirectory(std::string path, std::optional<TemporaryDirectory> own) : path_(std::move(path)), own_(std::move(own)) {}
  std::string path_;
  std::optional<TemporaryDirectory> own_;
};

// Options of a table that this file follows.
struct WriterSettings {
  std::int64_t buffer_bytes = 0;       // `write-buffer-size`
  bool deletion_vectors = false;       // of a key table: kept by its compactions
  std::int64_t full_compaction_every = 0;  // commits; 0: never

  static Result<WriterSettings> FromOptions(const Table& table, const TableWriterOptions& writer_options) {
    const Options& options = table.options();
    WriterSettings settings;
    BRAID_TRY_ASSIGN(settings.buffer_bytes, options.GetMemorySize("write-buffer-size", std::int64_t{256} << 20));
    if (!table.schema().has_primary_key()) return settings;
    BRAID_TRY_ASSIGN(settings.deletion_vectors, options.GetBool("deletion-vectors.enabled", false));
    BRAID_TRY_ASSIGN(const bool skip_compaction, options.GetBool("write.compaction-skip", false));
    BRAID_TRY_ASSIGN(const bool write_only, options.GetBool("write-only", skip_compaction));
    if (write_only || !writer_options.compacts_fully_when_due) return settings;
    const bool needs_full = options.Get("changelog-producer", "none") == "full-compaction";
    BRAID_TRY_ASSIGN(settings.full_compaction_every, options.GetInt("full-compaction.delta-commits", needs_full ? 1 : 0));
    return settings;
  }

  // Whether the commit of this identifier ends with full compactions (spec data.md §3.8).
  bool IsFullCompactionDue(std::int64_t identifier) const {
    if (full_compaction_every <= 0) return false;
    return identifier == kBatchCommitIdentifier || identifier % full_compaction_every == 0;
  }
};

// A bucket's writer and what it needs at the commit.
struct OpenBucket {
  std::unique_ptr<BucketWriter> writer;
  std::optional<std::string> deletion_index;  // the bucket's index file of deletion vectors
  bool changed = false;                       // since its last full compaction
  std::set<std::string> files{};              // that its compactions look keys up in
};

class DataTableWriter : public TableWriter {
 public:
  DataTableWriter(const Table& table, TableWriterOptions options, std::optional<Snapshot> snapshot,
                  std::unique_ptr<RowRouter> router, SpillDirectory spill, WriterSettings settings,
                  DefaultValues defaults, std::unique_ptr<RowSorter> sorter)
      : table_(table),
        options_(std::move(options)),
        snapshot_(std::move(snapshot)),
        spill_(std::move(spill)),
        router_(std::move(router)),
        settings_(settings),
        compaction_memory_(settings.buffer_bytes / 2),
        defaults_(std::move(defaults)),
        sorter_(std::move(sorter)),
        row_kind_column_(RowKindColumn(table)) {}

  Status Write(const Batch& batch) override {
    if (options_.rows_were_written) return WriteRows(batch);
    BRAID_TRY(CheckNotNull(batch));
    BRAID_TRY_ASSIGN(Batch rows, defaults_.Fill(batch));
    if (row_kind_column_ && rows.row_count() > 0) {
      BRAID_TRY_ASSIGN(rows, TakeKindsFromColumn(rows, *row_kind_column_, table_));
    }
    // Rows of other kinds than insertions are refused where they are written.
    return sorter_ == nullptr || rows.kinds != nullptr ? WriteRows(rows) : sorter_->Add(rows);
  }

  Result<std::vector<CommitMessage>> PrepareCommit(bool wait_compaction, std::int64_t identifier) override {
    if (sorter_ != nullptr) {
      BRAID_TRY(WriteSorted());
      sorter_->Clear();
    }
    const bool frees_much = WaitingBytes() >= kMuchBytes;
    Prepared prepared = Prepare(wait_compaction, settings_.IsFullCompactionDue(identifier));
    if (frees_much) ReleaseFreedMemory();  // rows that this thread brought and another one flushed
    if (prepared.status) return std::move(prepared.messages);
    // Buckets that did not fail have handed over files that nobody will commit. What cannot be deleted is an orphan.
    static_cast<void>(TableCommit(table_, options_.commit_user).Abort(prepared.messages));
    return std::move(prepared.status).error();
  }

  void CommittedUpTo(const Snapshot& snapshot) override { router_->CommittedUpTo(snapshot); }

  Status Compact(const BinaryRow& partition, BucketId bucket, bool full) override {
    BRAID_TRY_ASSIGN(OpenBucket * open, Open({partition, bucket}));
    return open->writer->Compact(full);
  }

 private:
  // All that was written, also if something failed.
  struct Prepared {
    std::vector<CommitMessage> messages;
    Status status;
  };

  // `full`: after a full compaction of what changed.
  Prepared Prepare(bool wait_compaction, bool full) {
    std::vector<BucketChanges> changes_of_buckets(buckets_.size());
    Prepared prepared{.messages = {}, .status = PrepareBuckets(wait_compaction, full, changes_of_buckets)};
    auto next = changes_of_buckets.begin();
    for (auto& [key, bucket] : buckets_) {
      BucketChanges& changes = *next++;
      if (changes.empty()) continue;
      std::optional<BucketDeletions> deletions = std::move(changes.deletions);
      CommitMessage& message = AddFiles(std::move(changes), key, prepared.messages);
      if (prepared.status) prepared.status = AddDeletions(deletions, key, bucket, message);
    }
    if (prepared.status) prepared.status = AddIndexes(prepared.messages);
    return prepared;
  }

  // Fills in what every bucket has to commit, in the order of buckets_. Sorting and encoding what the buckets hold is most
  // of the work of writing, so it is done for several of them at once.
  Status PrepareBuckets(bool wait_compaction, bool full, std::vector<BucketChanges>& changes) {
    std::vector<OpenBucket*> buckets;
    for (auto& [key, bucket] : buckets_) buckets.push_back(&bucket);
    const auto prepare = [&](std::int64_t index) -> Status {
      const auto at = static_cast<std::size_t>(index);
      const bool compacts = full && std::exchange(buckets[at]->changed, false);
      if (compacts) BRAID_TRY(buckets[at]->writer->Compact(true));
      BRAID_TRY_ASSIGN(changes[at], buckets[at]->writer->PrepareCommit(wait_compaction || compacts));
      return Ok();
    };
    if (buckets.size() > 1 && bucket_pool_ == nullptr) {
      bucket_pool_ = std::make_unique<ThreadPool>(std::max(1, CpuPool().thread_count() - 1));
    }
    if (bucket_pool_ == nullptr) return buckets.empty() ? Ok() : prepare(0);
    return ParallelFor(*bucket_pool_, static_cast<std::int64_t>(buckets.size()), prepare);
  }

  Status WriteRows(const Batch& batch) {
    BRAID_TRY_ASSIGN(std::vector<RoutedRows> parts, router_->Route(batch));
    for (const RoutedRows& part : parts) {
      BRAID_TRY_ASSIGN(OpenBucket * bucket, Open({part.partition, part.bucket}));
      bucket->changed = true;
      BRAID_TRY(bucket->writer->Write(part.rows));
    }
    return StayWithinBuffer();
  }

  Status WriteSorted() {
    BRAID_TRY_ASSIGN(const auto sorted, sorter_->Sorted());
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, sorted->Next());
      if (!batch) break;
      BRAID_TRY(WriteRows(*batch));
    }
    return Ok();
  }

  CommitMessage& AddFiles(BucketChanges changes, const BucketKey& key, std::vector<CommitMessage>& messages) const {
    CommitMessage& message = MessageOf(messages, key);
    message.new_files = std::move(changes.new_files);
    message.changelog_files = std::move(changes.changelog_files);
    message.compact_before = std::move(changes.compact_before);
    message.compact_after = std::move(changes.compact_after);
    message.compact_changelog_files = std::move(changes.compact_changelog_files);
    return message;
  }

  Status AddDeletions(const std::optional<BucketDeletions>& deletions, const BucketKey& key, OpenBucket& bucket,
                      CommitMessage& message) {
    if (!settings_.deletion_vectors || (message.compact_before.empty() && !deletions)) return Ok();
    message.compact_deletion_base = DeletionVectorBase{key.first, key.second, bucket.deletion_index, bucket.files};
    for (const DataFileMeta& file : message.compact_after) bucket.files.insert(file.file_name);
    if (!deletions) return Ok();
    BRAID_TRY_ASSIGN(IndexManifestEntry index, WriteDeletionVectors(table_, key.first, key.second, *deletions, names_));
    bucket.deletion_index = index.file_name;
    message.compact_new_index_files.push_back(std::move(index));
    return Ok();
  }

  Status AddIndexes(std::vector<CommitMessage>& messages) {
    BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> indexes, router_->WriteChangedIndexes(names_));
    for (IndexManifestEntry& index : indexes)
      MessageOf(messages, {index.partition, index.bucket}).new_index_files.push_back(std::move(index));
    router_->AddBases(messages);
    return Ok();
  }

  CommitMessage& MessageOf(std::vector<CommitMessage>& messages, const BucketKey& key) const {
    for (CommitMessage& message : messages) {
      if (message.partition == key.first && message.bucket == key.second) return message;
    }
    CommitMessage& message = messages.emplace_back();
    message.partition = key.first;
    message.bucket = key.second;
    message.total_buckets = router_->total_buckets();
    return message;
  }

  Status CheckNotNull(const Batch& batch) const {
    for (std::size_t i = 0; i < table_.schema().fields.size(); ++i) {
      const DataField& field = table_.schema().fields[i];
      if (!field.type.nullable() && batch.rows->column(static_cast<int>(i))->null_count() > 0) {
        return Error(ErrorCode::kInvalidArgument, fmt::format("column '{}' of {} is NOT NULL, but a row has NULL there", field.name, table_.name()));
      }
    }
    return Ok();
  }

  Result<OpenBucket*> Open(const BucketKey& key) {
    if (const auto it = buckets_.find(key); it != buckets_.end()) return &it->second;
    BucketWriterConfig config{.table = table_,
                              .partition = key.first,
                              .bucket = key.second,
                              .files = {},
                              .deletions = {},
                              .spill_directory = spill_.path(),
                              .commit_user = options_.commit_user,
                              .compaction_memory = &compaction_memory_,
                              .rows_are_known = options_.rows_are_known};
    BRAID_TRY_ASSIGN(config.files, ExistingFiles(key));
    OpenBucket bucket;
    if (settings_.deletion_vectors && snapshot_) {
      if (!deletions_) {
        BRAID_TRY_ASSIGN(deletions_, DeletionVectorIndex::Read(table_, *snapshot_));
      }
      BRAID_TRY_ASSIGN(config.deletions, deletions_->ReadBucket(table_.file_system(), key.first, key.second));
      bucket.deletion_index = deletions_->IndexFileOf(key.first, key.second);
      for (const DataFileMeta& file : config.files) bucket.files.insert(file.file_name);
    }
    BRAID_TRY_ASSIGN(bucket.writer, MakeBucketWriter(std::move(config)));
    return &buckets_.emplace(key, std::move(bucket)).first->second;
  }

  static Result<std::unique_ptr<BucketWriter>> MakeBucketWriter(BucketWriterConfig config) {
    if (!config.table.schema().has_primary_key()) return MakeAppendBucketWriter(std::move(config));
    if (config.bucket.value() < 0) return MakePostponedBucketWriter(std::move(config));
    return MakeKeyBucketWriter(std::move(config));
  }

  // Files that the bucket holds in the snapshot that this writer starts from. Rows of unaware buckets need none.
  Result<std::vector<DataFileMeta>> ExistingFiles(const BucketKey& key) {
    const bool unaware = !table_.schema().has_primary_key() && router_->total_buckets() == -1;
    if (!snapshot_ || unaware || key.second.value() < 0) return std::vector<DataFileMeta>();
    if (!existing_) {
      BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table_, nullptr));
      BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, scan->LiveFiles(*snapshot_));
      existing_.emplace();
      for (ManifestEntry& entry : entries) {
        if (entry.total_buckets > 0) partition_buckets_.emplace(entry.partition, entry.total_buckets);
        (*existing_)[{entry.partition, entry.bucket}].push_back(std::move(entry.file));
      }
    }
    // Also where this very bucket has no file yet: rows of a partition must not go by two numbers of buckets.
    if (const auto counted = partition_buckets_.find(key.first); counted != partition_buckets_.end() && counted->second != router_->total_buckets()) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("a partition of {} has {} buckets, but option 'bucket' is {} now", table_.name(),
                                                            counted->second, router_->total_buckets()))
          .Hint("`braid table rescale`, CALL sys.rescale or INSERT OVERWRITE rewrites it");
    }
    const auto found = existing_->find(key);
    if (found == existing_->end()) return std::vector<DataFileMeta>();
    std::vector<DataFileMeta> files = std::move(found->second);
    existing_->erase(found);
    return files;
  }

  // Of rows that wait in memory.
  std::int64_t WaitingBytes() const {
    std::int64_t bytes = 0;
    for (const auto& [key, bucket] : buckets_) bytes += bucket.writer->memory_bytes();
    return bytes;
  }

  Status StayWithinBuffer() {
    const auto used_by = [](const auto& item) { return item.second.writer->memory_bytes(); };
    std::int64_t used = WaitingBytes();
    // Sorting and writing what waits takes memory, too.
    const std::int64_t kept = std::max(compaction_memory_.used_bytes(), settings_.buffer_bytes / 8);
    const std::int64_t allowed = std::max(settings_.buffer_bytes / 2, settings_.buffer_bytes - kept);
    while (used > allowed) {
      const auto largest = std::max_element(buckets_.begin(), buckets_.end(), [&](const auto& a, const auto& b) { return used_by(a) < used_by(b); });
      const std::int64_t before = used_by(*largest);
      BRAID_TRY(largest->second.writer->ReleaseMemory());
      const std::int64_t freed = before - used_by(*largest);
      if (freed <= 0) break;
      used -= freed;
    }
    return Ok();
  }

  Table table_;
  TableWriterOptions options_;
  std::optional<Snapshot> snapshot_;
  SpillDirectory spill_;  // outlives the router and the writers
  std::unique_ptr<RowRouter> router_;
  WriterSettings settings_;
  // Compactions take up to half of the buffer's bytes, and rows wait in what they leave. Outlives the writers.
  MemoryBudget compaction_memory_;
  DefaultValues defaults_;
  std::unique_ptr<RowSorter> sorter_;  // where rows wait to be sorted; null: they do not
  std::optional<std::size_t> row_kind_column_;
  MetadataFileNames names_;
  std::optional<std::map<BucketKey, std::vector<DataFileMeta>>> existing_;
  std::map<BinaryRow, std::int32_t> partition_buckets_;  // that the files of a partition were written with
  std::optional<DeletionVectorIndex> deletions_;         // of the snapshot, once asked for
  std::map<BucketKey, OpenBucket> buckets_;
  // Threads beside the caller's that work on buckets. Not the CPU pool's: they wait for compactions that run there.
  std::unique_ptr<ThreadPool> bucket_pool_;
};

// Null if the rows are written as they come.
Result<std::unique_ptr<RowSorter>> SorterOf(const Table& table, const std::string& spill_directory) {
  BRAID_TRY_ASSIGN(const std::optional<ClusteringOptions> clustering, ClusteringOfWrites(table));
  if (!clustering) return std::unique_ptr<RowSorter>();
  BRAID_TRY(CheckSortColumns(table, clustering->columns).Context("in option 'clustering.columns'"));
  return RowSorter::Make(table.schema().fields, clustering->columns, clustering->strategy, table.options(), spill_directory);
}

}  // namespace

Result<std::string> BucketDirectory(const Table& table, const BinaryRow& partition, BucketId bucket) {
  BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(PartitionTypes(table.layout())));
  return JoinPath(table.paths().root(), table.layout().BucketDirectory(values, bucket));
}

Result<std::shared_ptr<NewFilePlaces>> PlacesOf(const Table& table, const BinaryRow& partition, BucketId bucket) {
  BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(PartitionTypes(table.layout())));
  return NewFilePlaces::Make(table.options(), table.paths().root(), table.layout().BucketDirectory(values, bucket));
}

Result<std::unique_ptr<TableWriter>> TableWriter::Make(const Table& wanted, TableWriterOptions options) {
  BRAID_TRY(CheckWritable(wanted));
  // The snapshot of an overwrite names no changelog, as in Java, so none is written from the rows.
  const bool writes_for_nobody =
      options.ignore_previous_files && wanted.options().Get("changelog-producer", "") == "input";
  BRAID_TRY_ASSIGN(const Table table,
                   writes_for_nobody ? wanted.With(Options(Options::Map{{"changelog-producer", "none"}})) : wanted);
  std::optional<Snapshot> snapshot;
  if (options.snapshot) {
    snapshot = options.snapshot;
  } else if (!options.ignore_previous_files) {
    BRAID_TRY_ASSIGN(snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  }
  BRAID_TRY_ASSIGN(SpillDirectory spill, SpillDirectory::Make(options.spill_directory));
  BRAID_TRY_ASSIGN(auto router, RowRouter::Make(table, snapshot, spill.path(), options.share));
  BRAID_TRY_ASSIGN(DefaultValues defaults, DefaultValues::Make(table.schema().fields));
  BRAID_TRY_ASSIGN(const WriterSettings settings, WriterSettings::FromOptions(table, options));
  std::unique_ptr<RowSorter> sorter;
  if (options.sorts_rows) {
    BRAID_TRY_ASSIGN(sorter, SorterOf(table, spill.path()));
  }
  return std::unique_ptr<TableWriter>(
      std::make_unique<DataTableWriter>(table, std::move(options), std::move(snapshot), std::move(router), std::move(spill), settings,
                                        std::move(defaults), std::move(sorter)));
}

}  // namespace braid
