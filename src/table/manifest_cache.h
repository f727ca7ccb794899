#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/file_system.h"
#include "meta/manifest.h"
#include "table/bucket_files.h"

namespace braid {

/// The entries of one manifest in the form that planning wants: by bucket, and without statistics. An immutable value.
struct ManifestFiles {
  struct Bucket {
    BinaryRow partition{};
    BucketId bucket{};
    std::vector<ScannedFile> added{};
    std::vector<const DataFileMeta*> deleted{};
  };
  /// What one task decoded. Buckets are in the order of their first entry.
  struct Part {
    std::vector<DataFileMeta> metas{};  ///< what the buckets point to, in the order of the entries
    std::vector<Bucket> buckets{};
    std::int64_t memory_bytes = 0;  ///< that it takes, about
  };
  std::vector<Part> parts{};

  /// What a file takes, about, where names and keys are of usual length: to tell beforehand.
  static constexpr std::int64_t kBytesOfAFile = 600;

  /// Memory that it takes, about.
  std::int64_t MemoryBytes() const;
};

/// Collects the entries that one task reads.
class ManifestPartBuilder {
 public:
  /// With the number of entries to come, if it is known.
  explicit ManifestPartBuilder(std::size_t entries = 0) {
    part_.metas.reserve(entries);
    pending_.reserve(entries);
  }
  /// Takes the entry's file.
  void Add(ManifestEntry& entry, bool may_match);
  ManifestFiles::Part Finish();

 private:
  struct Pending {
    std::size_t bucket;
    FileKind kind;
    std::int32_t total_buckets;
    bool may_match;
  };
  ManifestFiles::Part part_;
  std::vector<Pending> pending_;  // one a file: they move until all are there
  std::unordered_map<BucketRef, std::size_t, BucketRefHash> positions_;
};

/// Manifests decoded for planning, kept until others need the room: a manifest never changes once its name is known, so
/// a plan of the next snapshot reads only what that one added. Thread-safe.
class ManifestCache {
 public:
  explicit ManifestCache(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Notes that a plan wants a part of the manifest at `path`, and tells whether one did before: then it is worth while to
  /// read it whole and keep it. May forget.
  bool WantedBefore(const std::string& path);
  /// nullptr if it is not kept.
  std::shared_ptr<const ManifestFiles> Find(const std::shared_ptr<FileSystem>& fs, const std::string& path);
  /// Keeps the files of the manifest at `path`, dropping those used longest ago. Files that need more than the whole
  /// cache are not kept.
  void Insert(const std::shared_ptr<FileSystem>& fs, const std::string& path,
              std::shared_ptr<const ManifestFiles> files);

  std::int64_t max_bytes() const { return max_bytes_; }
  std::int64_t used_bytes() const;

 private:
  struct Kept {
    std::string path;
    std::weak_ptr<FileSystem> fs;  // the same path of another file system is another file
    std::shared_ptr<const ManifestFiles> files;
    std::int64_t bytes;
  };

  void Drop(std::list<Kept>::iterator kept, std::list<Kept>& dropped);

  const std::int64_t max_bytes_;
  mutable std::mutex mutex_;  // guards what follows
  std::list<Kept> kept_;      // the one used last comes first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> by_path_;
  std::int64_t used_bytes_ = 0;
  std::unordered_set<std::size_t> wanted_;  // hashes of paths
};

/// The process's cache, of 128 MiB: about 200,000 files.
ManifestCache& ProcessManifestCache();

}  // namespace braid
