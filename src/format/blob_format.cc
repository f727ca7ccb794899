#include "format/blob_format.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>
#include <zlib.h>

#include "base/little_endian.h"
#include "format/arrow_io.h"
#include "format/blob_descriptor.h"

namespace braid {
namespace {

constexpr std::int32_t kMagic = 1481511375;
constexpr std::int8_t kVersion = 1;
constexpr std::int64_t kNull = -1;
constexpr std::int64_t kPlaceholder = -2;
constexpr std::int64_t kHeadBytes = kBlobRecordHeadBytes;                                // the magic number
constexpr std::int64_t kTailBytes = kBlobRecordExtraBytes - kBlobRecordHeadBytes;  // length and check sum
constexpr std::int64_t kEndBytes = 5;    // of the file: length of the index and version
constexpr std::int64_t kMaxBatchBytes = std::int64_t{32} << 20;
constexpr std::int64_t kMaxRecordBytes = std::int64_t{0x7FFFFFFF};  // an Arrow column takes no more

std::uint32_t Checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void AppendVarint(std::string& bytes, std::int64_t value) {
  auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  while (rest >= 0x80) {
    bytes.push_back(static_cast<char>(rest | 0x80));
    rest >>= 7;
  }
  bytes.push_back(static_cast<char>(rest));
}

Error Damaged(std::string_view path, std::string_view what) {
  return Error(ErrorCode::kCorruption, fmt::format("{} is no readable file of a BLOB column: {}", path, what));
}

/// The lengths of all records, which the file stores as differences.
Result<std::vector<std::int64_t>> DecodeLengths(std::string_view index, std::string_view path) {
  std::vector<std::int64_t> lengths;
  std::uint64_t value = 0;
  int shift = 0;
  for (const char byte : index) {
    if (shift > 63) return Damaged(path, "a number in its index has no end");
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    const std::int64_t delta = static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
    const std::uint64_t before = lengths.empty() ? 0 : static_cast<std::uint64_t>(lengths.back());
    lengths.push_back(static_cast<std::int64_t>(before + static_cast<std::uint64_t>(delta)));
    value = 0;
    shift = 0;
  }
  if (shift != 0) return Damaged(path, "its index ends within a number");
  return lengths;
}

Status ReadText(const InputFile& file, std::int64_t offset, std::string& into) {
  return file.ReadAt(offset, std::as_writable_bytes(std::span(into)));
}

class BlobReader : public FileReader {
 public:
  static Result<std::unique_ptr<FileReader>> Open(const FileSystem& file_system, std::string_view path,
                                                  const FileReadRequest& request, bool as_descriptors) {
    BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> file, file_system.Open(path));
    const std::int64_t size = file->size_bytes();
    if (size < kEndBytes) return Damaged(path, "it is too short");
    std::string end(static_cast<std::size_t>(kEndBytes), '\0');
    BRAID_TRY(ReadText(*file, size - kEndBytes, end));
    if (end[4] != kVersion) return Damaged(path, fmt::format("its version is {}", static_cast<int>(end[4])));
    const auto index_bytes = LittleEndianAt<std::int32_t>(end, 0);
    const std::int64_t index_at = size - kEndBytes - index_bytes;
    if (index_bytes < 0 || index_at < 0) return Damaged(path, "the length of its index is wrong");
    std::string index(static_cast<std::size_t>(index_bytes), '\0');
    BRAID_TRY(ReadText(*file, index_at, index));
    BRAID_TRY_ASSIGN(std::vector<std::int64_t> lengths, DecodeLengths(index, path));
    BRAID_TRY(Check(lengths, index_at, path));
    return std::unique_ptr<FileReader>(new BlobReader(std::move(file), std::string(path), request, as_descriptors, std::move(lengths)));
  }

  Result<std::optional<Batch>> Next() override {
    if (row_ == lengths_.size()) return std::optional<Batch>();
    last_row_ = static_cast<std::int64_t>(row_);
    arrow::BinaryBuilder values;
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    while (row_ < lengths_.size() && count < batch_rows_ && (count == 0 || bytes + lengths_[row_] <= kMaxBatchBytes)) {
      if (as_descriptors_) {
        BRAID_TRY(AppendDescriptor(lengths_[row_], values));
      } else {
        BRAID_TRY(AppendValue(lengths_[row_], values));
        bytes += std::max<std::int64_t>(lengths_[row_], 0);
      }
      ++row_;
      ++count;
    }
    std::shared_ptr<arrow::Array> column;
    BRAID_ARROW_TRY(values.Finish(&column), ArrowTask::kReading, path_);
    std::vector<std::shared_ptr<arrow::Array>> columns(static_cast<std::size_t>(schema_->num_fields()), column);
    return std::optional(Batch{arrow::RecordBatch::Make(schema_, count, std::move(columns)), nullptr});
  }

  std::int64_t first_row_of_last_batch() const override { return last_row_; }

 private:
  BlobReader(std::unique_ptr<InputFile> file, std::string path, const FileReadRequest& request,
             bool as_descriptors, std::vector<std::int64_t> lengths)
      : file_(std::move(file)),
        path_(std::move(path)),
        schema_(ToArrowSchema(request.columns)),
        batch_rows_(request.batch_rows),
        as_descriptors_(as_descriptors),
        lengths_(std::move(lengths)) {}

