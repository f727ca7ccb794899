#include "format/orc_stream_writer.h"

#include <algorithm>
#include <utility>

namespace braid {

void OrcStreamWriter::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (open_.size() == compressor_->block_bytes()) EndChunk();
    const std::size_t taken = std::min(bytes.size(), compressor_->block_bytes() - open_.size());
    open_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
  }
}

void OrcStreamWriter::EndChunk() {
  if (open_.empty()) return;
  done_.chunks.push_back(compressor_->Compress(open_));
  done_.byte_count += static_cast<std::int64_t>(done_.chunks.back().size());
  open_.clear();
}

void OrcStreamWriter::AddPosition(OrcPositions& positions) const {
  const auto done_bytes = static_cast<std::uint64_t>(done_.byte_count);
  if (compressor_->is_none()) {
    positions.push_back(done_bytes + open_.size());
  } else {
    positions.push_back(done_bytes);
    positions.push_back(open_.size());
  }
}

std::int64_t OrcStreamWriter::encoded_bytes() const {
  const auto open_bytes = static_cast<std::int64_t>(open_.size());
  return done_.byte_count + (compressor_->is_none() ? open_bytes : open_bytes / 2);
}

OrcStreamBytes OrcStreamWriter::Finish() {
  EndChunk();
  return std::exchange(done_, {});
}

}  // namespace braid
