#pragma once

#include <set>
#include <span>
#include <string>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/doomed_files.h"
#include "table/lines.h"
#include "table/table.h"

namespace braid {

/// Which files go when tags, or other keepers of these contents of a line, are taken away (spec branches.md §10.4): the
/// contents' data and metadata files, less what anything on any line still reaches. Changelog files are not touched, as
/// tags do not hold them. `without_tags` do not count as keepers. Errors: kIo if something that may hold files cannot
/// be read.
Result<DoomedFiles> FilesOf(std::span<const Snapshot> contents, const std::set<std::string>& without_tags,
                            const Table& table, const TableLines& lines, const Line& line);

}  // namespace braid
