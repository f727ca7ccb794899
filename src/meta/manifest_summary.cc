#include "meta/manifest_summary.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace braid {
namespace {

template <typename Number>
void Widen(std::optional<Number>& min, std::optional<Number>& max, Number low, Number high) {
  min = std::min(min.value_or(low), low);
  max = std::max(max.value_or(high), high);
}

}  // namespace

ManifestSummary::ManifestSummary(std::span<const DataType> partition_types)
    : partition_types_(partition_types), min_(partition_types.size()), max_(partition_types.size()) {
  meta_.partition_stats.null_counts.assign(partition_types.size(), 0);
}

Status ManifestSummary::Add(const ManifestEntry& entry) {
  BRAID_TRY(AddPartition(entry.partition));
  const DataFileMeta& file = entry.file;
  ++(entry.kind == FileKind::kAdd ? meta_.num_added_files : meta_.num_deleted_files);
  meta_.schema_id = empty_ ? file.schema_id : std::max(meta_.schema_id, file.schema_id);
  Widen(meta_.min_bucket, meta_.max_bucket, entry.bucket.value(), entry.bucket.value());
  Widen(meta_.min_level, meta_.max_level, file.level, file.level);
  if (file.first_row_id) {
    Widen(meta_.min_row_id, meta_.max_row_id, *file.first_row_id, *file.first_row_id + file.row_count - 1);
  } else {
    every_entry_has_row_ids_ = false;
  }
  empty_ = false;
  return Ok();
}

Status ManifestSummary::AddPartition(const BinaryRow& partition) {
  if (partition.arity() != static_cast<std::int32_t>(partition_types_.size())) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("an entry's partition has {} columns; the table has {}",
                                                          partition.arity(), partition_types_.size()));
  }
  const bool repeated = !empty_ && partition == last_partition_;
  for (std::size_t i = 0; i < partition_types_.size(); ++i) {
    const int column = static_cast<int>(i);
    if (partition.IsNull(column)) {
      ++*meta_.partition_stats.null_counts[i];
      continue;
    }
    if (repeated) continue;
    BRAID_TRY_ASSIGN(const Datum value, partition.Get(column, partition_types_[i]));
    if (min_[i].is_null() || CompareDatums(value, min_[i]) < 0) min_[i] = value;
    if (max_[i].is_null() || CompareDatums(value, max_[i]) > 0) max_[i] = value;
  }
  if (!repeated) last_partition_ = partition;
  return Ok();
}

ManifestFileMeta ManifestSummary::Finish(std::string file_name, std::int64_t file_size) const {
  ManifestFileMeta meta = meta_;
  meta.file_name = std::move(file_name);
  meta.file_size = file_size;
  meta.partition_stats.min_values = BinaryRow::Make(partition_types_, min_);
  meta.partition_stats.max_values = BinaryRow::Make(partition_types_, max_);
  if (!every_entry_has_row_ids_) meta.min_row_id = meta.max_row_id = std::nullopt;
  return meta;
}

}  // namespace braid
