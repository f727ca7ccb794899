#include "jobs/local_jobs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/uuid.h"
#include "io/storage.h"
#include "jobs/control.h"
#include "jobs/epoch_runner.h"
#include "jobs/supervisor.h"
#include "lineage/catalog_file.h"

namespace braid {

namespace {

constexpr std::chrono::milliseconds kLook(20);
// A warehouse that no option has given an identity yet.
constexpr const char* kNoCatalog = "unnamed";

// 32 hexadecimal digits, as Flink's job ids.
std::string NewJobId() {
  std::string id = RandomUuid();
  std::erase(id, '-');
  return id;
}

// The folder of a job lies below the id of the catalog that it writes into.
Result<std::string> CatalogIdOf(const JobPlan& plan) {
  for (const PlannedInsert& insert : plan.inserts) {
    if (insert.owner == nullptr) continue;
    BRAID_TRY_ASSIGN(
        const CatalogIdentity identity,
        SettleCatalogIdentity(*insert.owner->file_system(), insert.owner->warehouse(), insert.owner->options()));
    if (!identity.id.empty()) return identity.id;
    const std::string& warehouse = insert.owner->warehouse();
    return fmt::format("warehouse-{:016x}",
                       std::hash<std::string>()(IsLocal(warehouse) ? std::filesystem::weakly_canonical(warehouse).string() : warehouse));
  }
  return std::string(kNoCatalog);
}

JobInfo InfoOf(const KnownJob& job) {
  return {.id = job.record.id,
          .name = job.record.name,
          .status = std::string(JobStateName(job.status.state)),
          .start_ms = job.record.start_ms,
          .statement = job.record.statement,
          .error = job.status.error};
}

Error NotRunning(const KnownJob& job) {
  return Error(ErrorCode::kConflict,
               fmt::format("job {} does not run: it is {}", job.record.name, JobStateName(job.status.state)))
      .Hint(fmt::format("`braid job restart {}` goes on with it", job.record.name));
}

// How a new job begins: with all that its query gives, or by what the sink holds already.
Result<StateRoad> RoadOf(const Options& options) {
  const std::string state = options.Get("job.state", "new");
  if (EqualsIgnoreCase(state, "new")) return StateRoad::kNew;
  if (EqualsIgnoreCase(state, "lineage")) return StateRoad::kLineage;
  if (EqualsIgnoreCase(state, "rebuild")) return StateRoad::kRebuild;
  return Error(ErrorCode::kInvalidArgument, fmt::format("'job.state' = '{}' means nothing", state))
      .Hint("new, lineage or rebuild");
}

Json Command(const char* name) {
  Json request;
  request.Add("command", name);
  return request;
}

// Relative paths in a job's statements are relative to where it was started.
Status EnterFolderOf(const JobRecord& record) {
  std::error_code error;
  std::filesystem::current_path(record.working_directory, error);
  if (!error) return Ok();
  return Error(ErrorCode::kNotFound,
               fmt::format("the folder {} that the job was started in is gone", record.working_directory))
      .Hint("make it again, or start the job anew");
}

// Whether a job's sources have been read up to these snapshots.
Result<bool> HasConsumed(const KnownJob& job, const Json& progress,
                         const std::map<std::string, std::int64_t>& snapshots) {
  const Json* sources = progress.Find("sources");
  if (sources == nullptr || !sources->is_array()) return false;
  for (const auto& [table, snapshot] : snapshots) {
    bool found = false;
    std::vector<std::string> names;
    for (const Json& source : sources->as_array()) {
      BRAID_TRY_ASSIGN(const std::string name, source.GetString("source"));
      names.push_back(name);
      // The catalog may be left out.
      if (name != table && !name.ends_with("." + table)) continue;
      found = true;
      BRAID_TRY_ASSIGN(const std::string text, source.GetString("position"));
      BRAID_TRY_ASSIGN(const Json position, ParseJson(text));
      BRAID_TRY_ASSIGN(const std::optional<std::int64_t> next, position.FindInteger("next"));
      if (next.value_or(0) <= snapshot) return false;
    }
    if (!found) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("job {} does not read {}", job.record.name, table))
          .Hint("it reads " + Join(names, ", "));
    }
  }
  return true;
}

