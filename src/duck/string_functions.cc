#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <duckdb/function/scalar_function.hpp>

#include "duck/rows_internal.h"
#include "duck/utf8_internal.h"

namespace braid {
namespace {

using duckdb::LogicalType;
using Text = std::string_view;

constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();

/// SUBSTRING: counts code points from 1, 0 counts as 1, negative from the end; NULL for a negative length.
bool Substring(Text text, std::int32_t start, std::int32_t length, std::string& out) {
  if (length < 0) return false;
  std::int64_t first = start > 0 ? start - 1 : 0;
  if (start < 0) {
    first = CountCodePoints(text) + start;
    if (first < 0) return true;  // begins before the text: empty
  }
  const std::size_t begin = OffsetOfCodePoint(text, first);
  const Text rest = text.substr(begin);
  out = rest.substr(0, length == kNoLimit ? rest.size() : OffsetOfCodePoint(rest, length));
  return true;
}

void Left(Text text, std::int32_t length, std::string& out) {
  if (length > 0) out = text.substr(0, OffsetOfCodePoint(text, length));
}

void Right(Text text, std::int32_t length, std::string& out) {
  if (length <= 0) return;
  out = text.substr(OffsetOfCodePoint(text, std::max<std::int64_t>(0, CountCodePoints(text) - length)));
}

/// LPAD and RPAD: NULL for a negative length, and for an empty pad where one is needed.
bool Pad(Text text, std::int32_t length, Text pad, bool left, std::string& out) {
  if (length < 0) return false;
  const std::int64_t missing = length - CountCodePoints(text);
  if (missing <= 0) {
    out = text.substr(0, OffsetOfCodePoint(text, length));
    return true;
  }
  if (pad.empty()) return false;
  if (!left) out = text;
  const std::int64_t pad_length = CountCodePoints(pad);
  for (std::int64_t i = 0; i < missing / pad_length; ++i) out += pad;
  out += pad.substr(0, OffsetOfCodePoint(pad, missing % pad_length));
  if (left) out += text;
  return true;
}

bool IsAsciiAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// INITCAP: ASCII letters only; whatever is no ASCII letter or digit ends a word.
void InitCap(Text text, std::string& out) {
  bool in_word = false;
  for (const char c : text) {
    const bool alphanumeric = IsAsciiAlphanumeric(c);
    if (!in_word && c >= 'a' && c <= 'z') {
      out += static_cast<char>(c - 'a' + 'A');
    } else if (in_word && c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
    in_word = alphanumeric;
  }
}

bool HoldsCodePoint(Text set, Text code_point) {
  return set.find(code_point) != Text::npos;
}

void Trim(Text text, Text set, bool leading, bool trailing, std::string& out) {
  while (leading && !text.empty() && HoldsCodePoint(set, text.substr(0, CodePointSize(text.front())))) {
    text.remove_prefix(CodePointSize(text.front()));
  }
  while (trailing && !text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && IsContinuation(text[last])) --last;
    if (!HoldsCodePoint(set, text.substr(last))) break;
    text.remove_suffix(text.size() - last);
  }
  out = text;
}

/// As Java's String.replace: an empty search text matches around every character.
void Replace(Text text, Text search, Text replacement, std::string& out) {
  if (search.empty()) {
    out += replacement;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = CodePointSize(text[at]);
      out += text.substr(at, size);
      out += replacement;
      at += size;
    }
    return;
  }
  std::size_t at = 0;
  for (std::size_t found = text.find(search); found != Text::npos; found = text.find(search, at)) {
    out += text.substr(at, found - at);
    out += replacement;
    at = found + search.size();
  }
  out += text.substr(at);
}

/// Position of the n-th occurrence at or after a code point position, from 1 on; 0 if there is none.
std::int32_t Locate(Text search, Text text, std::int32_t start, std::int32_t occurrence) {
  std::size_t at = OffsetOfCodePoint(text, std::max(0, start - 1));
  if (search.empty()) return start <= 1 ? 1 : start;
  for (std::int32_t i = 1;; ++i) {
    at = text.find(search, at);
    if (at == Text::npos) return 0;
    if (i >= occurrence) return static_cast<std::int32_t>(CountCodePoints(text.substr(0, at))) + 1;
    at += CodePointSize(text[at]);
  }
}

/// OVERLAY: the text itself if the start lies outside it.
void Overlay(Text text, Text inserted, std::int32_t start, std::int32_t length, std::string& out) {
  const std::int64_t size = CountCodePoints(text);
  if (start <= 0 || start > size) {
    out = text;
    return;
  }
  const std::size_t begin = OffsetOfCodePoint(text, start - 1);
  out = text.substr(0, begin);
  out += inserted;
  const std::int64_t end = std::int64_t{start} - 1 + length;
  // A negative length cuts everything after the new text.
  if (length >= 0 && end < size) out += text.substr(OffsetOfCodePoint(text, end));
}

void Repeat(Text text, std::int32_t count, std::string& out) {
  for (std::int32_t i = 0; i < count; ++i) out += text;
}

void Reverse(Text text, std::string& out) {
  for (std::size_t end = text.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && IsContinuation(text[begin])) --begin;
    out += text.substr(begin, end - begin);
    end = begin;
  }
}

