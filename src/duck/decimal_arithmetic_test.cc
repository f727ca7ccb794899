#include "duck/decimal_arithmetic.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

constexpr Int128 kTenTo18 = 1'000'000'000'000'000'000;
/// 10^38 - 1.
constexpr Int128 kMax = kTenTo18 * kTenTo18 * 100 - 1;

// Shapes as Flink 2.2.1 gives them (tests/data/flink/expressions.jsonl).
TEST(DecimalArithmeticTest, DerivesShapesAsFlinkDoes) {
  EXPECT_EQ(SumShape({20, 5}, {10, 8}), (DecimalShape{24, 8}));
  EXPECT_EQ(SumShape({38, 0}, {38, 38}), (DecimalShape{38, 6}));
  EXPECT_EQ(ProductShape({10, 0}, {3, 2}), (DecimalShape{14, 2}));
  EXPECT_EQ(ProductShape({38, 37}, {38, 37}), (DecimalShape{38, 35}));
  EXPECT_EQ(QuotientShape({10, 2}, {10, 2}), (DecimalShape{23, 13}));
  EXPECT_EQ(QuotientShape({38, 10}, {38, 10}), (DecimalShape{38, 6}));
  EXPECT_EQ(RemainderShape({20, 5}, {10, 8}), (DecimalShape{10, 8}));
  EXPECT_EQ(CommonShape({10, 2}, {10, 3}), (DecimalShape{11, 3}));
  EXPECT_EQ(RoundedShape({8, 3}, -2), (DecimalShape{6, 0}));
}

TEST(DecimalArithmeticTest, RoundsHalfUpAwayFromZero) {
  EXPECT_EQ(DivideDecimals(1, 0, 8, 0, {10, 2}), Int128{13});  // 0.125
  EXPECT_EQ(DivideDecimals(-1, 0, 8, 0, {10, 2}), Int128{-13});
  EXPECT_EQ(MultiplyDecimals(15, 1, 5, 1, {10, 1}), Int128{8});  // 1.5 * 0.5 = 0.75
  EXPECT_EQ(RoundDecimal(1005, 3, 2, false, {10, 2}), Int128{101});
  EXPECT_EQ(RoundDecimal(-1005, 3, 2, true, {10, 2}), Int128{-100});
  EXPECT_EQ(RoundDecimal(1555, 1, -1, false, {10, 0}), Int128{160});
  EXPECT_EQ(AddDecimals(15, 1, 105, 2, {10, 1}), Int128{26});    // 1.5 + 1.05 = 2.55
  EXPECT_EQ(AddDecimals(15, 1, -265, 2, {10, 1}), Int128{-12});  // -1.15
}

TEST(DecimalArithmeticTest, GivesNothingForWhatDoesNotFit) {
  EXPECT_EQ(AddDecimals(kMax, 0, 1, 0, {38, 0}), std::nullopt);
  EXPECT_EQ(AddDecimals(kMax, 0, -1, 0, {38, 0}), kMax - 1);
  EXPECT_EQ(MultiplyDecimals(kMax, 0, kMax, 0, {38, 0}), std::nullopt);
  EXPECT_EQ(MultiplyDecimals(kMax, 38, kMax, 38, {38, 6}), Int128{1'000'000});
  EXPECT_EQ(DivideDecimals(kMax, 0, 1, 38, {38, 0}), std::nullopt);
  EXPECT_EQ(DivideDecimals(1, 38, kMax, 0, {38, 6}), Int128{0});
  EXPECT_EQ(DivideDecimals(kMax, 0, kMax, 0, {38, 6}), Int128{1'000'000});
}

TEST(DecimalArithmeticTest, TakesRemaindersWithTheSignOfTheDividend) {
  EXPECT_EQ(RemainderOfDecimals(-55, 1, 2, 0, {2, 1}), Int128{-15});
  EXPECT_EQ(RemainderOfDecimals(75, 1, -2, 0, {2, 1}), Int128{15});
}

}  // namespace
}  // namespace braid
