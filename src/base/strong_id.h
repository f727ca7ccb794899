#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include <fmt/format.h>

namespace braid {

/// A number with a meaning of its own: ids of different tags neither convert nor compare.
template <typename Tag, typename Number>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(Number value) : value_(value) {}

  constexpr Number value() const { return value_; }
  constexpr StrongId next() const { return StrongId(value_ + 1); }
  constexpr StrongId previous() const { return StrongId(value_ - 1); }

  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  Number value_ = 0;
};

/// Number of a committed state of a table on one branch; the first is 1.
using SnapshotId = StrongId<struct SnapshotIdTag, std::int64_t>;
/// Number of a version of a table's columns and options; the first is 0.
using SchemaId = StrongId<struct SchemaIdTag, std::int64_t>;
/// Number of a column or nested field, never reused within a table.
using FieldId = StrongId<struct FieldIdTag, std::int32_t>;
/// Number of a bucket of one partition; 0 for tables without buckets, -2 for postponed rows.
using BucketId = StrongId<struct BucketIdTag, std::int32_t>;

}  // namespace braid

template <typename Tag, typename Number>
struct std::hash<braid::StrongId<Tag, Number>> {
  std::size_t operator()(braid::StrongId<Tag, Number> id) const { return std::hash<Number>()(id.value()); }
};

template <typename Tag, typename Number>
struct fmt::formatter<braid::StrongId<Tag, Number>> : fmt::formatter<Number> {
  template <typename Context>
  auto format(braid::StrongId<Tag, Number> id, Context& context) const {
    return fmt::formatter<Number>::format(id.value(), context);
  }
};
