#include "table/global_bucket_assigner.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "table/key_scan.h"
#include "table/scan.h"

namespace braid {

namespace {

constexpr std::int64_t kDefaultTargetRows = 2'000'000;

}  // namespace

Result<std::unique_ptr<GlobalBucketAssigner>> GlobalBucketAssigner::Make(const Table& table,
                                                                         const std::optional<Snapshot>& snapshot,
                                                                         const NumberOf& number_of,
                                                                         const std::string& directory) {
  const std::string engine = table.options().Get("merge-engine", "deduplicate");
  const ExistingKeyRule rule = engine == "deduplicate" ? ExistingKeyRule::kMove
                               : engine == "first-row" ? ExistingKeyRule::kSkip
                                                       : ExistingKeyRule::kRedirect;
  BRAID_TRY_ASSIGN(const std::int64_t target_rows,
                   table.options().GetInt("dynamic-bucket.target-row-num", kDefaultTargetRows));
  std::unique_ptr<GlobalBucketAssigner> assigner(new GlobalBucketAssigner(rule, target_rows, directory));
  if (!snapshot) return assigner;
  BRAID_TRY_ASSIGN(const Table pinned,
                   table.With(Options(Options::Map{{"scan.snapshot-id", fmt::format("{}", snapshot->id)}})));
  BRAID_TRY(assigner->ReadKeys(pinned, number_of).Context(fmt::format("while reading the keys of {}", table.name())));
  return assigner;
}

Status GlobalBucketAssigner::ReadKeys(const Table& table, const NumberOf& number_of) {
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, RequestOfKeys(table)));
  for (const DataSplit& split : plan.splits) {
    const KeyPlace place{number_of(split.partition), split.bucket.value()};
    std::int64_t& rows = rows_[place.partition][place.bucket];
    BRAID_TRY(ForEachKey(table, {split}, [&](const DataSplit&, std::string_view key) {
      ++rows;
      return places_.Put(key, place);
    }));
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

Result<std::vector<GlobalBucketAssigner::Placement>> GlobalBucketAssigner::Place(
    std::span<const std::string> keys, std::span<const std::int32_t> partitions) {
  BRAID_TRY_ASSIGN(std::vector<std::optional<KeyPlace>> known, places_.Find(keys));
  std::unordered_map<std::string_view, KeyPlace> changed;  // by rows before
  std::vector<Placement> placements;
  placements.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::optional<KeyPlace> old = known[i];
    if (const auto before = changed.find(keys[i]); before != changed.end()) old = before->second;
    if (old && (old->partition == partitions[i] || rule_ == ExistingKeyRule::kRedirect)) {
      placements.push_back({.place = old, .removed = std::nullopt});
      continue;
    }
    if (old && rule_ == ExistingKeyRule::kSkip) {
      placements.push_back({});
      continue;
    }
    if (old) --rows_[old->partition][old->bucket];
    const KeyPlace place = NewPlace(partitions[i]);
    BRAID_TRY(places_.Put(keys[i], place));
    changed.insert_or_assign(keys[i], place);
    placements.push_back({.place = place, .removed = old});
  }
  return placements;
}

}  // namespace braid
