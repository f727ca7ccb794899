#include "table/commit_attempt.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "io/request_pool.h"
#include "table/commit_turn.h"
#include "table/conflict_check.h"
#include "table/data_file_reader.h"
#include "table/deletion_vectors.h"
#include "table/index_manifest.h"
#include "table/manifest_merger.h"
#include "table/partitions.h"
#include "table/row_range_check.h"
#include "table/row_tracking.h"
#include "table/writer_line.h"

namespace braid {

namespace {

struct RetryOptions {
  std::int64_t max_retries = 10;                       // `commit.max-retries`
  std::chrono::milliseconds min_wait{10};              // `commit.min-retry-wait`
  std::chrono::milliseconds max_wait{10'000};          // `commit.max-retry-wait`
  std::chrono::milliseconds timeout = std::chrono::milliseconds::max();  // `commit.timeout`

  static Result<RetryOptions> FromOptions(const Options& options) {
    RetryOptions retry;
    BRAID_TRY_ASSIGN(retry.max_retries, options.GetInt("commit.max-retries", retry.max_retries));
    BRAID_TRY_ASSIGN(retry.min_wait, options.GetDuration("commit.min-retry-wait", retry.min_wait));
    BRAID_TRY_ASSIGN(retry.max_wait, options.GetDuration("commit.max-retry-wait", retry.max_wait));
    BRAID_TRY_ASSIGN(retry.timeout, options.GetDuration("commit.timeout", retry.timeout));
    return retry;
  }

  // Twice as long each time, with up to 20 % more so that racing writers part.
  std::chrono::milliseconds Wait(std::int64_t attempt) const {
    const double doubled = static_cast<double>(min_wait.count()) * std::pow(2.0, static_cast<double>(std::min<std::int64_t>(attempt, 30)));
    const double capped = std::min(doubled, static_cast<double>(max_wait.count()));
    thread_local std::minstd_rand random(std::random_device{}());
    return std::chrono::milliseconds(static_cast<std::int64_t>(capped * std::uniform_real_distribution<>(1.0, 1.2)(random)));
  }
};

Result<ManifestWriteOptions> ManifestWriteOptionsOf(const Options& options) {
  ManifestWriteOptions write;
  write.format = ToLower(options.Get("manifest.format", write.format));
  write.compression = options.Get("manifest.compression", write.compression);
  BRAID_TRY_ASSIGN(const std::int64_t level, options.GetInt("file.compression.zstd-level", write.zstd_level));
  write.zstd_level = static_cast<int>(level);
  BRAID_TRY_ASSIGN(write.target_file_size, options.GetMemorySize("manifest.target-file-size", write.target_file_size));
  return write;
}

std::int64_t SumRows(const std::vector<ManifestEntry>& entries) {
  std::int64_t rows = 0;
  for (const ManifestEntry& entry : entries) rows += entry.kind == FileKind::kAdd ? entry.file.row_count : -entry.file.row_count;
  return rows;
}

class Committer {
 public:
  Committer(const Table& table, const CommitIdentity& identity, MetadataFileNames& names, const Clock& clock)
      : line_(table), identity_(identity), names_(names), clock_(clock), partition_types_(PartitionTypes(table.layout())) {}

  Result<Snapshot> Run(const MakeChanges& make_changes) {
    BRAID_TRY_ASSIGN(write_, ManifestWriteOptionsOf(table().options()));
    BRAID_TRY_ASSIGN(merge_, ManifestMergeOptions::FromOptions(table().options()));
    BRAID_TRY_ASSIGN(const RetryOptions retry, RetryOptions::FromOptions(table().options()));
    const std::int64_t started_ms = clock_.NowMs();
    const std::shared_ptr<std::mutex> turn = CommitTurnOf(fs(), paths().SnapshotDirectory());
    for (std::int64_t attempt = 0;; ++attempt) {
      Result<Snapshot> snapshot = TryOnce(make_changes, *turn);
      if (snapshot) return snapshot;
      const ErrorCode code = snapshot.error().code();
      // A lost race and an unknown outcome are looked at again; every other failure is final.
      if (line_lost_ || !(lost_race_ || code == ErrorCode::kCommitUnknown)) return snapshot;
      if (attempt >= retry.max_retries || clock_.NowMs() - started_ms > retry.timeout.count()) {
        return std::move(snapshot).error().Context(fmt::format("after {} attempts, committing to {}", attempt + 1, table().name()));
      }
      std::this_thread::sleep_for(retry.Wait(attempt));
    }
  }

