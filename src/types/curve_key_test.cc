#include "types/curve_key.h"

#include <limits>
#include <string>

#include <arrow/array.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/batch.h"

namespace braid {
namespace {

DataField Field(std::string name, DataType type) {
  return {.id = FieldId(0), .name = std::move(name), .type = std::move(type), .description = {}, .default_value = {}};
}

// Places of rows with these values of one column each, in hex digits.
std::vector<std::string> PlacesOf(const DataType& type, const std::vector<Datum>& values, int text_bytes = 8) {
  const std::vector<DataField> fields = {Field("c", type)};
  const CurveKey key = CurveKey::Make(fields, SpaceCurve::kZOrder, text_bytes).value();
  const std::vector<std::shared_ptr<arrow::Array>> columns = {MakeColumn(values, type).value()};
  const auto places = std::static_pointer_cast<arrow::BinaryArray>(key.Encode(columns, std::ssize(values)).value());
  std::vector<std::string> texts;
  for (std::int64_t row = 0; row < places->length(); ++row) {
    std::string& text = texts.emplace_back();
    for (const char byte : places->GetView(row)) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return texts;
}

// Bytes as spec data.md §8.4 and Java's ZOrderByteUtils have them.
TEST(CurveKeyTest, GivesValuesTheBytesOfJavasZOrder) {
  struct Case {
    DataType type;
    Datum value;
    std::string place;
  };
  const std::vector<Case> cases = {
      {DataType::Boolean(), true, "8100000000000000"},
      {DataType::Boolean(), false, "0000000000000000"},
      {DataType::TinyInt(), 1, "8000000000000001"},
      {DataType::SmallInt(), -1, "7fffffffffffffff"},
      {DataType::Int(), 258, "8000000000000102"},
      {DataType::BigInt(), std::numeric_limits<std::int64_t>::min(), "0000000000000000"},
      {DataType::Float(), 1.5F, "bff8000000000000"},  // as a double
      {DataType::Double(), 1.5, "bff8000000000000"},
      {DataType::Double(), -1.5, "4007ffffffffffff"},
      {DataType::String(), "abcdefghij", "6162636465666768"},
      {DataType::String(), "ab", "6162000000000000"},
      {DataType::Int(), Datum(), "0000000000000000"},
      {DataType::String(), Datum(), "0000000000000000"},
      {DataType::Date(), 3, "8000000000000003"},
      {DataType::Time(3), 4, "8000000000000004"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(PlacesOf(c.type, {c.value}), testing::ElementsAre(c.place)) << c.type.ToString();
  }
  EXPECT_THAT(PlacesOf(DataType::String(), {"abcdef", Datum(), "a"}, 3),
              testing::ElementsAre("616263", "000000", "610000"));
}

TEST(CurveKeyTest, OrdersTheValuesOfEveryType) {
  const auto timestamp = [](std::int64_t millis, std::int32_t nanos) { return Datum(Timestamp{millis, nanos}); };
  const std::vector<std::pair<DataType, std::vector<Datum>>> ascending = {
      {DataType::TinyInt(), {Datum(), -128, -1, 0, 1, 127}},
      {DataType::Double(), {Datum(), -1e300, -1.0, -1e-300, -0.0, 0.0, 1e-300, 2.0, 1e300}},
      {DataType::Float(), {Datum(), -2.5F, 0.0F, 2.5F}},
      {DataType::Decimal(9, 2), {Datum(), Decimal{-300}, Decimal{-1}, Decimal{0}, Decimal{5}, Decimal{700}}},
      {DataType::Timestamp(3), {Datum(), timestamp(-1, 0), timestamp(0, 0), timestamp(1, 0)}},
      {DataType::Timestamp(6), {Datum(), timestamp(-2, 0), timestamp(-1, 999000), timestamp(0, 0), timestamp(1, 0)}},
      {DataType::TimestampLtz(9), {Datum(), timestamp(-1, 5), timestamp(0, 5), timestamp(1, 5)}},
      {DataType::Bytes(), {"", "a", "a\x7f", "b", "\xff"}},
  };
  for (const auto& [type, values] : ascending) {
    const std::vector<std::string> places = PlacesOf(type, values);
    for (std::size_t i = 1; i < places.size(); ++i) {
      EXPECT_LT(places[i - 1], places[i]) << type.ToString() << ", value " << i;
    }
  }
}

TEST(CurveKeyTest, RefusesWhatHasNoOrder) {
  const std::vector<DataField> nested = {Field("a", DataType::Array(DataType::Int())), Field("i", DataType::Int())};
  EXPECT_THAT(CurveKey::Make(nested, SpaceCurve::kZOrder, 8), IsError(ErrorCode::kUnsupported));
  const std::vector<DataField> one = {Field("i", DataType::Int())};
  EXPECT_THAT(CurveKey::Make(one, SpaceCurve::kHilbert, 8), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(CurveKey::Make(one, SpaceCurve::kZOrder, 0), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