Error TimedOut(const KnownJob& job) {
  Error error(ErrorCode::kUnavailable,
              fmt::format("job {} is not there yet, and the time to wait is over", job.record.name));
  if (!job.status.error.empty()) return std::move(error).Hint("it says: " + job.status.error);
  return std::move(error).Hint(fmt::format("`braid job show {}` says where it is", job.record.name));
}

// A job whose files cannot be read, under the name of its folder.
KnownJob Damaged(JobFolder folder, const Error& error) {
  KnownJob job{.folder = std::move(folder), .record = {}, .status = {}};
  job.record.name = BaseName(job.folder.path());
  job.status.state = JobState::kFailed;
  job.status.error = error.ToString();
  job.status.error_code = ErrorCodeName(error.code());
  job.status.error_id = error.id();
  return job;
}

}  // namespace

Result<std::vector<KnownJob>> LocalJobs::ListKnown() const {
  BRAID_TRY_ASSIGN(std::vector<JobFolder> folders, JobFolder::List(settings_.state_directory));
  std::vector<KnownJob> jobs;
  for (JobFolder& folder : folders) {
    Result<JobRecord> record = folder.ReadRecord();
    Result<JobStatus> status = folder.ReadStatus();
    if (!record || !status) {
      // One damaged job does not hide the others.
      jobs.push_back(Damaged(std::move(folder), record ? status.error() : record.error()));
      continue;
    }
    // After a crash of the machine nobody is there to say it.
    const bool worked = status->state == JobState::kRunning || status->state == JobState::kRestarting;
    if (worked && !folder.IsLocked()) status->state = folder.IsSupervised() ? JobState::kRestarting : JobState::kLost;
    jobs.push_back({.folder = std::move(folder), .record = *std::move(record), .status = *std::move(status)});
  }
  std::sort(jobs.begin(), jobs.end(),
            [](const KnownJob& a, const KnownJob& b) { return a.record.start_ms < b.record.start_ms; });
  return jobs;
}

Result<KnownJob> LocalJobs::FindKnown(const std::string& job) const {
  BRAID_TRY_ASSIGN(std::vector<KnownJob> jobs, ListKnown());
  std::vector<std::string> names;
  std::vector<KnownJob*> found;
  for (KnownJob& known : jobs) {
    names.push_back(known.record.name);
    if (known.record.name == job || known.record.id == job) found.push_back(&known);
  }
  if (found.empty() && job.size() >= 4) {
    for (KnownJob& known : jobs) {
      if (known.record.id.starts_with(job)) found.push_back(&known);
    }
  }
  if (found.size() == 1) return std::move(*found.front());
  if (found.size() > 1)
    return Error(ErrorCode::kInvalidArgument, fmt::format("there are {} jobs '{}'", found.size(), job))
        .Hint("give the id that `braid job list` shows");
  Error error(ErrorCode::kNotFound, fmt::format("there is no job '{}'", job));
  if (const auto nearest = NearestName(job, names))
    return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return std::move(error).Hint("`braid job list` and SHOW JOBS list them; --state-dir says where they are kept");
}

Result<JobInfo> LocalJobs::Submit(const JobPlan& plan, const SessionScript& session) {
  BRAID_TRY(CheckJob(plan));
  BRAID_TRY_ASSIGN(const std::string catalog_id, CatalogIdOf(plan));
  const JobFolder folder = JobFolder::Of(settings_.state_directory, catalog_id, plan.name);
  BRAID_TRY(folder.Create());
  {
    // Held while the state of an earlier run goes; the worker takes it next.
    BRAID_TRY_ASSIGN(const auto lock, folder.LockToStart(plan.name));
    JobRecord record{.id = NewJobId(),
                     .name = plan.name,
                     .statement = plan.statement,
                     .session = session,
                     .working_directory = std::filesystem::current_path().string(),
                     .start_ms = settings_.clock->NowMs(),
                     .road = StateRoad::kNew,
                     .restored_from = {}};
    BRAID_TRY_ASSIGN(const JobStatus before, folder.ReadStatus());
    record.generation_before = before.generation;
    record.barrier_before = before.barrier;
    const std::string savepoint =
        session.options.Get("execution.state-recovery.path", session.options.Get("execution.savepoint.path", ""));
    BRAID_TRY_ASSIGN(record.road, RoadOf(session.options));
    if (savepoint.empty()) {
      BRAID_TRY(folder.RemoveState());
    } else {
      BRAID_TRY(RestoreSavepoint(folder, savepoint, plan));
      record.restored_from = savepoint;
    }
    BRAID_TRY(folder.WriteRecord(record));
  }
  BRAID_TRY(StartJob(folder, settings_.program).Context("while starting job " + plan.name));
  return Find(plan.name);
}

