#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "meta/braid_document_internal.h"

namespace braid {

Result<Json> ParseBraidDocument(std::string_view text) {
  BRAID_TRY_ASSIGN(Json json, ParseJson(text));
  BRAID_TRY_ASSIGN(const std::int64_t version, json.GetInteger("formatVersion"));
  if (version > kBraidFormatVersion) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("the document has format version {}; this program knows {}", version, kBraidFormatVersion))
        .Hint("use a newer braid");
  }
  return json;
}

Result<std::optional<Json>> ReadBraidDocument(const FileSystem& fs, const std::string& path) {
  const Result<std::string> text = fs.ReadAll(path);
  if (!text && text.error().code() == ErrorCode::kNotFound) return std::optional<Json>();
  if (!text) return text.error();
  Result<Json> json = ParseBraidDocument(*text).Context("while reading " + path);
  if (!json) return std::move(json).error();
  return std::optional(*std::move(json));
}

Status WriteBraidDocument(FileSystem& fs, const std::string& path, const Json& document) {
  BRAID_TRY(fs.Replace(path, PrintJsonPretty(document)));
  return fs.SyncFiles(std::vector{path});
}

Json::Object UnknownMembers(const Json& json, std::span<const std::string_view> known) {
  Json::Object unknown;
  if (!json.is_object()) return unknown;
  for (const auto& [key, value] : json.as_object()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) unknown.emplace_back(key, value);
  }
  return unknown;
}

Result<SnapshotRef> SnapshotRefFromJson(const Json& json) {
  BRAID_TRY_ASSIGN(const std::int64_t id, json.GetInteger("snapshotId"));
  BRAID_TRY_ASSIGN(std::string identity, json.GetString("identity"));
  return SnapshotRef{.id = SnapshotId(id), .identity = std::move(identity)};
}

Json SnapshotRefToJson(const SnapshotRef& snapshot) {
  Json json;
  json.Add("snapshotId", snapshot.id.value());
  json.Add("identity", snapshot.identity);
  return json;
}

}  // namespace braid
