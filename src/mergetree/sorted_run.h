#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "types/data_type.h"

namespace braid {

/// For each key, bytes whose unsigned order is the order of keys (spec data.md §3.3).
/// Errors: kCorruption if a row does not hold the fields.
Result<std::vector<std::string>> EncodeKeys(std::span<const BinaryRow* const> keys,
                                            std::span<const DataField> key_fields);

/// Data files of one bucket in key order, with no two key ranges overlapping. An immutable value.
class SortedRun {
 public:
  /// Builds a run from files given in any order. Errors: kCorruption if two key ranges share a key; names both files.
  static Result<SortedRun> Make(std::vector<DataFileMeta> files, std::span<const DataField> key_fields);
  static SortedRun Single(DataFileMeta file) { return FromSorted({std::move(file)}); }
  /// Precondition: ascending and disjoint.
  static SortedRun FromSorted(std::vector<DataFileMeta> files) { return SortedRun(std::move(files)); }

  /// Ascending by min_key.
  const std::vector<DataFileMeta>& files() const { return files_; }
  bool empty() const { return files_.empty(); }
  /// Size on storage in bytes.
  std::int64_t total_bytes() const;

  friend bool operator==(const SortedRun&, const SortedRun&) = default;

 private:
  explicit SortedRun(std::vector<DataFileMeta> files) : files_(std::move(files)) {}
  std::vector<DataFileMeta> files_;
};

}  // namespace braid
