#pragma once

#include <set>
#include <span>
#include <string>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/doomed_files.h"
#include "table/line_roots.h"
#include "table/lines.h"
#include "table/table.h"

namespace braid {

/// Which files go when tags, or other keepers of these contents of a line, are taken away (spec branches.md §10.4): the
/// contents' data and metadata files, less what anything on any line still reaches. Changelog files are not touched, as
/// tags do not hold them. `without_tags` do not count as keepers. Errors: kIo if something that may hold files cannot
/// be read.
Result<DoomedFiles> FilesOf(std::span<const Snapshot> contents, const std::set<std::string>& without_tags,
                            const Table& table, const TableLines& lines, const Line& line);

/// Which files go when a line goes as a whole (spec branches.md §6.2): everything that its snapshots, tags, changelogs
/// and pinned contents name, and `contents`, which others held for its sake, less everything that any other line
/// reaches, but for tags that are `skipped`. All roots of the other lines are looked at, whatever is recorded of them,
/// each manifest once: other engines merge branches without a record of it. Works again after some of the files are
/// gone. Errors: kIo if something that may hold files cannot be read.
Result<DoomedFiles> FilesOfLine(const Line& line, std::span<const Snapshot> contents, const SkippedTags& skipped,
                                const Table& table, const TableLines& lines);

/// Which files go with contents that no line holds any more, as FilesOfLine: `lines` is what will be left. For contents
/// that were no state of the line that held them.
Result<DoomedFiles> FilesOfContents(std::span<const Snapshot> contents, const SkippedTags& skipped, const Table& table,
                                    const TableLines& lines);

}  // namespace braid
