#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "mergetree/key_value.h"
#include "mergetree/merge_function.h"
#include "mergetree/merge_reader.h"
#include "types/batch.h"

namespace braid {

class SpillFile;

struct SortBufferOptions {
  std::int64_t memory_bytes = std::int64_t{256} << 20;  ///< `write-buffer-size`
  bool spillable = true;                                ///< `write-buffer-spillable`
  std::string spill_directory = {};                     ///< local; empty: no spilling
  std::string compression = "zstd";                     ///< `spill-compression`: none, lz4, zstd
  int zstd_level = 1;                                   ///< `spill-compression.zstd-level`
  std::int64_t max_disk_bytes = INT64_MAX;              ///< `write-buffer-spill.max-disk-size`
  int max_spill_files = 128;                            ///< `local-sort.max-num-file-handles`

  /// Errors: kInvalidArgument.
  static Result<SortBufferOptions> FromOptions(const Options& options, std::string spill_directory);
};

/// Rows of one bucket that wait to be sorted and flushed: in memory up to a bound, then in sorted runs in local files,
/// which are deleted with it (spec data.md §3.2). The values of long rows are parked outside of memory at once, where
/// spilling is allowed. One thread at a time.
class SortBuffer {
 public:
  /// Precondition: the schema's value fields hold all key fields.
  SortBuffer(KeyValueSchema schema, SortBufferOptions options);
  ~SortBuffer();
  SortBuffer(const SortBuffer&) = delete;
  SortBuffer& operator=(const SortBuffer&) = delete;

  /// Adds rows of the value fields, numbered from first_sequence_number on.
  Status Add(const Batch& values, std::int64_t first_sequence_number);

  std::int64_t row_count() const;
  /// Of rows in memory, with what sorting them takes.
  std::int64_t memory_bytes() const;
  bool is_full() const { return memory_bytes() >= options_.memory_bytes; }

  /// Moves what is in memory to a local file. False if that is not allowed, or no more fits: the buffer must be
  /// flushed.
  Result<bool> Spill();
  /// Makes one of the smaller half of the local files, so that more fit; of all rows ever written to files each is so
  /// written again a few times only. False if there are no two, or no space is left beside them.
  Result<bool> MergeSpilled();

  /// All rows by key, then sequence; merged by `function`, or every row if that is null. The reader must not outlive
  /// the buffer or its next change. Several can be made, one after the other.
  Result<std::unique_ptr<BatchReader>> Sorted(std::shared_ptr<const MergeFunction> function);
  /// Forgets all rows and deletes the local files.
  void Clear();

 private:
  /// Puts the small batches together into one.
  Status Coalesce();
  bool CanSpill() const;
  Result<std::unique_ptr<SpillFile>> WriteFile(BatchReader& rows) const;
  /// Those in memory.
  void ForgetBatches();
  std::int64_t disk_bytes() const;

  KeyValueSchema schema_;
  SortBufferOptions options_;
  std::vector<Batch> batches_;  // key-value batches of a few thousand rows and more
  std::vector<Batch> small_;    // those not yet put together
  std::int64_t small_rows_ = 0;
  std::int64_t small_held_bytes_ = 0;  // what they are slices of counts fully
  std::int64_t memory_rows_ = 0;
  std::int64_t data_bytes_ = 0;  // of the batches
  // Key-value batches of long rows whose values are in files (types/parked_values.h): a run of its own.
  std::vector<Batch> parked_;
  std::int64_t parked_rows_ = 0;
  std::int64_t parked_bytes_ = 0;
  std::vector<std::unique_ptr<SpillFile>> spilled_;
};

}  // namespace braid
