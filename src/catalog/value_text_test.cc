#include "catalog/value_text.h"

#include <limits>

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// Texts as they stand in `$files` of Java's golden tables.
TEST(ValueTextTest, PrintsValuesAsJavaObjectsDo) {
  struct Case {
    Datum value;
    DataType type;
    std::string text;
  };
  const std::vector<Case> cases = {
      {Datum(), DataType::Int(), "null"},
      {true, DataType::Boolean(), "true"},
      {-128, DataType::TinyInt(), "-128"},
      {std::numeric_limits<std::int64_t>::max(), DataType::BigInt(), "9223372036854775807"},
      {3.4028235E38F, DataType::Float(), "3.4028235E38"},
      {std::numeric_limits<float>::quiet_NaN(), DataType::Float(), "NaN"},
      {-std::numeric_limits<double>::infinity(), DataType::Double(), "-Infinity"},
      {-0.0, DataType::Double(), "-0.0"},
      {1.0E300, DataType::Double(), "1.0E300"},
      {Decimal{-150000}, DataType::Decimal(38, 5), "-1.50000"},
      {Decimal{0}, DataType::Decimal(10, 3), "0.000"},
      {"x   ", DataType::Char(4), "x   "},
      {19723, DataType::Date(), "19723"},
      {-1, DataType::Date(), "-1"},
      {45'000'000, DataType::Time(3), "45000000"},
      {Timestamp{1'704'067'200'000, 0}, DataType::Timestamp(3), "2024-01-01T00:00"},
      {Timestamp{-1, 0}, DataType::Timestamp(3), "1969-12-31T23:59:59.999"},
      {Timestamp{1'709'210'096'000, 0}, DataType::Timestamp(0), "2024-02-29T12:34:56"},
      {Timestamp{1'709'210'096'789, 12'000}, DataType::Timestamp(6), "2024-02-29T12:34:56.789012"},
      {Timestamp{1'704'067'200'000, 1}, DataType::Timestamp(9), "2024-01-01T00:00:00.000000001"},
      {Timestamp{1'704'067'200'000, 1000}, DataType::TimestampLtz(6), "2024-01-01T00:00:00.000001"},
      {std::string("\x00\xff", 2), DataType::Bytes(), "00ff"},
  };
  for (const Case& c : cases) EXPECT_EQ(JavaText(c.value, c.type), c.text) << c.type.ToString();
}

TEST(ValueTextTest, PrintsPartitionsAsRows) {
  const std::vector<DataField> fields = {
      {.id = FieldId(0), .name = "dt", .type = DataType::Date(), .description = {}, .default_value = {}},
      {.id = FieldId(1), .name = "h", .type = DataType::Int(), .description = {}, .default_value = {}},
  };
  const std::vector<DataType> types = {DataType::Date(), DataType::Int()};
  EXPECT_THAT(PartitionRowText(BinaryRow::Make(types, DatumList{19723, 1}), fields), HasValue("{2024-01-01, 1}"));
  EXPECT_THAT(PartitionRowText(BinaryRow(), {}), HasValue("{}"));
}

}  // namespace
}  // namespace braid
