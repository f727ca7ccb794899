#include "table/global_bucket_assigner.h"

#include <utility>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>

#include "table/scan.h"

namespace braid {

namespace {

constexpr std::int64_t kDefaultTargetRows = 2'000'000;

}  // namespace

Result<std::unique_ptr<GlobalBucketAssigner>> GlobalBucketAssigner::Make(const Table& table, const std::optional<Snapshot>& snapshot,
                                                                         const NumberOf& number_of) {
  const std::string engine = table.options().Get("merge-engine", "deduplicate");
  const ExistingKeyRule rule = engine == "deduplicate" ? ExistingKeyRule::kMove
                               : engine == "first-row" ? ExistingKeyRule::kSkip
                                                       : ExistingKeyRule::kRedirect;
  BRAID_TRY_ASSIGN(const std::int64_t target_rows, table.options().GetInt("dynamic-bucket.target-row-num", kDefaultTargetRows));
  std::unique_ptr<GlobalBucketAssigner> assigner(new GlobalBucketAssigner(rule, target_rows));
  if (!snapshot) return assigner;
  BRAID_TRY_ASSIGN(const Table pinned, table.With(Options(Options::Map{{"scan.snapshot-id", fmt::format("{}", snapshot->id)}})));
  BRAID_TRY(assigner->ReadKeys(pinned, number_of).Context(fmt::format("while reading the keys of {}", table.name())));
  return assigner;
}

Status GlobalBucketAssigner::ReadKeys(const Table& table, const NumberOf& number_of) {
  const std::vector<DataField> keys = table.schema().TrimmedPrimaryKeyFields();
  ReadRequest request;
  request.projection.emplace();
  std::vector<DataType> types;
  for (const DataField& key : keys) {
    request.projection->push_back(key.name);
    types.push_back(key.type);
  }
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, request));
  for (const DataSplit& split : plan.splits) {
    const KeyPlace place{number_of(split.partition), split.bucket.value()};
    BRAID_TRY_ASSIGN(const auto reader, ReadSplit(table, split, request));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      BinaryRowEncoder encoder(types, batch->rows->columns());
      for (std::int64_t row = 0; row < batch->row_count(); ++row) places_.insert_or_assign(std::string(encoder.Encode(row)), place);
      rows_[place.partition][place.bucket] += batch->row_count();
    }
  }
  return Ok();
}

KeyPlace GlobalBucketAssigner::NewPlace(std::int32_t partition) {
  std::map<std::int32_t, std::int64_t>& buckets = rows_[partition];
  for (auto& [bucket, count] : buckets) {
    if (count >= target_rows_) continue;
    ++count;
    return {partition, bucket};
  }
  std::int32_t unused = 0;
  while (buckets.contains(unused)) ++unused;
  buckets[unused] = 1;
  return {partition, unused};
}

GlobalBucketAssigner::Placement GlobalBucketAssigner::Place(std::string_view key, std::int32_t partition) {
  const auto [found, is_new] = places_.try_emplace(std::string(key));
  if (is_new) {
    found->second = NewPlace(partition);
    return {.place = found->second, .removed = std::nullopt};
  }
  const KeyPlace old = found->second;
  if (old.partition == partition || rule_ == ExistingKeyRule::kRedirect) return {.place = old, .removed = std::nullopt};
  if (rule_ == ExistingKeyRule::kSkip) return {};
  --rows_[old.partition][old.bucket];
  found->second = NewPlace(partition);
  return {.place = found->second, .removed = old};
}

}  // namespace braid