void Chr(std::int64_t code, std::string& out) {
  if (code >= 0) AppendCodePoint(static_cast<std::uint32_t>(code & 0xFF), out);
}

/// The part at an index from 0 on. Without separator the text is one part.
bool SplitIndex(Text text, Text separator, std::int32_t index, std::string& out) {
  if (index < 0 || text.empty()) return false;
  if (separator.empty()) {
    out = text;
    return index == 0;
  }
  std::size_t at = 0;
  for (; index > 0; --index) {
    const std::size_t found = text.find(separator, at);
    if (found == Text::npos) return false;
    at = found + separator.size();
  }
  out = text.substr(at, text.find(separator, at) - at);
  return true;
}

/// TRANSLATE: characters of `from` become those of `to` at the same place, or vanish if `to` is shorter.
void Translate(Text text, Text from, Text to, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const Text c = text.substr(at, CodePointSize(text[at]));
    at += c.size();
    const std::size_t found = from.find(c);
    if (found == Text::npos) {
      out += c;
      continue;
    }
    const Text rest = to.substr(OffsetOfCodePoint(to, CountCodePoints(from.substr(0, found))));
    if (!rest.empty()) out += rest.substr(0, CodePointSize(rest.front()));
  }
}

enum class CharacterClass { kAlpha, kDigit };

/// Whether the text is not empty and all of the class (ASCII, and every other letter counts as alphabetic).
bool IsAll(Text text, CharacterClass wanted) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [wanted](char c) {
    const bool digit = c >= '0' && c <= '9';
    return wanted == CharacterClass::kDigit
               ? digit
               : (IsAsciiAlphanumeric(c) && !digit) || static_cast<unsigned char>(c) >= 0x80;
  });
}

bool IsDecimalText(Text text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  std::size_t digits = 0;
  std::size_t points = 0;
  for (const char c : text) {
    if (c == '.') {
      ++points;
    } else if (c >= '0' && c <= '9') {
      ++digits;
    } else {
      return false;
    }
  }
  return digits > 0 && points <= 1;
}

/// Java's String.hashCode, over UTF-16 units.
std::int32_t HashCode(Text text) {
  std::uint32_t hash = 0;
  for (std::size_t at = 0; at < text.size(); at += CodePointSize(text[at])) {
    const std::uint32_t c = CodePointAt(text, at);
    if (c >= 0x10000) {
      hash = hash * 31 + (0xD800U + ((c - 0x10000) >> 10));
      hash = hash * 31 + (0xDC00U + ((c - 0x10000) & 0x3FFU));
    } else {
      hash = hash * 31 + c;
    }
  }
  return static_cast<std::int32_t>(hash);
}

