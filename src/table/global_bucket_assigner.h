#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/table.h"
#include "types/binary_row.h"

namespace braid {

/// Where rows of a key lie.
struct KeyPlace {
  std::int32_t partition = 0;  ///< its number, the caller's
  std::int32_t bucket = 0;
};

/// What becomes of a row whose key has a place already, in another partition (spec data.md §9.3).
enum class ExistingKeyRule : std::uint8_t {
  kMove,      ///< deduplicate: the old row is deleted there, the new one goes where it says
  kRedirect,  ///< partial-update, aggregation: it goes to the old row's partition
  kSkip,      ///< first-row: it is dropped
};

/// Assigns rows to buckets in tables whose primary key lacks a partition column, so that a key may move from partition to
/// partition. Knows the place of every key, in memory: only one job may write such a table. One thread at a time.
class GlobalBucketAssigner {
 public:
  /// Gives a partition's number.
  using NumberOf = std::function<std::int32_t(const BinaryRow&)>;

  /// Reads the keys of the snapshot; nullopt begins anew. Errors: kInvalidArgument, and those of reading.
  static Result<std::unique_ptr<GlobalBucketAssigner>> Make(const Table& table, const std::optional<Snapshot>& snapshot,
                                                            const NumberOf& number_of);

  struct Placement {
    std::optional<KeyPlace> place = std::nullopt;    ///< where the row goes; nullopt: nowhere
    std::optional<KeyPlace> removed = std::nullopt;  ///< where the key's old row is to be deleted
  };
  /// `key`: of the trimmed primary key, as BinaryRow bytes.
  Placement Place(std::string_view key, std::int32_t partition);

 private:
  GlobalBucketAssigner(ExistingKeyRule rule, std::int64_t target_rows) : rule_(rule), target_rows_(target_rows) {}
  Status ReadKeys(const Table& table, const NumberOf& number_of);
  KeyPlace NewPlace(std::int32_t partition);

  ExistingKeyRule rule_;
  std::int64_t target_rows_;  // `dynamic-bucket.target-row-num`
  std::unordered_map<std::string, KeyPlace> places_;
  std::map<std::int32_t, std::map<std::int32_t, std::int64_t>> rows_;  // by partition and bucket
};

}  // namespace braid
