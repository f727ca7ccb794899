#include "table/split_generator.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "mergetree/interval_partition.h"
#include "table/row_range.h"
#include "table/row_tracking.h"

namespace braid {

namespace {

DataSplit NewSplit(const BucketFiles& bucket) {
  DataSplit split;
  split.partition = bucket.partition;
  split.bucket = bucket.bucket;
  split.total_buckets = bucket.files.front().total_buckets;
  return split;
}

/// Makes the file lists of a plan's splits, which share one array.
class SharedLists {
 public:
  explicit SharedLists(const FilesByBucket& files) : shared_(std::make_shared<Shared>()) {
    std::size_t count = 0;
    for (const BucketFiles& bucket : files.buckets) count += bucket.files.size();
    shared_->owner = files.owner;
    shared_->pointers.reserve(count);  // lists point into it, so it must not move
  }

  /// Precondition: over all calls, no more files than the plan has.
  DataFileList Make(std::span<const ScannedFile> files) {
    std::vector<const DataFileMeta*>& pointers = shared_->pointers;
    const std::size_t start = pointers.size();
    for (const ScannedFile& file : files) pointers.push_back(file.meta);
    return DataFileList(shared_, std::span(pointers).subspan(start));
  }

 private:
  struct Shared {
    std::vector<const DataFileMeta*> pointers;
    std::shared_ptr<const void> owner;
  };
  std::shared_ptr<Shared> shared_;
};

struct Packing {
  std::int64_t target_bytes;
  std::int64_t open_cost_bytes;

  static Result<Packing> Of(const Options& options) {
    BRAID_TRY_ASSIGN(const std::int64_t target,
                     options.GetMemorySize("source.split.target-size", std::int64_t{128} << 20));
    BRAID_TRY_ASSIGN(const std::int64_t open_cost,
                     options.GetMemorySize("source.split.open-file-cost", std::int64_t{4} << 20));
    return Packing{target, open_cost};
  }

  // Calls `emit` with consecutive items of at most the target's weight together, or with one item.
  template <typename Item, typename SizeOf, typename Emit>
  void Pack(std::span<const Item> items, SizeOf size_of, Emit emit) const {
    std::size_t first = 0;
    std::int64_t weight = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::int64_t item_weight = std::max(size_of(items[i]), open_cost_bytes);
      if (i > first && weight + item_weight > target_bytes) {
        emit(items.subspan(first, i - first));
        first = i;
        weight = 0;
      }
      weight += item_weight;
    }
    if (first < items.size()) emit(items.subspan(first));
  }