  static Status Check(const std::vector<std::int64_t>& lengths, std::int64_t index_at, std::string_view path) {
    std::int64_t records_end = 0;
    for (const std::int64_t length : lengths) {
      if (length == kPlaceholder) {
        return Error(ErrorCode::kUnsupported,
                     fmt::format("{} leaves values to older files, which this version does not read", path));
      }
      if (length == kNull) continue;
      if (length < kHeadBytes + kTailBytes || length > index_at - records_end) {
        return Damaged(path, "the length of a record is wrong");
      }
      if (length > kMaxRecordBytes) {
        return Error(ErrorCode::kUnsupported, fmt::format("{} holds a value of more than 2 GiB", path));
      }
      records_end += length;
    }
    return records_end == index_at ? Ok() : Damaged(path, "its records do not fill it");
  }

  Status AppendValue(std::int64_t length, arrow::BinaryBuilder& values) {
    if (length == kNull) {
      BRAID_ARROW_TRY(values.AppendNull(), ArrowTask::kReading, path_);
      return Ok();
    }
    record_.resize(static_cast<std::size_t>(length));
    BRAID_TRY(ReadText(*file_, offset_, record_));
    offset_ += length;
    const std::string_view record = record_;
    const std::string_view tail = record.substr(record.size() - kTailBytes);
    if (LittleEndianAt<std::int32_t>(record, 0) != kMagic || LittleEndianAt<std::int64_t>(tail, 0) != length) {
      return Damaged(path_, "a record is damaged");
    }
    if (LittleEndianAt<std::uint32_t>(tail, 8) != Checksum(record.substr(0, record.size() - 4))) {
      return Damaged(path_, "a value is not what was written");
    }
    const std::int64_t value_bytes = length - kHeadBytes - kTailBytes;
    BRAID_ARROW_TRY(values.Append(record.data() + kHeadBytes, static_cast<std::int32_t>(value_bytes)), ArrowTask::kReading, path_);
    return Ok();
  }

  // The value is not read.
  Status AppendDescriptor(std::int64_t length, arrow::BinaryBuilder& values) {
    if (length == kNull) {
      BRAID_ARROW_TRY(values.AppendNull(), ArrowTask::kReading, path_);
      return Ok();
    }
    const BlobDescriptor descriptor{
        .uri = path_, .offset = offset_ + kHeadBytes, .length = length - kBlobRecordExtraBytes};
    offset_ += length;
    BRAID_ARROW_TRY(values.Append(PrintBlobDescriptor(descriptor)), ArrowTask::kReading, path_);
    return Ok();
  }

  std::unique_ptr<InputFile> file_;
  std::string path_;
  std::shared_ptr<arrow::Schema> schema_;
  std::int64_t batch_rows_;
  bool as_descriptors_;
  std::vector<std::int64_t> lengths_;
  std::size_t row_ = 0;
  std::int64_t last_row_ = 0;
  std::int64_t offset_ = 0;  // of the next record
  std::string record_;
};

class BlobWriter : public FileWriter {
 public:
  explicit BlobWriter(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

  Status Write(const Batch& batch) override {
    const auto& values = static_cast<const arrow::BinaryArray&>(*batch.rows->column(0));
    for (std::int64_t row = 0; row < values.length(); ++row) {
      std::int64_t length = kNull;
      if (!values.IsNull(row)) {
        BRAID_TRY_ASSIGN(length, WriteRecord(values.GetView(row)));
      }
      AppendVarint(index_, length - last_length_);
      last_length_ = length;
      ++row_count_;
    }
    return Ok();
  }

  std::int64_t estimated_bytes() const override {
    return file_->position() + static_cast<std::int64_t>(index_.size()) + kEndBytes;
  }

  Result<WrittenFile> Finish() override {
    AppendLittleEndian(static_cast<std::int32_t>(index_.size()), index_);
    index_.push_back(static_cast<char>(kVersion));
    BRAID_TRY(file_->Append(index_));
    const std::int64_t size = file_->position();
    BRAID_TRY(file_->Close());
    return WrittenFile{.size_bytes = size, .row_count = row_count_, .columns = {ColumnStatistics{}}};
  }

 private:
  Result<std::int64_t> WriteRecord(std::string_view value) {
    const std::int64_t length = kHeadBytes + static_cast<std::int64_t>(value.size()) + kTailBytes;
    record_.clear();
    AppendLittleEndian(kMagic, record_);
    record_ += value;
    AppendLittleEndian(length, record_);
    AppendLittleEndian(Checksum(record_), record_);
    BRAID_TRY(file_->Append(record_));
    return length;
  }

  std::unique_ptr<OutputFile> file_;
  std::string record_;
  std::string index_;
  std::int64_t last_length_ = 0;
  std::int64_t row_count_ = 0;
};

class Blob : public FileFormat {
 public:
  explicit Blob(bool as_descriptors) : as_descriptors_(as_descriptors) {}

  std::string_view identifier() const override { return "blob"; }

  Result<std::unique_ptr<FileReader>> OpenReader(const FileSystem& file_system, std::string_view path,
                                                 const FileReadRequest& request) const override {
    return BlobReader::Open(file_system, path, request, as_descriptors_);
  }

  Result<std::unique_ptr<FileWriter>> OpenWriter(FileSystem& file_system, std::string_view path,
                                                 std::span<const DataField> fields,
                                                 const Options& /*options*/) const override {
    BRAID_CHECK(fields.size() == 1);
    BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> file, file_system.Create(path));
    return std::unique_ptr<FileWriter>(std::make_unique<BlobWriter>(std::move(file)));
  }

 private:
  bool as_descriptors_;  // when it reads
};

}  // namespace

const FileFormat& BlobFormat() {
  static const Blob format(/*as_descriptors=*/false);
  return format;
}

const FileFormat& BlobDescriptorFormat() {
  static const Blob format(/*as_descriptors=*/true);
  return format;
}

}  // namespace braid
