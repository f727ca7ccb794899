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

/// How much of a column's statistics goes into a file's metadata (spec data.md §2.6).
struct StatisticsMode {
  enum class Kind { kNone, kCounts, kTruncate, kFull };
  Kind kind = Kind::kTruncate;
  int length = 16;  ///< kTruncate: code points of text, bytes of byte strings

  /// "none", "counts", "truncate(n)", "full", in any case. Errors: kInvalidArgument.
  static Result<StatisticsMode> Parse(std::string_view text);
  friend bool operator==(const StatisticsMode&, const StatisticsMode&) = default;
};

/// The modes of table columns by `fields.<column>.stats-mode`, `metadata.stats-keep-first-n-columns`, then `fallback`.
Result<std::vector<StatisticsMode>> ColumnStatisticsModes(std::span<const DataField> fields, const Options& options,
                                                          StatisticsMode fallback);

/// Bounds cut to the mode: the lower one to a prefix, the upper one to a prefix increased by the least step. Both
/// become NULL if no such upper bound exists.
void TruncateBounds(Datum& min, Datum& max, const DataType& type, int length);

struct FileStatistics {
  SimpleStats stats;
  /// The columns that `stats` is about; nullopt: all.
  std::optional<std::vector<std::string>> columns;
};

/// Statistics of columns as a file's metadata holds them. `dense`: only columns about which something is known.
/// `nested_counts`: NULLs of nested columns were counted, which Parquet's footers do not do.
FileStatistics MakeFileStatistics(std::span<const DataField> fields, std::span<const ColumnStatistics> columns,
                                  std::span<const StatisticsMode> modes, bool dense, bool nested_counts);

}  // namespace braid