/// CONCAT_WS: NULL texts are left out, a NULL separator gives NULL.
void ConcatWs(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  const duckdb::idx_t rows = arguments.AllConstant() ? 1 : arguments.size();
  std::vector<duckdb::UnifiedVectorFormat> formats(arguments.ColumnCount());
  for (std::size_t i = 0; i < formats.size(); ++i) arguments.data[i].ToUnifiedFormat(arguments.size(), formats[i]);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  const auto at = [&](std::size_t column, duckdb::idx_t row) -> std::optional<Text> {
    const duckdb::idx_t index = formats[column].sel->get_index(row);
    if (!formats[column].validity.RowIsValid(index)) return std::nullopt;
    return ArgumentOf<Text>::Read(duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(formats[column])[index]);
  };
  std::string joined;
  for (duckdb::idx_t row = 0; row < rows; ++row) {
    const std::optional<Text> separator = at(0, row);
    if (!separator) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    joined.clear();
    bool first = true;
    for (std::size_t column = 1; column < formats.size(); ++column) {
      const std::optional<Text> part = at(column, row);
      if (!part) continue;
      if (!first) joined += *separator;
      joined += *part;
      first = false;
    }
    duckdb::FlatVector::GetData<duckdb::string_t>(result)[row] = duckdb::StringVector::AddString(result, joined);
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

void RegisterParts(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  const LogicalType integer = LogicalType::INTEGER;
  registrar.Add("flink_substring", {text, integer, integer}, text,
                RowFunction<std::string, Text, std::int32_t, std::int32_t>(
                    [](Text value, std::int32_t start, std::int32_t length, std::string& out) {
                      return Substring(value, start, length, out);
                    }));
  registrar.Add("flink_left", {text, integer}, text,
                RowFunction<std::string, Text, std::int32_t>(
                    [](Text value, std::int32_t length, std::string& out) { Left(value, length, out); }));
  registrar.Add("flink_right", {text, integer}, text,
                RowFunction<std::string, Text, std::int32_t>(
                    [](Text value, std::int32_t length, std::string& out) { Right(value, length, out); }));
  for (const bool left : {true, false}) {
    registrar.Add(left ? "flink_lpad" : "flink_rpad", {text, integer, text}, text,
                  RowFunction<std::string, Text, std::int32_t, Text>(
                      [left](Text value, std::int32_t length, Text pad, std::string& out) {
                        return Pad(value, length, pad, left, out);
                      }));
  }
  struct Side {
    const char* name;
    bool leading;
    bool trailing;
  };
  for (const Side& side :
       {Side{"flink_trim", true, true}, Side{"flink_ltrim", true, false}, Side{"flink_rtrim", false, true}}) {
    registrar.Add(side.name, {text, text}, text,
                  RowFunction<std::string, Text, Text>([side](Text value, Text set, std::string& out) {
                    Trim(value, set, side.leading, side.trailing, out);
                  }));
  }
  registrar.Add("flink_split_index", {text, text, integer}, text,
                RowFunction<std::string, Text, Text, std::int32_t>(
                    [](Text value, Text separator, std::int32_t index, std::string& out) {
                      return SplitIndex(value, separator, index, out);
                    }));
}

void RegisterChanges(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  const LogicalType integer = LogicalType::INTEGER;
  registrar.Add("flink_initcap", {text}, text,
                RowFunction<std::string, Text>([](Text value, std::string& out) { InitCap(value, out); }));
  registrar.Add("flink_reverse", {text}, text,
                RowFunction<std::string, Text>([](Text value, std::string& out) { Reverse(value, out); }));
  registrar.Add("flink_repeat", {text, integer}, text,
                RowFunction<std::string, Text, std::int32_t>(
                    [](Text value, std::int32_t count, std::string& out) { Repeat(value, count, out); }));
  registrar.Add("flink_replace", {text, text, text}, text,
                RowFunction<std::string, Text, Text, Text>(
                    [](Text value, Text search, Text by, std::string& out) { Replace(value, search, by, out); }));
  registrar.Add("flink_translate", {text, text, text}, text,
                RowFunction<std::string, Text, Text, Text>(
                    [](Text value, Text from, Text to, std::string& out) { Translate(value, from, to, out); }));
  registrar.Add("flink_overlay", {text, text, integer, integer}, text,
                RowFunction<std::string, Text, Text, std::int32_t, std::int32_t>(
                    [](Text value, Text inserted, std::int32_t start, std::int32_t length, std::string& out) {
                      Overlay(value, inserted, start, length, out);
                    }));
  registrar.Add("flink_chr", {LogicalType::BIGINT}, text,
                RowFunction<std::string, std::int64_t>([](std::int64_t code, std::string& out) { Chr(code, out); }));
  duckdb::ScalarFunction concat("flink_concat_ws", {text}, text, ConcatWs);
  concat.varargs = text;
  concat.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  registrar.Add(std::move(concat));
}

void RegisterQuestions(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  const LogicalType integer = LogicalType::INTEGER;
  registrar.Add("flink_locate", {text, text, integer, integer}, integer,
                RowFunction<std::int32_t, Text, Text, std::int32_t, std::int32_t>(
                    [](Text search, Text value, std::int32_t start, std::int32_t occurrence, std::int32_t& out) {
                      out = Locate(search, value, start, occurrence);
                    }));
  registrar.Add("flink_char_length", {text}, integer,
                RowFunction<std::int32_t, Text>(
                    [](Text value, std::int32_t& out) { out = static_cast<std::int32_t>(CountCodePoints(value)); }));
  registrar.Add("flink_ascii", {text}, integer, RowFunction<std::int32_t, Text>([](Text value, std::int32_t& out) {
                  out = value.empty() ? 0 : static_cast<signed char>(value.front());
                }));
  registrar.Add("flink_hash_code", {text}, integer,
                RowFunction<std::int32_t, Text>([](Text value, std::int32_t& out) { out = HashCode(value); }));
  const auto question = [&](const char* name, bool (*test)(Text)) {
    registrar.Add(name, {text}, LogicalType::BOOLEAN,
                  RowFunction<bool, Text>([test](Text value, bool& out) { out = test(value); }));
  };
  question("flink_is_alpha", [](Text value) { return IsAll(value, CharacterClass::kAlpha); });
  question("flink_is_digit", [](Text value) { return IsAll(value, CharacterClass::kDigit); });
  question("flink_is_decimal", IsDecimalText);
}

}  // namespace

void RegisterStringFunctions(FunctionRegistrar& registrar) {
  RegisterParts(registrar);
  RegisterChanges(registrar);
  RegisterQuestions(registrar);
}

}  // namespace braid
