#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace braid {

/// A point in time or a local date-time, wide enough for every Paimon timestamp.
struct Timestamp {
  std::int64_t millis = 0;             ///< since 1970-01-01T00:00:00, floored
  std::int32_t nanos_of_milli = 0;     ///< 0 … 999,999
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

__extension__ using Int128 = __int128;

/// A decimal number's digits without the point; precision and scale are the type's.
struct Decimal {
  Int128 unscaled = 0;
  friend auto operator<=>(const Decimal&, const Decimal&) = default;
};

class Datum;
/// Elements of an ARRAY or MULTISET-free VECTOR, fields of a ROW.
using DatumList = std::vector<Datum>;

/// One value of any type, NULL included; what it means is said by a DataType beside it. For single values (literals, keys,
/// partition values, bounds); rows in bulk travel as Arrow arrays (types/batch.h).
///
/// BOOLEAN: bool. TINYINT … BIGINT, DATE (days since 1970-01-01), TIME (milliseconds of the day): int64. FLOAT: float.
/// DOUBLE: double. CHAR, VARCHAR (UTF-8), BINARY, VARBINARY, BLOB: string. DECIMAL: Decimal. TIMESTAMP, TIMESTAMP_LTZ:
/// Timestamp. ARRAY, VECTOR, ROW: DatumList. MAP, MULTISET: DatumList of two-element DatumLists. VARIANT: DatumList of
/// two strings, value and metadata.
class Datum : public std::variant<std::monostate, bool, std::int64_t, float, double, std::string, Decimal, Timestamp, DatumList> {
 public:
  using Base = std::variant<std::monostate, bool, std::int64_t, float, double, std::string, Decimal, Timestamp, DatumList>;
  using Base::Base;
  Datum() = default;
  Datum(int value) : Base(std::int64_t{value}) {}       // NOLINT(google-explicit-constructor)
  Datum(const char* value) : Base(std::string(value)) {}  // NOLINT(google-explicit-constructor)

  bool is_null() const { return index() == 0; }
  bool as_bool() const { return std::get<bool>(*this); }
  std::int64_t as_int() const { return std::get<std::int64_t>(*this); }
  float as_float() const { return std::get<float>(*this); }
  double as_double() const { return std::get<double>(*this); }
  const std::string& as_string() const { return std::get<std::string>(*this); }
  Decimal as_decimal() const { return std::get<Decimal>(*this); }
  Timestamp as_timestamp() const { return std::get<Timestamp>(*this); }
  const DatumList& as_list() const { return std::get<DatumList>(*this); }
};

/// Order of two values of one type, neither NULL nor nested: numbers by value with -0.0 < 0.0 and NaN last (Java's
/// Double.compare), text and bytes by unsigned bytes, booleans false first.
std::strong_ordering CompareDatums(const Datum& a, const Datum& b);

}  // namespace braid
