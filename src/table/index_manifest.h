#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/table.h"

namespace braid {

/// The index manifest of the next snapshot: the latest one's entries with the changes applied (spec metadata.md §7.2); the
/// latest one's own name if nothing changes. Errors: kConflict for an index file that another commit already removed or added,
/// for a base that is no longer the bucket's index, and for a data file that two index files would hold vectors of.
Result<std::optional<std::string>> NextIndexManifest(const Table& table, const std::optional<Snapshot>& latest,
                                                     const std::vector<IndexManifestEntry>& changes,
                                                     const std::vector<DeletionVectorBase>& bases, MetadataFileNames& names,
                                                     const ManifestWriteOptions& write);

/// Where a new index file goes, which the entry then says: with `index-file-in-data-file-dir` among the bucket's data
/// files, so perhaps outside of the table.
Result<std::string> PlaceIndexFile(const Table& table, IndexManifestEntry& entry);

/// Where an index file lies (spec metadata.md §1.5).
Result<std::string> IndexFilePath(const Table& table, const IndexManifestEntry& entry);

}  // namespace braid
