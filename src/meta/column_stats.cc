#include "meta/column_stats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "format/statistics.h"

namespace braid {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF;

/// Ids of system columns start here (spec data.md §1.2).
constexpr std::string_view kKeyColumnPrefix = "_KEY_";
constexpr std::array<std::string_view, 5> kSystemColumns = {"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind",
                                                            "_ROW_ID"};

bool IsSystemColumn(std::string_view name) {
  return name.starts_with(kKeyColumnPrefix) || std::ranges::find(kSystemColumns, name) != kSystemColumns.end();
}

/// Bytes of the first `count` code points of UTF-8.
std::size_t PrefixBytes(std::string_view text, std::int32_t count) {
  std::size_t bytes = 0;
  for (std::int32_t i = 0; i < count && bytes < text.size(); ++i) {
    ++bytes;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
  }
  return bytes;
}

char32_t DecodeCodePoint(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  char32_t value = bytes.size() == 1 ? first : first & (0x7FU >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) value = (value << 6) | (static_cast<unsigned char>(bytes[i]) & 0x3FU);
  return value;
}

void AppendCodePoint(std::string& text, char32_t value) {
  const auto add = [&text](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (value < 0x80) return add(value);
  if (value < 0x800) {
    add(0xC0 | (value >> 6));
  } else if (value < 0x10000) {
    add(0xE0 | (value >> 12));
    add(0x80 | ((value >> 6) & 0x3F));
  } else {
    add(0xF0 | (value >> 18));
    add(0x80 | ((value >> 12) & 0x3F));
    add(0x80 | ((value >> 6) & 0x3F));
  }
  add(0x80 | (value & 0x3F));
}

/// The least text of no more code points that is greater than all that start with `prefix`; nullopt if there is none.
std::optional<std::string> NextPrefix(std::string_view prefix) {
  while (!prefix.empty()) {
    std::size_t start = prefix.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(prefix[start]) & 0xC0) == 0x80) --start;
    char32_t next = DecodeCodePoint(prefix.substr(start)) + 1;
    if (next == 0xD800) next = 0xE000;  // surrogates are no text
    prefix = prefix.substr(0, start);
    if (next <= kLastCodePoint) {
      std::string result(prefix);
      AppendCodePoint(result, next);
      return result;
    }
  }
  return std::nullopt;
}

/// An upper bound of all texts that begin so. None of that length: no bounds at all, as Java has it.
void BoundAbove(std::string_view prefix, ColumnStatistics& statistics) {
  if (std::optional<std::string> next = NextPrefix(prefix)) {
    statistics.max = *std::move(next);
  } else {
    statistics.min = Datum();
    statistics.max = Datum();
  }
}

/// Raises the upper bound of texts of which only the beginning was kept.
void RaiseCutBound(ColumnStatistics& statistics) {
  if (statistics.max.is_null()) return;
  const std::string& max = statistics.max.as_string();
  if (max.size() > kLongestTextBound) BoundAbove(max, statistics);
}

/// Cuts bounds of a text column.
void Truncate(ColumnStatistics& statistics, std::int32_t length) {
  if (!statistics.min.is_null()) {
    const std::string& min = statistics.min.as_string();
    statistics.min = min.substr(0, PrefixBytes(min, length));
  }
  if (statistics.max.is_null()) return;
  const std::string& max = statistics.max.as_string();
  const std::size_t bytes = PrefixBytes(max, length);
  if (bytes < max.size()) BoundAbove(std::string_view(max).substr(0, bytes), statistics);
}

ColumnStatistics Reduce(ColumnStatistics statistics, const DataType& type, StatsMode mode) {
  if (type.is_text()) RaiseCutBound(statistics);
  switch (mode.kind) {
    case StatsMode::Kind::kNone: return {};
    case StatsMode::Kind::kCounts: return {.min = {}, .max = {}, .null_count = statistics.null_count};
    case StatsMode::Kind::kTruncate:
      if (type.is_text()) Truncate(statistics, mode.length);
      return statistics;
    case StatsMode::Kind::kFull: break;
  }
  return statistics;
}

bool IsAbsent(const ColumnStatistics& statistics) {
  return statistics.min.is_null() && statistics.max.is_null() && !statistics.null_count.has_value();
}

}  // namespace

Result<StatsMode> ParseStatsMode(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "none") return StatsMode{StatsMode::Kind::kNone};
  if (lower == "counts") return StatsMode{StatsMode::Kind::kCounts};
  if (lower == "full") return StatsMode{StatsMode::Kind::kFull};
  constexpr std::string_view kTruncate = "truncate(";
  if (lower.starts_with(kTruncate) && lower.ends_with(')')) {
    const std::string_view digits =
        std::string_view(lower).substr(kTruncate.size(), lower.size() - kTruncate.size() - 1);
    std::int32_t length = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (error == std::errc() && end == digits.data() + digits.size() && length > 0) {
      return StatsMode{StatsMode::Kind::kTruncate, length};
    }
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no mode of statistics", text))
      .Hint("use none, counts, full or truncate(n) with a positive n");
}

Result<std::vector<StatsMode>> ResolveStatsModes(std::span<const DataField> fields, const Options& options,
                                                 std::string_view table_mode, std::span<const std::string> thin_keys,
                                                 std::string_view format) {
  BRAID_TRY_ASSIGN(const StatsMode other, ParseStatsMode(table_mode).Context("while reading metadata.stats-mode"));
  BRAID_TRY_ASSIGN(const std::int64_t kept, options.GetInt("metadata.stats-keep-first-n-columns", -1));
  std::vector<StatsMode> modes;
  modes.reserve(fields.size());
  std::int64_t seen = 0;
  for (const DataField& field : fields) {
    const std::string key = fmt::format("fields.{}.stats-mode", field.name);
    if (const std::optional<std::string> own = options.Find(key)) {
      BRAID_TRY_ASSIGN(const StatsMode mode, ParseStatsMode(*own).Context(fmt::format("while reading {}", key)));
      modes.push_back(mode);
      ++seen;
    } else if (format != "avro" &&
               (IsSystemColumn(field.name) || std::ranges::find(thin_keys, field.name) != thin_keys.end())) {
      modes.push_back(kKeyStatsMode);
    } else {
      modes.push_back(kept >= 0 && seen >= kept ? StatsMode{} : other);
      ++seen;
    }
  }
  return modes;
}

ManifestStats MakeManifestStats(std::span<const DataField> fields, std::span<const ColumnStatistics> statistics,
                                std::span<const StatsMode> modes, bool dense) {
  BRAID_CHECK(fields.size() == statistics.size() && fields.size() == modes.size());
  std::vector<DataType> types;
  std::vector<std::string> names;
  DatumList min;
  DatumList max;
  ManifestStats result;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ColumnStatistics reduced = Reduce(statistics[i], fields[i].type, modes[i]);
    if (dense && IsAbsent(reduced)) continue;
    types.push_back(fields[i].type.Nullable());
    names.push_back(fields[i].name);
    min.push_back(std::move(reduced.min));
    max.push_back(std::move(reduced.max));
    result.stats.null_counts.push_back(reduced.null_count);
  }
  result.stats.min_values = BinaryRow::Make(types, min);
  result.stats.max_values = BinaryRow::Make(types, max);
  if (names.size() != fields.size()) result.columns = std::move(names);
  return result;
}

}  // namespace braid
