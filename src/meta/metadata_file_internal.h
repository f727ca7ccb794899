#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// Numbers of the files "<prefix><n>" in a folder, n ≥ 0 in its shortest decimal form, ascending (spec metadata.md
/// §1.6).
Result<std::vector<std::int64_t>> ListNumberedFiles(const FileSystem& fs, std::string_view directory,
                                                    std::string_view prefix);

/// Names behind the prefix of the files, or else of the folders, in a folder; sorted.
enum class ChildKind { kFile, kDirectory };
Result<std::vector<std::string>> ListNamedChildren(const FileSystem& fs, std::string_view directory,
                                                   std::string_view prefix, ChildKind kind);

/// Creates a file that one of several racing writers wins, and finds out what became of it when the storage does not
/// tell (spec metadata.md §8.6, step 4). Errors: kAlreadyExists if another writer's file is there; kCommitUnknown if it
/// stays unknown whether ours is.
Status CreateExclusively(FileSystem& fs, const std::string& path, std::string_view content);

/// Fails with kInvalidArgument if the name cannot be part of a file name; `what` is "tag", "consumer", ….
Status CheckFileNamePart(std::string_view what, std::string_view name);

}  // namespace braid
