#include <algorithm>
#include <cctype>
#include <string>

#include "base/text.h"
#include "syntax/unquoted_set_internal.h"

namespace braid::syntax {
namespace {

void SkipBlanksAndComments(std::string_view sql, std::size_t& at) {
  while (at < sql.size()) {
    if (std::isspace(static_cast<unsigned char>(sql[at])) != 0) {
      ++at;
    } else if (sql.substr(at).starts_with("--")) {
      at = std::min(sql.find('\n', at), sql.size());
    } else if (sql.substr(at).starts_with("/*")) {
      const std::size_t end = sql.find("*/", at + 2);
      at = end == std::string_view::npos ? sql.size() : end + 2;
    } else {
      return;
    }
  }
}

// Without quotes around the whole of it, if it has them.
std::string Unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') return std::string(text);
  std::string value;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    value += text[i];
    if (text[i] == '\'' && text[i + 1] == '\'' && i + 2 < text.size()) ++i;
  }
  return value;
}

bool IsKey(std::string_view key) {
  for (const char c : key) {
    const bool is_part =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_' || c == '$' || c == '/';
    if (!is_part) return false;
  }
  return !key.empty();
}

}  // namespace

std::optional<Statement> ParseUnquotedSet(std::string_view sql) {
  std::size_t at = 0;
  SkipBlanksAndComments(sql, at);
  const Position position{at};
  std::size_t end = at;
  while (end < sql.size() && std::isalpha(static_cast<unsigned char>(sql[end])) != 0) ++end;
  const std::string_view word = sql.substr(at, end - at);
  const bool is_set = EqualsIgnoreCase(word, "SET");
  if (!is_set && !EqualsIgnoreCase(word, "RESET")) return std::nullopt;
  at = end;
  SkipBlanksAndComments(sql, at);
  std::string_view rest = braid::Trim(sql.substr(at));
  if (rest.ends_with(';')) rest = braid::Trim(rest.substr(0, rest.size() - 1));
  if (rest.find(';') != std::string_view::npos) return std::nullopt;
  const Position key_position{at};
  if (!is_set) {
    if (!IsKey(rest)) return std::nullopt;
    return Statement{position, Reset{std::string(rest)}};
  }
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view key = braid::Trim(rest.substr(0, equals));
  const std::string_view value = braid::Trim(rest.substr(equals + 1));
  const bool quoted_key = key.starts_with('\'');
  if (quoted_key && (value.starts_with('\'') || !key.ends_with('\''))) return std::nullopt;
  if (!quoted_key && !IsKey(key)) return std::nullopt;
  return Statement{position, Set{Property{key_position, Unquoted(key), Unquoted(value)}}};
}

}  // namespace braid::syntax
