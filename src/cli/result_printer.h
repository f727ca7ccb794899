#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sql/session.h"

namespace braid {

/// Prints what statements give, in one form. Every result is flushed. One thread at a time.
class ResultPrinter {
 public:
  virtual ~ResultPrinter() = default;
  /// Reads and prints the rows of a result, or that it is done. Errors: those of reading the rows; kIo.
  virtual Status Print(StatementResult& result, const Session& session) = 0;
  /// True if failures are part of the printed form, so that a program sees one answer a statement. Then `PrintFailure`
  /// has been or will be called for each.
  virtual bool prints_failures() const { return false; }
  virtual Status PrintFailure(const Error&) { return Ok(); }
};

/// "tableau" as Flink's client prints; "jsonl": one object a row; "csv": with a header line (RFC 4180), NULL as
/// nothing; "statements": one JSON line a statement. `out` outlives the printer. Errors: kInvalidArgument for another
/// form. `chatty`: tableau also says that a statement without rows is done.
Result<std::unique_ptr<ResultPrinter>> MakeResultPrinter(std::string_view form, std::FILE* out, bool chatty);

std::unique_ptr<ResultPrinter> MakeTableauPrinter(std::FILE* out, bool chatty);

/// Columns of a terminal that a text takes: characters of East Asian scripts take two, combining ones none.
std::size_t DisplayWidth(std::string_view text);
/// The text cut to so many columns, with "..." in the last three if it was longer.
std::string FitDisplayWidth(std::string_view text, std::size_t width);

}  // namespace braid
