#include "table/delete_rows.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "meta/stores.h"
#include "table/bucket_writer.h"
#include "table/data_file_reader.h"
#include "table/deletion_vectors.h"
#include "table/row_tracking.h"

namespace braid {

namespace {

using File = AddressedRows::File;
using BucketKey = std::pair<BinaryRow, BucketId>;

// What goes from one bucket.
struct BucketRemoval {
  std::int32_t total_buckets = 0;
  std::vector<DataFileMeta> files;      // that go whole
  std::vector<DataFileMeta> rewritten;  // what stays of them
  BucketDeletions vectors;              // that data files get; an empty one takes a file's away
};
using Removals = std::map<BucketKey, BucketRemoval>;

BucketRemoval& RemovalOf(const File& file, Removals& removals) {
  BucketRemoval& removal = removals[{file.partition, file.bucket}];
  removal.total_buckets = file.total_buckets;
  return removal;
}

// Copies the rows that stay of a file. A NULL stays one, though its column may have a default by now.
Status CopyRest(const Table& table, const File& file, const DeletionVector& deleted, BucketWriter& writer) {
  DataFileReader files(table);
  BRAID_TRY_ASSIGN(const bool tracks, TracksRows(table));
  const std::vector<DataField> fields = tracks ? TrackedFields(table.schema()) : table.schema().fields;
  BRAID_TRY_ASSIGN(const auto reader, files.Open(file.partition, file.bucket, file.meta, fields, nullptr));
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) return Ok();
    std::vector<std::int32_t> rest;
    for (std::int64_t row = 0; row < batch->row_count(); ++row) {
      if (!deleted.Contains(reader->first_row_of_last_batch() + row)) rest.push_back(static_cast<std::int32_t>(row));
    }
    if (rest.empty()) continue;
    BRAID_TRY_ASSIGN(const Batch kept, TakeRows(*batch, rest));
    BRAID_TRY(writer.Write(kept));
  }
}

// The writer of a bucket; rows of buckets that have an order go behind those that are there.
Result<std::unique_ptr<BucketWriter>> MakeWriter(const AddressedRows& rows, const File& file,
                                                 const std::string& commit_user) {
  BucketWriterConfig config{.table = rows.table(),
                            .partition = file.partition,
                            .bucket = file.bucket,
                            .files = {},
                            .deletions = {},
                            .spill_directory = {},
                            .commit_user = commit_user,
                            .rows_are_known = true};
  for (const File& other : rows.files()) {
    if (file.total_buckets > 0 && other.partition == file.partition && other.bucket == file.bucket)
      config.files.push_back(other.meta);
  }
  return MakeAppendBucketWriter(std::move(config));
}

Removals MarkDeleted(const AddressedRows& rows, const RowPositions& positions) {
  Removals removals;
  for (const auto& [number, of_file] : positions) {
    const File& file = rows.files()[static_cast<std::size_t>(number)];
    RemovalOf(file, removals).vectors.emplace(file.meta.file_name, file.deleted.With(of_file));
  }
  return removals;
}

Result<Removals> RewriteFiles(const AddressedRows& rows, const RowPositions& positions,
                              const std::string& commit_user) {
  Removals removals;
  std::map<BucketKey, std::unique_ptr<BucketWriter>> writers;
  for (const auto& [number, of_file] : positions) {
    const File& file = rows.files()[static_cast<std::size_t>(number)];
    std::unique_ptr<BucketWriter>& writer = writers[{file.partition, file.bucket}];
    if (writer == nullptr) {
      BRAID_TRY_ASSIGN(writer, MakeWriter(rows, file, commit_user));
    }
    BRAID_TRY(CopyRest(rows.table(), file, file.deleted.With(of_file), *writer));
    BucketRemoval& removal = RemovalOf(file, removals);
    removal.files.push_back(file.meta);
    // From a time when the table had deletion vectors.
    if (!file.deleted.empty()) removal.vectors.emplace(file.meta.file_name, DeletionVector());
  }
  for (auto& [key, writer] : writers) {
    BRAID_TRY_ASSIGN(BucketChanges changes, writer->PrepareCommit(true));
    removals[key].rewritten = std::move(changes.new_files);
  }
  return removals;
}

