#include "types/parked_values.h"

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "types/buffer_pool.h"

namespace braid {
namespace {

class MappedBuffer : public arrow::Buffer {
 public:
  MappedBuffer(const std::uint8_t* data, std::int64_t size) : Buffer(data, size) {}
  ~MappedBuffer() override { munmap(const_cast<std::uint8_t*>(data()), static_cast<std::size_t>(size())); }
};

/// A descriptor of a new file that has no name; negative if none can be made.
int OpenNamelessFile() {
  const char* parent = std::getenv("TMPDIR");
  const std::string directory = parent != nullptr && *parent != '\0' ? parent : "/tmp";
  const int file = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) return file;
  // Some file systems can only forget a name.
  std::string path = directory + "/braid-parked-XXXXXX";
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

bool WriteAll(int file, const std::uint8_t* bytes, std::int64_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, static_cast<std::size_t>(size));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= written;
  }
  return true;
}

/// The bytes in a file of their own; null if that cannot be had.
std::shared_ptr<arrow::Buffer> Park(const std::uint8_t* bytes, std::int64_t size) {
  const int file = OpenNamelessFile();
  if (file < 0) return nullptr;
  void* mapped = MAP_FAILED;
  // Written rather than stored through the mapping: a full disk is an error here and a signal there.
  if (WriteAll(file, bytes, size))
    mapped = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return nullptr;
  return std::make_shared<MappedBuffer>(static_cast<const std::uint8_t*>(mapped), size);
}

bool IsParked(const arrow::Buffer& buffer) {
  if (dynamic_cast<const MappedBuffer*>(&buffer) != nullptr) return true;
  return buffer.parent() != nullptr && IsParked(*buffer.parent());
}

bool HasLongValues(const arrow::Array& column) {
  if (column.type_id() != arrow::Type::BINARY && column.type_id() != arrow::Type::STRING) return false;
  const std::int64_t bytes = static_cast<const arrow::BinaryArray&>(column).total_values_length();
  return bytes >= kParkedBytes && bytes / column.length() >= kLongRowBytes;
}

/// Null if the values cannot be parked.
std::shared_ptr<arrow::Array> ParkValues(const arrow::BinaryArray& column) {
  const std::int64_t length = column.length();
  auto offsets = arrow::AllocateBuffer((length + 1) * std::int64_t{sizeof(std::int32_t)}, BufferPool());
  if (!offsets.ok()) return nullptr;
  const std::int32_t first = column.value_offset(0);
  auto* out = (*offsets)->mutable_data_as<std::int32_t>();
  for (std::int64_t i = 0; i <= length; ++i) out[i] = column.value_offset(i) - first;
  std::shared_ptr<arrow::Buffer> values = Park(column.raw_data() + first, out[length]);
  if (values == nullptr) return nullptr;
  std::shared_ptr<arrow::Buffer> validity;
  if (column.null_count() > 0) {
    auto bits = arrow::AllocateEmptyBitmap(length, BufferPool());
    if (!bits.ok()) return nullptr;
    validity = std::move(bits).ValueUnsafe();
    for (std::int64_t i = 0; i < length; ++i) {
      if (column.IsValid(i)) arrow::bit_util::SetBit(validity->mutable_data(), i);
    }
  }
  return arrow::MakeArray(arrow::ArrayData::Make(
      column.type(), length, {std::move(validity), std::move(offsets).ValueUnsafe(), std::move(values)},
      column.null_count()));
}

}  // namespace

std::shared_ptr<arrow::Array> ParkColumn(const std::shared_ptr<arrow::Array>& column) {
  return IsParked(*column->data()->buffers[2]) ? column : ParkValues(static_cast<const arrow::BinaryArray&>(*column));
}

std::shared_ptr<arrow::Array> ParkValue(std::string_view bytes, std::shared_ptr<arrow::DataType> type) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::shared_ptr<arrow::Buffer> values = Park(reinterpret_cast<const std::uint8_t*>(bytes.data()), size);
  if (values == nullptr) return nullptr;
  auto offsets = arrow::Buffer::FromVector(std::vector<std::int32_t>{0, static_cast<std::int32_t>(size)});
  return arrow::MakeArray(
      arrow::ArrayData::Make(std::move(type), 1, {nullptr, std::move(offsets), std::move(values)}, /*null_count=*/0));
}

void ReleasePages(const arrow::Array& column) {
  if (column.type_id() != arrow::Type::BINARY && column.type_id() != arrow::Type::STRING) return;
  const arrow::Buffer* buffer = column.data()->buffers[2].get();
  if (!IsParked(*buffer)) return;
  while (buffer->parent() != nullptr) buffer = buffer->parent().get();
  madvise(const_cast<std::uint8_t*>(buffer->data()), static_cast<std::size_t>(buffer->size()), MADV_DONTNEED);
}

void ReleasePages(const arrow::RecordBatch& rows) {
  for (const std::shared_ptr<arrow::Array>& column : rows.columns()) ReleasePages(*column);
}

std::int64_t LongValueBytes(const Batch& batch) {
  std::int64_t bytes = 0;
  if (batch.row_count() == 0) return bytes;
  for (const std::shared_ptr<arrow::Array>& column : batch.rows->columns()) {
    if (HasLongValues(*column)) bytes += static_cast<const arrow::BinaryArray&>(*column).total_values_length();
  }
  return bytes;
}

ParkedBatch ParkLongValues(const Batch& batch) {
  ParkedBatch result{batch, 0};
  if (LongValueBytes(batch) == 0) return result;
  std::vector<std::shared_ptr<arrow::Array>> columns = batch.rows->columns();
  for (std::shared_ptr<arrow::Array>& column : columns) {
    if (!HasLongValues(*column)) continue;
    const auto& values = static_cast<const arrow::BinaryArray&>(*column);
    const std::int64_t bytes = values.total_values_length();
    std::shared_ptr<arrow::Array> parked = ParkColumn(column);
    if (parked == nullptr) continue;
    column = std::move(parked);
    result.parked_bytes += bytes;
  }
  result.batch.rows = arrow::RecordBatch::Make(batch.rows->schema(), batch.row_count(), std::move(columns));
  return result;
}

}  // namespace braid
