#include "lineage/snapshot_lineage.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/sha2.h"
#include "base/text.h"

namespace braid {

namespace {

constexpr std::size_t kMaxJobNameBytes = 256;
constexpr std::size_t kMaxSourcesBytes = 8 << 10;
constexpr std::size_t kMaxJobInUser = 64;

constexpr auto kModeNames = std::to_array<std::pair<SourceMode, std::string_view>>({
    {SourceMode::kFull, "full"}, {SourceMode::kDelta, "delta"}, {SourceMode::kLookup, "lookup"}, {SourceMode::kNone, "none"}});

Status ParseSources(const std::string& text, SnapshotLineage& lineage) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  if (!json.is_array()) return Error(ErrorCode::kCorruption, "the sources are no array");
  for (const Json& element : json.as_array()) {
    // Sources outside the catalog (Kafka, files) name no table: they have no snapshot to point at.
    if (element.Find("table") == nullptr) {
      lineage.outside.push_back(element);
      continue;
    }
    BRAID_TRY_ASSIGN(LineageSource source, ParseLineageSource(element));
    lineage.sources.push_back(std::move(source));
  }
  return Ok();
}

bool IsKept(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '@' || c == '-';
}

}  // namespace

Json LineageSourceJson(const LineageSource& source) {
  Json json;
  json.Add("table", source.table);
  json.Add("tableUuid", source.table_uuid);
  json.Add("branch", source.branch);
  json.Add("line", source.line);
  json.Add("mode", SourceModeName(source.mode));
  if (source.from) json.Add("from", *source.from);
  json.Add("to", source.to);
  json.Add("toIdentity", source.to_identity);
  return json;
}

Result<LineageSource> ParseLineageSource(const Json& json) {
  LineageSource source;
  BRAID_TRY_ASSIGN(source.table, json.GetString("table"));
  BRAID_TRY_ASSIGN(source.table_uuid, json.GetString("tableUuid"));
  BRAID_TRY_ASSIGN(source.branch, json.GetString("branch"));
  BRAID_TRY_ASSIGN(source.line, json.GetString("line"));
  BRAID_TRY_ASSIGN(const std::string mode, json.GetString("mode"));
  BRAID_TRY_ASSIGN(source.from, json.FindInteger("from"));
  BRAID_TRY_ASSIGN(source.to, json.GetInteger("to"));
  BRAID_TRY_ASSIGN(source.to_identity, json.GetString("toIdentity"));
  for (const auto& [value, name] : kModeNames) {
    if (name != mode) continue;
    source.mode = value;
    return source;
  }
  return Error(ErrorCode::kCorruption, "unknown mode " + mode);
}

std::string_view SourceModeName(SourceMode mode) {
  for (const auto& [value, name] : kModeNames) {
    if (value == mode) return name;
  }
  return "full";
}

std::string CommitUserOf(const SnapshotLineage& lineage) {
  std::string job = lineage.job.substr(0, kMaxJobInUser);
  for (char& c : job) {
    if (!IsKept(c)) c = '-';
  }
  return fmt::format("{}_g{}_{}", job, lineage.generation, lineage.run.substr(0, 8));
}

Status CheckJobName(const std::string& name) {
  if (name.size() <= kMaxJobNameBytes) return Ok();
  return Error(ErrorCode::kInvalidArgument, fmt::format("the job name has {} bytes; at most {} are recorded", name.size(), kMaxJobNameBytes))
      .Hint("SET 'pipeline.name' to a shorter one");
}

