#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "meta/json_layout_internal.h"
#include "meta/metadata_file_internal.h"
#include "meta/stores.h"

namespace braid {
namespace {

constexpr std::string_view kNextSnapshot = "nextSnapshot";

Result<Consumer> ParseConsumer(std::string_view id, std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  BRAID_TRY_ASSIGN(const std::int64_t next, json.GetInteger(kNextSnapshot));
  return Consumer{std::string(id), SnapshotId(next)};
}

}  // namespace

Result<std::optional<Consumer>> ReadConsumer(const FileSystem& fs, const TablePaths& paths, std::string_view id) {
  BRAID_TRY(CheckFileNamePart("consumer", id));
  const std::string path = paths.ConsumerFile(id);
  const Result<std::string> text = fs.ReadAll(path);
  if (!text && text.error().code() == ErrorCode::kNotFound) return std::optional<Consumer>();
  if (!text) return text.error();
  Result<Consumer> consumer = ParseConsumer(id, *text).Context("while reading " + path);
  if (!consumer) {
    // Java overwrites the file in place, so it may be seen half written (spec metadata.md §12.1).
    return std::move(consumer).error().Hint("repeat if a job was reporting its progress just now");
  }
  return std::optional(*std::move(consumer));
}

Result<std::vector<Consumer>> ListConsumers(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> ids,
                   ListNamedChildren(fs, paths.ConsumerDirectory(), "consumer-", ChildKind::kFile));
  std::vector<Consumer> consumers;
  for (const std::string& id : ids) {
    BRAID_TRY_ASSIGN(std::optional<Consumer> consumer, ReadConsumer(fs, paths, id));
    if (consumer) consumers.push_back(*std::move(consumer));  // else deleted since the listing
  }
  return consumers;
}

Status WriteConsumer(FileSystem& fs, const TablePaths& paths, const Consumer& consumer) {
  BRAID_TRY(CheckFileNamePart("consumer", consumer.id));
  Json json;
  json.Add(std::string(kNextSnapshot), consumer.next_snapshot.value());
  return fs.Replace(paths.ConsumerFile(consumer.id), PrintLikeJava(json));
}

Status DeleteConsumer(FileSystem& fs, const TablePaths& paths, std::string_view id) {
  BRAID_TRY(CheckFileNamePart("consumer", id));
  return fs.Delete(paths.ConsumerFile(id));
}

}  // namespace braid
