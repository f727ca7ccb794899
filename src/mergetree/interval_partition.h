#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "mergetree/sorted_run.h"
#include "meta/manifest.h"
#include "types/data_type.h"

namespace braid {

/// Runs whose key range no other section shares; their order has no meaning.
using Section = std::vector<SortedRun>;

/// Divides files of one bucket into sections, ascending by key, each of as few runs as can be (spec data.md §4.1).
/// Errors: kCorruption if a file's bounds do not hold the key fields; names the file.
Result<std::vector<Section>> PartitionIntoSections(std::vector<DataFileMeta> files,
                                                   std::span<const DataField> key_fields);

}  // namespace braid
