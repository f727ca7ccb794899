#include "table/split_generator.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "mergetree/interval_partition.h"

namespace braid {

namespace {

struct Bucket {
  BinaryRow partition;
  BucketId bucket;
  std::int32_t total_buckets = 0;
  std::vector<DataFileMeta> files;

  DataSplit NewSplit() const {
    DataSplit split;
    split.partition = partition;
    split.bucket = bucket;
    split.total_buckets = total_buckets;
    return split;
  }
};

std::vector<Bucket> GroupByBucket(std::vector<ManifestEntry> entries) {
  std::vector<Bucket> buckets;
  std::map<std::pair<std::string, std::int32_t>, std::size_t> positions;
  for (ManifestEntry& entry : entries) {
    const auto [it, is_new] = positions.try_emplace({std::string(entry.partition.bytes()), entry.bucket.value()}, buckets.size());
    if (is_new) buckets.push_back({std::move(entry.partition), entry.bucket, entry.total_buckets, {}});
    buckets[it->second].files.push_back(std::move(entry.file));
  }
  return buckets;
}

struct Packing {
  std::int64_t target_bytes;
  std::int64_t open_cost_bytes;

  static Result<Packing> Of(const Options& options) {
    BRAID_TRY_ASSIGN(const std::int64_t target, options.GetMemorySize("source.split.target-size", std::int64_t{128} << 20));
    BRAID_TRY_ASSIGN(const std::int64_t open_cost, options.GetMemorySize("source.split.open-file-cost", std::int64_t{4} << 20));
    return Packing{target, open_cost};
  }

  // Consecutive items in bins of at most the target's weight, or of one item.
  template <typename Item, typename SizeOf>
  std::vector<std::vector<Item>> Pack(std::vector<Item> items, SizeOf size_of) const {
    std::vector<std::vector<Item>> bins;
    std::vector<Item> bin;
    std::int64_t weight = 0;
    for (Item& item : items) {
      const std::int64_t item_weight = std::max(size_of(item), open_cost_bytes);
      if (!bin.empty() && weight + item_weight > target_bytes) {
        bins.push_back(std::move(bin));
        bin.clear();
        weight = 0;
      }
      bin.push_back(std::move(item));
      weight += item_weight;
    }
    if (!bin.empty()) bins.push_back(std::move(bin));
    return bins;
  }

  std::vector<std::vector<DataFileMeta>> PackFiles(std::vector<DataFileMeta> files) const {
    return Pack(std::move(files), [](const DataFileMeta& file) { return file.file_size; });
  }
};

std::vector<DataFileMeta> InSequenceOrder(std::vector<DataFileMeta> files) {
  std::stable_sort(files.begin(), files.end(), [](const DataFileMeta& a, const DataFileMeta& b) {
    return a.min_sequence_number < b.min_sequence_number;
  });
  return files;
}

void AddAppendSplits(Bucket& bucket, const Packing& packing, std::vector<DataSplit>& splits) {
  for (std::vector<DataFileMeta>& bin : packing.PackFiles(InSequenceOrder(std::move(bucket.files)))) {
    DataSplit split = bucket.NewSplit();
    split.files = std::move(bin);
    split.raw_convertible = true;
    splits.push_back(std::move(split));
  }
}

bool HasNoRetractions(const DataFileMeta& file) { return file.delete_row_count.value_or(0) == 0; }

// Whether each file alone is the answer for its keys (§10.5, "raw").
Result<bool> FilesAreDisjoint(const Table& table, const std::vector<DataFileMeta>& files) {
  const bool above_zero = std::all_of(files.begin(), files.end(), [](const DataFileMeta& file) { return file.level > 0 && HasNoRetractions(file); });
  if (!above_zero) return false;
  BRAID_TRY_ASSIGN(const bool vectors, table.options().GetBool("deletion-vectors.enabled", false));
  if (vectors || table.options().Get("merge-engine", "") == "first-row") return true;
  return std::all_of(files.begin(), files.end(), [&](const DataFileMeta& file) { return file.level == files.front().level; });
}

std::int64_t SectionBytes(const Section& section) {
  std::int64_t bytes = 0;
  for (const SortedRun& run : section) bytes += run.total_bytes();
  return bytes;
}

Status AddKeySplits(const Table& table, Bucket& bucket, const Packing& packing, std::vector<DataSplit>& splits) {
  BRAID_TRY_ASSIGN(const bool disjoint, FilesAreDisjoint(table, bucket.files));
  if (disjoint) {
    for (std::vector<DataFileMeta>& bin : packing.PackFiles(std::move(bucket.files))) {
      DataSplit split = bucket.NewSplit();
      split.files = std::move(bin);
      split.raw_convertible = true;
      splits.push_back(std::move(split));
    }
    return Ok();
  }
  const std::vector<DataField> key_fields = table.schema().TrimmedPrimaryKeyFields();
  BRAID_TRY_ASSIGN(std::vector<Section> sections, PartitionIntoSections(std::move(bucket.files), key_fields));
  for (const std::vector<Section>& bin : packing.Pack(std::move(sections), SectionBytes)) {
    DataSplit split = bucket.NewSplit();
    for (const Section& section : bin) {
      for (const SortedRun& run : section) split.files.insert(split.files.end(), run.files().begin(), run.files().end());
    }
    split.raw_convertible = split.files.size() == 1 && split.files.front().delete_row_count == 0;
    splits.push_back(std::move(split));
  }
  return Ok();
}

}  // namespace

Result<std::vector<DataSplit>> GenerateBatchSplits(const Table& table, std::vector<ManifestEntry> files) {
  BRAID_TRY_ASSIGN(const Packing packing, Packing::Of(table.options()));
  std::vector<DataSplit> splits;
  for (Bucket& bucket : GroupByBucket(std::move(files))) {
    if (table.schema().has_primary_key()) {
      BRAID_TRY(AddKeySplits(table, bucket, packing, splits));
    } else {
      AddAppendSplits(bucket, packing, splits);
    }
  }
  return splits;
}

Result<std::vector<DataSplit>> GenerateChangeSplits(const Table& table, std::vector<ManifestEntry> files) {
  BRAID_TRY_ASSIGN(const Packing packing, Packing::Of(table.options()));
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  const bool unaware = !table.schema().has_primary_key() && buckets == -1;
  std::vector<DataSplit> splits;
  for (Bucket& bucket : GroupByBucket(std::move(files))) {
    if (unaware) {
      AddAppendSplits(bucket, packing, splits);
      continue;
    }
    DataSplit split = bucket.NewSplit();
    split.files = table.schema().has_primary_key() ? std::move(bucket.files) : InSequenceOrder(std::move(bucket.files));
    splits.push_back(std::move(split));
  }
  for (DataSplit& split : splits) split.is_changes = true;
  return splits;
}

}  // namespace braid
