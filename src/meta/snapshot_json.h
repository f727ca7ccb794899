#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "meta/snapshot.h"

namespace braid {

/// Reads a snapshot file, of any Paimon version (spec metadata.md §3.1, §14.2). Keys that we do not know are ignored;
/// record counts that files of Paimon before 0.4 lack are 0. Errors: kCorruption; kUnsupported for a document version
/// above 3.
Result<Snapshot> ParseSnapshot(std::string_view text);
Result<Snapshot> SnapshotFromJson(const Json& json);

/// The file's content, keys in Java's order.
std::string PrintSnapshot(const Snapshot& snapshot);
Json SnapshotToJson(const Snapshot& snapshot);

}  // namespace braid
