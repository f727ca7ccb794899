#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "table/lines.h"
#include "table/reachability.h"

namespace braid {

/// The names of all files that anything on any line of a table reaches, kept as 64-bit hashes: eight bytes a file. Two
/// names of one hash make a file that is not needed stay, never the other way round. One thread; reading uses the
/// pools.
class ReachableFiles {
 public:
  ReachableFiles(const FileSystem& fs, TablePaths paths) : fs_(fs), paths_(std::move(paths)) {}

  /// Adds everything that a root names: lists, manifests, index files, statistics, and data files with those beside
  /// them, whether a manifest adds or deletes them. What does not exist names nothing. Errors: those of reading.
  Status Add(const Root& root);
  /// Call after the last Add and before Contains.
  void Settle();

  bool Contains(std::string_view name) const;
  std::int64_t count() const { return static_cast<std::int64_t>(hashes_.size()); }

 private:
  void AddName(std::string_view name);
  Status AddList(const std::string& list);
  Status AddManifest(const std::string& name);
  Status AddIndexManifest(const std::string& name);

  const FileSystem& fs_;  // outlives this
  TablePaths paths_;
  NameSet read_;  // lists, manifests and index manifests that were read
  std::vector<std::uint64_t> hashes_;
  std::size_t settled_ = 0;
};

}  // namespace braid
