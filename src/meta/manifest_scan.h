#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/avro_container.h"
#include "io/file_system.h"
#include "meta/manifest.h"
#include "meta/table_paths.h"

namespace braid {

/// What a manifest entry begins with.
struct ManifestEntryHead {
  FileKind kind = FileKind::kAdd;
  std::string_view partition{};  ///< as stored: arity, then row (spec metadata.md §5.4)
  BucketId bucket{};
  std::int32_t total_buckets = 0;
};

/// Which entries of a manifest to materialise, and how much of them. Passing over an entry costs a small part of
/// keeping it.
struct ManifestFilter {
  /// Says whether an entry is wanted. Empty: all are. Called once an entry, from every thread that scans with this
  /// filter; consecutive entries often share the partition, so a test of partitions does well to remember its last
  /// answer.
  std::function<bool(const ManifestEntryHead&)> accepts{};
  /// Without, `key_stats` of the entries kept stay empty; such entries must not be written again.
  bool keep_key_stats = true;
  /// Without, `value_stats` and `value_stats_cols` of the entries kept stay empty; such entries must not be written
  /// again.
  bool keep_value_stats = true;
};

/// A manifest that is in memory but not yet decoded. Its blocks (in Java's files up to 64 KB of records each) can be
/// decoded one by one, so that a plan can filter as it goes, and by several threads. Immutable; any thread.
class ManifestScanner {
 public:
  /// Reads the file. Errors: kNotFound; kCorruption naming file and offset.
  static Result<ManifestScanner> Open(const FileSystem& fs, const TablePaths& paths, std::string_view name);

  std::size_t block_count() const { return container_.blocks().size(); }
  /// The number of entries in blocks `first` … `last` − 1 as the file claims it, or less where that cannot be: to make
  /// room by.
  std::size_t EntryCount(std::size_t first, std::size_t last) const;
  /// Calls `visit` for every wanted entry of blocks `first` … `last` − 1, in the order of the file. The entry is made
  /// anew only in part for each call, so keep what is needed of it, by moving if you like, and no reference. This takes
  /// a third of ReadBlocks' time and no memory to speak of, so plans that keep little of an entry want it.
  /// Precondition: first ≤ last ≤ block_count(). Errors: as of ReadBlocks; some entries may have been visited by then.
  Status VisitBlocks(std::size_t first, std::size_t last, const ManifestFilter& filter,
                     const std::function<void(ManifestEntry&)>& visit) const;

  /// The wanted entries of blocks `first` … `last` − 1, in the order of the file. Precondition: first ≤ last ≤
  /// block_count(). Errors: kCorruption naming file and offset; kUnsupported for entries of Paimon before 0.2.
  Result<std::vector<ManifestEntry>> ReadBlocks(std::size_t first, std::size_t last,
                                                const ManifestFilter& filter) const;

 private:
  ManifestScanner(std::string path, AvroContainer container);

  std::string path_{};
  AvroContainer container_;
};

/// The wanted entries of one manifest, in the order of the file. Errors: those of ManifestScanner.
Result<std::vector<ManifestEntry>> ScanManifest(const FileSystem& fs, const TablePaths& paths, std::string_view name,
                                                const ManifestFilter& filter);

}  // namespace braid
