#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer_builder.h>

#include "base/little_endian.h"
#include "format/parquet_places_internal.h"
#include "format/parquet_texts_internal.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::int64_t kChunk = 16;  // short texts are copied in chunks of so many bytes, whatever their length
constexpr std::int64_t kManyChunks = 4;

arrow::Status TooLong() { return arrow::Status::CapacityError("the texts of a batch take more than 2 GiB"); }

/// Copies a text between places behind each of which kChunk bytes more may be touched.
inline void CopyText(char* to, const char* from, std::int64_t length) {
  if (length > kManyChunks * kChunk) {
    std::memcpy(to, from, static_cast<std::size_t>(length));
    return;
  }
  for (std::int64_t done = 0; done < length; done += kChunk) std::memcpy(to + done, from + done, kChunk);
}

class ParquetTexts : public DictionaryOrPlainValues {
 public:
  explicit ParquetTexts(std::shared_ptr<arrow::DataType> type) : type_(std::move(type)) {}

  arrow::Status SetDictionary(std::string_view bytes, std::int64_t count) override {
    ARROW_RETURN_NOT_OK(CheckCount(count, bytes, kLengthBytes));
    dictionary_.reserve(bytes.size() + kChunk);
    entries_.reserve(static_cast<std::size_t>(count));
    plain_ = bytes;
    for (std::int64_t i = 0; i < count; ++i) {
      ARROW_ASSIGN_OR_RAISE(const std::string_view text, TakePlain());
      entries_.push_back({static_cast<std::int64_t>(dictionary_.size()), static_cast<std::int32_t>(text.size())});
      longest_ = std::max(longest_, static_cast<std::int64_t>(text.size()));
      dictionary_ += text;
    }
    dictionary_.append(kChunk, '\0');
    return arrow::Status::OK();
  }

  arrow::Status Append(std::int64_t count) override {
    ARROW_RETURN_NOT_OK(ReserveEnds(count));
    if (!in_dictionary_) return AppendPlain(count);
    return places_.Read(count, static_cast<std::int64_t>(entries_.size()),
                        [this](std::span<const std::uint32_t> places) { return AppendEntries(places); });
  }

  arrow::Status AppendNulls(std::int64_t count) override {
    ARROW_RETURN_NOT_OK(ReserveEnds(count));
    ends_.UnsafeAppend(count, static_cast<std::int32_t>(bytes_.length()));
    return arrow::Status::OK();
  }

  std::int64_t longest_entry_bytes() const override { return longest_; }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish(std::int64_t count, std::shared_ptr<arrow::Buffer> validity,
                                                      std::int64_t null_count) override {
    ARROW_RETURN_NOT_OK(ReserveEnds(0));
    expected_bytes_ = bytes_.length();
    ARROW_ASSIGN_OR_RAISE(auto offsets, ends_.Finish(/*shrink_to_fit=*/false));
    ARROW_ASSIGN_OR_RAISE(auto bytes, bytes_.Finish(/*shrink_to_fit=*/false));
    return arrow::MakeArray(arrow::ArrayData::Make(type_, count, {std::move(validity), std::move(offsets), std::move(bytes)}, null_count));
  }

 protected:
  arrow::Status SkipPlain(std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(TakePlain());
    return arrow::Status::OK();
  }

 private:
  struct Entry {
    std::int64_t start;
    std::int32_t length;
  };

  arrow::Result<std::string_view> TakePlain() {
    if (plain_.size() < kLengthBytes) return DamagedPage("it has fewer values than it says");
    const auto length = LittleEndianAt<std::uint32_t>(plain_, 0);
    if (length > plain_.size() - kLengthBytes) return DamagedPage("a text reaches beyond its end");
    const std::string_view text = plain_.substr(kLengthBytes, length);
    plain_.remove_prefix(kLengthBytes + length);
    return text;
  }

