#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/snapshot.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/table.h"

namespace braid {

/// The messages of a commit to a table where a key's bucket, or its partition, is whatever was found for it first
/// (spec data.md §9.2, §9.3), fitted to what others have committed since the writer looked. New keys that others gave
/// the same bucket, or none, stay where they are; the bucket's index gets the hashes of both. Where a key has another
/// place by now, the rows of its partition, or of a table whose keys lack a partition column all of them, are read
/// back from the new files and written again from the latest snapshot on. Messages of other tables stay as they are.
/// One thread at a time.
class PlacedKeys {
 public:
  /// `table` and `committable` outlive this; `names` gives new index files their names.
  PlacedKeys(const Table& table, std::string commit_user, const Committable& committable, MetadataFileNames& names);

  /// Fits the messages to what they are to be committed on top of. True if they are others than before. Errors: those
  /// of reading and writing.
  Result<bool> FitTo(const std::optional<Snapshot>& latest);
  /// As of the last FitTo.
  const std::vector<CommitMessage>& messages() const { return places_keys_ ? fitted_ : committable_.messages; }

  /// The commit stands: deletes what it does not name of the files handed in and of those made since.
  void Landed(const Snapshot& snapshot);
  /// It certainly does not: deletes the files made here. Those handed in are the caller's.
  void Failed();

 private:
  Result<std::set<BinaryRow>> FitIndexes(const std::optional<Snapshot>& latest);
  Status Reroute(const std::optional<Snapshot>& latest, const std::optional<std::set<BinaryRow>>& partitions);

  const Table& table_;
  std::string commit_user_;
  const Committable& committable_;
  MetadataFileNames& names_;
  bool places_keys_;                   // messages of other tables are not copied
  std::vector<CommitMessage> routed_;  // as the last writer left them
  std::vector<CommitMessage> fitted_;  // the same with indexes of both
  std::vector<CommitMessage> made_;    // all files that were made here
  bool replaced_ = false;              // files handed in are no longer among them
};

}  // namespace braid
