#include "syntax/splitter.h"

#include <cctype>
#include <utility>

namespace braid::syntax {
namespace {

// EXPLAIN EXECUTE STATEMENT SET BEGIN.
constexpr std::size_t kSetWords = 5;

bool IsBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

bool IsWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80U;
}

bool OpensStatementSet(const std::vector<std::string>& words) {
  std::size_t first = 0;
  if (first < words.size() && words[first] == "EXPLAIN") ++first;
  if (first < words.size() && words[first] == "EXECUTE") ++first;
  return words.size() == first + 3 && words[first] == "STATEMENT" && words[first + 1] == "SET" &&
         words[first + 2] == "BEGIN";
}

}  // namespace

std::vector<StatementText> StatementSplitter::Feed(std::string_view piece) {
  std::vector<StatementText> complete;
  for (const char c : piece) {
    if (std::optional<StatementText> statement = Take(c)) complete.push_back(*std::move(statement));
    if (c == '\n') ++line_;
  }
  return complete;
}

std::optional<StatementText> StatementSplitter::Finish() {
  if (state_ == State::kDash) Append("-");
  if (state_ == State::kSlash) Append("/");
  // What was begun and not ended belongs to the statement, so that the parser can point at it.
  if (state_ == State::kString || state_ == State::kQuotedName) code_end_ = statement_.size();
  std::optional<StatementText> rest = Cut();
  *this = StatementSplitter();
  return rest;
}

// A comment within a statement stays in its text, so that lines and columns of errors are right.
std::optional<StatementText> StatementSplitter::Take(char c) {
  const State state = state_;
  const bool inside = IsInsideStatement();
  switch (state) {
    case State::kText: return TakeText(c);
    case State::kDash:
      state_ = c == '-' ? State::kLineComment : State::kText;
      if (c != '-') {
        Append("-");
        return TakeText(c);
      }
      if (inside) statement_ += "--";
      return std::nullopt;
    case State::kSlash:
      state_ = c == '*' ? State::kSlashStar : State::kText;
      if (c == '*') return std::nullopt;
      Append("/");
      return TakeText(c);
    case State::kSlashStar:
      if (c == '+') {
        // What a hint holds is cut like any other text: a `;` stands in it only in quotes.
        state_ = State::kText;
        Append("/*+");
        return std::nullopt;
      }
      state_ = c == '*' ? State::kBlockCommentStar : State::kBlockComment;
      if (inside) (statement_ += "/*") += c;
      return std::nullopt;
    case State::kString:
    case State::kQuotedName:
      // A doubled quote ends the text and begins another, which comes to the same.
      if (c == (state == State::kString ? '\'' : '`')) state_ = State::kText;
      Append(std::string_view(&c, 1));
      return std::nullopt;
    case State::kLineComment:
      if (c == '\n') state_ = State::kText;
      break;
    case State::kBlockComment:
    case State::kBlockCommentStar:
      state_ = c == '*' ? State::kBlockCommentStar : State::kBlockComment;
      if (c == '/' && state == State::kBlockCommentStar) state_ = State::kText;
      break;
  }
  if (inside) statement_ += c;
  return std::nullopt;
}

std::optional<StatementText> StatementSplitter::TakeText(char c) {
  if (IsWordPart(c)) {
    word_ += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    Append(std::string_view(&c, 1));
    return std::nullopt;
  }
  EndWord();
  if (IsBlank(c)) {
    if (IsInsideStatement()) statement_ += c;
    return std::nullopt;
  }
  if (c == '-' || c == '/') {
    state_ = c == '-' ? State::kDash : State::kSlash;
    return std::nullopt;
  }
  if (c == ';' && !in_set_) return Cut();
  words_only_ = false;
  after_semicolon_ = c == ';';
  if (c == '\'') state_ = State::kString;
  if (c == '`') state_ = State::kQuotedName;
  Append(std::string_view(&c, 1));
  return std::nullopt;
}

void StatementSplitter::Append(std::string_view text) {
  if (statement_.empty()) start_line_ = line_;
  statement_ += text;
  code_end_ = statement_.size();
}

void StatementSplitter::EndWord() {
  if (word_.empty()) return;
  if (in_set_) {
    // END ends the set only where a statement could begin: CASE … END is elsewhere.
    if (after_semicolon_ && word_ == "END") in_set_ = false;
    after_semicolon_ = false;
  } else if (words_only_ && words_.size() < kSetWords) {
    words_.push_back(word_);
    in_set_ = OpensStatementSet(words_);
    after_semicolon_ = in_set_;
  }
  word_.clear();
}

std::optional<StatementText> StatementSplitter::Cut() {
  std::optional<StatementText> result;
  if (!statement_.empty()) {
    statement_.resize(code_end_);
    result = StatementText{std::move(statement_), start_line_};
  }
  statement_.clear();
  code_end_ = 0;
  word_.clear();
  words_.clear();
  words_only_ = true;
  in_set_ = false;
  after_semicolon_ = false;
  return result;
}

std::vector<StatementText> SplitStatements(std::string_view script) {
  StatementSplitter splitter;
  std::vector<StatementText> statements = splitter.Feed(script);
  if (std::optional<StatementText> rest = splitter.Finish()) statements.push_back(*std::move(rest));
  return statements;
}

}  // namespace braid::syntax
