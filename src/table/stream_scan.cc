// Streaming reads: the first plan, then the changes of one snapshot after the other (spec data.md §10.2).

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "table/deletion_vectors.h"
#include "table/file_scan.h"
#include "table/kept_rows.h"
#include "table/lines.h"
#include "table/scan.h"
#include "table/split_generator.h"
#include "table/time_travel.h"

namespace braid {

namespace {

// Where a stream begins: a snapshot to read whole, if any, and the one whose changes come next.
struct Start {
  std::optional<Snapshot> full;
  SnapshotId next;
};

class DataStreamScan : public StreamScan {
 public:
  DataStreamScan(const Table& table, ScanScope scope, std::unique_ptr<FileScan> scan, StartupMode mode,
                 std::optional<std::int64_t> bounded_watermark, bool read_overwrite)
      : opened_(table), table_(table), scope_(std::move(scope)), scan_(std::move(scan)), mode_(mode),
        producer_(ToLower(table_.options().Get("changelog-producer", "none"))), bounded_watermark_(bounded_watermark),
        reads_overwrite_(read_overwrite) {}

  Result<std::optional<Plan>> Next() override {
    if (ended_) return std::optional<Plan>();
    if (!started_) {
      BRAID_TRY_ASSIGN(const std::optional<Start> start, FindStart());
      if (!start) return std::optional<Plan>();  // the table has no snapshot yet
      started_ = true;
      next_ = start->next;
      if (start->full) {
        ended_ = PassesBound(*start->full);
        return PlanFull(*start->full);
      }
    }
    return PlanNext();
  }

  SnapshotId next_snapshot() const override { return next_; }
  bool ended() const override { return ended_; }

 private:
  const FileSystem& fs() const { return table_.file_system(); }
  const TablePaths& paths() const { return table_.paths(); }

  bool PassesBound(const Snapshot& snapshot) const {
    return bounded_watermark_ && snapshot.watermark && *snapshot.watermark > *bounded_watermark_;
  }

  Result<std::optional<Start>> FindStart() {
    BRAID_TRY_ASSIGN(const std::optional<Start> by_consumer, StartOfConsumer());
    if (by_consumer) return by_consumer;
    BRAID_TRY_ASSIGN(const auto earliest, FindEarliestSnapshot(fs(), paths()));
    BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(fs(), paths()));
    switch (mode_) {
      case StartupMode::kLatest: return std::optional(Start{{}, latest ? latest->next() : SnapshotId(1)});
      case StartupMode::kFromTimestamp: {
        if (!earliest) return std::optional<Start>();
        BRAID_TRY_ASSIGN(const std::int64_t time_ms, ScanTimestamp(table_.options()));
        BRAID_TRY_ASSIGN(const auto before, SnapshotAtOrBefore(fs(), paths(), time_ms - 1));
        return std::optional(Start{{}, before ? before->id.next() : *earliest});
      }
      case StartupMode::kFromSnapshot: return StartFromSnapshot(earliest);
      case StartupMode::kFromSnapshotFull: {
        if (!earliest) return std::optional<Start>();
        BRAID_TRY_ASSIGN(const auto id, table_.options().FindInt("scan.snapshot-id"));
        if (!id) return Error(ErrorCode::kInvalidArgument, "scan.mode from-snapshot-full needs the option 'scan.snapshot-id'");
        return StartWith(std::max(SnapshotId(*id), *earliest));
      }
      case StartupMode::kCompactedFull: {
        BRAID_TRY_ASSIGN(std::optional<Snapshot> compacted, TravelTo(fs(), paths(), table_.options()));
        if (compacted) return StartWith(compacted->id);
        [[fallthrough]];
      }
      case StartupMode::kLatestFull:
      case StartupMode::kFromFileCreationTime:
      case StartupMode::kFromCreationTimestamp:
        if (!latest) return std::optional<Start>();
        return StartWith(*latest);
      case StartupMode::kIncremental: break;
    }
    return Error(ErrorCode::kInvalidArgument, "a stream cannot begin with scan.mode incremental");
  }

  Result<std::optional<Start>> StartWith(SnapshotId id) const {
    BRAID_TRY_ASSIGN(Snapshot snapshot, ReadExistingSnapshot(fs(), paths(), id));
    return std::optional(Start{std::move(snapshot), id.next()});
  }

  Result<std::optional<Start>> StartFromSnapshot(const std::optional<SnapshotId>& earliest) const {
    BRAID_TRY_ASSIGN(const auto id, table_.options().FindInt("scan.snapshot-id"));
    if (!id) return Error(ErrorCode::kInvalidArgument, "a stream can begin with a snapshot id, but not with a tag, watermark or version");
    SnapshotId first = earliest.value_or(SnapshotId(1));
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> changelogs, ListChangelogs(fs(), paths()));
    if (!changelogs.empty()) first = std::min(first, changelogs.front());
    return std::optional(Start{{}, std::max(SnapshotId(*id), first)});
  }

