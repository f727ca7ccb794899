#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace braid {

/// Whether signals that an Interruption notes are passed on to a child. Signals of the terminal reach none by
/// themselves.
enum class ChildRole : std::uint8_t {
  kWaits,  ///< yes: it may wait for ever; one at a time
  kWorks,  ///< no: it comes to its end by itself, or when its standard input does
};

/// A program started from this one, with pipes to its standard input and from its standard output; standard error is
/// shared. One thread at a time.
class ChildProcess {
 public:
  /// Starts it in the current folder. `arguments`: without its name. Errors: kIo.
  static Result<std::unique_ptr<ChildProcess>> Start(const std::string& program,
                                                     const std::vector<std::string>& arguments, ChildRole role);
  /// Waits for its end, as Wait.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// To its standard input. Errors: kIo if it is gone; needs an Interruption, or SIGPIPE ends this program.
  Status Write(std::string_view text);
  /// The next line that it prints, without its end; nullopt when there are no more.
  std::optional<std::string> ReadLine();
  /// Closes both pipes and waits for its end: its exit code, or 128 + the signal that ended it.
  int Wait();

 private:
  ChildProcess(pid_t pid, ChildRole role, int input, int output)
      : pid_(pid), role_(role), input_(input), output_(output) {}

  pid_t pid_;  // 0: it has ended
  ChildRole role_;
  int input_;   // what it reads
  int output_;  // what it writes
  int exit_code_ = 0;
  std::string unread_;
};

/// While one lives, the signals that ask this program to end (Ctrl-C, a terminal that is closed, SIGTERM) are noted
/// instead of obeyed, so that what was started can be ended in order. Nor does a reader of standard output that goes
/// away end the program. One at a time in a process.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Errors: kCancelled once such a signal has come, or nobody reads standard output any more. Flushes it.
  static Status Check();
};

}  // namespace braid
