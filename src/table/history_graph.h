#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/snapshot.h"

namespace braid {

/// A snapshot in the history of all lines of a table, or a piece of the drawing between two.
struct HistoryRow {
  std::string graph;                    ///< drawn at its left, e.g. "| * "; columns are lines, main the first
  std::optional<Snapshot> snapshot;     ///< nullopt: only `graph`
  std::string line = {};                ///< the line that it was made on, as far as that is known
  std::vector<std::string> heads = {};  ///< lines whose latest snapshot it is
  std::vector<std::string> tags = {};   ///< of any line, with the line's name where it is not main's: "b:monday"
  std::string note = {};                ///< for people: where a line comes from that is cut off here
};

/// All snapshots of all lines of the table at `root`, newest first but never before one that was built on it. A snapshot
/// that several lines have appears once. `limit`: so many snapshots at most; 0: all. Tags that protect branches are
/// left out.
Result<std::vector<HistoryRow>> DrawHistory(const FileSystem& fs, const std::string& root, std::size_t limit);

}  // namespace braid
