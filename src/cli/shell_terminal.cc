// The conversation at a terminal: a line editor with history, statements over several lines, Ctrl-C.

#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/shell.h"

namespace braid {

namespace {

constexpr int kHistorySize = 1000;

sigset_t InterruptSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

// Turns Ctrl-C into Session::Cancel while a statement runs. SIGINT is blocked for all threads that begin after the
// constructor, and read from a file instead. While the editor reads a line, Ctrl-C is one of its keys.
class InterruptWatch {
 public:
  explicit InterruptWatch(Session& session) : session_(session) {
    const sigset_t set = InterruptSet();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signals_ = signalfd(-1, &set, SFD_CLOEXEC);
    stop_ = eventfd(0, EFD_CLOEXEC);
    thread_ = std::jthread([this] { Watch(); });
  }
  ~InterruptWatch() {
    const std::uint64_t one = 1;
    static_cast<void>(::write(stop_, &one, sizeof(one)));
    thread_.join();
    ::close(signals_);
    ::close(stop_);
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  void Watch() {
    std::array<pollfd, 2> files = {
        {{.fd = signals_, .events = POLLIN, .revents = 0}, {.fd = stop_, .events = POLLIN, .revents = 0}}};
    for (;;) {
      if (::poll(files.data(), files.size(), -1) < 0 && errno != EINTR) return;
      if ((files[1].revents & POLLIN) != 0) return;
      signalfd_siginfo signal = {};
      if ((files[0].revents & POLLIN) != 0 && ::read(signals_, &signal, sizeof(signal)) > 0) session_.Cancel();
    }
  }

  Session& session_;  // outlives this
  int signals_ = -1;
  int stop_ = -1;
  std::jthread thread_;
};

// What the editor's callbacks see.
struct EditorState {
  bool continues = false;
  bool dropped = false;
};

EditorState* StateOf(EditLine* editor) {
  void* data = nullptr;
  el_get(editor, EL_CLIENTDATA, &data);
  return static_cast<EditorState*>(data);
}

const char* Prompt(EditLine* editor) {
  const EditorState* state = StateOf(editor);
  return state != nullptr && state->continues ? "    -> " : "braid> ";
}

// Ctrl-C: the line ends and is forgotten.
unsigned char DropLine(EditLine* editor, int /*key*/) {
  StateOf(editor)->dropped = true;
  return CC_EOF;
}

class Editor {
 public:
  explicit Editor(std::string history_file)
      : history_file_(std::move(history_file)),
        editor_(el_init("braid", stdin, stdout, stderr)),
        history_(history_init()) {
    HistEvent event;
    history(history_, &event, H_SETSIZE, kHistorySize);
    history(history_, &event, H_SETUNIQUE, 1);
    if (!history_file_.empty()) history(history_, &event, H_LOAD, history_file_.c_str());
    el_set(editor_, EL_CLIENTDATA, &state_);
    el_set(editor_, EL_PROMPT, Prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_SETTY, "-d", "-isig", nullptr);
    el_set(editor_, EL_ADDFN, "braid-drop-line", "Forgets the line", DropLine);
    el_set(editor_, EL_BIND, "^C", "braid-drop-line", nullptr);
    el_source(editor_, nullptr);
  }
  ~Editor() {
    HistEvent event;
    if (!history_file_.empty()) history(history_, &event, H_SAVE, history_file_.c_str());
    history_end(history_);
    el_end(editor_);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  enum class Outcome { kLine, kDropped, kEnd };
  Outcome Read(bool continues, std::string& line) {
    state_ = {.continues = continues, .dropped = false};
    int count = 0;
    const char* text = el_gets(editor_, &count);
    if (state_.dropped) {
      el_reset(editor_);
      return Outcome::kDropped;
    }
    if (text == nullptr || count <= 0) return Outcome::kEnd;
    line.assign(text, static_cast<std::size_t>(count));
    return Outcome::kLine;
  }
  void Remember(const std::string& statement) {
    HistEvent event;
    history(history_, &event, H_ENTER, statement.c_str());
  }

 private:
  std::string history_file_;
  EditLine* editor_;
  History* history_;
  EditorState state_;
};

}  // namespace

Status Shell::RunTerminal(const std::string& history_file) {
  // The editor reads characters as the user's locale encodes them.
  std::setlocale(LC_CTYPE, "");
  const InterruptWatch watch(session_);
  Editor editor(history_file);
  syntax::StatementSplitter splitter;
  std::string line;
  while (!quit_) {
    const Editor::Outcome outcome = editor.Read(splitter.IsInsideStatement(), line);
    if (outcome == Editor::Outcome::kEnd) {
      fmt::print("\n");
      break;
    }
    if (outcome == Editor::Outcome::kDropped) {
      fmt::print("\n");
      static_cast<void>(splitter.Finish());
      continue;
    }
    for (const syntax::StatementText& statement : splitter.Feed(line)) {
      editor.Remember(statement.text + ";");
      if (Status done = Execute(statement.text); !done) PrintError(done.error());
      fmt::print("\n");
      std::fflush(stdout);
      if (quit_) break;
    }
  }
  return Ok();
}

}  // namespace braid
