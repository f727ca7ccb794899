#include "mergetree/data_file_options.h"

#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "base/uuid.h"
#include "meta/column_stats.h"

namespace braid {
namespace {

/// The value for a level in "0:avro,3:parquet".
Result<std::optional<std::string>> FindForLevel(const Options& options, std::string_view key, int level) {
  const std::optional<std::string> text = options.Find(key);
  if (!text) return std::optional<std::string>();
  std::optional<std::string> found;
  for (const std::string& part : Split(*text, ',')) {
    const std::size_t colon = part.find(':');
    const std::optional<std::int64_t> number =
        colon == std::string::npos ? std::nullopt : ParseInt64(Trim(std::string_view(part).substr(0, colon)));
    if (!number) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("option {} is '{}', not like 0:avro,3:parquet", key, *text));
    }
    if (*number == level) found = std::string(Trim(std::string_view(part).substr(colon + 1)));
  }
  return found;
}

/// The extension of files compressed that way, if it belongs into names.
std::string CompressionExtension(const std::string& compression) {
  const std::string name = ToLower(compression);
  if (name == "none" || name == "uncompressed") return {};
  return name == "gzip" ? "gz" : name;
}

struct FileSettings {
  std::string format;
  std::string compression;
  std::string statistics;
};

Result<FileSettings> SettingsForLevel(const Options& options, int level) {
  BRAID_TRY_ASSIGN(const auto format, FindForLevel(options, "file.format.per.level", level));
  BRAID_TRY_ASSIGN(const auto compression, FindForLevel(options, "file.compression.per.level", level));
  BRAID_TRY_ASSIGN(const auto statistics, FindForLevel(options, "metadata.stats-mode.per.level", level));
  return FileSettings{format.value_or(options.Get("file.format", "parquet")),
                      compression.value_or(options.Get("file.compression", "zstd")),
                      statistics.value_or(options.Get("metadata.stats-mode", "truncate(16)"))};
}

Result<DataFileOptions> Make(const Options& options, const FileSettings& settings, std::string prefix) {
  DataFileOptions result;
  BRAID_TRY_ASSIGN(result.format, FindFileFormat(settings.format));
  result.compression = settings.compression;
  BRAID_TRY_ASSIGN([[maybe_unused]] const StatsMode readable,
                   ParseStatsMode(settings.statistics).Context("in option metadata.stats-mode"));
  result.stats_mode = settings.statistics;
  result.prefix = std::move(prefix);
  BRAID_TRY_ASSIGN(const bool include, options.GetBool("file.suffix.include.compression", false));
  const std::string compressed = CompressionExtension(result.compression);
  result.extension = result.format->identifier();
  if (include && !compressed.empty()) result.extension = fmt::format("{}.{}", compressed, result.extension);
  result.format_options = options;
  result.format_options.Set("file.format", std::string(result.format->identifier()));
  result.format_options.Set("file.compression", result.compression);
  return result;
}

std::int64_t UtcOffsetMs(std::int64_t utc_ms) {
  const std::time_t seconds = utc_ms / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  return std::int64_t{local.tm_gmtoff} * 1000;
}

}  // namespace

Result<DataFileOptions> DataFileOptions::ForLevel(const Options& options, int level) {
  BRAID_TRY_ASSIGN(const FileSettings settings, SettingsForLevel(options, level));
  return Make(options, settings, options.Get("data-file.prefix", "data-"));
}

Result<DataFileOptions> DataFileOptions::ForChangelog(const Options& options) {
  BRAID_TRY_ASSIGN(const FileSettings settings, SettingsForLevel(options, 0));
  return Make(options,
              {options.Get("changelog-file.format", settings.format),
               options.Get("changelog-file.compression", settings.compression),
               options.Get("changelog-file.stats-mode", settings.statistics)},
              options.Get("changelog-file.prefix", "changelog-"));
}

DataFileNamer::DataFileNamer() : uuid_(RandomUuid()) {}

std::string DataFileNamer::Next(const DataFileOptions& options) {
  return fmt::format("{}{}-{}.{}", options.prefix, uuid_, next_++, options.extension);
}

std::int64_t LocalTimeMs(const Clock& clock) {
  const std::int64_t now = clock.NowMs();
  return now + UtcOffsetMs(now);
}

std::int64_t UtcOfLocalTimeMs(std::int64_t local_ms) {
  return local_ms - UtcOffsetMs(local_ms);
}

}  // namespace braid
