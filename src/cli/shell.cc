#include "cli/shell.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.h"

namespace braid {

Status Shell::Execute(const std::string& text) {
  BRAID_TRY_ASSIGN(StatementResult result, session_.Execute(text));
  if (result.kind == StatementResult::Kind::kQuit) quit_ = true;
  BRAID_TRY(printer_.Print(result, session_));
  for (const std::string& notice : result.notices) fmt::print(stderr, "note: {}\n", notice);
  return Ok();
}

Status Shell::Report(Error error) {
  ++failure_count_;
  if (!first_failure_) first_failure_ = error.code();
  if (printer_.prints_failures()) BRAID_TRY(printer_.PrintFailure(error));
  if (!keep_going_) return error;
  if (!printer_.prints_failures()) PrintError(error);
  return Ok();
}

Status Shell::Run(const syntax::StatementText& statement, std::string_view origin) {
  ++statement_count_;
  Status done = Execute(statement.text);
  if (done) return done;
  Error error = std::move(done).error();
  if (!origin.empty())
    error = std::move(error).Context(fmt::format("in the statement at line {} of {}", statement.line, origin));
  return Report(std::move(error));
}

Status Shell::RunScript(std::string_view text, std::string_view origin) {
  for (const syntax::StatementText& statement : syntax::SplitStatements(text)) {
    if (quit_) return Ok();
    BRAID_TRY(Run(statement, origin));
  }
  return Ok();
}

Status Shell::RunPipe() {
  syntax::StatementSplitter splitter;
  std::array<char, 65536> buffer;
  while (!quit_) {
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error(ErrorCode::kIo, fmt::format("cannot read standard input: {}", std::strerror(errno)));
    if (count == 0) break;
    for (const syntax::StatementText& statement : splitter.Feed({buffer.data(), static_cast<std::size_t>(count)})) {
      if (quit_) return Ok();
      BRAID_TRY(Run(statement, "standard input"));
    }
  }
  if (const auto last = splitter.Finish(); last && !quit_) BRAID_TRY(Run(*last, "standard input"));
  return Ok();
}

Status Shell::Summary() const {
  if (session_.in_statement_set() && !first_failure_) {
    return Error(ErrorCode::kInvalidArgument, "BEGIN STATEMENT SET has no END, so none of its statements has run")
        .Hint("end the set with END;");
  }
  if (failure_count_ == 0 || !first_failure_) return Ok();
  return Error(*first_failure_, fmt::format("{} of {} statements failed", failure_count_, statement_count_));
}

}  // namespace braid
