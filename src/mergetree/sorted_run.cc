#include "mergetree/sorted_run.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "mergetree/key_encoding_internal.h"
#include "types/batch.h"

namespace braid {

Result<std::vector<std::string>> EncodeKeys(std::span<const BinaryRow* const> keys,
                                            std::span<const DataField> key_fields) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (std::size_t i = 0; i < key_fields.size(); ++i) {
    std::vector<Datum> values;
    values.reserve(keys.size());
    for (const BinaryRow* key : keys) {
      if (key->arity() != static_cast<std::int32_t>(key_fields.size())) {
        return Error(ErrorCode::kCorruption,
                     fmt::format("a key has {} columns, not {}", key->arity(), key_fields.size()));
      }
      BRAID_TRY_ASSIGN(Datum value, key->Get(static_cast<int>(i), key_fields[i].type));
      values.push_back(std::move(value));
    }
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> column, MakeColumn(values, key_fields[i].type));
    columns.push_back(std::move(column));
  }
  BRAID_TRY_ASSIGN(const KeyEncoder encoder, KeyEncoder::Make(key_fields));
  BRAID_TRY_ASSIGN(const EncodedKeys encoded, encoder.Encode(columns, static_cast<std::int64_t>(keys.size())));
  std::vector<std::string> result;
  result.reserve(keys.size());
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(keys.size()); ++row) {
    if (encoder.whole()) {
      const std::uint64_t big_endian = __builtin_bswap64(encoded.prefix(row));
      result.emplace_back(reinterpret_cast<const char*>(&big_endian), sizeof(big_endian));
    } else {
      result.emplace_back(encoded.bytes(row));
    }
  }
  return result;
}

Result<SortedRun> SortedRun::Make(std::vector<DataFileMeta> files, std::span<const DataField> key_fields) {
  if (files.size() < 2) return SortedRun(std::move(files));
  std::vector<const BinaryRow*> keys;
  for (const DataFileMeta& file : files) {
    keys.push_back(&file.min_key);
    keys.push_back(&file.max_key);
  }
  BRAID_TRY_ASSIGN(const std::vector<std::string> encoded, EncodeKeys(keys, key_fields));
  std::vector<std::size_t> order(files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return encoded[2 * a] < encoded[2 * b]; });
  std::vector<DataFileMeta> sorted;
  sorted.reserve(files.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && encoded[2 * order[i - 1] + 1] >= encoded[2 * order[i]]) {
      return Error(ErrorCode::kCorruption,
                   fmt::format("data files {} and {} of level {} share keys", sorted.back().file_name,
                               files[order[i]].file_name, sorted.back().level))
          .Hint("two writers may have compacted this bucket at once; rewrite it with a full compaction by Java Paimon");
    }
    sorted.push_back(std::move(files[order[i]]));
  }
  return SortedRun(std::move(sorted));
}

std::int64_t SortedRun::total_bytes() const {
  std::int64_t total = 0;
  for (const DataFileMeta& file : files_) total += file.file_size;
  return total;
}

}  // namespace braid
