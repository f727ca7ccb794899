#include "types/datum.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

/// Each value is less than every later one and equal to itself.
void ExpectAscending(const std::vector<Datum>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      EXPECT_EQ(CompareDatums(values[i], values[j]), i <=> j) << i << " and " << j;
    }
  }
}

TEST(DatumTest, OrdersNumbersAsJavaDoes) {
  ExpectAscending({std::numeric_limits<std::int64_t>::min(), -1, 0, 7});
  const double infinity = std::numeric_limits<double>::infinity();
  ExpectAscending({-infinity, -1.5, -0.0, 0.0, 1e300, infinity, std::numeric_limits<double>::quiet_NaN()});
  ExpectAscending({-1.5F, -0.0F, 0.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()});
  ExpectAscending({Decimal{-(Int128{1} << 100)}, Decimal{-1}, Decimal{0}, Decimal{Int128{1} << 100}});
}

TEST(DatumTest, OrdersTextByUnsignedBytes) {
  ExpectAscending({std::string(), std::string("a\0b", 3), std::string("ab"), std::string("\xc3\xa4")});
}

TEST(DatumTest, OrdersBooleansAndTimestamps) {
  ExpectAscending({false, true});
  ExpectAscending({Timestamp{-1, 999'999}, Timestamp{0, 0}, Timestamp{0, 1}, Timestamp{1, 0}});
}

TEST(DatumTest, ComparesNestedValuesForEquality) {
  const Datum list = DatumList{1, "x", Datum()};
  EXPECT_EQ(list, Datum(DatumList{1, "x", Datum()}));
  EXPECT_NE(list, Datum(DatumList{1, "x", 0}));
  EXPECT_TRUE(Datum().is_null());
}

}  // namespace
}  // namespace braid
