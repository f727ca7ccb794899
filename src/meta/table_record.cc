#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"
#include "meta/braid_document_internal.h"
#include "meta/fork_record.h"
#include "meta/metadata_file_internal.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 6> kKeys = {"formatVersion", "tableUuid", "createdMillis",
                                                   "rootLineId",    "lines",     "rootRecord"};

Result<LineRewind> RewindFromJson(const Json& json) {
  LineRewind rewind;
  BRAID_TRY_ASSIGN(const std::int64_t to, json.GetInteger("toSnapshot"));
  BRAID_TRY_ASSIGN(const std::int64_t head, json.GetInteger("headBefore"));
  rewind.to_snapshot = SnapshotId(to);
  rewind.head_before.id = SnapshotId(head);
  BRAID_TRY_ASSIGN(rewind.head_before.identity, json.GetString("headIdentity"));
  BRAID_TRY_ASSIGN(rewind.rewound_ms, json.GetInteger("millis"));
  BRAID_TRY_ASSIGN(rewind.operation, json.GetString("op"));
  return rewind;
}

Json RewindToJson(const LineRewind& rewind) {
  Json json;
  json.Add("toSnapshot", rewind.to_snapshot.value());
  json.Add("headBefore", rewind.head_before.id.value());
  json.Add("headIdentity", rewind.head_before.identity);
  json.Add("millis", rewind.rewound_ms);
  json.Add("op", rewind.operation);
  return json;
}

Status ReadRewinds(const Json& lines, TableRecord& record) {
  if (!lines.is_object()) return Error(ErrorCode::kCorruption, "'lines' is no object");
  for (const auto& [line_id, line] : lines.as_object()) {
    const Json* rewinds = line.Find("rewinds");
    if (rewinds == nullptr || !rewinds->is_array()) continue;
    for (const Json& element : rewinds->as_array()) {
      BRAID_TRY_ASSIGN(LineRewind rewind, RewindFromJson(element));
      record.rewinds[line_id].push_back(std::move(rewind));
    }
  }
  return Ok();
}

Result<TableRecord> FromJson(const Json& json) {
  TableRecord record;
  BRAID_TRY_ASSIGN(record.table_uuid, json.GetString("tableUuid"));
  BRAID_TRY_ASSIGN(record.created_ms, json.GetInteger("createdMillis"));
  BRAID_TRY_ASSIGN(record.root_line_id, json.GetString("rootLineId"));
  if (const Json* lines = json.Find("lines"); lines != nullptr && !lines->is_null()) {
    BRAID_TRY(ReadRewinds(*lines, record));
  }
  if (const Json* root = json.Find("rootRecord"); root != nullptr && !root->is_null()) {
    BRAID_TRY_ASSIGN(record.root_record, ForkRecordFromJson(*root).Context("while reading 'rootRecord'"));
  }
  record.unknown = UnknownMembers(json, kKeys);
  return record;
}

Json ToJson(const TableRecord& record) {
  Json json;
  json.Add("formatVersion", kBraidFormatVersion);
  json.Add("tableUuid", record.table_uuid);
  json.Add("createdMillis", record.created_ms);
  json.Add("rootLineId", record.root_line_id);
  Json lines{Json::Object()};
  for (const auto& [line_id, rewinds] : record.rewinds) {
    Json::Array array;
    for (const LineRewind& rewind : rewinds) array.push_back(RewindToJson(rewind));
    Json line;
    line.Add("rewinds", std::move(array));
    lines.Add(line_id, std::move(line));
  }
  json.Add("lines", std::move(lines));
  json.Add("rootRecord", record.root_record ? ForkRecordToJson(*record.root_record) : Json());
  for (const auto& [key, value] : record.unknown) json.Add(key, value);
  return json;
}

}  // namespace

Result<TableRecord> ParseTableRecord(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseBraidDocument(text));
  return FromJson(json);
}

std::string PrintTableRecord(const TableRecord& record) {
  return PrintJsonPretty(ToJson(record));
}

Result<std::optional<TableRecord>> ReadTableRecord(const FileSystem& fs, const TablePaths& paths) {
  const std::string path = paths.TableRecordFile();
  BRAID_TRY_ASSIGN(const std::optional<Json> json, ReadBraidDocument(fs, path));
  if (!json) return std::optional<TableRecord>();
  Result<TableRecord> record = FromJson(*json).Context("while reading " + path);
  if (!record) return std::move(record).error();
  return std::optional(*std::move(record));
}

Result<TableRecord> EnsureTableRecord(FileSystem& fs, const TablePaths& paths, std::int64_t now_ms) {
  BRAID_TRY_ASSIGN(std::optional<TableRecord> present, ReadTableRecord(fs, paths));
  if (present) return *std::move(present);
  TableRecord fresh;
  fresh.table_uuid = RandomUuid();
  fresh.created_ms = now_ms;
  Status created = CreateExclusively(fs, paths.TableRecordFile(), PrintTableRecord(fresh));
  if (created) return fresh;
  if (created.error().code() != ErrorCode::kAlreadyExists) return std::move(created).error();
  BRAID_TRY_ASSIGN(present, ReadTableRecord(fs, paths));
  if (present) return *std::move(present);
  return Error(ErrorCode::kUnavailable, paths.TableRecordFile() + " appeared and vanished").Hint("run it again");
}

Status WriteTableRecord(FileSystem& fs, const TablePaths& paths, const TableRecord& record) {
  return WriteBraidDocument(fs, paths.TableRecordFile(), ToJson(record));
}

}  // namespace braid