Result<std::string> LocalJobs::Explain(const JobPlan& plan) {
  return ExplainJob(plan);
}

Result<std::vector<JobInfo>> LocalJobs::List() {
  BRAID_TRY_ASSIGN(const std::vector<KnownJob> jobs, ListKnown());
  std::vector<JobInfo> infos;
  for (const KnownJob& job : jobs) infos.push_back(InfoOf(job));
  return infos;
}

Result<JobInfo> LocalJobs::Find(const std::string& job) {
  BRAID_TRY_ASSIGN(const KnownJob known, FindKnown(job));
  return InfoOf(known);
}

Result<std::optional<std::string>> LocalJobs::Stop(const std::string& job, bool with_savepoint,
                                                   const std::string& savepoint_directory) {
  BRAID_TRY_ASSIGN(const KnownJob known, FindKnown(job));
  if (!IsLive(known.status.state)) return NotRunning(known);
  if (!known.folder.IsLocked()) {
    // Between two workers: there is nobody to make a savepoint.
    if (with_savepoint)
      return Error(ErrorCode::kUnavailable, fmt::format("job {} is being started again", known.record.name))
          .Hint("try again, or stop it without a savepoint");
    while (known.folder.IsSupervised() || known.folder.IsLocked()) {
      known.folder.TerminateSupervisor();  // again: one that has just begun may not have said which process it is
      std::this_thread::sleep_for(kLook);
    }
    JobStatus status = known.status;
    status.state = JobState::kStopped;
    BRAID_TRY(known.folder.WriteStatus(status));
    return std::optional<std::string>();
  }
  Json request = Command("stop");
  request.Add("withSavepoint", with_savepoint);
  if (!savepoint_directory.empty()) request.Add("directory", std::filesystem::absolute(savepoint_directory).string());
  BRAID_TRY_ASSIGN(const Json reply, AskWorker(known.folder.SocketFile(), request));
  // It has ended when its locks are free.
  while (known.folder.IsLocked() || known.folder.IsSupervised()) std::this_thread::sleep_for(kLook);
  if (!with_savepoint) return std::optional<std::string>();
  BRAID_TRY_ASSIGN(std::string path, reply.GetString("savepoint"));
  return std::optional(std::move(path));
}

Status LocalJobs::Wait(const std::string& job) {
  for (;;) {
    BRAID_TRY_ASSIGN(const KnownJob known, FindKnown(job));
    if (known.status.state == JobState::kFailed) return ErrorOf(known.status, known.folder);
    if (!IsLive(known.status.state)) return Ok();
    std::this_thread::sleep_for(kLook);
  }
}

Result<Json> LocalJobs::Progress(const KnownJob& job) const {
  if (!IsLive(job.status.state)) return NotRunning(job);
  return AskWorker(job.folder.SocketFile(), Command("progress"));
}

