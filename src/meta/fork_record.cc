#include "meta/fork_record.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "meta/braid_document_internal.h"
#include "meta/snapshot_json.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 4> kKindNames = {"tag", "branch-tag", "snapshot", "empty"};

constexpr std::array<std::string_view, 16> kRecordKeys = {
    "formatVersion", "branchId", "name",      "kind",          "parent", "anchor", "tag",      "createdMillis",
    "createdBy",     "engine",   "protected", "expiresMillis", "base",   "links",  "inferred", "retired"};
constexpr std::array<std::string_view, 8> kLinkKeys = {"lineId", "direction", "segment", "source",
                                                       "target", "op",        "millis",  "base"};

Result<ForkKind> KindOf(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<ForkKind>(i);
  }
  return Error(ErrorCode::kCorruption, fmt::format("'kind' is '{}', which is not known", name));
}

Result<std::optional<Snapshot>> FindSnapshot(const Json& json, std::string_view key) {
  const Json* value = json.Find(key);
  if (value == nullptr || value->is_null()) return std::optional<Snapshot>();
  Result<Snapshot> snapshot = SnapshotFromJson(*value).Context(fmt::format("while reading '{}'", key));
  if (!snapshot) return std::move(snapshot).error();
  return std::optional(*std::move(snapshot));
}

Json SnapshotOrNull(const std::optional<Snapshot>& snapshot) {
  return snapshot ? SnapshotToJson(*snapshot) : Json();
}

Result<std::optional<ForkAnchor>> FindAnchor(const Json& json) {
  const Json* value = json.Find("anchor");
  if (value == nullptr || value->is_null()) return std::optional<ForkAnchor>();
  BRAID_TRY_ASSIGN(SnapshotRef snapshot, SnapshotRefFromJson(*value));
  BRAID_TRY_ASSIGN(const std::int64_t schema_id, value->GetInteger("schemaId"));
  BRAID_TRY_ASSIGN(const std::int64_t commit_ms, value->GetInteger("commitMillis"));
  return std::optional(
      ForkAnchor{.snapshot = std::move(snapshot), .schema_id = SchemaId(schema_id), .commit_ms = commit_ms});
}

Json AnchorToJson(const std::optional<ForkAnchor>& anchor) {
  if (!anchor) return {};
  Json json = SnapshotRefToJson(anchor->snapshot);
  json.Add("schemaId", anchor->schema_id.value());
  json.Add("commitMillis", anchor->commit_ms);
  return json;
}

Result<ForkLink> LinkFromJson(const Json& json) {
  ForkLink link;
  BRAID_TRY_ASSIGN(link.line_id, json.GetString("lineId"));
  BRAID_TRY_ASSIGN(link.direction, json.GetString("direction"));
  if (const Json* segment = json.Find("segment"); segment != nullptr && !segment->is_null()) {
    if (!segment->is_array() || segment->as_array().size() != 2 || !segment->as_array()[0].is_integer() ||
        !segment->as_array()[1].is_integer()) {
      return Error(ErrorCode::kCorruption, "'segment' is not a pair of snapshot ids");
    }
    link.segment.emplace(segment->as_array()[0].as_integer(), segment->as_array()[1].as_integer());
  }
  for (const auto& [key, member] : {std::pair("source", &link.source), std::pair("target", &link.target)}) {
    const Json* value = json.Find(key);
    if (value == nullptr) return Error(ErrorCode::kCorruption, fmt::format("'{}' of a link is missing", key));
    BRAID_TRY_ASSIGN(*member, SnapshotRefFromJson(*value));
  }
  BRAID_TRY_ASSIGN(link.operation, json.GetString("op"));
  BRAID_TRY_ASSIGN(link.created_ms, json.GetInteger("millis"));
  BRAID_TRY_ASSIGN(link.base, FindSnapshot(json, "base"));
  link.unknown = UnknownMembers(json, kLinkKeys);
  return link;
}

Json LinkToJson(const ForkLink& link) {
  Json json;
  json.Add("lineId", link.line_id);
  json.Add("direction", link.direction);
  if (link.segment) {
    json.Add("segment", Json::Array{link.segment->first.value(), link.segment->second.value()});
  }
  json.Add("source", SnapshotRefToJson(link.source));
  json.Add("target", SnapshotRefToJson(link.target));
  json.Add("op", link.operation);
  json.Add("millis", link.created_ms);
  json.Add("base", SnapshotOrNull(link.base));
  for (const auto& [key, value] : link.unknown) json.Add(key, value);
  return json;
}

Status ReadParent(const Json& json, ForkRecord& record) {
  const Json* parent = json.Find("parent");
  if (parent == nullptr || parent->is_null()) return Ok();
  BRAID_TRY_ASSIGN(record.parent_name, parent->GetString("name"));
  BRAID_TRY_ASSIGN(record.parent_line_id, parent->GetString("lineId"));
  return Ok();
}

Status ReadMarks(const Json& json, ForkRecord& record) {
  for (const auto& [key, member] :
       {std::pair("protected", &record.is_protected), std::pair("inferred", &record.inferred)}) {
    const Json* value = json.Find(key);
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_bool()) return Error(ErrorCode::kCorruption, fmt::format("'{}' is neither true nor false", key));
    *member = value->as_bool();
  }
  if (const Json* retired = json.Find("retired"); retired != nullptr && !retired->is_null()) {
    BRAID_TRY_ASSIGN(std::string operation, retired->GetString("op"));
    BRAID_TRY_ASSIGN(const std::int64_t drop_after_ms, retired->GetInteger("dropAfterMillis"));
    record.retired = RetiredLine{.operation = std::move(operation), .drop_after_ms = drop_after_ms};
  }
  return Ok();
}

}  // namespace

