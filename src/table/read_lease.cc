#include "table/read_lease.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/uuid.h"

namespace braid {

namespace {

constexpr std::int64_t kLifeMs = 60'000;
constexpr std::int64_t kGraceMs = 30'000;  // beyond its time, for clocks that differ

struct StoredLease {
  LeaseRecord record;
  std::int64_t dead_at_ms = 0;
};

Result<StoredLease> ParseLease(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  StoredLease lease;
  BRAID_TRY_ASSIGN(lease.record.line_id, json.GetString("lineId"));
  BRAID_TRY_ASSIGN(lease.record.owner, json.GetString("owner"));
  BRAID_TRY_ASSIGN(const std::int64_t heartbeat_ms, json.GetInteger("heartbeatMillis"));
  BRAID_TRY_ASSIGN(const std::int64_t life_ms, json.GetInteger("ttlMillis"));
  if (heartbeat_ms < 0 || life_ms < 0 || __builtin_add_overflow(heartbeat_ms, life_ms, &lease.dead_at_ms) ||
      __builtin_add_overflow(lease.dead_at_ms, kGraceMs, &lease.dead_at_ms)) {
    return Error(ErrorCode::kCorruption, "its times cannot be");
  }
  const Json* snapshots = json.Find("snapshots");
  if (snapshots == nullptr || !snapshots->is_array()) return Error(ErrorCode::kCorruption, "'snapshots' is no list");
  for (const Json& id : snapshots->as_array()) {
    if (!id.is_integer()) return Error(ErrorCode::kCorruption, "'snapshots' holds what is no number");
    lease.record.snapshots.emplace_back(id.as_integer());
  }
  return lease;
}

std::string PrintLease(const LeaseRecord& lease, std::int64_t now_ms) {
  Json json;
  json.Add("lineId", lease.line_id);
  Json::Array snapshots;
  for (const SnapshotId id : lease.snapshots) snapshots.emplace_back(id.value());
  json.Add("snapshots", std::move(snapshots));
  json.Add("owner", lease.owner);
  json.Add("heartbeatMillis", now_ms);
  json.Add("ttlMillis", kLifeMs);
  return PrintJson(json);
}

}  // namespace

Result<std::vector<LeaseRecord>> LiveLeases(FileSystem& fs, const TablePaths& root, std::int64_t now_ms) {
  std::vector<LeaseRecord> live;
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> files, fs.List(root.LeaseDirectory()));
  for (const FileInfo& file : files) {
    if (file.is_directory || file.name.starts_with('.') || !file.name.ends_with(".json")) continue;
    const std::string path = JoinPath(root.LeaseDirectory(), file.name);
    const Result<std::string> text = fs.ReadAll(path);
    if (!text && text.error().code() == ErrorCode::kNotFound) continue;  // its reader has ended
    if (!text) return text.error();
    BRAID_TRY_ASSIGN(StoredLease lease, ParseLease(*text).Context("while reading the lease " + path));
    if (lease.dead_at_ms < now_ms) {
      BRAID_TRY(fs.Delete(path));
    } else {
      live.push_back(std::move(lease.record));
    }
  }
  return live;
}

Result<std::vector<std::string>> LiveReadersOf(FileSystem& fs, const TablePaths& root, std::string_view line_id,
                                               std::int64_t now_ms) {
  BRAID_TRY_ASSIGN(std::vector<LeaseRecord> leases, LiveLeases(fs, root, now_ms));
  std::vector<std::string> owners;
  for (LeaseRecord& lease : leases) {
    if (lease.line_id == line_id) owners.push_back(std::move(lease.owner));
  }
  return owners;
}

std::unique_ptr<ReadLease> ReadLease::Take(const Table& table, std::vector<SnapshotId> snapshots, std::string owner,
                                           const Clock& clock) {
  const Result<bool> has_place = table.file_system().Exists(table.paths().BraidDirectory());
  if (!has_place || !*has_place) return nullptr;
  std::unique_ptr<ReadLease> lease(new ReadLease(table, std::move(snapshots), std::move(owner), clock));
  if (const Status written = lease->Renew(); !written) {
    Log(LogLevel::kDebug, "read without a lease",
        fmt::format("table={} error={}", table.name(), written.error().message()));
    return nullptr;
  }
  lease->renewer_ = std::jthread([raw = lease.get()](const std::stop_token& stop) { raw->KeepRenewing(stop); });
  return lease;
}

ReadLease::ReadLease(const Table& table, std::vector<SnapshotId> snapshots, std::string owner, const Clock& clock)
    : fs_(table.shared_file_system()),
      path_(JoinPath(table.paths().LeaseDirectory(), RandomUuid() + ".json")),
      line_id_(table.line().id),
      owner_(std::move(owner)),
      clock_(clock),
      snapshots_(std::move(snapshots)) {}

ReadLease::~ReadLease() {
  if (renewer_.joinable()) {
    renewer_.request_stop();
    renewer_.join();
  }
  // One that stays is dead in a while.
  static_cast<void>(fs_->Delete(path_));
}

Status ReadLease::MoveTo(std::vector<SnapshotId> snapshots) {
  {
    const std::lock_guard lock(mutex_);
    snapshots_ = std::move(snapshots);
  }
  return Renew();
}

Status ReadLease::Renew() {
  LeaseRecord record{.line_id = line_id_, .snapshots = {}, .owner = owner_};
  {
    const std::lock_guard lock(mutex_);
    record.snapshots = snapshots_;
  }
  return fs_->Replace(path_, PrintLease(record, clock_.NowMs()));
}

void ReadLease::KeepRenewing(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, stop, std::chrono::milliseconds(kLifeMs / 3), [&] { return stop.stop_requested(); })) {
    lock.unlock();
    if (const Status renewed = Renew(); !renewed) {
      Log(LogLevel::kWarning, "lease not renewed", fmt::format("file={} error={}", path_, renewed.error().message()));
    }
    lock.lock();
  }
}

std::string ThisReader() {
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  return fmt::format("{}:{}", host[0] != '\0' ? host : "localhost", getpid());
}

}  // namespace braid
