#include "table/read_lease.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/json.h"

namespace braid {

namespace {

constexpr std::int64_t kGraceMs = 30'000;

struct ReadLease {
  std::string line_id;
  std::vector<SnapshotId> snapshots;
  std::int64_t dead_at_ms = 0;
};

Result<ReadLease> ParseReadLease(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  ReadLease lease;
  BRAID_TRY_ASSIGN(lease.line_id, json.GetString("lineId"));
  BRAID_TRY_ASSIGN(const std::int64_t heartbeat, json.GetInteger("heartbeatMillis"));
  BRAID_TRY_ASSIGN(const std::int64_t ttl, json.GetInteger("ttlMillis"));
  lease.dead_at_ms = heartbeat + ttl + kGraceMs;
  const Json* snapshots = json.Find("snapshots");
  if (snapshots == nullptr || !snapshots->is_array()) return Error(ErrorCode::kCorruption, "'snapshots' is no list");
  for (const Json& id : snapshots->as_array()) {
    if (!id.is_integer()) return Error(ErrorCode::kCorruption, "'snapshots' holds what is no number");
    lease.snapshots.emplace_back(id.as_integer());
  }
  return lease;
}

}  // namespace

Result<std::optional<SnapshotId>> OldestLeasedSnapshot(FileSystem& fs, const TablePaths& paths,
                                                       std::string_view line_id, std::int64_t now_ms) {
  std::optional<SnapshotId> oldest;
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> files, fs.List(paths.LeaseDirectory()));
  for (const FileInfo& file : files) {
    if (file.is_directory || !file.name.ends_with(".json")) continue;
    const std::string path = JoinPath(paths.LeaseDirectory(), file.name);
    const Result<std::string> text = fs.ReadAll(path);
    if (!text && text.error().code() == ErrorCode::kNotFound) continue;  // its reader has ended
    if (!text) return text.error();
    BRAID_TRY_ASSIGN(const ReadLease lease, ParseReadLease(*text).Context("while reading the lease " + path));
    if (lease.dead_at_ms < now_ms) {
      BRAID_TRY(fs.Delete(path));
      continue;
    }
    if (lease.line_id != line_id) continue;
    for (const SnapshotId id : lease.snapshots) oldest = oldest ? std::min(*oldest, id) : id;
  }
  return oldest;
}

}  // namespace braid
