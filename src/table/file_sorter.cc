#include "table/file_sorter.h"

#include <algorithm>

#include "table/data_file_reader.h"
#include "table/rolling_file_writer.h"

namespace braid {

Result<FileSorter> FileSorter::Make(const Table& table, std::span<const std::string> columns, SortStrategy strategy,
                                    FileSource source, const std::string& spill_directory) {
  BRAID_TRY(CheckSortColumns(table, columns));
  BRAID_TRY_ASSIGN(TemporaryDirectory local, TemporaryDirectory::Make(spill_directory));
  FileSorter sorter(table, source, std::move(local));
  BRAID_TRY_ASSIGN(FileContents contents, FileContents::KnownRows(table, source, 0));
  sorter.fields_ = std::move(contents.fields);
  BRAID_TRY_ASSIGN(sorter.rows_,
                   RowSorter::Make(sorter.fields_, columns, strategy, table.options(), sorter.local_.path()));
  return sorter;
}

Result<std::vector<DataFileMeta>> FileSorter::Sort(const BinaryRow& partition, BucketId bucket,
                                                   const std::vector<DataFileMeta>& files,
                                                   const DeletionVectorIndex& deletions,
                                                   const std::function<void(std::int64_t)>& counted) {
  rows_->Clear();
  BRAID_TRY(Collect(partition, bucket, files, deletions, counted));
  std::int64_t first_sequence_number = files.empty() ? 0 : files.front().min_sequence_number;
  for (const DataFileMeta& file : files) first_sequence_number = std::min(first_sequence_number, file.min_sequence_number);
  Result<std::vector<DataFileMeta>> written = Write(partition, bucket, first_sequence_number);
  rows_->Clear();
  return written;
}

Status FileSorter::Collect(const BinaryRow& partition, BucketId bucket, const std::vector<DataFileMeta>& files,
                           const DeletionVectorIndex& deletions, const std::function<void(std::int64_t)>& counted) {
  const std::vector<DeletionVectorRef> vectors = deletions.Find(partition, bucket, files);
  DataFileReader reader(table_);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const DeletionVectorRef vector = vectors.empty() ? DeletionVectorRef{} : vectors[i];
    BRAID_TRY_ASSIGN(const auto rows, reader.Open(partition, bucket, files[i], fields_, nullptr, vector));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
      if (!batch) break;
      BRAID_TRY(rows_->Add(*batch));
      if (counted != nullptr) counted(batch->row_count());
    }
  }
  return Ok();
}

Result<std::vector<DataFileMeta>> FileSorter::Write(const BinaryRow& partition, BucketId bucket,
                                                    std::int64_t first_sequence_number) {
  BRAID_TRY_ASSIGN(FileContents contents, FileContents::KnownRows(table_, source_, first_sequence_number));
  BRAID_TRY_ASSIGN(const auto writer, RollingFileWriter::Make(table_, partition, bucket, std::move(contents)));
  BRAID_TRY_ASSIGN(const auto sorted, rows_->Sorted());
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, sorted->Next());
    if (!batch) break;
    BRAID_TRY(writer->Write(*batch));
  }
  return writer->Finish();
}

}  // namespace braid
