#include "io/file_system.h"

#include <fmt/format.h>

#include "base/result.h"
#include "io/storage_traits.h"

namespace braid {
namespace {

Error Lacks(std::string_view ability, std::string_view path) {
  return Error(ErrorCode::kUnsupported, fmt::format("the storage of {} cannot {}", path, ability));
}

}  // namespace

Status FileSystem::Exchange(std::string_view first, std::string_view) {
  return Lacks("exchange two files or folders in one step", first);
}

Status FileSystem::Link(std::string_view existing, std::string_view) {
  return Lacks("give a file a second name", existing);
}

Result<std::unique_ptr<FileLock>> FileSystem::TryLock(std::string_view path, std::string_view) {
  return Lacks("lock files", path);
}

Result<std::unique_ptr<DirectoryHandle>> FileSystem::OpenDirectory(std::string_view path) {
  return Lacks("hold a folder open", path);
}

Result<bool> FileSystem::Exists(std::string_view path) const {
  if (const auto* traits = dynamic_cast<const StorageTraits*>(this)) return traits->Has(path);
  const Result<FileStatus> status = Stat(path);
  if (status) return true;
  if (status.error().code() == ErrorCode::kNotFound) return false;
  return status.error();
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  while (name.starts_with('/')) name.remove_prefix(1);
  std::string path;
  path.reserve(directory.size() + 1 + name.size());
  path.append(directory).append("/").append(name);
  return path;
}

std::string_view BaseName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view DirectoryName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace braid
