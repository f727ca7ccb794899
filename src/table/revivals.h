#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/table_paths.h"
#include "table/lines.h"

namespace braid {

// A file usually lives on a line from one snapshot to another and never comes back, which is what makes expiry cheap:
// the newest tag below its end says whether any tag holds it. Commits that bring older files back break that, so the
// line is noted in `.braid/table.json` before the first of them, and its tags are all looked at from then on.

/// Notes that the line gets files back. `root`: paths of the table's root. Errors: those of FileSystem.
Status NoteRevivals(FileSystem& fs, const TablePaths& root, const std::string& line_id, std::int64_t now_ms);

/// Whether that was noted of the line.
bool HasRevivals(const TableLines& lines, const std::string& line_id);

}  // namespace braid
