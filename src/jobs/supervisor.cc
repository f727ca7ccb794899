#include "jobs/supervisor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "io/file_system.h"
#include "jobs/worker.h"

namespace braid {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kStartTimeout(60'000);
constexpr milliseconds kLookForStart(20);
constexpr milliseconds kFirstPause(200);
constexpr milliseconds kLongestPause(30'000);
// A worker that lived this long had mended what ended the one before.
constexpr milliseconds kHealthy(60'000);
constexpr std::array kEndingSignals = {SIGTERM, SIGINT};

std::atomic<pid_t> child = 0;
std::atomic<bool> ending = false;

void PassOn(int signal) {
  ending = true;
  if (child > 0) ::kill(child, signal);
}

Error SystemError(const char* what) {
  return Error(ErrorCode::kIo, fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

// Replaces this process by the program. Only returns if that fails.
void Execute(const std::string& program, const char* command, const std::string& folder) {
  const std::array<const char*, 5> arguments = {program.c_str(), "job", command, folder.c_str(), nullptr};
  ::execv(program.c_str(), const_cast<char* const*>(arguments.data()));
}

// In the child of a fork: output to the log, nothing to read.
void RedirectTo(int log) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
}

// Holds back the signals that end a supervisor, or lets them through.
void HoldSignals(bool hold) {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : kEndingSignals) ::sigaddset(&signals, signal);
  ::sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &signals, nullptr);
}

// Runs one worker to its end; its exit status.
Result<int> RunChild(const JobFolder& folder, const std::string& program) {
  // Between fork and exec a signal would call the supervisor's handler in the child, and be forgotten with it.
  HoldSignals(true);
  const pid_t pid = ::fork();
  if (pid == 0) {
    for (const int signal : kEndingSignals) ::signal(signal, SIG_DFL);
    HoldSignals(false);
    Execute(program, "work", folder.path());
    ::_exit(127);
  }
  if (pid > 0) child = pid;
  HoldSignals(false);
  if (pid < 0) return SystemError("start a worker");
  if (ending) ::kill(pid, SIGTERM);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return SystemError("wait for a worker");
  }
  child = 0;
  return status;
}

}  // namespace

Result<std::string> ThisProgram() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error(ErrorCode::kIo, "cannot tell where this program lies: " + error.message());
  return program.string();
}

Status StartJob(const JobFolder& folder, const std::string& program) {
  BRAID_TRY_ASSIGN(const JobRecord record, folder.ReadRecord());
  {
    // A former supervisor must not read this as what became of its worker.
    BRAID_TRY_ASSIGN(const auto lock, folder.LockToStart(record.name));
    BRAID_TRY(folder.WriteStatus({.state = JobState::kStarting, .since_ms = SystemClock().NowMs()}));
  }
  const int log = ::open(folder.LogFile().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) return SystemError("open the job's log");
  const pid_t pid = ::fork();
  if (pid < 0) return SystemError("start the job's supervisor");
  if (pid == 0) {
    // Forked twice: the supervisor is nobody's child and keeps no terminal.
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    RedirectTo(log);
    Execute(program, "supervise", folder.path());
    ::_exit(127);
  }
  ::close(log);
  int ignored = 0;
  while (::waitpid(pid, &ignored, 0) < 0 && errno == EINTR) continue;
  const auto deadline = steady_clock::now() + kStartTimeout;
  // A worker that holds its lock is at work, however long it takes.
  while (steady_clock::now() < deadline || folder.IsLocked()) {
    BRAID_TRY_ASSIGN(const JobStatus status, folder.ReadStatus());
    if (status.state == JobState::kFailed) return ErrorOf(status, folder);
    if (status.state != JobState::kStarting) return Ok();
    std::this_thread::sleep_for(kLookForStart);
  }
  return Error(ErrorCode::kUnavailable, fmt::format("job {} did not come up within a minute", record.name))
      .Hint("its log is " + folder.LogFile());
}

Status SuperviseJob(const JobFolder& folder, const std::string& program) {
  struct sigaction action = {};
  action.sa_handler = PassOn;
  for (const int signal : kEndingSignals) ::sigaction(signal, &action, nullptr);
  ::signal(SIGHUP, SIG_IGN);
  BRAID_TRY_ASSIGN(const auto lock, folder.LockAsSupervisor());
  milliseconds pause = kFirstPause;
  for (std::int64_t restarts = 0;; ++restarts) {
    const auto begun = steady_clock::now();
    BRAID_TRY_ASSIGN(const int exit, RunChild(folder, program));
    if (WIFEXITED(exit) && WEXITSTATUS(exit) == 0) return Ok();
    if (const Result<JobRecord> record = folder.ReadRecord();
        !record && record.error().code() == ErrorCode::kNotFound) {
      Log(LogLevel::kWarning, "the job's record is gone, so its worker is not started again",
          fmt::format("folder={}", folder.path()));
      return Ok();
    }
    BRAID_TRY_ASSIGN(JobStatus status, folder.ReadStatus());
    // A worker that fails for good says so; one that was killed says nothing.
    if (status.state == JobState::kFailed || ending) return Ok();
    if (steady_clock::now() - begun > kHealthy) pause = kFirstPause;
    const std::string how =
        WIFSIGNALED(exit) ? fmt::format("signal {}", WTERMSIG(exit)) : fmt::format("exit code {}", WEXITSTATUS(exit));
    Log(LogLevel::kWarning, "worker ended and is started again",
        fmt::format("folder={} by={} pause_ms={}", folder.path(), how, pause.count()));
    status.state = JobState::kRestarting;
    status.restarts = restarts + 1;
    status.since_ms = SystemClock().NowMs();
    BRAID_TRY(folder.WriteStatus(status));
    const auto next = steady_clock::now() + pause;
    while (!ending && steady_clock::now() < next) std::this_thread::sleep_for(kLookForStart);
    if (ending) return Ok();
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace braid
