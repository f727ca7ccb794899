#include "table/row_router.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "table/partitions.h"
#include "table/rerouted_rows.h"
#include "table/write.h"

namespace braid {

namespace {

constexpr std::int32_t kPostponed = -2;  // rows wait for a compaction to find their buckets

std::vector<int> PositionsOf(const TableSchema& schema, const std::vector<std::string>& columns) {
  std::vector<int> positions;
  for (const std::string& column : columns) positions.push_back(static_cast<int>(*FindField(schema.fields, column)));
  return positions;
}

BinaryRowEncoder EncoderOf(const Batch& batch, const TableSchema& schema, const std::vector<int>& columns) {
  std::vector<DataType> types;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const int column : columns) {
    types.push_back(schema.fields[static_cast<std::size_t>(column)].type);
    arrays.push_back(batch.rows->column(column));
  }
  return {std::move(types), std::move(arrays)};
}

}  // namespace

RowRouter::RowRouter(const Table& table, std::int32_t total_buckets, BucketFunction function)
    : table_(table), total_buckets_(total_buckets), function_(function), partition_columns_(PositionsOf(table.schema(), table.schema().partition_keys)) {
  const std::vector<std::string> keys = table.schema().BucketKeys();
  bucket_key_fields_ = table.schema().Project(keys);
  bucket_key_columns_ = PositionsOf(table.schema(), keys);
  if (partition_columns_.empty()) partitions_.emplace_back();
}

Result<std::unique_ptr<RowRouter>> RowRouter::Make(const Table& table, const std::optional<Snapshot>& snapshot,
                                                   const std::string& directory,
                                                   const std::optional<AssignerShare>& share) {
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  BRAID_TRY_ASSIGN(const BucketFunction function, ParseBucketFunction(table.options().Get("bucket-function.type", "default")));
  const TableSchema& schema = table.schema();
  if (buckets < -2 || buckets == 0) return Error(ErrorCode::kInvalidArgument, fmt::format("option 'bucket' of {} is {}", table.name(), buckets));
  std::unique_ptr<RowRouter> router(new RowRouter(table, static_cast<std::int32_t>(buckets), function));
  if (buckets == -1 && schema.has_primary_key()) {
    if (KeysCrossPartitions(schema)) {
      const auto number_of = [&](const BinaryRow& partition) { return router->NumberOf(partition); };
      BRAID_TRY_ASSIGN(router->global_assigner_, GlobalBucketAssigner::Make(table, snapshot, number_of, directory));
      router->keys_base_ = snapshot ? KeysBase{snapshot->id, SnapshotIdentity(*snapshot)} : KeysBase{SnapshotId(0), ""};
      return router;
    }
    BRAID_TRY_ASSIGN(router->assigner_, HashBucketAssigner::Make(table, snapshot, share));
  }
  return router;
}

std::int32_t RowRouter::NumberOf(const BinaryRow& partition) {
  const auto [it, is_new] = partition_numbers_.try_emplace(std::string(partition.bytes()), static_cast<std::int32_t>(partitions_.size()));
  if (is_new) partitions_.push_back(partition);
  return it->second;
}

Result<std::vector<std::int32_t>> RowRouter::PartitionsOf(const Batch& batch) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(batch.row_count()), 0);
  if (partition_columns_.empty()) return numbers;
  BinaryRowEncoder encoder = EncoderOf(batch, table_.schema(), partition_columns_);
  std::string previous;  // rows of one partition mostly come together
  std::int32_t previous_number = -1;
  for (std::int64_t row = 0; row < batch.row_count(); ++row) {
    const std::string_view bytes = encoder.Encode(row);
    if (previous_number < 0 || bytes != previous) {
      previous.assign(bytes);
      const auto [it, is_new] = partition_numbers_.try_emplace(previous, static_cast<std::int32_t>(partitions_.size()));
      previous_number = it->second;
      if (is_new) partitions_.push_back(encoder.EncodeRow(row));
    }
    numbers[static_cast<std::size_t>(row)] = previous_number;
  }
  return numbers;
}

Result<std::vector<std::int32_t>> RowRouter::BucketsOf(const Batch& batch, const std::vector<std::int32_t>& partitions) {
  std::vector<std::int32_t> buckets(partitions.size(), total_buckets_ == kPostponed ? kPostponed : 0);
  if (total_buckets_ == kPostponed) return buckets;
  if (total_buckets_ == -1 && !assigner_) return buckets;  // unaware
  if (total_buckets_ == 1) return buckets;
  BinaryRowEncoder encoder = EncoderOf(batch, table_.schema(), bucket_key_columns_);
  std::vector<DataType> types;
  for (const DataField& field : bucket_key_fields_) types.push_back(field.type);
  for (std::size_t row = 0; row < buckets.size(); ++row) {
    const auto at = static_cast<std::int64_t>(row);
    if (assigner_) {
      const std::int32_t hash = HashBytesByWords(encoder.Encode(at));
      BRAID_TRY_ASSIGN(const BucketId bucket, assigner_->Assign(partitions_[static_cast<std::size_t>(partitions[row])], hash));
      buckets[row] = bucket.value();
    } else if (function_ == BucketFunction::kDefault) {
      buckets[row] = std::abs(HashBytesByWords(encoder.Encode(at)) % total_buckets_);
    } else {
      DatumList key;
      for (std::size_t i = 0; i < types.size(); ++i) key.push_back(DatumAt(*batch.rows->column(bucket_key_columns_[i]), at, types[i]));
      BRAID_TRY_ASSIGN(buckets[row], BucketOf(function_, types, key, total_buckets_));
    }
  }
  return buckets;
}

