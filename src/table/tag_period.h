#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/options.h"
#include "base/result.h"
#include "meta/snapshot.h"

namespace braid {

/// Names and times of the tags that a table makes by itself, one a period (spec metadata.md §10.3). Times are what
/// clocks on the wall show, in milliseconds counted as if they showed UTC. An immutable value.
class TagPeriod {
 public:
  /// Of `tag.creation-period-duration`, else `tag.creation-period` and `tag.period-formatter`.
  /// Errors: kInvalidArgument for values that are not known, and a period of no length.
  static Result<TagPeriod> FromOptions(const Options& options);

  std::int64_t length_ms() const { return length_ms_; }
  /// "2024-05-14", "2024-05-14 09", "202405140930".
  std::string NameAt(std::int64_t local_ms) const;
  /// When the period of a tag begins; nullopt if the name is not of this kind.
  std::optional<std::int64_t> TimeOf(std::string_view name) const;
  /// Beginning of the last period that was over at this time.
  std::int64_t LastComplete(std::int64_t local_ms) const;

 private:
  // The parts of a name behind the date.
  enum class Precision : std::uint8_t { kDay, kHour, kMinute };

  std::int64_t length_ms_ = 0;
  Precision precision_ = Precision::kDay;
  bool dashes_ = true;
  bool space_ = true;  // between date and hour
};

/// Who makes tags (`tag.automatic-creation`), and by which clock.
class TagClock {
 public:
  enum class Kind : std::uint8_t { kNone, kProcessTime, kWatermark, kBatch };

  /// Errors: kInvalidArgument for an unknown mode.
  static Result<TagClock> FromOptions(const Options& options);

  Kind kind() const { return kind_; }
  /// When a snapshot was made, by commit time (also of kBatch) or watermark, on the clocks of the zone that the options
  /// name; nullopt if it has no watermark. Errors: kInvalidArgument for an unknown zone.
  Result<std::optional<std::int64_t>> LocalTimeOf(const Snapshot& snapshot) const;

 private:
  Kind kind_ = Kind::kNone;
  std::string zone_;  // empty: the process's own
};

}  // namespace braid