std::string_view ForkKindName(ForkKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::string SnapshotIdentity(const Snapshot& snapshot) {
  constexpr std::string_view kPrefix = "manifest-list-";
  const std::string_view name = snapshot.delta_manifest_list;
  return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

SnapshotRef RefOf(const Snapshot& snapshot) {
  return {.id = snapshot.id, .identity = SnapshotIdentity(snapshot)};
}

ForkAnchor AnchorAt(const Snapshot& snapshot) {
  return {.snapshot = RefOf(snapshot), .schema_id = snapshot.schema_id, .commit_ms = snapshot.time_millis};
}

Result<ForkRecord> ForkRecordFromJson(const Json& json) {
  ForkRecord record;
  BRAID_TRY_ASSIGN(record.branch_id, json.GetString("branchId"));
  BRAID_TRY_ASSIGN(record.name, json.GetString("name"));
  BRAID_TRY_ASSIGN(const std::string kind, json.GetString("kind"));
  BRAID_TRY_ASSIGN(record.kind, KindOf(kind));
  BRAID_TRY(ReadParent(json, record));
  BRAID_TRY_ASSIGN(record.anchor, FindAnchor(json));
  BRAID_TRY_ASSIGN(record.tag, json.FindString("tag"));
  BRAID_TRY_ASSIGN(record.created_ms, json.GetInteger("createdMillis"));
  BRAID_TRY_ASSIGN(std::optional<std::string> created_by, json.FindString("createdBy"));
  record.created_by = std::move(created_by).value_or("");
  BRAID_TRY_ASSIGN(std::optional<std::string> engine, json.FindString("engine"));
  record.engine = std::move(engine).value_or("");
  BRAID_TRY_ASSIGN(record.expires_ms, json.FindInteger("expiresMillis"));
  BRAID_TRY_ASSIGN(record.base, FindSnapshot(json, "base"));
  if (const Json* links = json.Find("links"); links != nullptr && !links->is_null()) {
    if (!links->is_array()) return Error(ErrorCode::kCorruption, "'links' is no array");
    for (const Json& element : links->as_array()) {
      BRAID_TRY_ASSIGN(ForkLink link, LinkFromJson(element));
      record.links.push_back(std::move(link));
    }
  }
  BRAID_TRY(ReadMarks(json, record));
  record.unknown = UnknownMembers(json, kRecordKeys);
  return record;
}

Json ForkRecordToJson(const ForkRecord& record) {
  Json json;
  json.Add("formatVersion", kBraidFormatVersion);
  json.Add("branchId", record.branch_id);
  json.Add("name", record.name);
  json.Add("kind", ForkKindName(record.kind));
  Json parent;
  if (!record.parent_line_id.empty()) {
    parent.Add("name", record.parent_name);
    parent.Add("lineId", record.parent_line_id);
  }
  json.Add("parent", std::move(parent));
  json.Add("anchor", AnchorToJson(record.anchor));
  json.Add("tag", record.tag ? Json(*record.tag) : Json());
  json.Add("createdMillis", record.created_ms);
  json.Add("createdBy", record.created_by);
  json.Add("engine", record.engine);
  json.Add("protected", record.is_protected);
  json.Add("expiresMillis", record.expires_ms ? Json(*record.expires_ms) : Json());
  json.Add("base", SnapshotOrNull(record.base));
  Json::Array links;
  for (const ForkLink& link : record.links) links.push_back(LinkToJson(link));
  json.Add("links", std::move(links));
  if (record.inferred) json.Add("inferred", true);
  if (record.retired) {
    Json retired;
    retired.Add("op", record.retired->operation);
    retired.Add("dropAfterMillis", record.retired->drop_after_ms);
    json.Add("retired", std::move(retired));
  }
  for (const auto& [key, value] : record.unknown) json.Add(key, value);
  return json;
}

Result<ForkRecord> ParseForkRecord(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseBraidDocument(text));
  return ForkRecordFromJson(json);
}

std::string PrintForkRecord(const ForkRecord& record) {
  return PrintJsonPretty(ForkRecordToJson(record));
}

namespace {
Error Damaged(Error error) {
  return error.code() == ErrorCode::kCorruption ? std::move(error).Id("branch.damaged") : error;
}
}  // namespace

Result<std::optional<ForkRecord>> ReadForkRecord(const FileSystem& fs, const TablePaths& paths) {
  const std::string path = paths.ForkRecordFile();
  const Result<std::optional<Json>> json = ReadBraidDocument(fs, path);
  if (!json) return Damaged(json.error());
  if (!*json) return std::optional<ForkRecord>();
  Result<ForkRecord> record = ForkRecordFromJson(**json).Context("while reading " + path);
  if (!record) return Damaged(std::move(record).error());
  return std::optional(*std::move(record));
}

Status WriteForkRecord(FileSystem& fs, const TablePaths& paths, const ForkRecord& record) {
  return WriteBraidDocument(fs, paths.ForkRecordFile(), ForkRecordToJson(record));
}

}  // namespace braid
