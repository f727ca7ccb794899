#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

/// Where rows of a key lie.
struct KeyPlace {
  std::int32_t partition = 0;  ///< its number, the caller's
  std::int32_t bucket = 0;
  friend bool operator==(const KeyPlace&, const KeyPlace&) = default;
};

/// The place of every key of a table, in bounded memory: the newest `memory_bytes` of entries, and local files of all
/// others, sorted by the keys' hashes, of which one hash each 4 KiB is kept. A lookup reads 4 KiB of each file, of
/// which there are at most eight. Keys are compared whole. One thread at a time.
class KeyPlaceIndex {
 public:
  /// `directory`: a local folder for the files, which go with this; made when first needed.
  explicit KeyPlaceIndex(std::string directory, std::int64_t memory_bytes = std::int64_t{32} << 20);
  ~KeyPlaceIndex();
  KeyPlaceIndex(const KeyPlaceIndex&) = delete;
  KeyPlaceIndex& operator=(const KeyPlaceIndex&) = delete;

  /// The places of keys, in their order; nullopt for keys that are new. Many at once cost less than one by one. Errors:
  /// kIo; kCorruption for a file that was changed meanwhile.
  Result<std::vector<std::optional<KeyPlace>>> Find(std::span<const std::string> keys) const;
  /// Sets the place of a key. Errors: as Find.
  Status Put(std::string_view key, KeyPlace place);

  /// Of entries in memory and what finds entries in files.
  std::int64_t memory_bytes() const;

 private:
  class Recent;
  class Run;
  Status Spill();

  std::string directory_;
  std::int64_t memory_limit_;
  std::unique_ptr<Recent> recent_;
  std::vector<std::unique_ptr<Run>> runs_;  // later ones are newer
};

}  // namespace braid
