#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/metadata_file_internal.h"

namespace braid {

Result<std::vector<std::int64_t>> ListNumberedFiles(const FileSystem& fs, std::string_view directory,
                                                    std::string_view prefix) {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, fs.List(directory));
  std::vector<std::int64_t> numbers;
  for (const FileInfo& child : children) {
    if (child.is_directory || !child.name.starts_with(prefix)) continue;
    const std::string_view digits = std::string_view(child.name).substr(prefix.size());
    const std::optional<std::int64_t> number = ParseInt64(digits);
    if (number && *number >= 0 && std::to_string(*number) == digits) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Result<std::vector<std::string>> ListNamedChildren(const FileSystem& fs, std::string_view directory,
                                                   std::string_view prefix, ChildKind kind) {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, fs.List(directory));
  std::vector<std::string> names;
  for (const FileInfo& child : children) {
    if (child.is_directory != (kind == ChildKind::kDirectory) || !child.name.starts_with(prefix)) continue;
    if (child.name.size() > prefix.size()) names.push_back(child.name.substr(prefix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status CreateExclusively(FileSystem& fs, const std::string& path, std::string_view content) {
  Status created = fs.CreateAtomically(path, content);
  if (created) return created;
  if (created.error().code() != ErrorCode::kCommitUnknown) return created;
  const Result<std::string> present = fs.ReadAll(path);
  if (!present && present.error().code() == ErrorCode::kNotFound) {
    // Nobody but a rollback deletes such files, and it is not run beside writers: ours never came to be.
    return Error(ErrorCode::kIo, created.error().message());
  }
  if (!present) return std::move(created).Context("and then: " + present.error().message());
  if (*present != content) return Error(ErrorCode::kAlreadyExists, fmt::format("{} exists already", path));
  // Ours, but it counts only once it survives a crash.
  if (const Status synced = fs.SyncFiles(std::vector{path}); !synced) {
    return Error(ErrorCode::kCommitUnknown, synced.error().message())
        .Hint(fmt::format("{} exists, but may be lost if the machine crashes; check the device", path));
  }
  return Ok();
}

Status CheckFileNamePart(std::string_view what, std::string_view name) {
  if (Trim(name).empty())
    return Error(ErrorCode::kInvalidArgument, fmt::format("the name of a {} must not be blank", what));
  if (name.find('/') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no name of a {}: it contains '/'", name, what))
        .Hint("use another character, such as '-'");
  }
  return Ok();
}

}  // namespace braid
