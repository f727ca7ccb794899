#include "meta/snapshot_json.h"

#include <utility>

#include <fmt/format.h>

#include "meta/json_layout_internal.h"

namespace braid {
namespace {

constexpr std::int64_t kNewestVersion = 3;

Result<std::int64_t> IntegerOr(const Json& json, std::string_view key, std::int64_t fallback) {
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> value, json.FindInteger(key));
  return value.value_or(fallback);
}

Status ReadIdentity(const Json& json, Snapshot& snapshot) {
  BRAID_TRY_ASSIGN(const std::int64_t version, IntegerOr(json, "version", 1));
  if (version > kNewestVersion) {
    return Error(ErrorCode::kUnsupported, fmt::format("the snapshot has format version {}; this program reads up to {}",
                                                      version, kNewestVersion))
        .Hint("use a newer braid");
  }
  snapshot.version = static_cast<std::int32_t>(version);
  BRAID_TRY_ASSIGN(snapshot.uuid, json.FindString("uuid"));
  BRAID_TRY_ASSIGN(const std::int64_t id, json.GetInteger("id"));
  BRAID_TRY_ASSIGN(const std::int64_t schema_id, json.GetInteger("schemaId"));
  snapshot.id = SnapshotId(id);
  snapshot.schema_id = SchemaId(schema_id);
  return Ok();
}

Status ReadFiles(const Json& json, Snapshot& snapshot) {
  BRAID_TRY_ASSIGN(snapshot.base_manifest_list, json.GetString("baseManifestList"));
  BRAID_TRY_ASSIGN(snapshot.base_manifest_list_size, json.FindInteger("baseManifestListSize"));
  BRAID_TRY_ASSIGN(snapshot.delta_manifest_list, json.GetString("deltaManifestList"));
  BRAID_TRY_ASSIGN(snapshot.delta_manifest_list_size, json.FindInteger("deltaManifestListSize"));
  BRAID_TRY_ASSIGN(snapshot.changelog_manifest_list, json.FindString("changelogManifestList"));
  BRAID_TRY_ASSIGN(snapshot.changelog_manifest_list_size, json.FindInteger("changelogManifestListSize"));
  BRAID_TRY_ASSIGN(snapshot.index_manifest, json.FindString("indexManifest"));
  BRAID_TRY_ASSIGN(snapshot.statistics, json.FindString("statistics"));
  return Ok();
}

Status ReadCommit(const Json& json, Snapshot& snapshot) {
  BRAID_TRY_ASSIGN(snapshot.commit_user, json.GetString("commitUser"));
  BRAID_TRY_ASSIGN(snapshot.writer_version, json.FindString("writerVersion"));
  BRAID_TRY_ASSIGN(snapshot.commit_identifier, json.GetInteger("commitIdentifier"));
  BRAID_TRY_ASSIGN(const std::string kind, json.GetString("commitKind"));
  snapshot.commit_kind = CommitKind::kUnknown;
  snapshot.commit_kind_text = kind;
  for (const CommitKind known :
       {CommitKind::kAppend, CommitKind::kCompact, CommitKind::kOverwrite, CommitKind::kAnalyze}) {
    if (CommitKindName(known) != kind) continue;
    snapshot.commit_kind = known;
    snapshot.commit_kind_text.clear();
  }
  BRAID_TRY_ASSIGN(snapshot.time_millis, json.GetInteger("timeMillis"));
  BRAID_TRY_ASSIGN(snapshot.operation, json.FindString("operation"));
  return Ok();
}

Status ReadCounts(const Json& json, Snapshot& snapshot) {
  BRAID_TRY_ASSIGN(snapshot.total_record_count, IntegerOr(json, "totalRecordCount", 0));
  BRAID_TRY_ASSIGN(snapshot.delta_record_count, IntegerOr(json, "deltaRecordCount", 0));
  BRAID_TRY_ASSIGN(snapshot.changelog_record_count, json.FindInteger("changelogRecordCount"));
  BRAID_TRY_ASSIGN(snapshot.watermark, json.FindInteger("watermark"));
  BRAID_TRY_ASSIGN(snapshot.next_row_id, json.FindInteger("nextRowId"));
  return Ok();
}

Status ReadProperties(const Json& json, Snapshot& snapshot) {
  const Json* properties = json.Find("properties");
  if (properties == nullptr || properties->is_null()) return Ok();
  if (!properties->is_object()) return Error(ErrorCode::kCorruption, "'properties' is no object");
  for (const auto& [key, value] : properties->as_object()) {
    snapshot.properties[key] = value.is_string() ? value.as_string() : PrintJson(value);
  }
  return Ok();
}

template <typename Value>
void AddIfPresent(Json& json, std::string_view key, const std::optional<Value>& value) {
  if (value) json.Add(std::string(key), *value);
}

}  // namespace

Result<Snapshot> SnapshotFromJson(const Json& json) {
  if (!json.is_object()) return Error(ErrorCode::kCorruption, "a snapshot must be a JSON object");
  Snapshot snapshot;
  BRAID_TRY(ReadIdentity(json, snapshot));
  BRAID_TRY(ReadFiles(json, snapshot));
  BRAID_TRY(ReadCommit(json, snapshot));
  BRAID_TRY(ReadCounts(json, snapshot));
  BRAID_TRY(ReadProperties(json, snapshot));
  return snapshot;
}

Result<Snapshot> ParseSnapshot(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  return SnapshotFromJson(json);
}

Json SnapshotToJson(const Snapshot& snapshot) {
  Json json;
  json.Add("version", snapshot.version);
  AddIfPresent(json, "uuid", snapshot.uuid);
  json.Add("id", snapshot.id.value());
  json.Add("schemaId", snapshot.schema_id.value());
  json.Add("baseManifestList", snapshot.base_manifest_list);
  AddIfPresent(json, "baseManifestListSize", snapshot.base_manifest_list_size);
  json.Add("deltaManifestList", snapshot.delta_manifest_list);
  AddIfPresent(json, "deltaManifestListSize", snapshot.delta_manifest_list_size);
  AddIfPresent(json, "changelogManifestList", snapshot.changelog_manifest_list);
  AddIfPresent(json, "changelogManifestListSize", snapshot.changelog_manifest_list_size);
  AddIfPresent(json, "indexManifest", snapshot.index_manifest);
  json.Add("commitUser", snapshot.commit_user);
  AddIfPresent(json, "writerVersion", snapshot.writer_version);
  json.Add("commitIdentifier", snapshot.commit_identifier);
  json.Add("commitKind", CommitKindName(snapshot));
  json.Add("timeMillis", snapshot.time_millis);
  json.Add("totalRecordCount", snapshot.total_record_count);
  json.Add("deltaRecordCount", snapshot.delta_record_count);
  AddIfPresent(json, "changelogRecordCount", snapshot.changelog_record_count);
  AddIfPresent(json, "watermark", snapshot.watermark);
  AddIfPresent(json, "statistics", snapshot.statistics);
  if (!snapshot.properties.empty()) {
    Json properties;
    for (const auto& [key, value] : snapshot.properties) properties.Add(key, value);
    json.Add("properties", std::move(properties));
  }
  AddIfPresent(json, "nextRowId", snapshot.next_row_id);
  AddIfPresent(json, "operation", snapshot.operation);
  return json;
}

std::string PrintSnapshot(const Snapshot& snapshot) {
  return PrintLikeJava(SnapshotToJson(snapshot));
}

}  // namespace braid
