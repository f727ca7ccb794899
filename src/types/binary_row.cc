#include "types/binary_row.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "types/binary_row_layout_internal.h"

namespace braid {

BinaryRow::BinaryRow() : bytes_(RowFixedBytes(0), '\0') {}

BinaryRow BinaryRow::Make(std::span<const DataType> types, std::span<const Datum> values) {
  BinaryRow row;
  row.arity_ = static_cast<std::int32_t>(types.size());
  row.bytes_.clear();
  AppendBinaryRow(row.bytes_, types, values);
  return row;
}

Result<BinaryRow> BinaryRow::Deserialize(std::string_view bytes) {
  if (bytes.size() < 4) return Error(ErrorCode::kCorruption, fmt::format("a binary row of {} bytes", bytes.size()));
  BinaryRow row;
  row.arity_ = static_cast<std::int32_t>(__builtin_bswap32(LoadAt<std::uint32_t>(bytes, 0)));
  bytes.remove_prefix(4);
  // Hashing goes by whole words, and all fixed slots must be there.
  if (row.arity_ < 0 || bytes.size() % kWord != 0 || bytes.size() < RowFixedBytes(static_cast<std::size_t>(row.arity_))) {
    return Error(ErrorCode::kCorruption,
                 fmt::format("{} bytes cannot be a binary row of {} fields", bytes.size(), row.arity_));
  }
  row.bytes_ = bytes;
  return row;
}

std::string BinaryRow::Serialize() const {
  std::string out(4, '\0');
  StoreAt(out, 0, __builtin_bswap32(static_cast<std::uint32_t>(arity_)));
  return out.append(bytes_);
}

std::int32_t BinaryRow::Hash() const { return HashBytesByWords(bytes_); }

std::int32_t HashBytesByWords(std::string_view bytes) {
  std::uint32_t hash = 42;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    const std::uint32_t word = std::rotl(LoadAt<std::uint32_t>(bytes, at) * 0xcc9e2d51U, 15) * 0x1b873593U;
    hash = std::rotl(hash ^ word, 13) * 5 + 0xe6546b64U;
  }
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
  return static_cast<std::int32_t>(hash ^ (hash >> 16));
}

}  // namespace braid
