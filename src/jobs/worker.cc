#include "jobs/worker.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/log.h"
#include "jobs/control.h"
#include "jobs/epoch_runner.h"
#include "jobs/wake_up.h"

namespace braid {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

constexpr milliseconds kDefaultInterval(1000);
// Main of several tables is replaced one after the other.
constexpr milliseconds kLookForTables(500);
constexpr int kLooksForTables = 120;

std::atomic<bool> terminated = false;
void Terminate(int /*signal*/) {
  terminated = true;
}

// The session that planned the job, as this process has it.
Result<JobPlan> PlanIn(Session& session, const JobRecord& record) {
  for (const std::string& statement : record.session.statements) {
    const Result<StatementResult> done = session.Execute(statement);
    if (!done) return done.error().Context("while making the session of job " + record.name);
  }
  return session.PlanJob(record.statement);
}

class Worker {
 public:
  Worker(const WorkerSettings& settings, JobRecord record) : settings_(settings), record_(std::move(record)) {}

  Status Run() {
    Log(LogLevel::kInfo, "worker begins", fmt::format("job={}", record_.name));
    BRAID_TRY_ASSIGN(const auto lock, settings_.folder.Lock(record_.name));
    BRAID_TRY_ASSIGN(status_, settings_.folder.ReadStatus());
    SessionSettings session_settings;
    session_settings.options = record_.session.options;
    session_settings.observer = settings_.observer;
    session_settings.connectors = settings_.connectors;
    session_settings.clock = settings_.clock;
    Session session(std::move(session_settings));
    Status ended = EnterFolder();
    if (ended) ended = Start(session);
    if (ended) ended = Loop();
    if (!ended) {
      if (runner_ != nullptr && runner_->AwaitsTables() && AwaitTables(ended.error())) return StopWaiting();
      Fail(ended.error());
      return ended;
    }
    const Status written = WriteStatus(ending_);
    // The state is closed before the lock goes.
    runner_.reset();
    return written;
  }

 private:
  // The one that the job was started in, where relative paths lead.
  Status EnterFolder() const {
    if (::chdir(record_.working_directory.c_str()) == 0) return Ok();
    return Error(ErrorCode::kNotFound,
                 fmt::format("the folder {} that the job was started in is gone", record_.working_directory))
        .Hint("make it again, or start the job anew");
  }

  Status Start(Session& session) {
    BRAID_TRY_ASSIGN(JobPlan plan, PlanIn(session, record_));
    BRAID_TRY_ASSIGN(const std::int64_t threads,
                     session.options().GetInt("threads", std::max(1U, std::thread::hardware_concurrency())));
    struct sysinfo machine = {};
    sysinfo(&machine);
    const auto memory = static_cast<std::int64_t>(machine.totalram) * machine.mem_unit;
    BRAID_TRY_ASSIGN(const std::int64_t budget, session.options().GetMemorySize("memory", memory / 4));
    BRAID_TRY_ASSIGN(interval_, session.options().GetDuration("execution.checkpointing.interval", kDefaultInterval));
    BRAID_TRY_ASSIGN(const WhenReplaced when_replaced,
                     ParseWhenReplaced(session.options().Get("job.when-replaced", "verify")));
    plan.name = record_.name;
    const bool expects_state = record_.road != StateRoad::kNew || status_.generation > 0;
    BRAID_TRY_ASSIGN(runner_,
                     EpochRunner::Open({.folder = settings_.folder,
                                        .record = record_,
                                        .plan = std::move(plan),
                                        .threads = static_cast<int>(std::clamp<std::int64_t>(threads, 1, 1024)),
                                        .memory_limit_bytes = std::max<std::int64_t>(budget / 2, std::int64_t{1} << 26),
                                        .when_replaced = when_replaced,
                                        .expects_state = expects_state,
                                        .clock = settings_.clock}));
    BRAID_TRY_ASSIGN(server_, ControlServer::Listen(settings_.folder.SocketFile()));
    // Whoever asked for that is told at once whether the sinks hold what they should.
    if (record_.road == StateRoad::kLineage) BRAID_TRY(runner_->Run());
    return WriteStatus(JobState::kRunning);
  }

  Status Loop() {
    WakeUp wake_up(runner_->WatchedFolders());
    bool waiting_input = true;  // there may be input that nobody has looked at
    SteadyTime last_start = std::chrono::steady_clock::now() - interval_;
    for (;;) {
      if (stopping_) return Ok();
      if (terminated) return runner_->End(ending_, "");
      const SteadyTime now = std::chrono::steady_clock::now();
      // Under steady input an epoch begins once an interval; after idleness, at once.
      if (waiting_input && (idle_ || now >= last_start + interval_)) {
        wake_up.Drain();
        last_start = now;
        BRAID_TRY_ASSIGN(const EpochRunner::Outcome outcome, runner_->Run());
        if (outcome == EpochRunner::Outcome::kEnded) {
          ending_ = JobState::kFinished;
          BRAID_TRY(runner_->End(ending_, ""));
          return Ok();
        }
        idle_ = outcome == EpochRunner::Outcome::kIdle;
        waiting_input = !idle_;
        if (!idle_) BRAID_TRY(WriteStatus(JobState::kRunning));
        continue;
      }
      milliseconds pause(runner_->poll_interval_ms());
      if (waiting_input)
        pause = std::chrono::duration_cast<milliseconds>(last_start + interval_ - now) + milliseconds(1);
      const bool told = Wait(wake_up, pause, waiting_input);
      if (told || !waiting_input) waiting_input = true;
    }
  }