 private:
  const Table& table() const { return line_.table(); }
  FileSystem& fs() const { return table().file_system(); }
  const TablePaths& paths() const { return table().paths(); }

  Result<Snapshot> TryOnce(const MakeChanges& make_changes, std::mutex& turn) {
    const std::lock_guard lock(turn);
    lost_race_ = false;
    BRAID_TRY_ASSIGN(const std::optional<Snapshot> latest, FindHead());
    if (tried_) {
      BRAID_TRY_ASSIGN(std::optional<Snapshot> landed, FindLanded(latest));
      if (landed) return *std::move(landed);
    }
    if (latest) BRAID_TRY(RequireKnownKind(*latest).Context("while committing to " + table().name()));
    if (Status open = line_.CheckHead(latest); !open) {
      lost_race_ = open.error().code() == ErrorCode::kUnavailable;
      return std::move(open).error();
    }
    BRAID_TRY_ASSIGN(SnapshotChanges changes, make_changes(latest));
    if (latest && changes.check_conflicts)
      BRAID_TRY(CheckConflicts(table(), *latest, changes.delta, changes.kind, changes.vector_bases));
    BRAID_TRY(CheckRowRanges(table(), latest, changes.row_range_bases));
    if (latest) BRAID_TRY(CheckVectorsNameLiveFiles(table(), *latest, changes.delta, changes.indexes));
    if (latest && changes.check_conflicts)
      BRAID_TRY(CheckRemovedFilesLoseVectors(table(), *latest, changes.delta, changes.indexes));
    BRAID_TRY_ASSIGN(const std::int64_t next_row_id, NextRowId(latest, changes.delta));
    written_.clear();
    Result<Snapshot> built = Build(latest, changes, next_row_id);
    if (!built) {
      DeleteWritten();
      return built;
    }
    previous_latest_ = latest ? latest->id : SnapshotId(0);
    tried_ = true;
    attempted_.insert(*built->uuid);
    Status created = line_.Create(*built, latest);
    if (created) {
      AfterCommit(*built);
      return built;
    }
    outcome_unknown_ = created.error().code() == ErrorCode::kCommitUnknown;
    if (line_.moved()) {
      if (!outcome_unknown_) DeleteWritten();
      return std::move(created).error();
    }
    if (created.error().code() == ErrorCode::kConflict || created.error().code() == ErrorCode::kAlreadyExists) {
      lost_race_ = true;
      DeleteWritten();
      return Error(ErrorCode::kConflict, fmt::format("another writer committed snapshot {} of {} first", built->id, table().name()))
          .Hint("start it again; nothing of it has become visible");
    }
    if (created.error().code() != ErrorCode::kCommitUnknown) DeleteWritten();
    return std::move(created).error();
  }

  // Finds the line and reads its head, at once where the line lies where it was: which line its name means is looked at
  // once more when the snapshot is there.
  Result<std::optional<Snapshot>> FindHead() {
    FileSystem& files = fs();
    const TablePaths place = paths();
    Status found;
    std::optional<Result<std::optional<Snapshot>>> head;
    const std::array<std::function<Status()>, 2> looks = {
        [&]() -> Status {
          found = line_.Find();
          return Ok();
        },
        [&]() -> Status {
          head.emplace(ReadLatestSnapshot(files, place));
          return Ok();
        }};
    BRAID_TRY(CallTogether(files, looks));
    if (!found) {
      line_lost_ = true;
      // An earlier attempt may have landed where we cannot look any more.
      if (outcome_unknown_) return Error(ErrorCode::kCommitUnknown, found.error().message());
      return std::move(found).error();
    }
    if (paths().branch() != place.branch()) return ReadLatestSnapshot(files, paths());
    return *std::move(head);
  }

  // Our own snapshot among those that appeared since the last attempt: the reply was lost, not the commit. It is known by its
  // UUID, never by commit user and identifier alone: batch jobs share the identifier, and users may choose equal names.
  Result<std::optional<Snapshot>> FindLanded(const std::optional<Snapshot>& latest) const {
    if (!latest) return std::optional<Snapshot>();
    for (SnapshotId id = previous_latest_.next(); id <= latest->id; id = id.next()) {
      BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(fs(), paths(), id));
      if (snapshot.uuid && attempted_.contains(*snapshot.uuid)) return std::optional(std::move(snapshot));
    }
    return std::optional<Snapshot>();
  }

