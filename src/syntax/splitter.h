#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace braid::syntax {

/// The text of one statement, without its `;` and the blanks and comments around it.
struct StatementText {
  std::string text;
  std::size_t line = 1;  ///< of its first character in the whole input, from 1
  friend bool operator==(const StatementText&, const StatementText&) = default;
};

/// Cuts a script into statements at `;`, whatever pieces it arrives in.
///
/// A `;` in a text, a quoted name, a comment, a hint or between EXECUTE STATEMENT SET BEGIN and its END does not cut.
/// BEGIN STATEMENT SET and END are statements of their own, as in Flink's client. Text that is blank or comment alone
/// is no statement. Not for several threads at once.
class StatementSplitter {
 public:
  /// Takes the next piece of input and returns the statements that it completed, in order.
  std::vector<StatementText> Feed(std::string_view piece);

  /// Ends the input and returns what stands after the last `;`, if it is a statement. The splitter is then as new.
  std::optional<StatementText> Finish();

  /// True while a statement has begun and not ended, so that a shell shows its continuation prompt.
  bool IsInsideStatement() const { return !statement_.empty(); }

 private:
  enum class State : std::uint8_t {
    kText,
    kDash,       // one `-`, perhaps of a comment
    kSlash,      // one `/`, perhaps of a comment
    kSlashStar,  // `/*`, perhaps of a hint
    kString,
    kQuotedName,
    kLineComment,
    kBlockComment,
    kBlockCommentStar,  // a `*` in a block comment
  };

  std::optional<StatementText> Take(char c);
  std::optional<StatementText> TakeText(char c);
  void Append(std::string_view text);
  void EndWord();
  std::optional<StatementText> Cut();

  State state_ = State::kText;
  std::string statement_;       // from its first token on
  std::size_t code_end_ = 0;    // length of statement_ up to its last token
  std::size_t line_ = 1;        // of the next character
  std::size_t start_line_ = 1;  // of statement_
  // To know EXECUTE STATEMENT SET BEGIN … END.
  std::string word_;                // the word being read, in capitals
  std::vector<std::string> words_;  // the first words of the statement, while nothing else came between them
  bool words_only_ = true;
  bool in_set_ = false;
  bool after_semicolon_ = false;  // within a statement set: nothing came since the last `;`
};

/// Cuts a whole script.
std::vector<StatementText> SplitStatements(std::string_view script);

}  // namespace braid::syntax
