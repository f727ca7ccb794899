#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <fmt/format.h>

#include "base/uuid.h"
#include "mergetree/spill_file_internal.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

Error SpillError(const arrow::Status& status, const std::string& path) {
  return Error(ErrorCode::kIo, fmt::format("spilling sorted rows to {} failed: {}", path, status.message()))
      .Hint("check that the temporary folder has room");
}

Status Check(const arrow::Status& status, const std::string& path) {
  if (!status.ok()) return SpillError(status, path);
  return Ok();
}

template <typename T>
Result<T> Check(arrow::Result<T> result, const std::string& path) {
  if (!result.ok()) return SpillError(result.status(), path);
  return std::move(result).MoveValueUnsafe();
}

Result<std::shared_ptr<arrow::util::Codec>> MakeCodec(const SpillCodec& codec) {
  if (codec.compression == "none" || codec.compression == "uncompressed") return std::shared_ptr<arrow::util::Codec>();
  const bool zstd = codec.compression == "zstd";
  if (!zstd && codec.compression != "lz4") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("spill-compression '{}' is not known", codec.compression))
        .Hint("use none, lz4 or zstd");
  }
  auto made = zstd ? arrow::util::Codec::Create(arrow::Compression::ZSTD, codec.zstd_level)
                   : arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME);
  if (!made.ok()) return Error(ErrorCode::kInvalidArgument, made.status().message());
  return std::shared_ptr<arrow::util::Codec>(std::move(made).MoveValueUnsafe());
}

class SpillReader : public BatchReader {
 public:
  SpillReader(KeyValueSchema schema, std::string path, std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader)
      : schema_(std::move(schema)),
        stored_schema_(ToArrowSchema(KeyValueReadFields(schema_))),
        path_(std::move(path)),
        reader_(std::move(reader)) {}

  Result<std::optional<Batch>> Next() override {
    std::shared_ptr<arrow::RecordBatch> rows;
    BRAID_TRY(Check(reader_->ReadNext(&rows), path_));
    if (rows == nullptr) return std::optional<Batch>();
    // Arrow looks no further than at the number and the size of buffers.
    if (!rows->schema()->Equals(*stored_schema_, /*check_metadata=*/false) || !rows->ValidateFull().ok()) {
      return Error(ErrorCode::kCorruption, fmt::format("{} was changed while it was in use", path_))
          .Hint("repeat it, and keep others out of the temporary folder");
    }
    BRAID_TRY_ASSIGN(Batch batch, ToKeyValueBatch(schema_, *rows));
    return std::optional(std::move(batch));
  }

 private:
  KeyValueSchema schema_;
  std::shared_ptr<arrow::Schema> stored_schema_;
  std::string path_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_;
};

}  // namespace

Result<std::unique_ptr<SpillFile>> SpillFile::Write(const KeyValueSchema& schema, const std::string& directory,
                                                    const SpillCodec& codec, BatchReader& rows) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) {
    return Error(ErrorCode::kIo, fmt::format("cannot make the temporary folder {}: {}", directory, failure.message()));
  }
  std::unique_ptr<SpillFile> file(new SpillFile(schema, fmt::format("{}/sort-{}.arrow", directory, RandomUuid())));
  BRAID_TRY(file->WriteRows(codec, rows));
  return file;
}

SpillFile::~SpillFile() {
  std::error_code ignored;  // a file that stays behind goes with its folder
  std::filesystem::remove(path_, ignored);
}

Status SpillFile::WriteRows(const SpillCodec& codec, BatchReader& rows) {
  arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
  options.use_threads = false;
  options.memory_pool = BufferPool();
  BRAID_TRY_ASSIGN(options.codec, MakeCodec(codec));
  BRAID_TRY_ASSIGN(const auto sink, Check(arrow::io::FileOutputStream::Open(path_), path_));
  const std::shared_ptr<arrow::Schema> arrow_schema = ToArrowSchema(KeyValueReadFields(schema_));
  BRAID_TRY_ASSIGN(const auto writer, Check(arrow::ipc::MakeStreamWriter(sink, arrow_schema, options), path_));
  while (true) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows.Next());
    if (!batch) break;
    std::vector<std::shared_ptr<arrow::Array>> columns = {batch->rows->column(schema_.sequence_number_column()),
                                                          batch->kinds};
    if (batch->kinds == nullptr) {
      std::vector<std::int8_t> inserts(static_cast<std::size_t>(batch->row_count()), 0);
      columns[1] =
          std::make_shared<arrow::Int8Array>(batch->row_count(), arrow::Buffer::FromVector(std::move(inserts)));
    }
    for (std::size_t value = 0; value < schema_.value_fields.size(); ++value) {
      columns.push_back(batch->rows->column(schema_.value_column(value)));
    }
    const auto stored = arrow::RecordBatch::Make(arrow_schema, batch->row_count(), std::move(columns));
    BRAID_TRY(Check(writer->WriteRecordBatch(*stored), path_));
    row_count_ += batch->row_count();
  }
  BRAID_TRY(Check(writer->Close(), path_));
  BRAID_TRY_ASSIGN(size_bytes_, Check(sink->Tell(), path_));
  return Check(sink->Close(), path_);
}

Result<std::unique_ptr<BatchReader>> SpillFile::Open() const {
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::io::ReadableFile> input,
                   Check(arrow::io::ReadableFile::Open(path_, BufferPool()), path_));
  arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
  options.use_threads = false;
  options.memory_pool = BufferPool();
  BRAID_TRY_ASSIGN(auto reader, Check(arrow::ipc::RecordBatchStreamReader::Open(std::move(input), options), path_));
  std::unique_ptr<BatchReader> result = std::make_unique<SpillReader>(schema_, path_, std::move(reader));
  return result;
}

}  // namespace braid
