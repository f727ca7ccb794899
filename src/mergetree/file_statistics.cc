#include "mergetree/file_statistics.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {
namespace {

constexpr char32_t kMaxCodePoint = 0x10ffff;

std::size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/// Where each code point begins, and the end of the text.
std::vector<std::size_t> CodePointStarts(std::string_view text) {
  std::vector<std::size_t> starts;
  std::size_t at = 0;
  while (at < text.size()) {
    starts.push_back(at);
    at += SequenceLength(static_cast<unsigned char>(text[at]));
  }
  starts.push_back(text.size());
  return starts;
}

char32_t DecodeCodePoint(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return lead;
  char32_t point = lead & (0xff >> (bytes.size() + 1));
  for (const char c : bytes.substr(1)) point = (point << 6) | (static_cast<unsigned char>(c) & 0x3f);
  return point;
}

void AppendCodePoint(char32_t point, std::string& text) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0 | (point >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | (point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string TextPrefix(const std::string& text, std::size_t length) {
  const std::vector<std::size_t> starts = CodePointStarts(text);
  return starts.size() - 1 <= length ? text : text.substr(0, starts[length]);
}

/// The least text of at most that many code points, made by increasing one, that is not below `text`.
std::optional<std::string> TextAbove(const std::string& text, std::size_t length) {
  const std::vector<std::size_t> starts = CodePointStarts(text);
  if (starts.size() - 1 <= length) return text;
  for (std::size_t i = length; i-- > 0;) {
    const std::string_view bytes = std::string_view(text).substr(starts[i], starts[i + 1] - starts[i]);
    const char32_t next = DecodeCodePoint(bytes) + 1;
    // Java steps over nothing: a surrogate, which no UTF-8 text holds, counts as one that cannot be increased.
    if (next > kMaxCodePoint || (next >= 0xd800 && next <= 0xdfff)) continue;
    std::string above = text.substr(0, starts[i]);
    AppendCodePoint(next, above);
    return above;
  }
  return std::nullopt;
}

std::optional<std::string> BytesAbove(const std::string& bytes, std::size_t length) {
  if (bytes.size() <= length) return bytes;
  for (std::size_t i = length; i-- > 0;) {
    if (static_cast<unsigned char>(bytes[i]) == 0xff) continue;
    std::string above = bytes.substr(0, i + 1);
    above[i] = static_cast<char>(above[i] + 1);
    return above;
  }
  return std::nullopt;
}

/// One column's part of the statistics; all absent: nothing is known.
struct ColumnEntry {
  Datum min;
  Datum max;
  std::optional<std::int64_t> null_count;
};

bool HasBounds(const DataType& type) {
  return !type.is_nested() && type.kind() != TypeKind::kVariant && type.kind() != TypeKind::kBlob;
}

ColumnEntry MakeEntry(const DataType& type, const ColumnStatistics& column, StatisticsMode mode, bool nested_counts) {
  if (mode.kind == StatisticsMode::Kind::kNone || (!HasBounds(type) && !nested_counts)) return {};
  ColumnEntry entry{{}, {}, column.null_count};
  if (mode.kind == StatisticsMode::Kind::kCounts || !HasBounds(type)) return entry;
  entry.min = column.min;
  entry.max = column.max;
  if (mode.kind == StatisticsMode::Kind::kTruncate) TruncateBounds(entry.min, entry.max, type, mode.length);
  return entry;
}

}  // namespace

Result<StatisticsMode> StatisticsMode::Parse(std::string_view text) {
  const std::string lower = ToLower(Trim(text));
  if (lower == "none") return StatisticsMode{Kind::kNone, 0};
  if (lower == "counts") return StatisticsMode{Kind::kCounts, 0};
  if (lower == "full") return StatisticsMode{Kind::kFull, 0};
  constexpr std::string_view kTruncatePrefix = "truncate(";
  if (lower.starts_with(kTruncatePrefix) && lower.ends_with(")")) {
    const std::string_view digits = std::string_view(lower).substr(kTruncatePrefix.size());
    const std::optional<std::int64_t> length = ParseInt64(digits.substr(0, digits.size() - 1));
    if (length && *length > 0 && *length <= INT32_MAX) {
      return StatisticsMode{Kind::kTruncate, static_cast<int>(*length)};
    }
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no mode of statistics", text))
      .Hint("use none, counts, truncate(n) or full");
}

Result<std::vector<StatisticsMode>> ColumnStatisticsModes(std::span<const DataField> fields, const Options& options,
                                                          StatisticsMode fallback) {
  BRAID_TRY_ASSIGN(const std::int64_t keep_first, options.GetInt("metadata.stats-keep-first-n-columns", -1));
  std::vector<StatisticsMode> modes;
  for (const DataField& field : fields) {
    const std::string key = fmt::format("fields.{}.stats-mode", field.name);
    StatisticsMode mode = fallback;
    if (const std::optional<std::string> text = options.Find(key)) {
      BRAID_TRY_ASSIGN(mode, StatisticsMode::Parse(*text).Context(fmt::format("in option {}", key)));
    } else if (keep_first >= 0 && static_cast<std::int64_t>(modes.size()) >= keep_first) {
      mode = {StatisticsMode::Kind::kNone, 0};
    }
    modes.push_back(mode);
  }
  return modes;
}

void TruncateBounds(Datum& min, Datum& max, const DataType& type, int length) {
  if (!type.is_text() && !type.is_bytes()) return;
  if (min.is_null() || max.is_null()) return;
  const auto count = static_cast<std::size_t>(length);
  std::optional<std::string> above =
      type.is_text() ? TextAbove(max.as_string(), count) : BytesAbove(max.as_string(), count);
  if (!above) {
    min = Datum();
    max = Datum();
    return;
  }
  min = type.is_text() ? TextPrefix(min.as_string(), count) : min.as_string().substr(0, count);
  max = *std::move(above);
}

FileStatistics MakeFileStatistics(std::span<const DataField> fields, std::span<const ColumnStatistics> columns,
                                  std::span<const StatisticsMode> modes, bool dense, bool nested_counts) {
  FileStatistics result;
  std::vector<DataType> types;
  DatumList min;
  DatumList max;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ColumnEntry entry = MakeEntry(fields[i].type, columns[i], modes[i], nested_counts);
    if (dense && entry.min.is_null() && entry.max.is_null() && !entry.null_count) continue;
    types.push_back(fields[i].type.Nullable());
    min.push_back(std::move(entry.min));
    max.push_back(std::move(entry.max));
    result.stats.null_counts.push_back(entry.null_count);
    names.push_back(fields[i].name);
  }
  if (names.size() < fields.size()) result.columns = std::move(names);
  result.stats.min_values = BinaryRow::Make(types, min);
  result.stats.max_values = BinaryRow::Make(types, max);
  return result;
}

}  // namespace braid
