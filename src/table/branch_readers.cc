#include "base/json.h"
#include "table/branch_readers_internal.h"

namespace braid {

namespace {
constexpr std::int64_t kGraceMs = 30'000;  // beyond its ttl, for clocks that differ
}  // namespace

Result<std::vector<std::string>> LiveReadersOf(const FileSystem& fs, const TablePaths& root, std::string_view line_id,
                                               std::int64_t now_ms) {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> files, fs.List(root.LeaseDirectory()));
  std::vector<std::string> owners;
  for (const FileInfo& file : files) {
    if (file.is_directory || !file.name.ends_with(".json")) continue;
    const std::string path = JoinPath(root.LeaseDirectory(), file.name);
    const Result<std::string> text = fs.ReadAll(path);
    if (!text && text.error().code() == ErrorCode::kNotFound) continue;
    if (!text) return text.error();
    BRAID_TRY_ASSIGN(const Json lease, ParseJson(*text).Context("while reading " + path));
    BRAID_TRY_ASSIGN(const std::string line, lease.GetString("lineId").Context("while reading " + path));
    BRAID_TRY_ASSIGN(const std::string owner, lease.GetString("owner").Context("while reading " + path));
    BRAID_TRY_ASSIGN(const std::int64_t heartbeat_ms,
                     lease.GetInteger("heartbeatMillis").Context("while reading " + path));
    BRAID_TRY_ASSIGN(const std::int64_t ttl_ms, lease.GetInteger("ttlMillis").Context("while reading " + path));
    if (line == line_id && now_ms - heartbeat_ms <= ttl_ms + kGraceMs) owners.push_back(owner);
  }
  return owners;
}

}  // namespace braid
