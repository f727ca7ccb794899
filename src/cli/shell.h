#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/result_printer.h"
#include "sql/session.h"
#include "syntax/splitter.h"

namespace braid {

/// Runs statements in a session and prints what they give. One thread at a time.
class Shell {
 public:
  /// Both outlive the shell. `keep_going`: a failed statement is reported and the next one runs.
  Shell(Session& session, ResultPrinter& printer, bool keep_going)
      : session_(session), printer_(printer), keep_going_(keep_going) {}

  /// Runs a text of statements. `origin` is what errors call it: "init.sql". Errors: that of the statement that stopped
  /// it.
  Status RunScript(std::string_view text, std::string_view origin);
  /// Runs the statements of standard input as they arrive.
  Status RunPipe();
  /// Reads statements from the terminal until QUIT or the end of input. `history_file` may be empty. A failed statement
  /// is shown and never ends the conversation.
  Status RunTerminal(const std::string& history_file);

  /// After QUIT nothing more is run.
  bool quit() const { return quit_; }
  /// Once all statements have run: an error if some have failed (with `keep_going`), with the code of the first, or if a
  /// statement set has no end.
  Status Summary() const;

 private:
  /// Runs one statement. Errors: what stops the script.
  Status Run(const syntax::StatementText& statement, std::string_view origin);
  Status Execute(const std::string& text);
  Status Report(Error error);

  Session& session_;
  ResultPrinter& printer_;
  bool keep_going_;
  bool quit_ = false;
  int statement_count_ = 0;
  int failure_count_ = 0;
  std::optional<ErrorCode> first_failure_;
};

}  // namespace braid
