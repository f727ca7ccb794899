#include "table/file_index_rewrite.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/uuid.h"
#include "format/file_index_writer.h"
#include "mergetree/stored_file_index.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/conflict_check.h"
#include "table/data_file_reader.h"
#include "table/file_scan.h"
#include "table/file_terms.h"
#include "table/row_tracking.h"

namespace braid {

namespace {

constexpr std::string_view kIndexSuffix = ".index";

// The indexes that a file can have, in the names that it knows the columns by.
struct FilePlan {
  FileIndexOptions options;
  std::vector<DataField> columns;      // of the table, to be read
  std::vector<DataField> file_fields;  // the same as the file has them

  static FilePlan Of(const FileIndexOptions& wanted, const TableSchema& schema, const TableSchema& file_schema,
                     const DataFileMeta& file) {
    FilePlan plan;
    for (const WantedFileIndex& index : wanted.indexes) {
      const DataField* column = schema.FindColumn(index.column);
      const DataField* field = column == nullptr ? nullptr : FileFieldOf(*column, file_schema, file);
      if (field == nullptr || !field->type.SameShape(column->type)) continue;
      plan.options.indexes.push_back(index);
      plan.options.indexes.back().column = field->name;
      if (FindField(plan.file_fields, field->id)) continue;
      plan.columns.push_back(*column);
      plan.file_fields.push_back(*field);
    }
    return plan;
  }
};

// Makes the indexes of one file after the other.
class Indexer {
 public:
  static Result<Indexer> Make(const Table& table) {
    Indexer indexer(table);
    BRAID_TRY_ASSIGN(indexer.wanted_, FileIndexOptions::Parse(table.options(), table.schema().fields));
    return indexer;
  }

  // The file with the indexes that it is to have; nullopt if it has them, or if it is to have none.
  Result<std::optional<DataFileMeta>> Renew(const ManifestEntry& entry) {
    BRAID_TRY_ASSIGN(const auto file_schema, table_.schemas().Get(entry.file.schema_id));
    const FilePlan plan = FilePlan::Of(wanted_, table_.schema(), *file_schema, entry.file);
    BRAID_TRY_ASSIGN(const std::optional<std::string> container, Build(entry, plan));
    BRAID_TRY_ASSIGN(const std::optional<std::string> before, Stored(entry));
    if (!container || container == before) return std::optional<DataFileMeta>();
    DataFileMeta renewed = entry.file;
    std::erase_if(renewed.extra_files, [](const std::string& name) { return name.ends_with(kIndexSuffix); });
    renewed.embedded_index = std::nullopt;
    BRAID_TRY_ASSIGN(const std::string path, DataFilePath(table_, entry.partition, entry.bucket, entry.file));
    // Never in the entry, and under a name that was never used: an entry that is equal to one whose deletion is on record
    // would count as deleted itself, in Java too. And older snapshots may need the former index.
    BRAID_TRY(StoreFileIndex(table_.file_system(), fmt::format("{}-{}", path, RandomUuid()), *container,
                             /*max_embedded_bytes=*/0, renewed));
    return std::optional(std::move(renewed));
  }

 private:
  explicit Indexer(const Table& table) : table_(table) {}

  // nullopt: no index is wanted, or none can hold the values.
  Result<std::optional<std::string>> Build(const ManifestEntry& entry, const FilePlan& plan) const {
    BRAID_TRY_ASSIGN(const auto writer, FileIndexWriter::Make(plan.options, plan.file_fields));
    if (writer == nullptr) return std::optional<std::string>();
    DataFileReader files(table_);
    BRAID_TRY_ASSIGN(const auto rows, files.Open(entry.partition, entry.bucket, entry.file, plan.columns, nullptr));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
      if (!batch) return writer->Finish();
      writer->Add(batch->rows->columns());
    }
  }

