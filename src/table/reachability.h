#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"

namespace braid {

// What the manifests of snapshots, tags and other roots name. Files are known by name alone: the names of Paimon's
// files hold a UUID, so that equal names mean the same file, whatever line names it.

/// A snapshot's content that something keeps.
struct Root {
  Snapshot snapshot;
  std::string holder;  ///< for people: "snapshot 4 of main", "tag x of branch b", "fork point of branch b"
  /// A long-lived changelog: holds its changelog, or, where the snapshot has no changelog files, what it added.
  bool is_changelog = false;
  /// A snapshot of a line, which holds its changelog files too; tags and pinned contents do not.
  bool is_snapshot = false;
};

/// Names of metadata files: lists, manifests, index manifests, index files, statistics.
using NameSet = std::unordered_set<std::string>;

/// Data files that are looked for, by name; the numbers are the caller's.
using WatchedFiles = std::unordered_map<std::string, std::uint32_t>;

/// Reads roots, every manifest and manifest list once however many roots name it, and remembers of each manifest only
/// the watched files in it. A file that a root names and that does not exist holds nothing (another expiry is ahead);
/// any other failure to read is an error, since what the root holds is then not known. Methods take several threads of
/// the pools for themselves; one call at a time.
class RootReader {
 public:
  /// `watched` may grow only before the first Load; both outlive this.
  RootReader(const FileSystem& fs, TablePaths paths, const WatchedFiles& watched);
  ~RootReader();

  /// Reads the lists, and unless `names_only` the manifests of these roots.
  Status Load(std::span<const Snapshot* const> roots, bool names_only = false);
  /// As Load, of the delta lists alone.
  Status LoadDeltas(std::span<const Snapshot* const> roots);

  /// Calls `visit` with the number of every watched file that is alive in the root. Precondition: it is loaded.
  void VisitLive(const Snapshot& root, const std::function<void(std::uint32_t)>& visit) const;
  /// With every watched file that the root's delta adds. Precondition: LoadDeltas or Load.
  void VisitAdded(const Snapshot& root, const std::function<void(std::uint32_t)>& visit) const;

  /// Adds the names of the root's metadata files: base and delta lists, their manifests, index manifest, index files,
  /// statistics. Precondition: it is loaded, also by names only.
  void AddNames(const Snapshot& root, NameSet& names) const;

  /// Manifests decoded so far.
  std::int64_t manifests_read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid
