#include "jobs/job_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "io/file_system.h"

namespace braid {

namespace {

constexpr const char* kRecordFile = "/job.json";
constexpr const char* kStatusFile = "/status.json";
constexpr const char* kWorkerLock = "/lock";
constexpr const char* kSupervisorLock = "/supervisor";
constexpr std::size_t kMaxFolderName = 100;
constexpr int kLockAttempts = 30;
// A supervisor whose worker has ended looks why, and ends too.
constexpr int kSupervisorLockAttempts = 300;

constexpr auto kStateNames = std::to_array<std::pair<JobState, std::string_view>>({
    {JobState::kStarting, "INITIALIZING"},
    {JobState::kRunning, "RUNNING"},
    {JobState::kRestarting, "RESTARTING"},
    {JobState::kFinished, "FINISHED"},
    {JobState::kStopped, "SUSPENDED"},
    {JobState::kFailed, "FAILED"},
    {JobState::kLost, "LOST"},
});

constexpr auto kRoadNames = std::to_array<std::pair<StateRoad, std::string_view>>({
    {StateRoad::kContinue, "continue"},
    {StateRoad::kNew, "new"},
    {StateRoad::kRebuild, "rebuild"},
    {StateRoad::kLineage, "lineage"},
    {StateRoad::kAsIs, "as-is"},
});

std::string FileNameOf(const std::string& job) {
  std::string name = job.substr(0, kMaxFolderName);
  for (char& c : name) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!kept) c = '-';
  }
  // Two jobs whose names differ in such characters must not share a folder.
  if (name != job) name += fmt::format("-{:08x}", static_cast<std::uint32_t>(std::hash<std::string>()(job)));
  return name.starts_with('.') ? "_" + name : name;
}

Error FileError(const char* what, const std::string& path) {
  return Error(ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// The descriptor that holds the lock; -1 if somebody else does. Whoever only asks whether it is held has it for a
// moment, so it is tried for a while.
Result<int> LockFile(const std::string& path, int attempts = kLockAttempts) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return FileError("open", path);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    if (errno != EWOULDBLOCK) {
      Error error = FileError("lock", path);
      ::close(descriptor);
      return error;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::close(descriptor);
  return -1;
}

bool IsHeld(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  // The lock goes with the descriptor.
  const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return held;
}

Result<Json> ReadJson(const std::string& path) {
  BRAID_TRY_ASSIGN(const std::string text, LocalFileSystem()->ReadAll(path));
  return ParseJson(text).Context("while reading " + path);
}

}  // namespace

std::string_view JobStateName(JobState state) {
  for (const auto& [value, name] : kStateNames) {
    if (value == state) return name;
  }
  return "FAILED";
}

bool IsLive(JobState state) {
  return state == JobState::kStarting || state == JobState::kRunning || state == JobState::kRestarting;
}

ErrorCode ParseErrorCode(std::string_view name) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    if (ErrorCodeName(static_cast<ErrorCode>(code)) == name) return static_cast<ErrorCode>(code);
  }
  return ErrorCode::kInternal;
}

Error ErrorOf(const JobStatus& status, const JobFolder& folder) {
  return Error(ParseErrorCode(status.error_code), status.error)
      .Id(status.error_id)
      .Context("in the job's worker, whose log is " + folder.LogFile());
}

JobLock::~JobLock() {
  ::close(descriptor_);
}

JobFolder JobFolder::Of(const std::string& state_directory, const std::string& catalog_id, const std::string& job) {
  return JobFolder(fmt::format("{}/{}/{}", state_directory, catalog_id, FileNameOf(job)));
}

Result<std::vector<JobFolder>> JobFolder::List(const std::string& state_directory) {
  std::vector<JobFolder> folders;
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> catalogs, LocalFileSystem()->List(state_directory));
  for (const FileInfo& catalog : catalogs) {
    if (!catalog.is_directory) continue;
    const std::string directory = JoinPath(state_directory, catalog.name);
    BRAID_TRY_ASSIGN(const std::vector<FileInfo> jobs, LocalFileSystem()->List(directory));
    for (const FileInfo& job : jobs) {
      JobFolder folder(JoinPath(directory, job.name));
      BRAID_TRY_ASSIGN(const bool exists, LocalFileSystem()->Exists(folder.path() + kRecordFile));
      if (job.is_directory && exists) folders.push_back(std::move(folder));
    }
  }
  std::sort(folders.begin(), folders.end(), [](const JobFolder& a, const JobFolder& b) { return a.path() < b.path(); });
  return folders;
}

std::string JobFolder::SocketFile() const {
  const char* run_time = std::getenv("XDG_RUNTIME_DIR");
  const std::string folder = run_time != nullptr && *run_time == '/' ? std::string(run_time) + "/braid"
                                                                     : fmt::format("/tmp/braid-{}", ::getuid());
  return fmt::format("{}/{:016x}.sock", folder,
                     std::hash<std::string>()(std::filesystem::weakly_canonical(path_).string()));
}

Status JobFolder::Create() const {
  BRAID_TRY(LocalFileSystem()->CreateDirectories(path_));
  if (::chmod(path_.c_str(), 0700) != 0) return FileError("protect", path_);
  return Ok();
}

Status JobFolder::WriteRecord(const JobRecord& record) const {
  Json json;
  json.Add("formatVersion", 1);
  json.Add("id", record.id);
  json.Add("name", record.name);
  json.Add("statement", record.statement);
  Json options{Json::Object()};
  for (const auto& [key, value] : record.session.options.values()) options.Add(key, value);
  json.Add("options", std::move(options));
  Json::Array statements;
  for (const std::string& statement : record.session.statements) statements.emplace_back(statement);
  json.Add("session", std::move(statements));
  json.Add("workingDirectory", record.working_directory);
  json.Add("startMillis", record.start_ms);
  for (const auto& [road, name] : kRoadNames) {
    if (road == record.road) json.Add("state", name);
  }
  json.Add("restoredFrom", record.restored_from);
  json.Add("generationBefore", record.generation_before);
  json.Add("barrierBefore", record.barrier_before);
  return LocalFileSystem()->Replace(path_ + kRecordFile, PrintJsonPretty(json));
}

Result<JobRecord> JobFolder::ReadRecord() const {
  BRAID_TRY_ASSIGN(const Json json, ReadJson(path_ + kRecordFile));
  BRAID_TRY_ASSIGN(const std::int64_t version, json.GetInteger("formatVersion"));
  if (version != 1) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("{}{} has format version {}; this program knows 1", path_, kRecordFile, version))
        .Hint("use a newer Braid");
  }
  JobRecord record;
  BRAID_TRY_ASSIGN(record.id, json.GetString("id"));
  BRAID_TRY_ASSIGN(record.name, json.GetString("name"));
  BRAID_TRY_ASSIGN(record.statement, json.GetString("statement"));
  BRAID_TRY_ASSIGN(record.working_directory, json.GetString("workingDirectory"));
  BRAID_TRY_ASSIGN(record.start_ms, json.GetInteger("startMillis"));
  BRAID_TRY_ASSIGN(record.restored_from, json.GetString("restoredFrom"));
  BRAID_TRY_ASSIGN(record.generation_before, json.GetInteger("generationBefore"));
  BRAID_TRY_ASSIGN(record.barrier_before, json.GetInteger("barrierBefore"));
  BRAID_TRY_ASSIGN(const auto road, json.FindString("state"));
  for (const auto& [value, name] : kRoadNames) {
    if (road == name) record.road = value;
  }
  const Json* options = json.Find("options");
  const Json* statements = json.Find("session");
  if (options == nullptr || !options->is_object() || statements == nullptr || !statements->is_array())
    return Error(ErrorCode::kCorruption, fmt::format("{}{} is damaged", path_, kRecordFile));
  for (const auto& [key, value] : options->as_object()) {
    if (value.is_string()) record.session.options.Set(key, value.as_string());
  }
  for (const Json& statement : statements->as_array()) {
    if (statement.is_string()) record.session.statements.push_back(statement.as_string());
  }
  return record;
}

Status JobFolder::WriteStatus(const JobStatus& status) const {
  Json json;
  json.Add("state", JobStateName(status.state));
  json.Add("sinceMillis", status.since_ms);
  json.Add("restarts", status.restarts);
  json.Add("generation", status.generation);
  json.Add("barrier", status.barrier);
  json.Add("error", status.error);
  json.Add("errorCode", status.error_code);
  json.Add("errorId", status.error_id);
  json.Add("savepoint", status.savepoint);
  return LocalFileSystem()->Replace(path_ + kStatusFile, PrintJsonPretty(json));
}

Result<JobStatus> JobFolder::ReadStatus() const {
  Result<Json> json = ReadJson(path_ + kStatusFile);
  if (!json && json.error().code() == ErrorCode::kNotFound) return JobStatus();
  if (!json) return std::move(json).error();
  JobStatus status;
  BRAID_TRY_ASSIGN(const std::string state, json->GetString("state"));
  for (const auto& [value, name] : kStateNames) {
    if (name == state) status.state = value;
  }
  BRAID_TRY_ASSIGN(status.since_ms, json->GetInteger("sinceMillis"));
  BRAID_TRY_ASSIGN(status.restarts, json->GetInteger("restarts"));
  BRAID_TRY_ASSIGN(status.generation, json->GetInteger("generation"));
  BRAID_TRY_ASSIGN(status.barrier, json->GetInteger("barrier"));
  BRAID_TRY_ASSIGN(status.error, json->GetString("error"));
  BRAID_TRY_ASSIGN(status.error_code, json->GetString("errorCode"));
  BRAID_TRY_ASSIGN(std::optional<std::string> error_id, json->FindString("errorId"));
  status.error_id = std::move(error_id).value_or("");
  BRAID_TRY_ASSIGN(status.savepoint, json->GetString("savepoint"));
  return status;
}

std::string JobFolder::JournalFile(std::int64_t barrier) const {
  return fmt::format("{}/epoch-{}.files", path_, barrier);
}

Result<std::vector<std::int64_t>> JobFolder::Journals() const {
  std::vector<std::int64_t> barriers;
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> files, LocalFileSystem()->List(path_));
  for (const FileInfo& file : files) {
    if (!file.name.starts_with("epoch-") || !file.name.ends_with(".files")) continue;
    if (const auto barrier = ParseInt64(file.name.substr(6, file.name.size() - 12))) barriers.push_back(*barrier);
  }
  std::sort(barriers.begin(), barriers.end());
  return barriers;
}

Status JobFolder::SetStateAside() const {
  for (const std::string& file : {StateFile(), StateFile() + ".wal"}) {
    BRAID_TRY_ASSIGN(const bool exists, LocalFileSystem()->Exists(file));
    if (!exists) continue;
    const std::string aside = file + ".damaged";
    BRAID_TRY(LocalFileSystem()->Delete(aside));
    BRAID_TRY(LocalFileSystem()->Rename(file, aside));
  }
  return Ok();
}

Status JobFolder::RemoveState() const {
  BRAID_TRY_ASSIGN(const std::vector<std::int64_t> journals, Journals());
  for (const std::int64_t barrier : journals) BRAID_TRY(LocalFileSystem()->Delete(JournalFile(barrier)));
  for (const std::string& file : {StateFile(), StateFile() + ".wal"}) BRAID_TRY(LocalFileSystem()->Delete(file));
  return LocalFileSystem()->DeleteTree(TemporaryDirectory());
}

Result<std::unique_ptr<JobLock>> JobFolder::Lock(const std::string& job) const {
  BRAID_TRY_ASSIGN(const int descriptor, LockFile(path_ + kWorkerLock));
  if (descriptor >= 0) return std::unique_ptr<JobLock>(new JobLock(descriptor));
  const Result<JobRecord> record = ReadRecord();
  return Error(ErrorCode::kConflict, fmt::format("job {} is running{}", job, record ? " as " + record->id : ""))
      .Hint(fmt::format("stop it with STOP JOB '{0}' or `braid job stop {0}`, or SET 'pipeline.name' to another name",
                        job));
}

Result<std::unique_ptr<JobStartLock>> JobFolder::LockToStart(const std::string& job) const {
  BRAID_TRY_ASSIGN(auto worker, Lock(job));
  BRAID_TRY_ASSIGN(const int descriptor, LockFile(path_ + kSupervisorLock, kSupervisorLockAttempts));
  if (descriptor < 0) {
    return Error(ErrorCode::kConflict, fmt::format("job {} is being started again by its supervisor", job))
        .Hint(fmt::format("stop it with STOP JOB '{0}' or `braid job stop {0}` first", job));
  }
  return std::unique_ptr<JobStartLock>(
      new JobStartLock{.worker = std::move(worker), .supervisor = std::unique_ptr<JobLock>(new JobLock(descriptor))});
}

bool JobFolder::IsLocked() const {
  return IsHeld(path_ + kWorkerLock);
}

Result<std::unique_ptr<JobLock>> JobFolder::LockAsSupervisor() const {
  BRAID_TRY_ASSIGN(const int descriptor, LockFile(path_ + kSupervisorLock));
  if (descriptor < 0) return Error(ErrorCode::kConflict, fmt::format("the job in {} has a supervisor already", path_));
  std::unique_ptr<JobLock> lock(new JobLock(descriptor));
  const std::string text = std::to_string(::getpid());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return FileError("write", path_ + kSupervisorLock);
  return lock;
}

bool JobFolder::IsSupervised() const {
  return IsHeld(path_ + kSupervisorLock);
}

void JobFolder::TerminateSupervisor() const {
  const Result<std::string> text = LocalFileSystem()->ReadAll(path_ + kSupervisorLock);
  const auto process = text ? ParseInt64(*text) : std::nullopt;
  // While the lock is held, the number is that of the holder.
  if (process && *process > 0 && IsSupervised()) ::kill(static_cast<pid_t>(*process), SIGTERM);
}

Result<std::string> StateDirectory(std::string_view given) {
  if (!given.empty()) return std::filesystem::absolute(given).lexically_normal().string();
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::string(state) + "/braid";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.local/state/braid";
  return Error(ErrorCode::kInvalidArgument, "there is no folder for jobs, since HOME is not set")
      .Hint("give one with --state-dir");
}

}  // namespace braid
