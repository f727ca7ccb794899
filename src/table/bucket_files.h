#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "meta/manifest.h"

namespace braid {

/// A data file with what a plan asks of every file, side by side, so that planning a hundred thousand files does not
/// wait for the memory of each.
struct ScannedFile {
  const DataFileMeta* meta = nullptr;  ///< borrowed; FilesByBucket::owner keeps it
  std::int64_t size_bytes = 0;
  std::int64_t min_sequence_number = 0;
  std::int32_t level = 0;
  std::int32_t total_buckets = 0;
  std::uint32_t position = 0;    ///< of its entry among those of all manifests
  bool has_retractions = false;  ///< an unknown number of them counts as none
  bool may_match = true;         ///< by its value statistics

  static ScannedFile Of(const DataFileMeta& meta, std::int32_t total_buckets) {
    return {.meta = &meta,
            .size_bytes = meta.file_size,
            .min_sequence_number = meta.min_sequence_number,
            .level = meta.level,
            .total_buckets = total_buckets,
            .has_retractions = meta.delete_row_count.value_or(0) != 0};
  }
};

/// Files of one bucket, in the order of the manifests.
struct BucketFiles {
  BinaryRow partition{};
  BucketId bucket{};
  std::vector<ScannedFile> files{};
};

/// What a scan found, in the order of each bucket's first file. No bucket is empty.
struct FilesByBucket {
  std::vector<BucketFiles> buckets{};
  std::shared_ptr<const void> owner{};  ///< of every file

  /// Leaves out the files that the test is true for.
  template <typename Test>
  void EraseIf(const Test& test) {
    for (BucketFiles& bucket : buckets) std::erase_if(bucket.files, test);
    std::erase_if(buckets, [](const BucketFiles& bucket) { return bucket.files.empty(); });
    SortByFirstFile();
  }
  void SortByFirstFile();
};

/// Groups files by their bucket. The kinds of the entries are not looked at.
FilesByBucket GroupByBucket(std::vector<ManifestEntry> entries);

/// Partition and bucket as a key for hashing. Borrows the partition's bytes.
struct BucketRef {
  std::string_view partition;
  std::int32_t bucket = 0;

  static BucketRef Of(const BinaryRow& partition, BucketId bucket) { return {partition.bytes(), bucket.value()}; }
  friend bool operator==(const BucketRef&, const BucketRef&) = default;
};
struct BucketRefHash {
  std::size_t operator()(const BucketRef& bucket) const {
    return std::hash<std::string_view>()(bucket.partition) +
           static_cast<std::size_t>(bucket.bucket) * 0x9E3779B97F4A7C15U;
  }
};

}  // namespace braid
