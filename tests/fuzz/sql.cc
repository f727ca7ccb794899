// SQL texts (syntax/), what scripts are cut into, and that a printed tree is read as the same tree.

#include <string>

#include "fuzz/fuzz_target.h"
#include "syntax/parser.h"
#include "syntax/printer.h"
#include "syntax/splitter.h"

using namespace braid;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto statement = syntax::ParseStatement(text);
  if (fuzz::IsRead(statement)) {
    const std::string printed = syntax::ToSql(*statement);
    const auto again = syntax::ParseStatement(printed);
    fuzz::Require(again.has_value(), "a printed statement cannot be read: " + printed);
    fuzz::Require(syntax::ToSql(*again) == printed, "a printed statement is read as another: " + printed);
  }
  // In whatever pieces it comes, a script is cut into the same statements.
  syntax::StatementSplitter whole;
  syntax::StatementSplitter halves;
  const auto first = whole.Feed(text);
  auto second = halves.Feed(text.substr(0, size / 2));
  for (auto& more : halves.Feed(text.substr(size / 2))) second.push_back(std::move(more));
  fuzz::Require(first == second && whole.Finish() == halves.Finish(), "a script in pieces is cut elsewhere");
  return 0;
}
