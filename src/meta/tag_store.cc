#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/metadata_file_internal.h"
#include "meta/stores.h"
#include "meta/tag_json.h"

namespace braid {
namespace {

Error NoSuchTag(const FileSystem& fs, const TablePaths& paths, std::string_view name) {
  Error error = Error(ErrorCode::kNotFound, fmt::format("{} has no tag '{}'", paths.DisplayName(), name)).Id("tag.not-found");
  const Result<std::vector<std::string>> names = ListTags(fs, paths);
  if (!names) return error;
  if (const std::optional<std::string> nearest = NearestName(name, *names)) {
    return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  }
  return error;
}

}  // namespace

Result<Tag> ReadTag(const FileSystem& fs, const TablePaths& paths, std::string_view name) {
  BRAID_TRY(CheckFileNamePart("tag", name));
  const std::string path = paths.TagFile(name);
  const Result<std::string> text = fs.ReadAll(path);
  if (!text && text.error().code() == ErrorCode::kNotFound) return NoSuchTag(fs, paths, name);
  if (!text) return text.error();
  return ParseTag(std::string(name), *text).Context("while reading " + path);
}

Result<std::vector<std::string>> ListTags(const FileSystem& fs, const TablePaths& paths) {
  // The folder tag-success-file lies beside the tags.
  return ListNamedChildren(fs, paths.TagDirectory(), "tag-", ChildKind::kFile);
}

Status WriteTag(FileSystem& fs, const TablePaths& paths, const Tag& tag) {
  BRAID_TRY(CheckFileNamePart("tag", tag.name));
  BRAID_TRY_ASSIGN(const std::string text, PrintTag(tag));
  const Status created = CreateExclusively(fs, paths.TagFile(tag.name), text);
  if (created || created.error().code() != ErrorCode::kAlreadyExists) return created;
  return Error(ErrorCode::kAlreadyExists, fmt::format("{} has a tag '{}' already", paths.DisplayName(), tag.name));
}

Status ReplaceTag(FileSystem& fs, const TablePaths& paths, const Tag& tag) {
  BRAID_TRY(CheckFileNamePart("tag", tag.name));
  BRAID_TRY_ASSIGN(const std::string text, PrintTag(tag));
  const std::string path = paths.TagFile(tag.name);
  BRAID_TRY_ASSIGN(const bool exists, fs.Exists(path));
  if (!exists) return NoSuchTag(fs, paths, tag.name);
  BRAID_TRY(fs.Replace(path, text));
  return fs.SyncFiles(std::vector{path});
}

}  // namespace braid