  Result<WrittenMetadata> WriteList(const std::vector<ManifestFileMeta>& manifests) {
    BRAID_TRY_ASSIGN(WrittenMetadata list, WriteManifestList(fs(), paths(), names_, manifests, write_));
    NoteWritten(list.name);
    return list;
  }

  Result<WrittenMetadata> WriteEntries(const std::vector<ManifestEntry>& entries) {
    BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests, WriteManifests(fs(), paths(), names_, entries, partition_types_, write_));
    for (const ManifestFileMeta& manifest : manifests) NoteWritten(manifest.file_name);
    return WriteList(manifests);
  }

  Result<WrittenMetadata> WriteBase(const std::optional<Snapshot>& latest, const SnapshotChanges& changes) {
    if (changes.base) return WriteEntries(*changes.base);
    std::vector<ManifestFileMeta> manifests;
    if (latest) {
      const std::array names = {latest->base_manifest_list, latest->delta_manifest_list};
      std::array<std::vector<ManifestFileMeta>, 2> lists;
      BRAID_TRY(CallForEach(fs(), std::ssize(names), [&](std::int64_t i) -> Status {
        const auto position = static_cast<std::size_t>(i);
        BRAID_TRY_ASSIGN(lists[position], ReadManifestList(fs(), paths(), names[position]));
        return Ok();
      }));
      manifests = std::move(lists[0]);
      manifests.insert(manifests.end(), lists[1].begin(), lists[1].end());
      // Merging is an economy: an attempt that already lost a race goes without it.
      if (!tried_) {
        BRAID_TRY_ASSIGN(MergedManifests merged, MergeManifests(table(), manifests, names_, merge_, write_));
        for (const std::string& name : merged.written) NoteWritten(name);
        manifests = std::move(merged.manifests);
      }
    }
    return WriteList(manifests);
  }

  void NoteWritten(const std::string& name) {
    const std::lock_guard lock(written_mutex_);
    written_.push_back(name);
  }

  static SnapshotId IdAfter(const std::optional<Snapshot>& latest) { return latest ? latest->id.next() : SnapshotId(1); }

  // The first row id that is free after the changes, whose rows get theirs.
  Result<std::int64_t> NextRowId(const std::optional<Snapshot>& latest, std::vector<ManifestEntry>& delta) const {
    const std::int64_t next = latest ? latest->next_row_id.value_or(0) : 0;
    BRAID_TRY_ASSIGN(const bool tracks, TracksRows(table()));
    return tracks ? AssignRowIds(IdAfter(latest), next, delta) : next;
  }

  Result<Snapshot> Build(const std::optional<Snapshot>& latest, const SnapshotChanges& changes, std::int64_t next_row_id) {
    Snapshot snapshot;
    snapshot.uuid = RandomUuid();
    snapshot.id = IdAfter(latest);
    const std::array<std::function<Status()>, 5> parts = {
        [&]() -> Status {
          BRAID_TRY_ASSIGN(const std::vector<SchemaId> schemas, ListSchemas(fs(), paths()));
          if (schemas.empty()) return Error(ErrorCode::kNotFound, fmt::format("table {} was dropped", table().name()));
          snapshot.schema_id = schemas.back();
          return Ok();
        },
        [&]() -> Status {
          BRAID_TRY_ASSIGN(const WrittenMetadata base, WriteBase(latest, changes));
          snapshot.base_manifest_list = base.name;
          snapshot.base_manifest_list_size = base.size_bytes;
          return Ok();
        },
        [&]() -> Status {
          BRAID_TRY_ASSIGN(const WrittenMetadata delta, WriteEntries(changes.delta));
          snapshot.delta_manifest_list = delta.name;
          snapshot.delta_manifest_list_size = delta.size_bytes;
          return Ok();
        },
        [&]() -> Status {
          if (changes.changelog.empty()) return Ok();
          BRAID_TRY_ASSIGN(const WrittenMetadata changelog, WriteEntries(changes.changelog));
          snapshot.changelog_manifest_list = changelog.name;
          snapshot.changelog_manifest_list_size = changelog.size_bytes;
          snapshot.changelog_record_count = SumRows(changes.changelog);
          return Ok();
        },
        [&]() -> Status {
          BRAID_TRY_ASSIGN(snapshot.index_manifest, NextIndexManifest(table(), latest, changes.indexes, changes.vector_bases, names_, write_));
          const bool is_new = snapshot.index_manifest && (!latest || latest->index_manifest != snapshot.index_manifest);
          if (is_new) NoteWritten(*snapshot.index_manifest);
          return Ok();
        }};
    BRAID_TRY(CallTogether(fs(), parts));

    snapshot.commit_user = identity_.user;
    snapshot.commit_identifier = identity_.identifier;
    snapshot.commit_kind = changes.kind;
    snapshot.time_millis = clock_.NowMs();
    snapshot.delta_record_count = SumRows(changes.delta);
    snapshot.total_record_count =
        changes.total_record_count.value_or((latest ? latest->total_record_count : 0) + snapshot.delta_record_count);
    snapshot.watermark = identity_.watermark;
    if (latest && latest->watermark) snapshot.watermark = std::max(identity_.watermark.value_or(*latest->watermark), *latest->watermark);
    // Statistics describe columns: they stay only as long as the columns do.
    if (latest && latest->statistics && latest->schema_id == snapshot.schema_id) snapshot.statistics = latest->statistics;
    if (changes.statistics) snapshot.statistics = changes.statistics;
    snapshot.properties = identity_.properties;
    snapshot.next_row_id = next_row_id;
    BRAID_TRY(SyncAll(changes));
    return snapshot;
  }

