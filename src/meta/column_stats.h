#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "format/file_format.h"
#include "meta/manifest.h"
#include "types/data_type.h"

namespace braid {

/// How much of a column's statistics manifests keep (`metadata.stats-mode`, spec metadata.md §4.5).
struct StatsMode {
  enum class Kind : std::uint8_t { kNone, kCounts, kTruncate, kFull };
  Kind kind = Kind::kNone;
  std::int32_t length = 0;  ///< of kTruncate: code points that are kept

  friend bool operator==(const StatsMode&, const StatsMode&) = default;
};

/// Bounds of keys are kept with this, whatever the table says.
inline constexpr StatsMode kKeyStatsMode = {StatsMode::Kind::kTruncate, 128};

/// Reads "none", "counts", "full" or "truncate(n)", in any case. Errors: kInvalidArgument, quoting the text.
Result<StatsMode> ParseStatsMode(std::string_view text);

/// The mode of each column of a file (spec data.md §2.6): `fields.<name>.stats-mode`, else kKeyStatsMode for system
/// columns, else none from `metadata.stats-keep-first-n-columns` on, else `table_mode`, the mode of the file's level or
/// kind. `thin_keys` names the columns that stand for key columns left out of the file (`data-file.thin-mode`).
/// `format` is the file's: with "avro" Java makes no exception for system columns.
Result<std::vector<StatsMode>> ResolveStatsModes(std::span<const DataField> fields, const Options& options,
                                                 std::string_view table_mode,
                                                 std::span<const std::string> thin_keys = {},
                                                 std::string_view format = {});

/// Statistics as a manifest entry keeps them.
struct ManifestStats {
  SimpleStats stats;
  /// Names of the columns that `stats` has; nullopt: all of them (the entry's value_stats_cols).
  std::optional<std::vector<std::string>> columns;
};

/// Puts statistics into manifest form. The three lists go together. With `dense`, columns without any statistics are
/// left out (`metadata.stats-dense-store`, the default; never for keys).
ManifestStats MakeManifestStats(std::span<const DataField> fields, std::span<const ColumnStatistics> statistics,
                                std::span<const StatsMode> modes, bool dense);

}  // namespace braid
