#include "table/row_range_compaction.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "meta/blob_columns.h"
#include "table/rolling_file_writer.h"
#include "table/row_range.h"

namespace braid {

namespace {

using Range = AddressedRows::File;

std::int64_t EndOf(const Range& range) { return *range.meta.first_row_id + range.meta.row_count; }

// Neighbouring ranges that become one.
struct Run {
  std::vector<const Range*> ranges{};
  std::int64_t bytes = 0;
  std::int64_t file_count = 0;

  void Add(const Range& range) {
    ranges.push_back(&range);
    for (const DataFileMeta& file : range.of_range) {
      if (IsBlobFile(file)) continue;
      bytes += file.file_size;
      ++file_count;
    }
  }

  bool IsFollowedBy(const Range& range) const {
    const Range& last = *ranges.back();
    return range.partition == last.partition && range.bucket == last.bucket && *range.meta.first_row_id == EndOf(last);
  }
};

// Precondition: `ranges` are by bucket and in the order of their rows.
std::vector<Run> RunsOf(const std::vector<Range>& ranges, std::int64_t target_bytes) {
  std::vector<Run> runs;
  for (const Range& range : ranges) {
    Run alone;
    alone.Add(range);
    const bool fits = !runs.empty() && runs.back().IsFollowedBy(range) && runs.back().bytes + alone.bytes <= target_bytes;
    if (fits) {
      runs.back().Add(range);
    } else {
      runs.push_back(std::move(alone));
    }
  }
  return runs;
}

FileContents ContentsOf(const Table& table) {
  const BlobColumns blobs(table.options());
  std::vector<DataField> fields;
  for (const DataField& field : table.schema().fields) {
    if (!blobs.HasOwnFiles(field)) fields.push_back(field);
  }
  const bool all = fields.size() == table.schema().fields.size();
  FileContents contents = FileContents::Columns(std::move(fields));
  contents.names_fields = !all;
  contents.rolls = false;
  return contents;
}

// What the new file takes over from the old ones.
void TakeOver(const Run& run, DataFileMeta& merged, CommitMessage& message) {
  merged.first_row_id = run.ranges.front()->meta.first_row_id;
  std::optional<std::int64_t> least;
  RowRangeBase base{.first_row_id = *merged.first_row_id, .row_count = merged.row_count, .files = {}};
  for (const Range* range : run.ranges) {
    for (const DataFileMeta& file : range->of_range) {
      base.files.insert(file.file_name);
      if (IsBlobFile(file)) continue;
      least = std::min(least.value_or(file.min_sequence_number), file.min_sequence_number);
      merged.max_sequence_number = std::max(merged.max_sequence_number, file.max_sequence_number);
      message.compact_before.push_back(file);
    }
  }
  merged.min_sequence_number = least.value_or(0);
  message.row_range_base = std::move(base);
}

Result<CommitMessage> Merge(const AddressedRows& rows, const Run& run) {
  const Range& first = *run.ranges.front();
  FileContents contents = ContentsOf(rows.table());
  const std::vector<DataField> fields = contents.fields;
  BRAID_TRY_ASSIGN(const auto writer, RollingFileWriter::Make(rows.table(), first.partition, first.bucket, std::move(contents)));
  for (const Range* range : run.ranges) {
    BRAID_TRY_ASSIGN(const auto reader, rows.ReadFile(*range, fields));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      BRAID_TRY(writer->Write(*batch));
    }
  }
  CommitMessage message;
  message.partition = first.partition;
  message.bucket = first.bucket;
  message.total_buckets = first.total_buckets;
  BRAID_TRY_ASSIGN(message.compact_after, writer->Finish());
  TakeOver(run, message.compact_after.front(), message);
  return message;
}

}  // namespace

Result<std::vector<CommitMessage>> CompactRowRanges(const AddressedRows& rows, const RowRangeCompaction& compaction) {
  std::vector<CommitMessage> messages;
  for (const Run& run : RunsOf(rows.files(), compaction.target_bytes)) {
    if (run.file_count < std::max<std::int64_t>(compaction.min_files, 2)) continue;
    Result<CommitMessage> message = Merge(rows, run);
    if (!message) {
      // Nobody will commit the others. What cannot be deleted is an orphan.
      static_cast<void>(TableCommit(rows.table(), "").Abort(messages));
      return std::move(message).error();
    }
    messages.push_back(*std::move(message));
  }
  return messages;
}

}  // namespace braid