EncodedLineage EncodeLineage(const SnapshotLineage& lineage) {
  Json::Array sources;
  for (const LineageSource& source : lineage.sources) sources.push_back(LineageSourceJson(source));
  sources.insert(sources.end(), lineage.outside.begin(), lineage.outside.end());
  std::string text = PrintJson(Json(std::move(sources)));
  EncodedLineage encoded;
  encoded.properties = {
      {"braid.lineage.version", "1"},
      {"braid.lineage.job", lineage.job},
      {"braid.lineage.run", lineage.run},
      {"braid.lineage.attempt", std::to_string(lineage.attempt)},
      {"braid.lineage.generation", std::to_string(lineage.generation)},
      {"braid.lineage.barrier", std::to_string(lineage.barrier)},
      {"braid.lineage.type", lineage.type},
      {"braid.lineage.sinks", std::to_string(lineage.sinks)},
      {"braid.lineage.start", std::to_string(lineage.start_ms)},
  };
  if (text.size() <= kMaxSourcesBytes) {
    encoded.properties.emplace("braid.lineage.sources", std::move(text));
    return encoded;
  }
  const std::string name = fmt::format("sources-{}-{}.json", lineage.run, lineage.barrier);
  encoded.properties.emplace("braid.lineage.sources-ref", fmt::format("{}:{}", name, Sha2Hex(text, 256)));
  encoded.side_file = {.name = name, .content = std::move(text)};
  return encoded;
}

std::string SideFilePath(std::string_view table_root, std::string_view name) {
  return JoinPath(JoinPath(table_root, ".braid/lineage"), name);
}

Result<SnapshotLineage> LoadSources(const FileSystem& fs, std::string_view table_root, SnapshotLineage lineage) {
  if (lineage.sources_ref.empty()) return lineage;
  const std::size_t colon = lineage.sources_ref.rfind(':');
  const std::string name = lineage.sources_ref.substr(0, colon);
  // The name comes from a snapshot that anybody may have written; it must not lead elsewhere.
  if (colon == std::string::npos || name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
    return Error(ErrorCode::kCorruption, fmt::format("'{}' names no file of lineage sources", lineage.sources_ref));
  }
  const std::string path = SideFilePath(table_root, name);
  BRAID_TRY_ASSIGN(const std::string text, fs.ReadAll(path));
  if (Sha2Hex(text, 256) != lineage.sources_ref.substr(colon + 1)) {
    return Error(ErrorCode::kCorruption, fmt::format("{} has changed since the snapshot was made", path));
  }
  BRAID_TRY(ParseSources(text, lineage).Context("while reading " + path));
  return lineage;
}

std::optional<SnapshotLineage> DecodeLineage(const Snapshot& snapshot) {
  const auto text = [&](const char* key) -> const std::string* {
    const auto it = snapshot.properties.find(std::string("braid.lineage.") + key);
    return it == snapshot.properties.end() ? nullptr : &it->second;
  };
  const auto number = [&](const char* key) -> std::optional<std::int64_t> {
    const std::string* value = text(key);
    return value == nullptr ? std::nullopt : ParseInt64(*value);
  };
  const std::string* job = text("job");
  const std::string* run = text("run");
  const std::string* type = text("type");
  const std::string* sources = text("sources");
  const std::string* sources_ref = text("sources-ref");
  const auto generation = number("generation");
  const auto barrier = number("barrier");
  if (number("version") != 1 || job == nullptr || run == nullptr || type == nullptr || !generation || !barrier) return std::nullopt;
  if (sources == nullptr && sources_ref == nullptr) return std::nullopt;
  SnapshotLineage lineage{.job = *job, .run = *run, .attempt = number("attempt").value_or(0), .generation = *generation, .barrier = *barrier,
                          .type = *type, .sinks = number("sinks").value_or(1), .start_ms = number("start").value_or(snapshot.time_millis), .sources = {}, .outside = {}};
  if (snapshot.commit_user != CommitUserOf(lineage)) return std::nullopt;
  if (sources == nullptr) {
    lineage.sources_ref = *sources_ref;
    return lineage;
  }
  if (!ParseSources(*sources, lineage)) return std::nullopt;
  return lineage;
}

std::string IdentityOf(const Snapshot& snapshot) {
  if (snapshot.uuid) return *snapshot.uuid;
  return fmt::format("{}/{}/{}/{}", snapshot.commit_user, snapshot.commit_identifier, CommitKindName(snapshot), snapshot.time_millis);
}

}  // namespace braid
