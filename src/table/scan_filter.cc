#include <algorithm>

#include "table/partitions.h"
#include "table/row_tracking.h"
#include "table/scan_filter_internal.h"

namespace braid {

namespace {

// Bounds are not tested against more partitions than these: nearly every manifest would hold one of them.
constexpr std::size_t kMaxPartitionTests = 64;

std::vector<std::string> NamesOf(std::span<const DataField> fields) {
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  return names;
}

// The conjuncts that the partition alone does not decide.
PredicatePtr ValueFilter(const Table& table, const PredicatePtr& filter) {
  // A merged value may match although that of no version does.
  const std::string engine = table.options().Get("merge-engine", "deduplicate");
  if (table.schema().has_primary_key() && (engine == "partial-update" || engine == "aggregation")) return nullptr;
  const std::vector<std::string> columns = NamesOf(table.schema().fields);
  std::vector<PredicatePtr> others;
  for (const PredicatePtr& conjunct : Conjuncts(filter)) {
    const bool of_partition = ConjunctsOn(conjunct, table.schema().partition_keys) != nullptr;
    if (!of_partition && ConjunctsOn(conjunct, columns) != nullptr) others.push_back(conjunct);
  }
  return others.empty() ? nullptr : Predicate::And(std::move(others));
}

}  // namespace

ScanFilter::ScanFilter(const Table& table, ScanScope scope)
    : scope_(std::move(scope)),
      partition_fields_(table.schema().PartitionFields()),
      partition_filter_(ConjunctsOn(scope_.filter, table.schema().partition_keys)),
      value_filter_(ValueFilter(table, scope_.filter)),
      schema_(table.schema()),
      schemas_(table.schemas()) {
  for (const DataField& field : partition_fields_) partition_types_.push_back(field.type);
  if (table.schema().has_primary_key()) {
    key_fields_ = table.schema().TrimmedPrimaryKeyFields();
    key_filter_ = ConjunctsOn(scope_.filter, NamesOf(key_fields_));
  }
  if (value_filter_ != nullptr) value_filter_fields_ = table.schema().Project(value_filter_->Columns());
  const std::string row_id(kRowIdColumn);
  row_id_filter_ = ConjunctsOn(scope_.filter, std::span(&row_id, 1));
}

Result<std::unique_ptr<const ScanFilter>> ScanFilter::Make(const Table& table, ScanScope scope) {
  std::unique_ptr<ScanFilter> filter(new ScanFilter(table, std::move(scope)));
  BRAID_TRY_ASSIGN(filter->reads_indexes_, ReadsFileIndexes(table.options()));
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  if (evolves) filter->value_filter_ = filter->row_id_filter_ = nullptr;  // no file knows its rows alone
  BRAID_TRY_ASSIGN(filter->buckets_, BucketSelector::Make(table.schema(), table.options(), filter->scope_.filter));
  const std::optional<std::set<BinaryRow>>& partitions = filter->scope_.partitions;
  if (partitions && partitions->size() <= kMaxPartitionTests) {
    for (const BinaryRow& partition : *partitions) {
      BRAID_TRY_ASSIGN(PredicatePtr test, IsPartition(partition, filter->partition_fields_, filter->partition_types_));
      filter->partition_tests_.push_back(std::move(test));
    }
  }
  return std::unique_ptr<const ScanFilter>(std::move(filter));
}

Result<bool> ScanFilter::MayMatch(const ManifestFileMeta& manifest) const {
  const std::optional<BucketId>& bucket = scope_.bucket;
  if (bucket && manifest.min_bucket && manifest.max_bucket &&
      (bucket->value() < *manifest.min_bucket || bucket->value() > *manifest.max_bucket)) {
    return false;
  }
  const std::int64_t entries = manifest.num_added_files + manifest.num_deleted_files;
  if (tests_row_ids() && manifest.min_row_id && manifest.max_row_id &&
      !MayMatchRowIds(*manifest.min_row_id, *manifest.max_row_id, entries)) {
    return false;
  }
  if (!tests_partitions()) return true;
  BRAID_TRY_ASSIGN(const std::vector<ColumnBounds> bounds, BoundsOf(manifest.partition_stats, partition_fields_));
  const auto may_match = [&](const PredicatePtr& test) { return test->MayMatch(partition_fields_, bounds, entries); };
  if (partition_filter_ != nullptr && !may_match(partition_filter_)) return false;
  return partition_tests_.empty() || std::any_of(partition_tests_.begin(), partition_tests_.end(), may_match);
}

bool ScanFilter::MayMatchRowIds(std::int64_t first, std::int64_t last, std::int64_t row_count) const {
  const ColumnBounds bounds{.min = first, .max = last, .null_count = 0};
  return row_id_filter_->MayMatch(std::span(&RowIdField(), 1), std::span(&bounds, 1), row_count);
}

Result<bool> ScanFilter::MatchesPartition(const BinaryRow& partition) const {
  if (scope_.partitions && !scope_.partitions->contains(partition)) return false;
  if (partition_filter_ == nullptr) return true;
  BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(partition_types_));
  return partition_filter_->Test(partition_fields_, values);
}

