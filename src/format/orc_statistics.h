#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "types/datum.h"

namespace braid {

// What ORC keeps of the values of a column for each row group, stripe and file, of each kind of column. Readers leave
// out what cannot match by it, Java's with the order of its own types, so bounds are those of that order.

struct OrcIntegerBounds {
  std::int64_t min = INT64_MAX;
  std::int64_t max = INT64_MIN;
  std::optional<std::int64_t> sum = 0;  ///< nullopt once it does not fit
  void Add(std::int64_t value);
};

struct OrcDateBounds {
  std::int64_t min = INT64_MAX;
  std::int64_t max = INT64_MIN;
  void Add(std::int64_t value) {
    min = value < min ? value : min;
    max = value > max ? value : max;
  }
};

/// In the order of Java's Double.compare: -0.0 before 0.0, and NaN last.
struct OrcDoubleBounds {
  std::optional<double> min;
  std::optional<double> max;
  double sum = 0;  ///< NaN tells Java that there are NaNs
  void Add(double value);
};

/// Of long texts no more is kept than the file's bounds, which are shorter, are made of.
struct OrcTextBounds {
  std::optional<std::string> min;
  std::optional<std::string> max;
  std::int64_t byte_count = 0;
  void Add(std::string_view value);
};

struct OrcDecimalBounds {
  explicit OrcDecimalBounds(int digits_behind_point) : scale(digits_behind_point) {}
  int scale;
  std::optional<Int128> min;
  std::optional<Int128> max;
  std::optional<Int128> sum = 0;  ///< nullopt once it takes more than 38 digits
  void Add(Int128 value);
};

struct OrcTimestampBounds {
  std::optional<Timestamp> min;
  std::optional<Timestamp> max;
  void Add(Timestamp value) {
    if (!min || value < *min) min = value;
    if (!max || value > *max) max = value;
  }
};

struct OrcBooleanCount {
  std::int64_t true_count = 0;
};

struct OrcByteCount {
  std::int64_t byte_count = 0;
};

/// Statistics of one column; its kind is that of `bounds`, and monostate for nested columns.
class OrcStatistics {
 public:
  using Bounds = std::variant<std::monostate, OrcIntegerBounds, OrcDateBounds, OrcDoubleBounds, OrcTextBounds,
                              OrcDecimalBounds, OrcTimestampBounds, OrcBooleanCount, OrcByteCount>;
  /// `bounds` of no value.
  explicit OrcStatistics(Bounds bounds) : empty_(bounds), bounds_(std::move(bounds)) {}

  void AddValues(std::int64_t count) { value_count_ += count; }
  void AddNull() { has_null_ = true; }
  template <typename Kind>
  Kind& bounds() {
    return std::get<Kind>(bounds_);
  }
  template <typename Kind>
  const Kind& bounds() const {
    return std::get<Kind>(bounds_);
  }
  /// Adds what the other statistics of the same column say.
  void Merge(const OrcStatistics& other);
  void Reset();
  /// The message ColumnStatistics. `stream_bytes` is what the column takes in the file, where that is known.
  std::string Encode(std::optional<std::int64_t> stream_bytes = std::nullopt) const;

 private:
  Bounds empty_;
  Bounds bounds_;
  std::int64_t value_count_ = 0;
  bool has_null_ = false;
};

}  // namespace braid
