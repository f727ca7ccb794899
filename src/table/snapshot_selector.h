#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/strong_id.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace braid {

/// A snapshot as people name it; at most one member is set, none: the latest.
struct SnapshotSelector {
  std::optional<SnapshotId> id = std::nullopt;  ///< also of a snapshot that only a tag keeps
  std::optional<std::string> tag = std::nullopt;
  std::optional<std::int64_t> timestamp_ms = std::nullopt;  ///< the newest committed at or before it
  std::optional<std::int64_t> watermark = std::nullopt;     ///< the first with this watermark or a later one
};

/// Reads the snapshot meant, on the table's branch. Errors: kNotFound, naming what there is; kInvalidArgument if more
/// than one member is set.
Result<Snapshot> SelectSnapshot(const Table& table, const SnapshotSelector& selector);

}  // namespace braid