  template <typename Emit>
  void PackFiles(const BucketFiles& bucket, Emit emit) const {
    Pack(
        std::span(bucket.files), [](const ScannedFile& file) { return file.size_bytes; }, emit);
  }
  std::size_t CountBins(const BucketFiles& bucket) const {
    std::size_t bins = 0;
    PackFiles(bucket, [&bins](std::span<const ScannedFile>) { ++bins; });
    return bins;
  }
};

// Splits whose files are read one after the other.
void AddRawSplits(const BucketFiles& bucket, const Packing& packing, SharedLists& lists,
                  std::vector<DataSplit>& splits) {
  packing.PackFiles(bucket, [&](std::span<const ScannedFile> bin) {
    DataSplit& split = splits.emplace_back(NewSplit(bucket));
    split.files = lists.Make(bin);
    split.raw_convertible = true;
  });
}

// Splits of a data-evolution table, in the order of its rows: files that hold columns of the same rows stay together.
Status AddRangeSplits(const BucketFiles& bucket, const Packing& packing, SharedLists& lists, std::vector<DataSplit>& splits) {
  std::unordered_map<const DataFileMeta*, const ScannedFile*> scanned;
  std::vector<const DataFileMeta*> metas;
  for (const ScannedFile& file : bucket.files) {
    scanned.emplace(file.meta, &file);
    metas.push_back(file.meta);
  }
  BRAID_TRY_ASSIGN(const std::vector<RowRange> ranges, GroupByRowRange(metas));
  const auto bytes = [](const RowRange& range) {
    std::int64_t sum = 0;
    for (const auto* files : {&range.files, &range.blobs}) {
      for (const DataFileMeta* file : *files) sum += file->file_size;
    }
    return sum;
  };
  packing.Pack(std::span(ranges), bytes, [&](std::span<const RowRange> bin) {
    std::vector<ScannedFile> files;
    for (const RowRange& range : bin) {
      for (const auto* part : {&range.files, &range.blobs}) {
        for (const DataFileMeta* file : *part) files.push_back(*scanned.at(file));
      }
    }
    splits.emplace_back(NewSplit(bucket)).files = lists.Make(files);
  });
  return Ok();
}

void SortBySequence(std::vector<ScannedFile>& files) {
  std::stable_sort(files.begin(), files.end(), [](const ScannedFile& a, const ScannedFile& b) {
    return a.min_sequence_number < b.min_sequence_number;
  });
}

// Whether each file alone is the answer for its keys (§10.5, "raw").
Result<bool> FilesAreDisjoint(const Table& table, const std::vector<ScannedFile>& files) {
  const bool above_zero = std::all_of(files.begin(), files.end(),
                                      [](const ScannedFile& file) { return file.level > 0 && !file.has_retractions; });
  if (!above_zero) return false;
  BRAID_TRY_ASSIGN(const bool vectors, table.options().GetBool("deletion-vectors.enabled", false));
  if (vectors || table.options().Get("merge-engine", "") == "first-row") return true;
  return std::all_of(files.begin(), files.end(),
                     [&](const ScannedFile& file) { return file.level == files.front().level; });
}

std::int64_t SectionBytes(const Section& section) {
  std::int64_t bytes = 0;
  for (const SortedRun& run : section) bytes += run.total_bytes();
  return bytes;
}

// Splits whose files are merged by key.
Status AddMergedSplits(const Table& table, const BucketFiles& bucket, const Packing& packing,
                       std::vector<DataSplit>& splits) {
  std::vector<DataFileMeta> metas;
  metas.reserve(bucket.files.size());
  for (const ScannedFile& file : bucket.files) metas.push_back(*file.meta);
  BRAID_TRY_ASSIGN(const std::vector<Section> sections,
                   PartitionIntoSections(std::move(metas), table.schema().TrimmedPrimaryKeyFields()));
  packing.Pack(std::span(sections), SectionBytes, [&](std::span<const Section> bin) {
    std::vector<DataFileMeta> files;
    for (const Section& section : bin) {
      for (const SortedRun& run : section) files.insert(files.end(), run.files().begin(), run.files().end());
    }
    DataSplit& split = splits.emplace_back(NewSplit(bucket));
    split.raw_convertible = files.size() == 1 && files.front().delete_row_count == 0;
    split.files = std::move(files);
  });
  return Ok();
}

}  // namespace

Result<std::vector<DataSplit>> GenerateBatchSplits(const Table& table, FilesByBucket files) {
  BRAID_TRY_ASSIGN(const Packing packing, Packing::Of(table.options()));
  std::vector<bool> raw(files.buckets.size(), true);
  std::size_t raw_splits = 0;
  for (std::size_t i = 0; i < files.buckets.size(); ++i) {
    BucketFiles& bucket = files.buckets[i];
    if (table.schema().has_primary_key()) {
      BRAID_TRY_ASSIGN(raw[i], FilesAreDisjoint(table, bucket.files));
    } else {
      SortBySequence(bucket.files);
    }
    if (raw[i]) raw_splits += packing.CountBins(bucket);
  }
  SharedLists lists(files);
  std::vector<DataSplit> splits;
  splits.reserve(raw_splits);  // there may be many, and moving them costs as much as making them
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  for (std::size_t i = 0; i < files.buckets.size(); ++i) {
    if (evolves) {
      BRAID_TRY(AddRangeSplits(files.buckets[i], packing, lists, splits));
    } else if (raw[i]) {
      AddRawSplits(files.buckets[i], packing, lists, splits);
    } else {
      BRAID_TRY(AddMergedSplits(table, files.buckets[i], packing, splits));
    }
  }
  return splits;
}

Result<std::vector<DataSplit>> GenerateChangeSplits(const Table& table, FilesByBucket files) {
  BRAID_TRY_ASSIGN(const Packing packing, Packing::Of(table.options()));
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  const bool has_key = table.schema().has_primary_key();
  SharedLists lists(files);
  std::vector<DataSplit> splits;
  for (BucketFiles& bucket : files.buckets) {
    if (!has_key) SortBySequence(bucket.files);
    if (evolves) {
      BRAID_TRY(AddRangeSplits(bucket, packing, lists, splits));
    } else if (!has_key && buckets == -1) {
      AddRawSplits(bucket, packing, lists, splits);
    } else {
      DataSplit& split = splits.emplace_back(NewSplit(bucket));
      split.files = lists.Make(bucket.files);
    }
  }
  for (DataSplit& split : splits) split.is_changes = true;
  return splits;
}

}  // namespace braid
