#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "mergetree/bucket_deletions.h"
#include "mergetree/key_encoding_internal.h"
#include "mergetree/key_value_file.h"
#include "mergetree/levels.h"

namespace braid {

/// A batch of a data file with the keys of its rows.
struct LookupBatch {
  Batch batch;
  EncodedKeys keys;
  BatchOrigin origin;
};

/// The row of a key in the levels that were searched.
struct LookupHit {
  std::shared_ptr<const LookupBatch> batch;
  std::int32_t row = 0;

  std::int64_t position() const { return batch->origin.first_row + row; }  ///< in the file
};

/// Finds keys in levels above those that a compaction reads (spec data.md §3.9). Keys must come in ascending order, and
/// each file is read at most once, from front to back. One thread.
class KeyLookup {
 public:
  /// `levels`: from the lowest up. Value fields of `schema` are what hits hold. `deletions` are rows that are not
  /// there; both they and `readers` outlive this.
  static Result<std::unique_ptr<KeyLookup>> Make(KeyValueSchema schema, std::vector<LevelRun> levels,
                                                 KeyValueReaderFactory& readers, const BucketDeletions& deletions);

  /// The key's row in the lowest level that has one. `keys` are encoded by a KeyEncoder of the schema's key fields.
  Result<std::optional<LookupHit>> Find(const EncodedKeys& keys, std::int64_t row);

 private:
  /// One level, being read.
  struct Cursor {
    int level = 0;
    std::vector<DataFileMeta> files;
    EncodedKeys max_keys;  // of the files
    std::size_t file = 0;
    std::unique_ptr<FileReader> reader;
    std::shared_ptr<const LookupBatch> batch;
    std::int32_t row = 0;
  };

  KeyLookup(KeyValueSchema schema, KeyEncoder encoder, KeyValueReaderFactory& readers, const BucketDeletions& deletions)
      : schema_(std::move(schema)), encoder_(std::move(encoder)), readers_(readers), deletions_(deletions) {}

  int Compare(const EncodedKeys& a, std::int64_t row_a, const EncodedKeys& b, std::int64_t row_b) const;
  /// Moves the cursor to the first row whose key is not less; whether it is that key.
  Result<bool> Seek(Cursor& cursor, const EncodedKeys& keys, std::int64_t row);
  Status NextBatch(Cursor& cursor);

  KeyValueSchema schema_;
  KeyEncoder encoder_;
  KeyValueReaderFactory& readers_;
  const BucketDeletions& deletions_;
  std::vector<Cursor> cursors_;
};

}  // namespace braid