  // Everything that the snapshot will name survives a crash before the snapshot does.
  Status SyncAll(const SnapshotChanges& changes) {
    std::vector<std::string> files;
    std::vector<std::string> names;
    for (const std::vector<ManifestEntry>* entries : {&changes.delta, &changes.changelog}) {
      for (const ManifestEntry& entry : *entries) {
        if (entry.kind != FileKind::kAdd || synced_.contains(entry.file.file_name)) continue;
        BRAID_TRY_ASSIGN(std::string path, DataFilePath(table(), entry.partition, entry.bucket, entry.file));
        for (const std::string& extra : entry.file.extra_files) files.push_back(JoinPath(DirectoryName(path), extra));
        names.push_back(entry.file.file_name);
        files.push_back(std::move(path));
      }
    }
    for (const IndexManifestEntry& entry : changes.indexes) {
      if (entry.kind != FileKind::kAdd || synced_.contains(entry.file_name)) continue;
      names.push_back(entry.file_name);
      BRAID_TRY_ASSIGN(std::string path, IndexFilePath(table(), entry));
      files.push_back(std::move(path));
    }
    for (const std::string& name : written_) files.push_back(paths().ManifestFile(name));
    BRAID_TRY(fs().SyncFiles(files));
    synced_.insert(names.begin(), names.end());
    return Ok();
  }

  // Files that no snapshot names; a failure leaves an orphan, which cleaning removes.
  void DeleteWritten() {
    for (const std::string& name : written_) {
      const Status deleted = fs().Delete(paths().ManifestFile(name));
      if (!deleted) Log(LogLevel::kWarning, "manifest not deleted after a failed commit", "file=" + name);
    }
    written_.clear();
  }

  // Off the commit path: readers find the snapshot without the hint, only later.
  void AfterCommit(const Snapshot& snapshot) {
    Status hint = WriteLatestHint(fs(), paths(), snapshot.id);
    if (hint && snapshot.id == SnapshotId(1)) hint = WriteEarliestHint(fs(), paths(), snapshot.id);
    if (!hint) Log(LogLevel::kWarning, "snapshot hint not written", fmt::format("table={} snapshot={}", table().name(), snapshot.id));
    Log(LogLevel::kInfo, "snapshot committed", fmt::format("table={} snapshot={} kind={}", table().name(), snapshot.id, CommitKindName(snapshot.commit_kind)));
  }

  WriterLine line_;
  const CommitIdentity& identity_;
  MetadataFileNames& names_;
  const Clock& clock_;
  std::vector<DataType> partition_types_;
  ManifestWriteOptions write_;
  ManifestMergeOptions merge_;
  std::mutex written_mutex_;          // guards written_ while parts of a snapshot are written at once
  std::vector<std::string> written_;  // manifest files of the present attempt
  std::set<std::string> attempted_;   // UUIDs of the snapshots tried so far
  SnapshotId previous_latest_;
  bool tried_ = false;
  bool lost_race_ = false;
  bool outcome_unknown_ = false;  // of the last attempt
  bool line_lost_ = false;        // it cannot be found, or is another one: trying again does not help
  std::set<std::string> synced_;  // names of files that new snapshots name
};

}  // namespace

Result<Snapshot> CommitSnapshot(const Table& table, const CommitIdentity& identity, const MakeChanges& make_changes,
                                MetadataFileNames& names, const Clock& clock) {
  return Committer(table, identity, names, clock).Run(make_changes);
}

}  // namespace braid