Status LocalJobs::WaitUntil(const std::string& job, const WaitSettings& wait) const {
  const auto deadline = std::chrono::steady_clock::now() + wait.timeout.value_or(std::chrono::milliseconds(0));
  // The worker may not have been told yet of input that came just now. Asking makes it look, so its second answer says
  // what is true behind the call.
  bool was_caught_up = false;
  for (;;) {
    BRAID_TRY_ASSIGN(const KnownJob known, FindKnown(job));
    if (known.status.state == JobState::kFailed) return ErrorOf(known.status, known.folder);
    if (!IsLive(known.status.state) && wait.consumed.empty()) return Ok();
    if (!IsLive(known.status.state)) return NotRunning(known);
    Result<Json> progress = Progress(known);
    // A worker that is being started again does not answer.
    if (!progress && progress.error().code() != ErrorCode::kUnavailable) return std::move(progress).error();
    const bool caught_up = progress && progress->IsTrue("caughtUp");
    if (wait.caught_up && caught_up && was_caught_up) return Ok();
    was_caught_up = caught_up;
    if (progress && !wait.consumed.empty()) {
      BRAID_TRY_ASSIGN(const bool consumed, HasConsumed(known, *progress, wait.consumed));
      if (consumed) return Ok();
    }
    if (wait.timeout && std::chrono::steady_clock::now() >= deadline) return TimedOut(known);
    std::this_thread::sleep_for(kLook);
  }
}

Result<std::string> LocalJobs::Savepoint(const KnownJob& job, const std::string& directory) const {
  if (!IsLive(job.status.state)) return NotRunning(job);
  Json request = Command("savepoint");
  if (!directory.empty()) request.Add("directory", std::filesystem::absolute(directory).string());
  BRAID_TRY_ASSIGN(const Json reply, AskWorker(job.folder.SocketFile(), request));
  return reply.GetString("savepoint");
}

Result<JobInfo> LocalJobs::RunOnBranch(const std::string& job, const BranchSettings& start) {
  BRAID_TRY_ASSIGN(const KnownJob known, FindKnown(job));
  BRAID_TRY(known.folder.ReadRecord());
  BRAID_TRY(EnterFolderOf(known.record));
  SessionSettings settings;
  settings.options = known.record.session.options;
  for (const char* key : {"execution.state-recovery.path", "execution.savepoint.path"}) settings.options.Set(key, "");
  settings.options.Set("execution.runtime-mode", "streaming");
  settings.options.Set("pipeline.name", known.record.name);
  settings.options.Set("braid.branch", start.branch);
  settings.options.Set("job.state", start.state);
  settings.observer = start.observer;
  settings.connectors = start.connectors;
  settings.jobs = std::make_shared<LocalJobs>(settings_);
  Session session(std::move(settings));
  for (const std::string& statement : known.record.session.statements) BRAID_TRY(session.Execute(statement));
  BRAID_TRY_ASSIGN(const StatementResult result, session.Execute(known.record.statement));
  return Find(result.job.id);
}

Result<JobInfo> LocalJobs::Restart(const std::string& job, const RestartSettings& restart) {
  BRAID_TRY_ASSIGN(KnownJob known, FindKnown(job));
  BRAID_TRY(known.folder.ReadRecord());  // a damaged one was found by its folder's name
  {
    BRAID_TRY_ASSIGN(const auto lock, known.folder.LockToStart(known.record.name));
    JobRecord record = known.record;
    record.id = NewJobId();
    record.start_ms = settings_.clock->NowMs();
    record.road = restart.road;
    record.restored_from.clear();
    record.generation_before = std::max(record.generation_before, known.status.generation);
    record.barrier_before = std::max(record.barrier_before, known.status.barrier);
    if (!restart.savepoint.empty()) {
      record.restored_from = std::filesystem::absolute(restart.savepoint).lexically_normal().string();
      BRAID_TRY(EnterFolderOf(record));
      SessionSettings settings;
      settings.options = record.session.options;
      settings.observer = restart.observer;
      settings.connectors = restart.connectors;
      Session session(std::move(settings));
      for (const std::string& statement : record.session.statements) BRAID_TRY(session.Execute(statement));
      BRAID_TRY_ASSIGN(const JobPlan plan, session.PlanJob(record.statement));
      if (restart.rollback_sinks) BRAID_TRY(RollBackSinks(record.restored_from, plan, *settings_.clock));
      BRAID_TRY(RestoreSavepoint(known.folder, record.restored_from, plan, !restart.rollback_sinks));
    }
    BRAID_TRY(known.folder.WriteRecord(record));
  }
  BRAID_TRY(StartJob(known.folder, settings_.program).Context("while starting job " + known.record.name));
  return Find(known.record.name);
}

}  // namespace braid