Result<std::vector<RoutedRows>> RowRouter::Route(const Batch& batch) {
  std::vector<RoutedRows> routed;
  if (batch.row_count() == 0) return routed;
  if (global_assigner_ != nullptr) return RouteAcrossPartitions(batch);
  BRAID_TRY_ASSIGN(const std::vector<std::int32_t> partitions, PartitionsOf(batch));
  BRAID_TRY_ASSIGN(const std::vector<std::int32_t> buckets, BucketsOf(batch, partitions));
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> rows;
  std::vector<std::int32_t>* current = nullptr;
  for (std::size_t row = 0; row < buckets.size(); ++row) {
    if (current == nullptr || buckets[row] != buckets[row - 1] || partitions[row] != partitions[row - 1]) current = &rows[{partitions[row], buckets[row]}];
    current->push_back(static_cast<std::int32_t>(row));
  }
  for (const auto& [target, positions] : rows) {
    RoutedRows part{partitions_[static_cast<std::size_t>(target.first)], BucketId(target.second), batch};
    if (rows.size() > 1) {
      BRAID_TRY_ASSIGN(part.rows, TakeRows(batch, positions));
    }
    routed.push_back(std::move(part));
  }
  return routed;
}

// Rows go to where their keys are or to where they say; a row of a key that moves also deletes the old one, under the old one's
// partition.
Result<std::vector<RoutedRows>> RowRouter::RouteAcrossPartitions(const Batch& batch) {
  BRAID_TRY_ASSIGN(const std::vector<std::int32_t> partitions, PartitionsOf(batch));
  const std::vector<DataField> keys = table_.schema().TrimmedPrimaryKeyFields();
  std::vector<std::string> key_names;
  for (const DataField& key : keys) key_names.push_back(key.name);
  BinaryRowEncoder encoder = EncoderOf(batch, table_.schema(), PositionsOf(table_.schema(), key_names));

  struct Target {
    std::vector<std::int32_t> positions;
    std::vector<std::int8_t> kinds;
    void Add(std::int32_t row, RowKind kind) {
      positions.push_back(row);
      kinds.push_back(static_cast<std::int8_t>(kind));
    }
  };
  std::map<std::pair<std::int32_t, std::int32_t>, Target> targets;
  std::vector<std::string> encoded;
  encoded.reserve(partitions.size());
  for (std::int64_t row = 0; row < batch.row_count(); ++row) encoded.emplace_back(encoder.Encode(row));
  BRAID_TRY_ASSIGN(const auto placements, global_assigner_->Place(encoded, partitions));
  for (std::int32_t row = 0; row < batch.row_count(); ++row) {
    const auto& placed = placements[static_cast<std::size_t>(row)];
    if (placed.removed) targets[{placed.removed->partition, placed.removed->bucket}].Add(row, RowKind::kDelete);
    if (placed.place) targets[{placed.place->partition, placed.place->bucket}].Add(row, batch.kind(row));
  }

  const std::vector<DataType> partition_types = PartitionTypes(table_.layout());
  std::vector<RoutedRows> routed;
  for (auto& [place, target] : targets) {
    const BinaryRow& partition = partitions_[static_cast<std::size_t>(place.first)];
    BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(partition_types));
    BRAID_TRY_ASSIGN(const Batch taken, TakeRows(batch, target.positions));
    std::vector<std::shared_ptr<arrow::Array>> columns = taken.rows->columns();
    for (std::size_t i = 0; i < values.size(); ++i) {
      BRAID_TRY_ASSIGN(columns[static_cast<std::size_t>(partition_columns_[i])], MakeConstantColumn(values[i], partition_types[i], taken.row_count()));
    }
    const std::int64_t count = taken.row_count();
    routed.push_back({partition, BucketId(place.second),
                      {arrow::RecordBatch::Make(taken.rows->schema(), count, std::move(columns)),
                       std::make_shared<arrow::Int8Array>(count, arrow::Buffer::FromVector(std::move(target.kinds)))}});
  }
  return routed;
}

Result<std::vector<IndexManifestEntry>> RowRouter::WriteChangedIndexes(MetadataFileNames& names) {
  if (!assigner_) return std::vector<IndexManifestEntry>();
  return assigner_->WriteChangedIndexes(names);
}

void RowRouter::AddBases(std::vector<CommitMessage>& messages) const {
  if (messages.empty()) return;
  if (global_assigner_ != nullptr) messages.front().keys_base = keys_base_;
  if (!assigner_) return;
  std::set<BinaryRow> noted;
  for (CommitMessage& message : messages) {
    if (noted.insert(message.partition).second) message.hash_base = assigner_->BaseOf(message.partition);
  }
}

Result<std::vector<std::int32_t>> WriterOf(const Table& table, const Batch& batch, std::int32_t writers) {
  const TableSchema& schema = table.schema();
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  if (buckets != -1 || !schema.has_primary_key() || KeysCrossPartitions(schema)) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("{} has no dynamic buckets that writers could share", table.name()));
  }
  BRAID_TRY_ASSIGN(const BucketAssigners assigners, BucketAssigners::Of(table, AssignerShare{0, writers}));
  BinaryRowEncoder partitions = EncoderOf(batch, schema, PositionsOf(schema, schema.partition_keys));
  BinaryRowEncoder keys = EncoderOf(batch, schema, PositionsOf(schema, schema.BucketKeys()));
  std::vector<std::int32_t> numbers;
  for (std::int64_t row = 0; row < batch.row_count(); ++row)
    numbers.push_back(
        assigners.ChannelOf(HashBytesByWords(partitions.Encode(row)), HashBytesByWords(keys.Encode(row))));
  return numbers;
}

}  // namespace braid