bool EntryTest::Wants(const ManifestEntryHead& head) {
  if (!status_ || !WantsBucket(head.bucket)) return false;
  if (filter_.tests_partitions()) {
    if (last_partition_ == nullptr || head.partition != last_partition_->first)
      last_partition_ = FindPartition(head.partition);
    if (last_partition_ == nullptr || !last_partition_->second) return false;
  }
  return MayHold(head.bucket, head.total_buckets);
}

bool EntryTest::Wants(const BinaryRow& partition, BucketId bucket) {
  if (!status_ || !WantsBucket(bucket)) return false;
  if (!filter_.tests_partitions()) return true;
  const Result<bool> matches = filter_.MatchesPartition(partition);
  return matches ? *matches : Fail(matches.error());
}

bool EntryTest::MayHold(BucketId bucket, std::int32_t total_buckets) {
  if (filter_.buckets_ == nullptr) return true;
  if (total_buckets != total_buckets_) {
    const Result<const std::set<std::int32_t>*> selected = filter_.buckets_->Buckets(total_buckets);
    if (!selected) return Fail(selected.error());
    selected_ = *selected;
    total_buckets_ = total_buckets;
  }
  return selected_ == nullptr || selected_->contains(bucket.value());
}

Result<bool> EntryTest::MayMatchKey(const DataFileMeta& file) const {
  if (filter_.key_filter_ == nullptr) return true;
  BRAID_TRY_ASSIGN(const std::vector<ColumnBounds> bounds, KeyBounds(file, filter_.key_fields_));
  return filter_.key_filter_->MayMatch(filter_.key_fields_, bounds, file.row_count);
}

Result<bool> EntryTest::MayMatchValue(const DataFileMeta& file) {
  if (filter_.value_filter_ == nullptr) return true;
  BRAID_TRY_ASSIGN(const std::vector<ColumnBounds> bounds, values_.Read(file));
  if (!filter_.value_filter_->MayMatch(filter_.value_filter_fields_, bounds, file.row_count)) return false;
  return indexes_.MayMatch(file);
}

bool EntryTest::MayMatchRowIds(const DataFileMeta& file) const {
  if (!filter_.tests_row_ids() || !file.first_row_id) return true;
  return filter_.MayMatchRowIds(*file.first_row_id, *file.first_row_id + file.row_count - 1, file.row_count);
}

bool EntryTest::WantsBucket(BucketId bucket) const {
  if (filter_.scope_.bucket) return bucket == *filter_.scope_.bucket;
  return filter_.scope_.postponed_buckets || bucket.value() >= 0;
}

const EntryTest::KnownPartition* EntryTest::FindPartition(std::string_view stored) {
  std::string key(stored);
  if (const auto it = partitions_.find(key); it != partitions_.end()) return &*it;
  const Result<BinaryRow> partition = BinaryRow::Deserialize(stored);
  const Result<bool> matches = partition ? filter_.MatchesPartition(*partition) : Result<bool>(partition.error());
  if (!matches) {
    Fail(matches.error());
    return nullptr;
  }
  return &*partitions_.emplace(std::move(key), *matches).first;
}

bool EntryTest::Fail(const Error& error) {
  status_ = error;
  return false;
}

}  // namespace braid
