#include "lineage/catalog_file.h"

#include <optional>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "base/uuid.h"

namespace braid {

namespace {

constexpr std::string_view kTableLineage = "table-lineage";
constexpr std::string_view kDataLineage = "data-lineage";
constexpr std::string_view kTableFile = ".braid/table.json";
constexpr std::int64_t kFormatVersion = 1;

bool IsTrue(const Options& options, std::string_view key) { return EqualsIgnoreCase(options.Get(key, "false"), "true"); }

Result<std::optional<Json>> ReadDocument(const FileSystem& fs, const std::string& path) {
  Result<std::string> text = fs.ReadAll(path);
  if (!text && text.error().code() == ErrorCode::kNotFound) return std::optional<Json>();
  if (!text) return std::move(text).error();
  BRAID_TRY_ASSIGN(Json json, ParseJson(*text).Context("while reading " + path));
  BRAID_TRY_ASSIGN(const std::int64_t version, json.GetInteger("formatVersion").Context("while reading " + path));
  if (version > kFormatVersion) {
    return Error(ErrorCode::kUnsupported, fmt::format("{} has format version {}; this program knows {}", path, version, kFormatVersion))
        .Hint("use a newer Braid");
  }
  return std::optional(std::move(json));
}

// Creates the document if nobody else has; then reads what is there.
Result<Json> CreateOrRead(FileSystem& fs, const std::string& path, const Json& document) {
  Status created = fs.CreateAtomically(path, PrintJsonPretty(document));
  if (created) return document;
  if (created.error().code() != ErrorCode::kAlreadyExists) return std::move(created).error();
  BRAID_TRY_ASSIGN(std::optional<Json> existing, ReadDocument(fs, path));
  if (!existing) return Error(ErrorCode::kUnavailable, path + " appeared and vanished").Hint("run it again");
  return *std::move(existing);
}

Result<CatalogIdentity> IdentityOf(const Json& document) {
  CatalogIdentity identity;
  BRAID_TRY_ASSIGN(identity.id, document.GetString("catalogId"));
  const Json* immutable = document.Find("immutable");
  if (immutable != nullptr && immutable->is_object()) {
    for (const auto& [key, value] : immutable->as_object()) {
      if (value.is_string()) identity.immutable.Set(key, value.as_string());
    }
  }
  return identity;
}

// The given values of the immutable options, `false` for one that is not given.
Options GivenImmutable(const Options& options) {
  Options given;
  for (const std::string_view key : {kTableLineage, kDataLineage}) given.Set(std::string(key), IsTrue(options, key) ? "true" : "false");
  return given;
}

Status CheckUnchanged(const CatalogIdentity& identity, const Options& options) {
  for (const std::string_view key : {kTableLineage, kDataLineage}) {
    if (!options.Has(key)) continue;
    const bool stored = IsTrue(identity.immutable, key);
    if (IsTrue(options, key) == stored) continue;
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("catalog option '{}' is '{}' for this warehouse and cannot become '{}'", key, stored ? "true" : "false", options.Get(key, "")))
        .Hint("it was fixed when the catalog was first created; leave it out, or use another warehouse");
  }
  return Ok();
}

}  // namespace

bool CatalogIdentity::table_lineage() const { return IsTrue(immutable, kTableLineage); }
bool CatalogIdentity::data_lineage() const { return IsTrue(immutable, kDataLineage); }

Result<CatalogIdentity> SettleCatalogIdentity(FileSystem& fs, const std::string& warehouse, const Options& options) {
  for (const std::string_view key : {kTableLineage, kDataLineage}) {
    BRAID_TRY_ASSIGN([[maybe_unused]] const bool value, options.GetBool(key, false));
  }
  const std::string path = JoinPath(warehouse, ".braid/catalog.json");
  BRAID_TRY_ASSIGN(std::optional<Json> document, ReadDocument(fs, path));
  if (!document && !options.Has(kTableLineage) && !options.Has(kDataLineage)) return CatalogIdentity();
  if (!document) {
    if (IsTrue(options, kDataLineage) && !IsTrue(options, kTableLineage)) {
      return Error(ErrorCode::kInvalidArgument, "'data-lineage'='true' needs 'table-lineage'='true'").Hint("give both options");
    }
    Json fresh;
    fresh.Add("formatVersion", kFormatVersion);
    fresh.Add("catalogId", RandomUuid());
    fresh.Add("createdMillis", SystemClock().NowMs());
    const Options given = GivenImmutable(options);
    Json immutable;
    for (const auto& [key, value] : given.values()) immutable.Add(key, value);
    fresh.Add("immutable", std::move(immutable));
    BRAID_TRY_ASSIGN(document, CreateOrRead(fs, path, fresh));
  }
  BRAID_TRY_ASSIGN(CatalogIdentity identity, IdentityOf(*document).Context("while reading " + path));
  BRAID_TRY(CheckUnchanged(identity, options));
  return identity;
}

Result<std::optional<std::string>> FindTableUuid(const FileSystem& fs, const std::string& table_root) {
  const std::string path = JoinPath(table_root, kTableFile);
  BRAID_TRY_ASSIGN(const std::optional<Json> document, ReadDocument(fs, path));
  if (!document) return std::optional<std::string>();
  BRAID_TRY_ASSIGN(std::string uuid, document->GetString("tableUuid").Context("while reading " + path));
  return std::optional(std::move(uuid));
}

Result<std::string> TableUuid(FileSystem& fs, const std::string& table_root) {
  BRAID_TRY_ASSIGN(std::optional<std::string> known, FindTableUuid(fs, table_root));
  if (known) return *std::move(known);
  Json fresh;
  fresh.Add("formatVersion", kFormatVersion);
  fresh.Add("tableUuid", RandomUuid());
  fresh.Add("createdMillis", SystemClock().NowMs());
  fresh.Add("rootLineId", "root");
  fresh.Add("lines", Json(Json::Object{}));
  BRAID_TRY_ASSIGN(const Json document, CreateOrRead(fs, JoinPath(table_root, kTableFile), fresh));
  return document.GetString("tableUuid");
}

}  // namespace braid
