#include "format/avro_container.h"

#include <utility>

#include <fmt/format.h>

#include "base/long_text.h"
#include "base/text.h"
#include "base/uuid.h"
#include "format/avro_cursor.h"

namespace braid {
namespace {

constexpr std::size_t kBlockBytes = 64000;  // Java Avro's DEFAULT_SYNC_INTERVAL
constexpr std::size_t kPendingBytes = std::size_t{1} << 20;
constexpr std::size_t kLongBlockBytes = std::size_t{1} << 20;  // whose memory is not kept

Error DamagedAt(std::size_t offset, std::string_view what) {
  return {ErrorCode::kCorruption, fmt::format("it is damaged at byte {}: {}", offset, what)};
}

std::string RandomSync() {
  std::string digits = RandomUuid();
  std::erase(digits, '-');
  return FromHex(digits).value();
}

}  // namespace

Result<AvroHeader> ParseAvroHeader(std::string_view bytes) {
  if (!bytes.starts_with(kAvroMagic)) return DamagedAt(0, "it is no Avro file");
  AvroCursor cursor(bytes);
  cursor.Fixed(static_cast<std::int64_t>(kAvroMagic.size()));
  AvroHeader header;
  std::string_view codec = AvroCodecName(AvroCodec::kNull);
  while (const std::size_t count = cursor.ItemCount()) {
    for (std::size_t i = 0; i < count && cursor.ok(); ++i) {
      const std::string_view key = cursor.Bytes();
      const std::string_view value = cursor.Bytes();
      if (key == "avro.schema") header.schema_json = value;
      if (key == "avro.codec") codec = value;
    }
  }
  header.sync = cursor.Fixed(kAvroSyncBytes);
  if (!cursor.ok()) return DamagedAt(cursor.failed_at(), "the header ends early");
  if (header.schema_json.empty()) return DamagedAt(0, "the header has no schema");
  Result<AvroCodec> parsed = ParseAvroCodec(codec);
  if (!parsed && parsed.error().code() == ErrorCode::kInvalidArgument) {
    return DamagedAt(0, parsed.error().message());  // here it is the file's fault, not the caller's
  }
  BRAID_TRY_ASSIGN(header.codec, std::move(parsed));
  header.size_bytes = cursor.offset();
  return header;
}

Result<AvroBlock> ParseAvroBlock(std::string_view file, std::string_view sync, std::size_t& offset) {
  AvroBlock block{.offset = offset};
  AvroCursor cursor(file.substr(offset));
  block.record_count = cursor.Long();
  block.bytes = cursor.Bytes();
  const std::string_view marker = cursor.Fixed(static_cast<std::int64_t>(sync.size()));
  if (!cursor.ok()) return DamagedAt(offset + cursor.failed_at(), "a block ends early");
  if (block.record_count < 0) return DamagedAt(offset, "a block has a negative number of records");
  if (marker != sync)
    return DamagedAt(offset + cursor.offset() - sync.size(), "a block does not end with the file's marker");
  offset += cursor.offset();
  return block;
}

Result<AvroContainer> AvroContainer::Open(std::string bytes) {
  AvroContainer container;
  container.bytes_ = std::make_shared<const std::string>(std::move(bytes));
  const std::string_view file = *container.bytes_;
  BRAID_TRY_ASSIGN(container.header_, ParseAvroHeader(file));
  for (std::size_t offset = container.header_.size_bytes; offset < file.size();) {
    BRAID_TRY_ASSIGN(const AvroBlock block, ParseAvroBlock(file, container.header_.sync, offset));
    container.blocks_.push_back(block);
  }
  return container;
}

AvroContainerWriter::AvroContainerWriter(std::unique_ptr<OutputFile> file, std::string_view schema_json,
                                         const Options& options, AvroCompressor& compressor)
    : file_(std::move(file)), options_(options), compressor_(compressor), sync_(RandomSync()) {
  pending_.append(kAvroMagic);
  AvroEncoder encoder(pending_);
  encoder.StartItems(2);
  encoder.Bytes("avro.codec");
  encoder.Bytes(AvroCodecName(options.codec));
  encoder.Bytes("avro.schema");
  encoder.Bytes(schema_json);
  encoder.EndItems();
  pending_.append(sync_);
  flushed_bytes_ = static_cast<std::int64_t>(pending_.size());
}

Status AvroContainerWriter::EndRecord() {
  ++block_records_;
  return block_.size() < kBlockBytes ? Ok() : EndBlock();
}

Status AvroContainerWriter::EndBlock() {
  if (block_records_ == 0) return Ok();
  compressed_.clear();
  BRAID_TRY(compressor_.Compress(options_.codec, options_.zstd_level, block_, compressed_));
  const bool is_long = block_.size() > kLongBlockBytes;
  block_.clear();
  if (is_long) Release(block_);
  const std::size_t before = pending_.size();
  AvroEncoder encoder(pending_);
  encoder.Long(std::exchange(block_records_, 0));
  encoder.Long(static_cast<std::int64_t>(compressed_.size()));
  flushed_bytes_ += static_cast<std::int64_t>(pending_.size() - before + compressed_.size() + sync_.size());
  if (is_long) {
    BRAID_TRY(WritePending());
    BRAID_TRY(file_->Append(compressed_));
    Release(compressed_);
  } else {
    pending_.append(compressed_);
  }
  pending_.append(sync_);
  return pending_.size() < kPendingBytes ? Ok() : WritePending();
}

Status AvroContainerWriter::WritePending() {
  BRAID_TRY(file_->Append(pending_));
  pending_.clear();
  return Ok();
}

Result<std::int64_t> AvroContainerWriter::Finish() {
  BRAID_TRY(EndBlock());
  BRAID_TRY(WritePending());
  BRAID_TRY(file_->Close());
  return flushed_bytes_;
}

}  // namespace braid
