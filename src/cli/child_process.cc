#include "cli/child_process.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace braid {

namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// What a signal handler may touch.
std::atomic<int> noted_signal = 0;
std::atomic<pid_t> waiting_child = 0;

void Note(int signal) {
  noted_signal = signal;
  if (const pid_t child = waiting_child; child > 0) ::kill(child, SIGTERM);
}

Error SystemError(const std::string& what, int code) {
  return Error(ErrorCode::kIo, fmt::format("cannot {}: {}", what, std::strerror(code)));
}

void Close(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::Start(const std::string& program,
                                                          const std::vector<std::string>& arguments, ChildRole role) {
  std::array<int, 2> input = {-1, -1};  // of the child: it reads [0]
  std::array<int, 2> output = {-1, -1};
  if (::pipe2(input.data(), O_CLOEXEC) != 0) return SystemError("make a pipe", errno);
  if (::pipe2(output.data(), O_CLOEXEC) != 0) {
    const int code = errno;
    for (int& end : input) Close(end);
    return SystemError("make a pipe", code);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // a group of its own, which no terminal signals
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  Close(input[0]);
  Close(output[1]);
  if (failed != 0) {
    Close(input[1]);
    Close(output[0]);
    return SystemError("start " + program, failed);
  }
  if (role == ChildRole::kWaits) waiting_child = pid;
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, role, input[1], output[0]));
}

ChildProcess::~ChildProcess() {
  Wait();
}

Status ChildProcess::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(input_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("write to a process", errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return Ok();
}

std::optional<std::string> ChildProcess::ReadLine() {
  std::array<char, 65536> buffer;
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = unread_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    searched = unread_.size();
    const ssize_t count = ::read(output_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    unread_.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (unread_.empty()) return std::nullopt;
  return std::exchange(unread_, {});
}

int ChildProcess::Wait() {
  if (pid_ == 0) return exit_code_;
  Close(input_);
  Close(output_);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  if (role_ == ChildRole::kWaits) waiting_child = 0;
  pid_ = 0;
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_code_;
}

Interruption::Interruption() {
  noted_signal = 0;
  struct sigaction action = {};
  action.sa_handler = Note;
  for (const int signal : kEndingSignals) ::sigaction(signal, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Interruption::~Interruption() {
  for (const int signal : kEndingSignals) std::signal(signal, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
}

Status Interruption::Check() {
  if (const int signal = noted_signal; signal != 0) {
    return Error(ErrorCode::kCancelled, signal == SIGINT ? "interrupted" : fmt::format("ended by signal {}", signal));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Error(ErrorCode::kCancelled, "nobody reads what is printed");
  }
  return Ok();
}

}  // namespace braid
