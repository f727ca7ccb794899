#include "types/variant_builder.h"

#include <cmath>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/text.h"
#include "types/variant_json.h"

namespace braid {
namespace {

template <typename Append>
std::string HexOf(Append append) {
  VariantBuilder builder;
  append(builder);
  return ToHex(builder.value());
}

// The bytes are those of parquet-format's encoding (VariantEncoding.md), put together by hand.
TEST(VariantBuilderTest, NumbersTakeTheFewestBytes) {
  const auto integer = [](std::int64_t value) {
    return HexOf([value](VariantBuilder& out) { out.AppendInteger(value); });
  };
  EXPECT_EQ(integer(-1), "0cff");
  EXPECT_EQ(integer(128), "108000");
  EXPECT_EQ(integer(-32769), "14ff7fffff");
  EXPECT_EQ(integer(1LL << 31), "180000008000000000");
  const auto decimal = [](Int128 value, int scale) {
    return HexOf([value, scale](VariantBuilder& out) { out.AppendDecimal(value, scale); });
  };
  EXPECT_EQ(decimal(125, 1), "20017d000000");
  EXPECT_EQ(decimal(-999'999'999, 9),
            "2009"
            "013665c4");
  EXPECT_EQ(decimal(1'000'000'000, 2),
            "2402"
            "00ca9a3b00000000");
  EXPECT_EQ(decimal(1, 10),
            "240a"
            "0100000000000000")
      << "a scale that four bytes must not have";
  EXPECT_EQ(decimal(-(Int128{1} << 64), 20),
            "2814"
            "0000000000000000ffffffffffffffff");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendFloat(1.5F); }), "380000c03f");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendDouble(10); }), "1c0000000000002440");
}

TEST(VariantBuilderTest, OtherScalars) {
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendNull(); }), "00");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendBoolean(true); }), "04");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendBoolean(false); }), "08");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendText("abc"); }), "0d616263");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendText(std::string(63, 'a')); }).substr(0, 4), "fd61");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendText(std::string(64, 'a')); }).substr(0, 12), "404000000061");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendBinary("\x01"); }), "3c0100000001");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendDate(-1); }), "2cffffffff");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendTimestamp(1, true); }), "300100000000000000");
  EXPECT_EQ(HexOf([](VariantBuilder& out) { out.AppendTimestamp(-1, false); }), "34ffffffffffffffff");
}

TEST(VariantBuilderTest, MembersStandByNameAndNamesAsTheyCame) {
  VariantBuilder builder;
  std::vector<VariantBuilder::Member> members = {{builder.NameId("b"), 0}};
  builder.AppendInteger(1);
  members.push_back({builder.NameId("a"), builder.position()});
  builder.AppendText("x");
  ASSERT_THAT(builder.FinishObject(0, members), IsOk());
  EXPECT_EQ(ToHex(builder.value()),
            "02"
            "02"
            "0100"
            "020004"
            "0c01"
            "0578");
  EXPECT_EQ(ToHex(builder.Metadata()),
            "01"
            "02"
            "000102"
            "6261");
  EXPECT_THAT(VariantToJson(builder.value(), builder.Metadata()), HasValue(testing::Eq(R"({"a":"x","b":1})")));
}

// U+10000 is D800 DC00 in UTF-16, which Java orders before U+FFFF.
TEST(VariantBuilderTest, MembersStandInTheOrderOfJavasStrings) {
  VariantBuilder builder;
  std::vector<VariantBuilder::Member> members;
  for (const std::string_view name : {"\uFFFF", "\U00010000", "z", "\uD7FF"}) {
    members.push_back({builder.NameId(name), builder.position()});
    builder.AppendNull();
  }
  ASSERT_THAT(builder.FinishObject(0, members), IsOk());
  EXPECT_EQ(ToHex(builder.value()).substr(0, 12),
            "0204"
            "02030100");
}

TEST(VariantBuilderTest, RefusesAMemberThatIsThereTwice) {
  VariantBuilder builder;
  const std::uint64_t name = builder.NameId("a");
  builder.AppendNull();
  builder.AppendNull();
  const Status finished = builder.FinishObject(0, {{name, 0}, {name, 1}});
  EXPECT_THAT(finished, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(finished, HasMessage("two members 'a'"));
}

TEST(VariantBuilderTest, LargeHeadsWhereSmallOnesDoNotDo) {
  VariantBuilder builder;
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 256; ++i) {
    offsets.push_back(builder.position());
    builder.AppendNull();
  }
  builder.FinishArray(0, offsets);
  // A count of four bytes, and offsets of two, since the elements take 256 bytes.
  EXPECT_EQ(ToHex(builder.value()).substr(0, 22),
            "17"
            "00010000"
            "0000"
            "0100"
            "0200");
  EXPECT_EQ(builder.value().size(), 1 + 4 + 257 * 2 + 256U);
}

TEST(VariantBuilderTest, TakesAnotherVariantWithItsNames) {
  VariantBuilder other;
  std::vector<VariantBuilder::Member> members = {{other.NameId("unused"), 0}};
  members.clear();
  members.push_back({other.NameId("list"), 0});
  other.AppendInteger(1);
  other.AppendText("two");
  other.FinishArray(0, {0, 2});
  ASSERT_THAT(other.FinishObject(0, members), IsOk());
  const std::string metadata = other.Metadata();
  BRAID_ASSERT_OK_AND_ASSIGN(VariantReader reader, VariantReader::Open(other.value(), metadata));
  VariantBuilder builder;
  ASSERT_THAT(builder.AppendVariant(reader, 0, 0), IsOk());
  EXPECT_EQ(ToHex(builder.Metadata()),
            "01"
            "01"
            "0004"
            "6c697374")
      << "the other's unused name is gone";
  EXPECT_THAT(VariantToJson(builder.value(), builder.Metadata()), HasValue(testing::Eq(R"({"list":[1,"two"]})")));
}

}  // namespace
}  // namespace braid