  /// Makes room for so many bytes more and some that are touched behind them.
  arrow::Status ReserveBytes(std::int64_t count) {
    if (count > std::numeric_limits<std::int32_t>::max() - bytes_.length()) return TooLong();
    // The next batch is likely to take what the last one did.
    return bytes_.Reserve(bytes_.length() == 0 ? std::max(count, expected_bytes_) + kChunk : count + kChunk);
  }

  /// Makes room for the ends of so many texts.
  arrow::Status ReserveEnds(std::int64_t count) {
    ARROW_RETURN_NOT_OK(ends_.Reserve(count + 1));
    if (ends_.length() == 0) ends_.UnsafeAppend(0);
    return arrow::Status::OK();
  }

  /// Precondition: room for their ends.
  arrow::Status AppendPlain(std::int64_t count) {
    // Lengths lie between the texts: where each text begins depends on all before it. So they are followed first, and
    // the copies do not wait for each other.
    const char* const first = plain_.data();
    const char* const page_end = first + plain_.size();
    std::int32_t* const ends = ends_.mutable_data() + ends_.length();
    std::int64_t end = bytes_.length();
    const char* at = first;
    for (std::int64_t i = 0; i < count; ++i) {
      if (page_end - at < static_cast<std::ptrdiff_t>(kLengthBytes)) return DamagedPage("it has fewer values than it says");
      std::uint32_t length;
      std::memcpy(&length, at, kLengthBytes);
      at += kLengthBytes;
      if (length > static_cast<std::uint64_t>(page_end - at)) return DamagedPage("a text reaches beyond its end");
      at += length;
      end += length;
      if (end > std::numeric_limits<std::int32_t>::max()) return TooLong();
      ends[i] = static_cast<std::int32_t>(end);
    }
    plain_.remove_prefix(static_cast<std::size_t>(at - first));
    ARROW_RETURN_NOT_OK(ReserveBytes(end - bytes_.length()));
    char* const to = reinterpret_cast<char*>(bytes_.mutable_data());
    at = first;
    std::int64_t start = bytes_.length();
    for (std::int64_t i = 0; i < count; ++i) {
      at += kLengthBytes;
      const std::int64_t length = ends[i] - start;
      if (page_end - at >= length + kChunk) {
        CopyText(to + start, at, length);
      } else {
        std::memcpy(to + start, at, static_cast<std::size_t>(length));
      }
      at += length;
      start = ends[i];
    }
    bytes_.UnsafeAdvance(end - bytes_.length());
    ends_.bytes_builder()->UnsafeAdvance(count * static_cast<std::int64_t>(sizeof(std::int32_t)));
    return arrow::Status::OK();
  }

  /// Precondition: room for their ends.
  arrow::Status AppendEntries(std::span<const std::uint32_t> places) {
    std::int64_t bytes = 0;
    for (const std::uint32_t place : places) bytes += entries_[place].length;
    ARROW_RETURN_NOT_OK(ReserveBytes(bytes));
    char* to = reinterpret_cast<char*>(bytes_.mutable_data()) + bytes_.length();
    auto end = static_cast<std::int32_t>(bytes_.length());
    for (const std::uint32_t place : places) {
      const Entry& entry = entries_[place];
      CopyText(to, dictionary_.data() + entry.start, entry.length);
      to += entry.length;
      end += entry.length;
      ends_.UnsafeAppend(end);
    }
    bytes_.UnsafeAdvance(bytes);
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::DataType> type_;
  std::string dictionary_;  // with kChunk bytes behind it
  std::vector<Entry> entries_;
  std::int64_t longest_ = 0;
  std::int64_t expected_bytes_ = 0;
  arrow::TypedBufferBuilder<std::int32_t> ends_{BufferPool()};
  arrow::BufferBuilder bytes_{BufferPool()};
};

}  // namespace

std::unique_ptr<ParquetValues> MakeParquetTexts(std::shared_ptr<arrow::DataType> type) {
  return std::make_unique<ParquetTexts>(std::move(type));
}

}  // namespace braid
