#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <duckdb/function/scalar_function.hpp>

#include "duck/errors_internal.h"
#include "duck/java_regex.h"
#include "duck/rows_internal.h"
#include "duck/text_list_internal.h"
#include "duck/utf8_internal.h"

namespace braid {
namespace {

using duckdb::LogicalType;
using Text = std::string_view;

/// Compiles a pattern again only when it changes from one row to the next.
class PatternCache {
 public:
  /// Null for a pattern that Java refuses; an error for one that only Braid does.
  const JavaRegex* Get(Text pattern) {
    if (!compiled_ || pattern != pattern_) {
      pattern_ = pattern;
      compiled_ = JavaRegex::Compile(pattern);
    }
    if (*compiled_) return &compiled_->value();
    if (compiled_->error().code() != ErrorCode::kInvalidArgument) ThrowError(compiled_->error());
    return nullptr;
  }

 private:
  std::string pattern_;
  std::optional<Result<JavaRegex>> compiled_;
};

/// A function whose body gets the cache first.
template <typename Result, typename... Arguments, typename Body>
duckdb::scalar_function_t WithPatterns(Body body) {
  return [body](duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
    PatternCache cache;
    ForRows<Result, Arguments...>(
        arguments, result, [&](auto&&... values) { return body(cache, std::forward<decltype(values)>(values)...); });
  };
}

bool ReplaceAll(PatternCache& cache, Text text, Text pattern, Text replacement, std::string& out) {
  const JavaRegex* regex = cache.Get(pattern);
  if (regex == nullptr) return false;
  std::size_t at = 0;
  // The replacement is literal: Flink quotes it.
  for (const JavaRegex::Match& match : ValueOrThrow(regex->FindAll(text))) {
    out += text.substr(at, match.begin[0] - at);
    out += replacement;
    at = match.end[0];
  }
  out += text.substr(at);
  return true;
}

bool Extract(PatternCache& cache, Text text, Text pattern, std::int32_t group, std::string& out) {
  const JavaRegex* regex = cache.Get(pattern);
  if (regex == nullptr || group < 0 || static_cast<std::size_t>(group) > regex->group_count()) return false;
  const std::optional<JavaRegex::Match> match = ValueOrThrow(regex->Find(text));
  if (!match || !match->took_part(static_cast<std::size_t>(group))) return false;
  out = match->group(text, static_cast<std::size_t>(group));
  return true;
}

bool Instr(PatternCache& cache, Text text, Text pattern, std::int32_t& out) {
  const JavaRegex* regex = cache.Get(pattern);
  if (regex == nullptr) return false;
  const std::optional<JavaRegex::Match> match = ValueOrThrow(regex->Find(text));
  out = match ? static_cast<std::int32_t>(CountCodePoints(text.substr(0, match->begin[0]))) + 1 : 0;
  return true;
}

bool Count(PatternCache& cache, Text text, Text pattern, std::int32_t& out) {
  const JavaRegex* regex = cache.Get(pattern);
  if (regex == nullptr) return false;
  out = static_cast<std::int32_t>(ValueOrThrow(regex->FindAll(text)).size());
  return true;
}

bool ExtractAll(PatternCache& cache, Text text, Text pattern, std::int32_t group, TextList& out) {
  const JavaRegex* regex = cache.Get(pattern);
  if (regex == nullptr || group < 0 || static_cast<std::size_t>(group) > regex->group_count()) return false;
  for (const JavaRegex::Match& match : ValueOrThrow(regex->FindAll(text))) {
    const auto index = static_cast<std::size_t>(group);
    if (match.took_part(index)) {
      out.Add(match.group(text, index));
    } else {
      out.AddNull();
    }
  }
  return true;
}

/// The pattern of SIMILAR TO as Java's: % and _ are wildcards outside brackets, everything else keeps Java's meaning.
std::string SimilarToRegex(Text pattern, Text escape) {
  std::string regex = "(?s:";
  bool in_class = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (!escape.empty() && c == escape.front() && at + 1 < pattern.size()) {
      regex += '\\';
      regex += pattern[++at];
    } else if (c == '[' || c == ']') {
      in_class = c == '[';
      regex += c;
    } else if (c == '%' && !in_class) {
      regex += ".*";
    } else if (c == '_' && !in_class) {
      regex += '.';
    } else {
      regex += c;
    }
  }
  return regex + ")";
}

void Similar(PatternCache& cache, Text text, Text pattern, Text escape, bool& out) {
  const std::string java = SimilarToRegex(pattern, escape);
  const JavaRegex* regex = cache.Get(java);
  if (regex == nullptr) {
    ThrowError(Error(ErrorCode::kInvalidArgument, "'" + std::string(pattern) + "' is no pattern of SIMILAR TO"));
  }
  out = ValueOrThrow(regex->Matches(text));
}

}  // namespace

void RegisterRegexFunctions(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  const LogicalType integer = LogicalType::INTEGER;
  registrar.Add("flink_regexp", {text, text}, LogicalType::BOOLEAN,
                WithPatterns<bool, Text, Text>([](PatternCache& cache, Text value, Text pattern, bool& out) {
                  const JavaRegex* regex = pattern.empty() ? nullptr : cache.Get(pattern);
                  out = regex != nullptr && ValueOrThrow(regex->Find(value)).has_value();
                }));
  registrar.Add("flink_regexp_replace", {text, text, text}, text,
                WithPatterns<std::string, Text, Text, Text>(ReplaceAll));
  registrar.Add("flink_regexp_extract", {text, text, integer}, text,
                WithPatterns<std::string, Text, Text, std::int32_t>(Extract));
  registrar.Add("flink_regexp_extract_all", {text, text, integer}, LogicalType::LIST(text),
                WithPatterns<TextList, Text, Text, std::int32_t>(ExtractAll));
  registrar.Add("flink_regexp_count", {text, text}, integer, WithPatterns<std::int32_t, Text, Text>(Count));
  registrar.Add("flink_regexp_instr", {text, text}, integer, WithPatterns<std::int32_t, Text, Text>(Instr));
  registrar.Add("flink_similar", {text, text, text}, LogicalType::BOOLEAN,
                WithPatterns<bool, Text, Text, Text>(Similar));
}

}  // namespace braid
