#include "types/number_text.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace braid {
namespace {

template <typename Number>
std::string AsJava(Number value) {
  std::string out;
  AppendJavaNumber(value, out);
  return out;
}

// Printed by Java 17.
TEST(NumberTextTest, PrintsNumbersAsJava) {
  EXPECT_EQ(AsJava(0.001), "0.001");
  EXPECT_EQ(AsJava(0.05), "0.05");
  EXPECT_EQ(AsJava(9.9e-4), "9.9E-4");
  EXPECT_EQ(AsJava(9999999.0), "9999999.0");
  EXPECT_EQ(AsJava(1e7), "1.0E7");
  EXPECT_EQ(AsJava(4.9e-324), "4.9E-324");
  EXPECT_EQ(AsJava(1.4e-45F), "1.4E-45");
  EXPECT_EQ(AsJava(9007199254740992.0), "9.007199254740992E15");
  EXPECT_EQ(AsJava(231845256772633248.0), "2.31845256772633248E17");
  EXPECT_EQ(AsJava(6847983548744970240.0), "6.8479835487449702E18");
  EXPECT_EQ(AsJava(900681220.0F), "9.0068122E8");
  EXPECT_EQ(AsJava(128636684000000000.0F), "1.28636684E17");
  EXPECT_EQ(AsJava(26228631300000.0F), "2.62286313E13");
}

TEST(NumberTextTest, PrintsDecimals) {
  const auto text = [](Int128 unscaled, int scale) {
    std::string out;
    AppendDecimal(unscaled, scale, out);
    return out;
  };
  EXPECT_EQ(text(0, 0), "0");
  EXPECT_EQ(text(0, 3), "0.000");
  EXPECT_EQ(text(-5, 2), "-0.05");
  EXPECT_EQ(text(-100, 2), "-1.00");
  EXPECT_EQ(text(PowerOfTen(38) - 1, 38), "0." + std::string(38, '9'));
  EXPECT_EQ(text(-(PowerOfTen(38) - 1), 0), "-" + std::string(38, '9'));
}

TEST(NumberTextTest, RescalesHalfUp) {
  const auto rescaled = [](Int128 unscaled, int from, int precision, int scale) {
    return RescaleDecimal({unscaled}, from, precision, scale);
  };
  EXPECT_EQ(rescaled(125, 2, 5, 1), Decimal{13});
  EXPECT_EQ(rescaled(-125, 2, 5, 1), Decimal{-13});
  EXPECT_EQ(rescaled(124, 2, 5, 1), Decimal{12});
  EXPECT_EQ(rescaled(-124, 2, 5, 1), Decimal{-12});
  EXPECT_EQ(rescaled(7, 0, 15, 3), Decimal{7000});
  EXPECT_EQ(rescaled(9995, 3, 3, 2), std::nullopt);
  EXPECT_EQ(rescaled(PowerOfTen(38) - 1, 0, 38, 1), std::nullopt);
  EXPECT_EQ(rescaled(PowerOfTen(38) - 1, 38, 38, 0), Decimal{1});
}

TEST(NumberTextTest, ParsesDecimals) {
  const auto parsed = [](std::string_view text) { return ParseDecimal(text, 6, 2); };
  using Outcome = std::optional<std::optional<Decimal>>;
  const Outcome too_large(std::in_place, std::nullopt);
  EXPECT_EQ(parsed("1.255"), Outcome(Decimal{126}));
  EXPECT_EQ(parsed("-.005"), Outcome(Decimal{-1}));
  EXPECT_EQ(parsed("-.0049"), Outcome(Decimal{0}));
  EXPECT_EQ(parsed("9999.994"), Outcome(Decimal{999999}));
  EXPECT_EQ(parsed("9999.995"), too_large);
  EXPECT_EQ(parsed("1e-2147483647"), Outcome(Decimal{0}));
  EXPECT_EQ(parsed("1e2147483647"), too_large);
  EXPECT_EQ(parsed("0e9999999999"), Outcome(Decimal{0}));
  for (const char* text : {"", ".", "-", "1e", "1e+", "1.2.3", " 1", "0x1", "1e99999999999"}) {
    EXPECT_EQ(parsed(text), std::nullopt) << text;
  }
}

TEST(NumberTextTest, ParsesFloatingNumbersAsJava) {
  EXPECT_EQ(ParseJavaFloating<double>(" -0x1.8p1 "), -3.0);
  EXPECT_EQ(ParseJavaFloating<double>("1e-400"), 0.0);
  EXPECT_EQ(ParseJavaFloating<float>("1e39"), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ParseJavaFloating<double>("-Infinity"), -std::numeric_limits<double>::infinity());
  for (const char* text : {"", "+", "--1", "+-1", "inf", "infinity", "e1", "1e", "0x1", "1 2", "d"}) {
    EXPECT_EQ(ParseJavaFloating<double>(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace braid
