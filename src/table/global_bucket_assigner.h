#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/key_place_index.h"
#include "table/table.h"
#include "types/binary_row.h"

namespace braid {

/// What becomes of a row whose key has a place already, in another partition (spec data.md §9.3).
enum class ExistingKeyRule : std::uint8_t {
  kMove,      ///< deduplicate: the old row is deleted there, the new one goes where it says
  kRedirect,  ///< partial-update, aggregation: it goes to the old row's partition
  kSkip,      ///< first-row: it is dropped
};

/// Assigns rows to buckets in tables whose primary key lacks a partition column, so that a key may move from partition
/// to partition. Knows the place of every key of the snapshot, in bounded memory and a local folder; what others commit
/// afterwards is seen to by the commit (placed_keys.h). One thread at a time.
class GlobalBucketAssigner {
 public:
  /// Gives a partition's number.
  using NumberOf = std::function<std::int32_t(const BinaryRow&)>;

  /// Reads the keys of the snapshot; nullopt begins anew. `directory`: local, for files that go with this. Errors:
  /// kInvalidArgument, and those of reading.
  static Result<std::unique_ptr<GlobalBucketAssigner>> Make(const Table& table, const std::optional<Snapshot>& snapshot,
                                                            const NumberOf& number_of, const std::string& directory);

  struct Placement {
    std::optional<KeyPlace> place = std::nullopt;    ///< where the row goes; nullopt: nowhere
    std::optional<KeyPlace> removed = std::nullopt;  ///< where the key's old row is to be deleted
  };
  /// Places rows one after the other. `keys`: of the trimmed primary key, as BinaryRow bytes; `partitions`: what the
  /// rows say. Errors: kIo.
  Result<std::vector<Placement>> Place(std::span<const std::string> keys, std::span<const std::int32_t> partitions);

 private:
  GlobalBucketAssigner(ExistingKeyRule rule, std::int64_t target_rows, const std::string& directory)
      : rule_(rule), target_rows_(target_rows), places_(directory) {}
  Status ReadKeys(const Table& table, const NumberOf& number_of);
  KeyPlace NewPlace(std::int32_t partition);

  ExistingKeyRule rule_;
  std::int64_t target_rows_;  // `dynamic-bucket.target-row-num`
  KeyPlaceIndex places_;
  std::map<std::int32_t, std::map<std::int32_t, std::int64_t>> rows_;  // by partition and bucket
};

}  // namespace braid
