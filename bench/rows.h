#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "types/batch.h"
#include "types/data_type.h"

namespace braid {

// The rows of the benchmarks. Everything follows from a seed, so that tables made by others for the same cases hold
// equal rows (docs/benchmarks.md).

/// Columns of the tables that are scanned and merged: k BIGINT, i INT, d DOUBLE, s STRING of 17 bytes and 5 M values,
/// t STRING of 14 bytes and 1,000 values, ts TIMESTAMP(6), dec DECIMAL(12, 2).
std::vector<DataField> ScanFields();
/// Rows of these keys as the version-th writer wrote them.
Batch ScanRows(std::span<const std::int64_t> keys, std::uint64_t version, std::uint64_t seed);
/// A bijection of 0 … 2^31 - 1 that scatters neighbours.
std::int64_t ScatteredKey(std::int64_t number, std::uint64_t seed);

/// The sum over all rows of a hash of their values: equal for every correct reader, in whatever order it reads. Add
/// batches of the columns of ScanFields.
class OrderFreeHash {
 public:
  void Add(const Batch& batch);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

/// Columns of the table that is upserted into: k BIGINT, i INT, d DOUBLE, l BIGINT, s STRING of 24 bytes, together 52
/// bytes; `wide`: and payload STRING, 200 bytes that hardly compress.
std::vector<DataField> UpsertFields(bool wide);
/// The rows numbered first … first + count - 1, with random keys below key_count.
Batch UpsertRows(std::int64_t first, std::int64_t count, std::int64_t key_count, bool wide);

}  // namespace braid