  // The container that the file has, embedded or beside it.
  Result<std::optional<std::string>> Stored(const ManifestEntry& entry) const {
    if (entry.file.embedded_index) return std::optional(*entry.file.embedded_index);
    for (const std::string& name : entry.file.extra_files) {
      if (!name.ends_with(kIndexSuffix)) continue;
      BRAID_TRY_ASSIGN(const std::string path, ExtraFilePath(table_, entry.partition, entry.bucket, entry.file, name));
      BRAID_TRY_ASSIGN(std::string bytes, table_.file_system().ReadAll(path));
      return std::optional(std::move(bytes));
    }
    return std::optional<std::string>();
  }

  const Table& table_;
  FileIndexOptions wanted_;
};

bool CanHaveIndexes(const ManifestEntry& entry) {
  return !entry.file.file_name.ends_with(".blob");
}

// What takes the place of files whose indexes change.
Result<std::vector<CommitMessage>> RenewAll(const Table& table, const std::vector<ManifestEntry>& files,
                                            const UpkeepProgress& progress) {
  BRAID_TRY_ASSIGN(Indexer indexer, Indexer::Make(table));
  std::map<std::pair<BinaryRow, BucketId>, CommitMessage> messages;
  std::int64_t done = 0;
  for (const ManifestEntry& entry : files) {
    BRAID_TRY_ASSIGN(std::optional<DataFileMeta> renewed,
                     indexer.Renew(entry).Context("while indexing " + entry.file.file_name));
    if (progress) progress("files indexed", ++done, std::ssize(files));
    if (!renewed) continue;
    CommitMessage& message = messages[{entry.partition, entry.bucket}];
    message.partition = entry.partition;
    message.bucket = entry.bucket;
    message.total_buckets = entry.total_buckets;
    message.compact_before.push_back(entry.file);
    message.compact_after.push_back(*std::move(renewed));
  }
  std::vector<CommitMessage> list;
  for (auto& [bucket, message] : messages) list.push_back(std::move(message));
  return list;
}

// Deletes the indexes that no snapshot names. What cannot be deleted is an orphan.
void Discard(const Table& table, const std::vector<CommitMessage>& messages) {
  for (const CommitMessage& message : messages) {
    for (const DataFileMeta& file : message.compact_after) {
      for (const std::string& name : file.extra_files) {
        if (!name.ends_with(kIndexSuffix)) continue;
        const auto path = ExtraFilePath(table, message.partition, message.bucket, file, name);
        if (path) static_cast<void>(table.file_system().Delete(*path));
      }
    }
  }
}

Result<std::vector<ManifestEntry>> FilesOf(const Table& table, const PredicatePtr& partitions) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return std::vector<ManifestEntry>();
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, partitions));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> files, scan->LiveFiles(*snapshot));
  std::erase_if(files, [](const ManifestEntry& entry) { return !CanHaveIndexes(entry); });
  return files;
}

}  // namespace

Result<IndexRewrite> RewriteFileIndexes(const Table& table, const IndexRewriteRequest& request,
                                        const std::string& commit_user, const Clock& clock) {
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  if (evolves) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("indexes of {} are not made anew: it has data evolution", table.name()))
        .Hint("compaction writes its files anew, with their indexes");
  }
  BRAID_TRY_ASSIGN(const std::int64_t max_retries, table.options().GetInt("commit.max-retries", 10));
  TableCommit commit(table, commit_user, clock);
  for (std::int64_t attempt = 0;; ++attempt) {
    IndexRewrite rewrite;
    BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> files, FilesOf(table, request.partitions));
    rewrite.file_count = std::ssize(files);
    for (const ManifestEntry& entry : files) rewrite.bytes += entry.file.file_size;
    if (request.dry_run) return rewrite;
    Committable committable;
    BRAID_TRY_ASSIGN(committable.messages, RenewAll(table, files, request.progress));
    for (const CommitMessage& message : committable.messages)
      rewrite.changed_count += std::ssize(message.compact_after);
    if (rewrite.changed_count == 0) return rewrite;
    const auto snapshots = commit.Commit(committable);
    if (snapshots) {
      rewrite.snapshot = snapshots->back().id;
      return rewrite;
    }
    if (snapshots.error().code() != ErrorCode::kCommitUnknown) Discard(table, committable.messages);
    if (!LostFiles(snapshots.error()) || attempt >= max_retries) return snapshots.error();
  }
}

}  // namespace braid
