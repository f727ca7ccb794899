#include "format/range_dictionary_internal.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "format/big_endian_internal.h"
#include "format/index_key_internal.h"

namespace braid {
namespace {

constexpr std::int8_t kVersion = 1;
constexpr std::int32_t kHeaderBytes = 13;
constexpr std::int32_t kOffsetBytes = 4;

Error Damaged() { return Error(ErrorCode::kCorruption, "the dictionary of a range-bitmap index is damaged"); }

}  // namespace

Result<RangeDictionary> RangeDictionary::Parse(std::string_view bytes, const DataType& type) {
  BigEndianReader in(bytes);
  BRAID_TRY_ASSIGN(const auto header_bytes, in.Read<std::int32_t>());
  BRAID_TRY_ASSIGN(const std::string_view header_text, in.Take(header_bytes));
  BigEndianReader header(header_text);
  BRAID_TRY_ASSIGN(const auto version, header.Read<std::int8_t>());
  BRAID_TRY_ASSIGN(const auto chunk_count, header.Read<std::int32_t>());
  BRAID_TRY_ASSIGN(const auto offsets_bytes, header.Read<std::int32_t>());
  BRAID_TRY_ASSIGN(const auto chunks_bytes, header.Read<std::int32_t>());
  if (version != kVersion || chunk_count < 0) return Damaged();
  BRAID_TRY_ASSIGN(const std::string_view offsets_text, in.Take(offsets_bytes));
  BRAID_TRY_ASSIGN(const std::string_view chunks_text, in.Take(chunks_bytes));
  RangeDictionary dictionary(type);
  BigEndianReader offsets(offsets_text);
  for (std::int32_t i = 0; i < chunk_count; ++i) {
    BRAID_TRY_ASSIGN(const auto offset, offsets.Read<std::int32_t>());
    BigEndianReader chunk(chunks_text);
    BRAID_TRY(chunk.Take(offset));
    BRAID_TRY(dictionary.ParseChunk(chunk.rest(), in.rest()));
  }
  return dictionary;
}

Status RangeDictionary::ParseChunk(std::string_view header, std::string_view key_area) {
  BigEndianReader in(header);
  BRAID_TRY_ASSIGN(const auto version, in.Read<std::int8_t>());
  if (version != kVersion) return Damaged();
  Chunk chunk;
  BRAID_TRY_ASSIGN(chunk.first_key, ReadIndexKey(in, type_));
  BRAID_TRY_ASSIGN(chunk.first_code, in.Read<std::int32_t>());
  BRAID_TRY_ASSIGN(const auto offset, in.Read<std::int32_t>());
  BRAID_TRY_ASSIGN(chunk.key_count, in.Read<std::int32_t>());
  BRAID_TRY_ASSIGN(const auto first_length, in.Read<std::int32_t>());
  BRAID_TRY_ASSIGN(const auto second_length, in.Read<std::int32_t>());
  const std::int64_t end_code = std::int64_t{chunk.first_code} + chunk.key_count;
  if (chunk.first_code < 0 || chunk.key_count < 0 || end_code >= std::numeric_limits<std::int32_t>::max()) return Damaged();
  BigEndianReader keys(key_area);
  BRAID_TRY(keys.Take(offset));
  if (type_.is_text()) {
    BRAID_TRY_ASSIGN(chunk.offsets, keys.Take(first_length));
    BRAID_TRY_ASSIGN(chunk.keys, keys.Take(second_length));
  } else {
    if (second_length != StoredKeyBytes(type_)) return Damaged();
    BRAID_TRY_ASSIGN(chunk.keys, keys.Take(first_length));
  }
  if (!chunks_.empty() && CompareDatums(chunks_.back().first_key, chunk.first_key) >= 0) return Damaged();
  chunks_.push_back(std::move(chunk));
  return Ok();
}

Result<Datum> RangeDictionary::KeyAt(const Chunk& chunk, std::int32_t position) const {
  std::int64_t at = std::int64_t{position} * StoredKeyBytes(type_);
  if (type_.is_text()) {
    BigEndianReader offsets(chunk.offsets);
    BRAID_TRY(offsets.Take(std::int64_t{position} * kOffsetBytes));
    BRAID_TRY_ASSIGN(at, offsets.Read<std::int32_t>());
  }
  BigEndianReader keys(chunk.keys);
  BRAID_TRY(keys.Take(at));
  return ReadIndexKey(keys, type_);
}

Result<RangeDictionary::Place> RangeDictionary::Find(const Datum& key) const {
  const auto above = std::upper_bound(chunks_.begin(), chunks_.end(), key, [](const Datum& wanted, const Chunk& chunk) {
    return CompareDatums(wanted, chunk.first_key) < 0;
  });
  if (above == chunks_.begin()) return Place{};
  const Chunk& chunk = *std::prev(above);
  if (CompareDatums(chunk.first_key, key) == 0) return Place{.code = chunk.first_code, .is_there = true};
  std::int32_t low = 0;
  std::int32_t high = chunk.key_count;
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    BRAID_TRY_ASSIGN(const Datum found, KeyAt(chunk, middle));
    const auto order = CompareDatums(found, key);
    if (order == 0) return Place{.code = chunk.first_code + 1 + middle, .is_there = true};
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Place{.code = chunk.first_code + 1 + low, .is_there = false};
}

std::string EncodeRangeDictionary(const std::vector<const Datum*>& keys, const DataType& type, std::int64_t chunk_bytes) {
  const auto limit = static_cast<std::size_t>(chunk_bytes);
  std::string offsets;
  std::string chunks;
  std::string key_area;
  std::int32_t chunk_count = 0;
  for (std::size_t next = 0; next < keys.size(); ++chunk_count) {
    const auto first_code = static_cast<std::int32_t>(next);
    AppendBigEndian(static_cast<std::int32_t>(chunks.size()), offsets);
    AppendBigEndian(kVersion, chunks);
    AppendIndexKey(*keys[next++], type, chunks);
    std::string further;
    std::string further_offsets;
    std::int32_t count = 0;
    for (; next < keys.size(); ++next, ++count) {
      std::string key;
      AppendIndexKey(*keys[next], type, key);
      if (further.size() + key.size() > limit) break;
      if (type.is_text()) {
        if (further_offsets.size() + kOffsetBytes > limit) break;
        AppendBigEndian(static_cast<std::int32_t>(further.size()), further_offsets);
      }
      further += key;
    }
    AppendBigEndian(first_code, chunks);
    AppendBigEndian(static_cast<std::int32_t>(key_area.size()), chunks);
    AppendBigEndian(count, chunks);
    if (type.is_text()) AppendBigEndian(static_cast<std::int32_t>(further_offsets.size()), chunks);
    AppendBigEndian(static_cast<std::int32_t>(further.size()), chunks);
    if (!type.is_text()) AppendBigEndian(static_cast<std::int32_t>(StoredKeyBytes(type)), chunks);
    key_area += further_offsets + further;
  }
  std::string bytes;
  AppendBigEndian(kHeaderBytes, bytes);
  AppendBigEndian(kVersion, bytes);
  AppendBigEndian(chunk_count, bytes);
  AppendBigEndian(static_cast<std::int32_t>(offsets.size()), bytes);
  AppendBigEndian(static_cast<std::int32_t>(chunks.size()), bytes);
  return bytes + offsets + chunks + key_area;
}

}  // namespace braid
