#pragma once

#include <cstdint>
#include <optional>

#include "base/options.h"
#include "base/result.h"
#include "mergetree/key_value.h"
#include "types/batch.h"

namespace braid {

/// Rows that compactions drop because of their age (`record-level.expire-time`, spec data.md §3.10). Reads keep them.
/// Immutable; any thread.
class RecordExpiry {
 public:
  /// nullopt if the options set no expiry. Errors: kInvalidArgument for a time field that is missing or no time.
  static Result<std::optional<RecordExpiry>> Make(const Options& options, const KeyValueSchema& schema);

  /// The column that tells a row's age (`record-level.time-field`).
  const DataField& time_field() const { return time_field_; }
  /// Whether a row of this time is over at `now_ms`, milliseconds since 1970. Rows without time never are.
  bool IsOver(const Datum& time, std::int64_t now_ms) const;
  /// The rows of a key-value batch that are not over.
  Result<Batch> Fresh(const Batch& batch, std::int64_t now_ms) const;

 private:
  RecordExpiry(DataField time_field, int column, std::int64_t lifetime_seconds)
      : time_field_(std::move(time_field)), column_(column), lifetime_seconds_(lifetime_seconds) {}

  DataField time_field_;
  int column_;  // of a key-value batch
  std::int64_t lifetime_seconds_;
};

}  // namespace braid