  Result<std::optional<Start>> StartOfConsumer() const {
    const std::optional<std::string> name = table_.options().Find("consumer-id");
    if (!name) return std::optional<Start>();
    BRAID_TRY_ASSIGN(const bool ignore, table_.options().GetBool("consumer.ignore-progress", false));
    if (ignore) return std::optional<Start>();
    BRAID_TRY_ASSIGN(const std::optional<Consumer> consumer, ReadConsumer(fs(), paths(), *name));
    if (!consumer) return std::optional<Start>();
    return std::optional(Start{{}, consumer->next_snapshot});
  }

  // What the stream's name means may have changed. Where the new line has what was read last, the stream goes on there at
  // the same id; anything else would skip rows or repeat them (spec branches.md §8.2, §11.2).
  Status FollowLine() {
    BRAID_TRY_ASSIGN(const TablePaths now, ResolveLine(fs(), paths().root(), table_.line().name));
    BRAID_TRY_ASSIGN(const std::string id, ReadLineId(fs(), now));
    if (id == table_.line().id) {
      if (now.branch() != paths().branch()) table_ = table_.MovedTo(now);
      return Ok();
    }
    BRAID_TRY_ASSIGN(const bool common, last_ ? HoldsSnapshot(fs(), now, *last_) : Result<bool>(!started_));
    if (!common) {
      return Error(ErrorCode::kConflict, fmt::format("position {} of this stream is not on the present line of {}: another branch has taken its place",
                                                     next_, table_.name()))
          .Id("read.rewound")
          .Hint("start from a snapshot that it has (rows come again), or read it whole and compare");
    }
    BRAID_TRY_ASSIGN(table_, Table::Open(table_.shared_file_system(), paths().root(), table_.name(), table_.line().name, table_.dynamic_options()));
    BRAID_TRY_ASSIGN(scan_, FileScan::Make(table_, scope_));
    return Ok();
  }

  // Readers of the splits use the handle that the stream was opened with.
  Status KeepSchemas(const std::vector<ManifestEntry>& files) const {
    if (table_.paths().BranchDirectory() == opened_.paths().BranchDirectory()) return Ok();
    for (const ManifestEntry& entry : files) BRAID_TRY(opened_.schemas().GetFrom(paths(), entry.file.schema_id));
    return Ok();
  }

  Result<std::optional<Plan>> PlanFull(const Snapshot& snapshot) {
    last_ = RefOf(snapshot);
    // Rows that a later changelog will deliver must not come with the first plan (§6.6): by level, as Java does it.
    BRAID_TRY_ASSIGN(FilesByBucket files, scan_->Files(snapshot));
    if (producer_ == "lookup") {
      files.EraseIf([](const ScannedFile& file) { return file.level == 0; });
    } else if (producer_ == "full-compaction") {
      BRAID_TRY_ASSIGN(const std::int64_t trigger, table_.options().GetInt("num-sorted-run.compaction-trigger", 5));
      BRAID_TRY_ASSIGN(const std::int64_t levels, table_.options().GetInt("num-levels", trigger + 1));
      files.EraseIf([&](const ScannedFile& file) { return file.level != levels - 1; });
    }
    Plan plan{.snapshot = snapshot.id, .watermark = snapshot.watermark, .splits = {}};
    BRAID_TRY_ASSIGN(plan.splits, GenerateBatchSplits(table_, std::move(files)));
    return std::optional(std::move(plan));
  }

