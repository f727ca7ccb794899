#pragma once

#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/commit.h"
#include "table/table.h"

namespace braid {

/// Whether changes can be committed on top of the snapshot (spec metadata.md §8.5): the files that they delete must
/// still be live, files of one level above 0 must not overlap, a partition must keep its number of buckets, and there
/// must be no file above level 0 that a compaction which deletes older rows (`bases`) knew nothing of. Errors:
/// kConflict, naming the file or partition and what to do; kInvalidArgument for a changed number of buckets.
Status CheckConflicts(const Table& table, const Snapshot& latest, const std::vector<ManifestEntry>& delta,
                      CommitKind kind, const std::vector<DeletionVectorBase>& bases = {});

/// Whether a commit failed because others took files or rows away meanwhile, so that it can be done again; not whether
/// the table has become another one.
bool LostFiles(const Error& error);

}  // namespace braid
