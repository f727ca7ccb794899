#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid::syntax {

/// The text of one statement, without its `;` and the blanks and comments before it.
struct StatementText {
  std::string text;
  std::size_t line = 1;  ///< of its first character in the whole input, from 1
};

/// Cuts a script into statements at `;`, whatever pieces it arrives in.
///
/// A `;` in a string, a quoted identifier, a comment, a hint or between EXECUTE STATEMENT SET BEGIN and its END does not cut. Text that is
/// blank or comment alone is no statement. Not for use by several threads at once.
class StatementSplitter {
 public:
  /// Takes the next piece of input and returns the statements that it completed, in order.
  std::vector<StatementText> Feed(std::string_view piece);

  /// Ends the input and returns what stands after the last `;`, if it is a statement. The splitter is then as new.
  std::optional<StatementText> Finish();

  /// True while a statement has begun and not ended, so that a shell shows its continuation prompt.
  bool IsInsideStatement() const;

 private:
  enum class State : unsigned char { kText, kString, kQuotedIdentifier, kLineComment, kBlockComment };

  void Take(char c, std::vector<StatementText>& complete);
  void TakeText(char c, std::vector<StatementText>& complete);
  void Append(char c);
  void EndWord();
  std::optional<StatementText> Cut();

  State state_ = State::kText;
  char previous_ = '\0';        // within the state, for two-character marks
  std::string statement_;       // since its first token
  std::size_t line_ = 1;        // of the next character
  std::size_t start_line_ = 1;  // of statement_
  std::string word_;            // the word being read, in capitals
  std::vector<std::string> first_words_;  // up to four, to know EXECUTE STATEMENT SET BEGIN
  bool in_statement_set_ = false;
  bool at_statement_start_in_set_ = false;
};

/// Cuts a whole script.
std::vector<StatementText> SplitStatements(std::string_view script);

}  // namespace braid::syntax
