#pragma once

#include <vector>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/doomed_files.h"
#include "table/lines.h"
#include "table/table.h"

namespace braid {

/// Snapshots, or else long-lived changelogs, at the old end of a line that go, or have just gone.
struct ExpiredRange {
  std::vector<Snapshot> snapshots;  ///< ascending by id
  SnapshotId end;                   ///< the first that stays
  bool are_changelogs = false;
  bool keep_changelogs = false;  ///< of snapshots: what they say of changes lives on as long-lived changelogs
};

/// Which files go with the snapshots: those that they deleted or alone named, less what anything on any line reaches
/// (spec branches.md §10.3). Works before and after the snapshots' own files are gone, and again after some of the
/// files are. Errors: kIo if something that may hold files cannot be read.
Result<DoomedFiles> FilesOf(const ExpiredRange& range, const Table& table, const TableLines& lines, const Line& line);

}  // namespace braid
