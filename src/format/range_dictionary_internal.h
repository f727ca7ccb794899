#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

/// The distinct keys of a range-bitmap index, ascending, in chunks: the place of a key among them is its code (spec
/// data.md §12.6, part 2). Immutable.
class RangeDictionary {
 public:
  /// `bytes` begins with the dictionary and outlives it. Errors: kCorruption.
  static Result<RangeDictionary> Parse(std::string_view bytes, const DataType& type);

  struct Place {
    std::int32_t code = 0;  ///< of the key, or of the least one above it
    bool is_there = false;
  };
  /// Errors: kCorruption.
  Result<Place> Find(const Datum& key) const;

 private:
  struct Chunk {
    Datum first_key;
    std::int32_t first_code = 0;
    std::int32_t key_count = 0;  // behind the first
    std::string_view offsets;    // of text keys
    std::string_view keys;
  };
  explicit RangeDictionary(DataType type) : type_(std::move(type)) {}
  Status ParseChunk(std::string_view header, std::string_view key_area);
  Result<Datum> KeyAt(const Chunk& chunk, std::int32_t position) const;

  DataType type_;
  std::vector<Chunk> chunks_;
};

/// The dictionary's bytes for ascending keys. A chunk holds keys of `chunk_bytes` behind its first.
std::string EncodeRangeDictionary(const std::vector<const Datum*>& keys, const DataType& type, std::int64_t chunk_bytes);

}  // namespace braid