  // The snapshot, or the changelog that outlived it; nullopt if it does not exist yet.
  Result<std::optional<Snapshot>> Fetch(SnapshotId id) const {
    Result<Snapshot> snapshot = ReadSnapshot(fs(), paths(), id);
    if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) snapshot = ReadChangelog(fs(), paths(), id);
    if (snapshot) return std::optional(std::move(snapshot).value());
    if (snapshot.error().code() != ErrorCode::kNotFound) return std::move(snapshot).error();
    BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(fs(), paths()));
    if (!latest || id > *latest) return std::optional<Snapshot>();
    BRAID_TRY_ASSIGN(const auto earliest, FindEarliestSnapshot(fs(), paths()));
    return Error(ErrorCode::kNotFound, fmt::format("snapshot {} has expired before this stream read it", id))
        .Hint(fmt::format("the earliest one left is {}; start from there, and keep snapshots longer or give the stream a consumer-id", *earliest));
  }

  // What an overwrite of a key table did, bucket by bucket: the rows that were in the files it deleted go, and those of the
  // files it added come (§10.8).
  Result<std::vector<DataSplit>> SplitsOfOverwrite(const Snapshot& snapshot) const {
    struct Replaced {
      std::int32_t total_buckets = 0;
      std::vector<DataFileMeta> before;
      std::vector<DataFileMeta> after;
    };
    BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, scan_->DeltaFiles(snapshot));
    BRAID_TRY(KeepSchemas(entries));
    std::map<std::pair<BinaryRow, BucketId>, Replaced> buckets;
    bool has_before = false;
    for (ManifestEntry& entry : entries) {
      Replaced& bucket = buckets[{entry.partition, entry.bucket}];
      bucket.total_buckets = entry.total_buckets;
      has_before = has_before || entry.kind == FileKind::kDelete;
      (entry.kind == FileKind::kDelete ? bucket.before : bucket.after).push_back(std::move(entry.file));
    }
    BRAID_TRY_ASSIGN(const DeletionVectorIndex vectors, DeletionVectorIndex::Read(table_, snapshot));
    DeletionVectorIndex before_vectors;
    if (has_before) {
      BRAID_TRY_ASSIGN(const Snapshot previous, ReadExistingSnapshot(fs(), paths(), snapshot.id.previous()));
      BRAID_TRY_ASSIGN(before_vectors, DeletionVectorIndex::Read(table_, previous));
    }
    std::vector<DataSplit> splits;
    for (auto& [key, bucket] : buckets) {
      DataSplit& split = splits.emplace_back();
      std::tie(split.partition, split.bucket) = key;
      split.total_buckets = bucket.total_buckets;
      split.files = std::move(bucket.after);
      split.deletion_vectors = vectors.Find(split.partition, split.bucket, split.files);
      // A bucket that was empty is read as any other: only its newest rows, and no retractions.
      split.is_changes = !bucket.before.empty();
      split.before_files = std::move(bucket.before);
      split.before_deletion_vectors = before_vectors.Find(split.partition, split.bucket, split.before_files);
    }
    return splits;
  }

  Result<std::optional<Plan>> PlanNext() {
    BRAID_TRY(FollowLine());
    BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, Fetch(next_));
    if (!snapshot) return std::optional<Plan>();
    if (PassesBound(*snapshot)) {
      ended_ = true;
      return std::optional<Plan>();
    }
    BRAID_TRY(RequireKnownKind(*snapshot).Context("while reading changes of " + table_.name()));
    next_ = next_.next();
    last_ = RefOf(*snapshot);
    Plan plan{.snapshot = snapshot->id, .watermark = snapshot->watermark, .splits = {}};
    std::vector<ManifestEntry> files;
    if (snapshot->commit_kind == CommitKind::kOverwrite && reads_overwrite_ && !KeepsRows(*snapshot)) {
      if (table_.schema().has_primary_key()) {
        BRAID_TRY_ASSIGN(plan.splits, SplitsOfOverwrite(*snapshot));
        return std::optional(std::move(plan));
      }
      BRAID_TRY_ASSIGN(files, scan_->DeltaFiles(*snapshot));
    } else if (producer_ == "none") {
      if (snapshot->commit_kind != CommitKind::kAppend) return std::optional(std::move(plan));
      BRAID_TRY_ASSIGN(files, scan_->DeltaFiles(*snapshot));
    } else {
      BRAID_TRY_ASSIGN(files, scan_->ChangelogFiles(*snapshot));
    }
    std::erase_if(files, [](const ManifestEntry& entry) { return entry.kind != FileKind::kAdd; });
    BRAID_TRY(KeepSchemas(files));
    BRAID_TRY_ASSIGN(plan.splits, GenerateChangeSplits(table_, GroupByBucket(std::move(files))));
    return std::optional(std::move(plan));
  }

  const Table opened_;
  Table table_;  // on the line that the name means now
  ScanScope scope_;
  std::unique_ptr<FileScan> scan_;
  StartupMode mode_;
  std::string producer_;
  std::optional<std::int64_t> bounded_watermark_;
  bool reads_overwrite_;
  bool started_ = false;
  bool ended_ = false;
  SnapshotId next_;
  std::optional<SnapshotRef> last_;  // read last; nullopt before the first
};

// Whether OVERWRITE snapshots are read too (§10.8).
Result<bool> ReadsOverwrite(const Table& table) {
  BRAID_TRY_ASSIGN(const bool overwrite, table.options().GetBool("streaming-read-overwrite", false));
  BRAID_TRY_ASSIGN(const bool append_overwrite, table.options().GetBool("streaming-read-append-overwrite", false));
  if (!table.schema().has_primary_key()) {
    if (overwrite) {
      return Error(ErrorCode::kInvalidArgument, "streaming-read-overwrite is for tables with a primary key")
          .Hint("append tables have the option streaming-read-append-overwrite");
    }
    return append_overwrite;
  }
  const std::string producer = ToLower(table.options().Get("changelog-producer", "none"));
  if (overwrite && (producer == "lookup" || producer == "full-compaction")) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("streaming-read-overwrite cannot go with changelog-producer {}, as changes would come twice", producer));
  }
  return overwrite;
}

}  // namespace

Result<std::unique_ptr<StreamScan>> StreamScan::Open(const Table& table, const ReadRequest& request) {
  const ScanScope scope{.filter = request.filter, .bucket = request.bucket};
  BRAID_TRY_ASSIGN(auto scan, FileScan::Make(table, scope));
  BRAID_TRY_ASSIGN(const StartupMode mode, StartupModeOf(table.options()));
  BRAID_TRY_ASSIGN(const auto bounded, table.options().FindInt("scan.bounded.watermark"));
  BRAID_TRY_ASSIGN(const bool overwrite, ReadsOverwrite(table));
  return std::unique_ptr<StreamScan>(std::make_unique<DataStreamScan>(table, scope, std::move(scan), mode, bounded, overwrite));
}

}  // namespace braid
