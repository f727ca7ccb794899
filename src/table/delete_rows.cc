#include "table/delete_rows.h"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/commit.h"
#include "table/data_file_reader.h"
#include "table/deletion_vectors.h"
#include "table/file_scan.h"

namespace braid {

namespace {

using BucketKey = std::pair<BinaryRow, BucketId>;

// What a deletion does to one bucket.
struct BucketDeletion {
  std::int32_t total_buckets = 0;
  std::optional<std::string> index_file;  // the present one; of buckets that have one each
  BucketDeletions changes;
};

Status CheckDeletable(const Table& table) {
  if (table.schema().has_primary_key()) {
    return Error(ErrorCode::kUnsupported, fmt::format("{} has a primary key: its rows are deleted by writing rows of kind -D", table.name()));
  }
  BRAID_TRY_ASSIGN(const bool vectors, table.options().GetBool("deletion-vectors.enabled", false));
  if (vectors) return Ok();
  return Error(ErrorCode::kUnsupported, fmt::format("rows of {} cannot be deleted: it has neither a primary key nor deletion vectors", table.name()))
      .Hint("set its option deletion-vectors.enabled to true");
}

// Positions of a file's rows that match and are not deleted yet.
Result<std::vector<std::int64_t>> MatchingRows(const Table& table, DataFileReader& files, const ManifestEntry& entry, const PredicatePtr& filter,
                                               const DeletionVector& deleted) {
  std::vector<DataField> fields = {table.schema().fields.front()};
  if (filter != nullptr) {
    fields.clear();
    for (const std::string& column : filter->Columns()) {
      const DataField* field = table.schema().FindColumn(column);
      if (field == nullptr) return Error(ErrorCode::kNotFound, "the filter names the unknown column '" + column + "'");
      fields.push_back(*field);
    }
  }
  std::vector<std::int64_t> positions;
  BRAID_TRY_ASSIGN(const auto reader, files.Open(entry.partition, entry.bucket, entry.file, fields, filter));
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) return positions;
    const std::int64_t first = reader->first_row_of_last_batch();
    const auto add = [&](std::int64_t row) {
      if (!deleted.Contains(first + row)) positions.push_back(first + row);
    };
    if (filter == nullptr) {
      for (std::int64_t row = 0; row < batch->row_count(); ++row) add(row);
      continue;
    }
    BRAID_TRY_ASSIGN(const std::vector<std::int32_t> matching, filter->Select(*batch));
    for (const std::int32_t row : matching) add(row);
  }
}

Result<std::map<BucketKey, BucketDeletion>> FindRows(const Table& table, const Snapshot& snapshot, const PredicatePtr& filter) {
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, filter));
  BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> entries, scan->LiveFiles(snapshot));
  BRAID_TRY_ASSIGN(const DeletionVectorIndex index, DeletionVectorIndex::Read(table, snapshot));
  DataFileReader files(table);
  std::map<BucketKey, BucketDeletion> found;
  std::map<BucketKey, BucketDeletions> present;
  for (const ManifestEntry& entry : entries) {
    const BucketKey key{entry.partition, entry.bucket};
    if (!present.contains(key)) {
      BRAID_TRY_ASSIGN(present[key], index.ReadBucket(table.file_system(), key.first, key.second));
    }
    const auto old = present[key].find(entry.file.file_name);
    const DeletionVector deleted = old == present[key].end() ? DeletionVector() : old->second;
    BRAID_TRY_ASSIGN(const std::vector<std::int64_t> positions, MatchingRows(table, files, entry, filter, deleted));
    if (positions.empty()) continue;
    BucketDeletion& bucket = found[key];
    bucket.total_buckets = entry.total_buckets;
    bucket.index_file = index.IndexFileOf(key.first, key.second);
    bucket.changes.emplace(entry.file.file_name, deleted.With(positions));
  }
  return found;
}

Result<std::vector<Snapshot>> TryDelete(const Table& table, const PredicatePtr& filter, const std::string& commit_user, const Clock& clock) {
  BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(table.file_system(), table.paths()));
  if (!latest) return std::vector<Snapshot>();
  BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(table.file_system(), table.paths(), *latest));
  BRAID_TRY_ASSIGN(const auto found, FindRows(table, snapshot, filter));
  Committable committable;
  MetadataFileNames names;
  for (const auto& [key, bucket] : found) {
    BRAID_TRY_ASSIGN(IndexChanges indexes, ReplaceDeletionVectors(table, snapshot, key.first, key.second, bucket.changes, names));
    CommitMessage& message = committable.messages.emplace_back();
    message.partition = key.first;
    message.bucket = key.second;
    message.total_buckets = bucket.total_buckets;
    message.new_index_files = std::move(indexes.added);
    message.deleted_index_files = std::move(indexes.removed);
    // Unaware buckets have several index files, which go by their names.
    if (bucket.total_buckets > 0) message.deletion_base = DeletionVectorBase{key.first, key.second, bucket.index_file};
  }
  TableCommit commit(table, commit_user, clock);
  Result<std::vector<Snapshot>> committed = commit.Commit(committable);
  if (!committed && committed.error().code() == ErrorCode::kConflict) BRAID_TRY(commit.Abort(committable.messages));
  return committed;
}

}  // namespace

Result<std::vector<Snapshot>> DeleteRows(const Table& table, const PredicatePtr& filter, const std::string& commit_user, const Clock& clock) {
  BRAID_TRY(CheckDeletable(table));
  BRAID_TRY_ASSIGN(const std::int64_t retries, table.options().GetInt("commit.max-retries", 10));
  for (std::int64_t attempt = 0;; ++attempt) {
    Result<std::vector<Snapshot>> deleted = TryDelete(table, filter, commit_user, clock);
    if (deleted || deleted.error().code() != ErrorCode::kConflict || attempt >= retries) return deleted;
  }
}

}  // namespace braid
