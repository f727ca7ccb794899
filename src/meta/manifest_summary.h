#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

/// Gathers what a manifest list says of a manifest (spec metadata.md §4.2) while its entries are written. One thread.
class ManifestSummary {
 public:
  /// `partition_types` are borrowed until the summary is gone.
  explicit ManifestSummary(std::span<const DataType> partition_types);

  /// Errors: kInvalidArgument if the entry's partition has another number of columns; kCorruption if it cannot be read.
  Status Add(const ManifestEntry& entry);
  /// Precondition: at least one entry was added.
  ManifestFileMeta Finish(std::string file_name, std::int64_t file_size) const;

 private:
  Status AddPartition(const BinaryRow& partition);

  std::span<const DataType> partition_types_;
  ManifestFileMeta meta_;  // all but name, size and the bounds of partitions
  bool every_entry_has_row_ids_ = true;
  bool empty_ = true;
  DatumList min_;
  DatumList max_;
  BinaryRow last_partition_;
};

}  // namespace braid
