#include "format/orc_stream_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/buffer.h>
#include <fmt/format.h>

namespace braid {
namespace {

constexpr std::size_t kPlainBlockBytes = std::size_t{64} << 10;  // of streams that are not compressed

}  // namespace

OrcStreamReader::OrcStreamReader(std::string bytes, std::shared_ptr<OrcDecompressor> decompressor)
    : decompressor_(std::move(decompressor)), range_(arrow::Buffer::FromString(std::move(bytes))) {
  raw_ = {reinterpret_cast<const char*>(range_->data()), static_cast<std::size_t>(range_->size())};
}

OrcStreamReader::OrcStreamReader(std::shared_ptr<OrcStripeBytes> source, OrcExtent extent,
                                 std::shared_ptr<OrcDecompressor> decompressor)
    : source_(std::move(source)), rest_(extent), decompressor_(std::move(decompressor)) {}

bool OrcStreamReader::Read(void* to, std::size_t count) {
  auto* out = static_cast<char*>(to);
  while (count > 0) {
    const std::string_view bytes = Peek(1);
    if (bytes.empty()) return false;
    const std::size_t copied = std::min(count, bytes.size());
    std::memcpy(out, bytes.data(), copied);
    Consume(copied);
    out += copied;
    count -= copied;
  }
  return true;
}

void OrcStreamReader::Fill(std::size_t wanted) {
  while (end_ - next_ < wanted) {
    const std::optional<std::string_view> block = NextBlock();
    if (!block) return;
    Append(*block);
  }
}

/// Behind what is left of the blocks before, which is moved to the front.
void OrcStreamReader::Append(std::string_view block) {
  const std::size_t left = end_ - next_;
  const std::size_t needed = left + block.size() + kPaddingBytes;
  if (needed > capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(needed);
    if (left > 0) std::memcpy(larger.get(), block_.get() + next_, left);
    block_ = std::move(larger);
    capacity_ = needed;
  } else if (left > 0) {
    std::memmove(block_.get(), block_.get() + next_, left);
  }
  if (!block.empty()) std::memcpy(block_.get() + left, block.data(), block.size());
  next_ = 0;
  end_ = left + block.size();
  std::memset(block_.get() + end_, 0, kPaddingBytes);
}

std::optional<std::string_view> OrcStreamReader::NextBlock() {
  if (!damage_.empty() || (raw_.empty() && !TakePiece())) return std::nullopt;
  if (decompressor_ == nullptr) return TakeRaw(std::min(raw_.size(), kPlainBlockBytes));
  return NextChunk();
}

std::optional<std::string_view> OrcStreamReader::NextChunk() {
  const std::optional<std::string_view> head = TakeRaw(OrcChunkHeader::kBytes);
  if (!head) return std::nullopt;
  const OrcChunkHeader header = OrcChunkHeader::Parse(*head);
  const std::optional<std::string_view> chunk = TakeRaw(header.chunk_bytes);
  if (!chunk || header.is_original) return chunk;
  const std::optional<std::string_view> block = decompressor_->Decompress(*chunk);
  if (!block) damage_ = "a compressed chunk cannot be read";
  return block;
}

std::optional<std::string_view> OrcStreamReader::TakeRaw(std::size_t count) {
  if (raw_.size() < count) {
    if (count - raw_.size() > static_cast<std::size_t>(rest_.byte_count)) {
      damage_ = "a compressed chunk breaks off";
      return std::nullopt;
    }
    joined_.assign(raw_);
    raw_ = {};
    while (joined_.size() < count) {
      if (raw_.empty() && !TakePiece()) return std::nullopt;
      const std::size_t taken = std::min(count - joined_.size(), raw_.size());
      joined_ += raw_.substr(0, taken);
      raw_.remove_prefix(taken);
    }
    return joined_;
  }
  const std::string_view bytes = raw_.substr(0, count);
  raw_.remove_prefix(count);
  return bytes;
}

bool OrcStreamReader::TakePiece() {
  if (rest_.byte_count <= 0 || storage_failure_) return false;
  Result<OrcStripeBytes::Piece> piece = source_->Take(rest_.offset, rest_.byte_count);
  if (!piece) {
    storage_failure_ = std::move(piece).error();
    return false;
  }
  range_ = std::move(piece->range);
  raw_ = piece->bytes;
  rest_.offset += static_cast<std::int64_t>(raw_.size());
  rest_.byte_count -= static_cast<std::int64_t>(raw_.size());
  return true;
}

Error OrcStreamReader::Failure(std::string_view path, std::string_view what) const {
  if (storage_failure_) return *storage_failure_;
  return {ErrorCode::kCorruption, fmt::format("{} is damaged: {}", path, damage_.empty() ? what : damage_)};
}

}  // namespace braid