Result<std::vector<CommitMessage>> ToMessages(const AddressedRows& rows, Removals removals) {
  BRAID_TRY_ASSIGN(const DeletionVectorIndex index, DeletionVectorIndex::Read(rows.table(), *rows.snapshot()));
  std::vector<CommitMessage> messages;
  MetadataFileNames names;
  for (auto& [key, removal] : removals) {
    CommitMessage& message = messages.emplace_back();
    message.partition = key.first;
    message.bucket = key.second;
    message.total_buckets = removal.total_buckets;
    message.deleted_files = std::move(removal.files);
    message.new_files = std::move(removal.rewritten);
    if (removal.vectors.empty()) continue;
    BRAID_TRY_ASSIGN(IndexChanges indexes, ReplaceDeletionVectors(rows.table(), *rows.snapshot(), key.first, key.second,
                                                                  removal.vectors, names));
    message.new_index_files = std::move(indexes.added);
    message.deleted_index_files = std::move(indexes.removed);
    // Unaware buckets have several index files, which go by their names.
    if (removal.total_buckets > 0) {
      message.deletion_base = DeletionVectorBase{key.first, key.second, index.IndexFileOf(key.first, key.second)};
    }
  }
  return messages;
}

}  // namespace

Result<std::vector<CommitMessage>> RemoveRows(const AddressedRows& rows, const RowPositions& positions,
                                              const std::string& commit_user) {
  if (positions.empty()) return std::vector<CommitMessage>();
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(rows.table()));
  if (evolves) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("rows of {} cannot be deleted: it has 'data-evolution.enabled'='true'", rows.table().name()))
        .Hint("TRUNCATE TABLE and ALTER TABLE … DROP PARTITION take out all rows, or those of partitions");
  }
  BRAID_TRY_ASSIGN(const bool vectors, rows.table().options().GetBool("deletion-vectors.enabled", false));
  if (vectors) return ToMessages(rows, MarkDeleted(rows, positions));
  BRAID_TRY_ASSIGN(Removals removals, RewriteFiles(rows, positions, commit_user));
  return ToMessages(rows, std::move(removals));
}

Result<RowPositions> FindRows(const AddressedRows& rows, const PredicatePtr& filter) {
  std::vector<DataField> fields;
  for (const std::string& column : filter == nullptr ? std::vector<std::string>() : filter->Columns()) {
    const DataField* field = rows.table().schema().FindColumn(column);
    if (field == nullptr) return Error(ErrorCode::kNotFound, "the filter names the unknown column '" + column + "'");
    fields.push_back(*field);
  }
  RowPositions positions;
  BRAID_TRY_ASSIGN(const auto reader, rows.Read(std::move(fields), filter));
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) return positions;
    std::vector<std::int32_t> matching(static_cast<std::size_t>(batch->row_count()));
    std::iota(matching.begin(), matching.end(), 0);
    if (filter != nullptr) {
      BRAID_TRY_ASSIGN(matching, filter->Select(*batch));
    }
    const int columns = batch->rows->num_columns();
    const auto files = std::static_pointer_cast<arrow::Int32Array>(batch->rows->column(columns - 2));
    const auto in_file = std::static_pointer_cast<arrow::Int64Array>(batch->rows->column(columns - 1));
    for (const std::int32_t row : matching) positions[files->Value(row)].push_back(in_file->Value(row));
  }
}

Result<std::vector<Snapshot>> DeleteRows(const Table& table, const PredicatePtr& filter, const std::string& commit_user,
                                         const Clock& clock) {
  BRAID_TRY_ASSIGN(const std::int64_t retries, table.options().GetInt("commit.max-retries", 10));
  TableCommit commit(table, commit_user, clock);
  for (std::int64_t attempt = 0;; ++attempt) {
    BRAID_TRY_ASSIGN(const auto rows, AddressedRows::Make(table));
    BRAID_TRY_ASSIGN(const RowPositions positions, FindRows(*rows, filter));
    Committable committable;
    BRAID_TRY_ASSIGN(committable.messages, RemoveRows(*rows, positions, commit_user));
    Result<std::vector<Snapshot>> deleted = commit.Commit(committable);
    if (deleted || deleted.error().code() != ErrorCode::kConflict) return deleted;
    BRAID_TRY(commit.Abort(committable.messages));
    if (attempt >= retries) return deleted;
  }
}

}  // namespace braid
