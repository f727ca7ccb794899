#pragma once

// The folder of a branch where folders cannot be moved (spec branches.md §6): it is made behind a first object CREATING,
// until `fork.json` is there, and deleted by the creation of an object DROPPED.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/table_paths.h"

namespace braid {

enum class BranchFolder : std::uint8_t { kAbsent, kBeingMade, kPresent, kDropped };

/// What the branch's folder is to readers and writers; on a storage with renames it is there or not.
Result<BranchFolder> FindBranchFolder(const FileSystem& fs, const TablePaths& branch);
std::string CreatingMark(const TablePaths& branch);
std::string DroppedMark(const TablePaths& branch);

/// Deletes all of a folder that a mark in it hides, and the mark last; may be repeated.
Status DeleteMarkedFolder(FileSystem& fs, const std::string& directory, const std::string& mark);

}  // namespace braid