  // Waits for files, a client or the end of the pause. Returns whether there are files.
  bool Wait(WakeUp& wake_up, milliseconds pause, bool ignore_files) {
    std::array<pollfd, 2> descriptors = {
        pollfd{.fd = server_->descriptor(), .events = POLLIN, .revents = 0},
        pollfd{.fd = ignore_files ? -1 : wake_up.descriptor(), .events = POLLIN, .revents = 0}};
    if (::poll(descriptors.data(), descriptors.size(), static_cast<int>(pause.count())) <= 0) return false;
    if (descriptors[0].revents != 0) server_->Serve([this](const Json& request) { return Answer(request); });
    return descriptors[1].revents != 0;
  }

  // Waits for a while for another table to be replaced, too. Whether the job was stopped meanwhile.
  bool AwaitTables(const Error& error) {
    status_.error = error.ToString();
    status_.error_code = ErrorCodeName(error.code());
    status_.error_id = error.id();
    static_cast<void>(WriteStatus(JobState::kRestarting));
    Log(LogLevel::kWarning, "the job waits for its tables",
        fmt::format("job={} error=\"{}\"", record_.name, error.message()));
    WakeUp nothing({});
    for (int look = 0; look < kLooksForTables && !runner_->HasMoved(); ++look) {
      Wait(nothing, kLookForTables, true);
      if (terminated || stopping_) return true;
    }
    return false;
  }

  Status StopWaiting() {
    if (!stopping_) BRAID_TRY(runner_->End(JobState::kStopped, ""));
    BRAID_TRY(WriteStatus(JobState::kStopped));
    runner_.reset();
    return Ok();
  }

  Result<Json> Answer(const Json& request) {
    BRAID_TRY_ASSIGN(const std::string command, request.GetString("command"));
    if (command == "progress") return Progress();
    if (command == "savepoint") {
      BRAID_TRY_ASSIGN(const std::string path, Savepoint(request));
      Json reply;
      reply.Add("savepoint", path);
      return reply;
    }
    if (command != "stop")
      return Error(ErrorCode::kInvalidArgument, fmt::format("a worker does not know '{}'", command));
    Json reply{Json::Object()};
    if (request.IsTrue("withSavepoint")) {
      BRAID_TRY_ASSIGN(status_.savepoint, Savepoint(request));
      reply.Add("savepoint", status_.savepoint);
    }
    stopping_ = true;
    ending_ = JobState::kStopped;
    BRAID_TRY(runner_->End(ending_, ""));
    return reply;
  }

  Result<std::string> Savepoint(const Json& request) {
    BRAID_TRY_ASSIGN(const auto directory, request.FindString("directory"));
    return runner_->Savepoint(directory && !directory->empty() ? *directory : settings_.folder.SavepointDirectory());
  }

  Result<Json> Progress() {
    BRAID_TRY_ASSIGN(const std::vector<SourceProgress> sources, runner_->Progress());
    Json reply;
    reply.Add("barrier", runner_->barrier());
    Json::Array list;
    bool behind = false;
    for (const SourceProgress& source : sources) {
      Json one;
      one.Add("source", source.name);
      one.Add("position", source.position);
      one.Add("lag", source.lag);
      behind = behind || source.lag > 0;
      list.emplace_back(std::move(one));
    }
    reply.Add("sources", std::move(list));
    // Idle: the last look at the sources found nothing.
    reply.Add("caughtUp", idle_ && !behind && !runner_->AwaitsTables());
    return reply;
  }

  // Says why the job ends. What fails here is in the log with the error itself.
  void Fail(const Error& error) {
    // On other lines the tables are opened anew.
    const bool for_good = !IsWorthARestart(error.code()) && (runner_ == nullptr || !runner_->HasMoved());
    if (runner_ != nullptr && for_good) static_cast<void>(runner_->End(JobState::kFailed, error.message()));
    status_.error = error.ToString();
    status_.error_code = ErrorCodeName(error.code());
    status_.error_id = error.id();
    static_cast<void>(WriteStatus(for_good ? JobState::kFailed : JobState::kRestarting));
  }

  Status WriteStatus(JobState state) {
    if (runner_ != nullptr) {
      status_.barrier = runner_->barrier();
      status_.generation = runner_->generation();
    }
    status_.state = state;
    status_.since_ms = settings_.clock->NowMs();
    if (state != JobState::kFailed && state != JobState::kRestarting) {
      status_.error.clear();
      status_.error_code.clear();
      status_.error_id.clear();
    }
    return settings_.folder.WriteStatus(status_);
  }

  const WorkerSettings& settings_;
  JobRecord record_;
  JobStatus status_;
  milliseconds interval_ = kDefaultInterval;
  std::unique_ptr<EpochRunner> runner_;
  std::unique_ptr<ControlServer> server_;
  bool idle_ = true;
  bool stopping_ = false;
  JobState ending_ = JobState::kStopped;
};

}  // namespace

bool IsWorthARestart(ErrorCode code) {
  switch (code) {
    case ErrorCode::kIo:
    case ErrorCode::kUnavailable:
    case ErrorCode::kCommitUnknown: return true;
    default: return false;
  }
}

Status RunWorker(const WorkerSettings& settings) {
  struct sigaction action = {};
  action.sa_handler = Terminate;
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  BRAID_TRY_ASSIGN(JobRecord record, settings.folder.ReadRecord());
  return Worker(settings, std::move(record)).Run();
}

}  // namespace braid
