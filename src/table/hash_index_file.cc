#include "table/hash_index_file.h"

#include <string>

#include <fmt/format.h>

#include "table/index_manifest.h"

namespace braid {

Result<std::vector<std::int32_t>> ReadHashIndex(const Table& table, const IndexManifestEntry& entry) {
  BRAID_TRY_ASSIGN(const std::string path, IndexFilePath(table, entry));
  BRAID_TRY_ASSIGN(const std::string bytes, table.file_system().ReadAll(path));
  if (bytes.size() % 4 != 0) {
    return Error(ErrorCode::kCorruption,
                 fmt::format("the hash index {} has {} bytes, which is no multiple of 4", path, bytes.size()));
  }
  if (static_cast<std::int64_t>(bytes.size() / 4) != entry.row_count) {
    return Error(ErrorCode::kCorruption,
                 fmt::format("the hash index {} has {} hashes, not {}", path, bytes.size() / 4, entry.row_count));
  }
  std::vector<std::int32_t> hashes;
  hashes.reserve(bytes.size() / 4);
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    hashes.push_back(static_cast<std::int32_t>(value));
  }
  return hashes;
}

Result<IndexManifestEntry> WriteHashIndex(const Table& table, const BinaryRow& partition, BucketId bucket,
                                          const std::vector<std::int32_t>& hashes, MetadataFileNames& names) {
  std::string bytes;
  bytes.reserve(hashes.size() * 4);
  for (const std::int32_t hash : hashes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(static_cast<std::uint32_t>(hash) >> shift);
  }
  IndexManifestEntry entry;
  entry.partition = partition;
  entry.bucket = bucket;
  entry.index_type = kHashIndex;
  entry.file_name = names.NextIndex();
  entry.file_size = static_cast<std::int64_t>(bytes.size());
  entry.row_count = static_cast<std::int64_t>(hashes.size());
  BRAID_TRY_ASSIGN(const std::string path, PlaceIndexFile(table, entry));
  BRAID_TRY_ASSIGN(const auto file, table.file_system().Create(path));
  BRAID_TRY(file->Append(bytes));
  BRAID_TRY(file->Close());
  return entry;
}

}  // namespace braid
