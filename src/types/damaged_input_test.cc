// Rows, variants and texts from outside end in a value or an error, whatever they are.

#include <gtest/gtest.h>

#include "base/allocation_limit_testing.h"
#include "base/byte_mutator_testing.h"
#include "base/result_matchers.h"
#include "types/binary_row.h"
#include "types/cast.h"
#include "types/data_type.h"
#include "types/predicate.h"
#include "types/variant_json.h"

namespace braid {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // for inputs of some hundred bytes

TEST(DamagedInputTest, BinaryRows) {
  const DataType text = DataType::String();
  const std::vector<DataType> types = {DataType::Int(), text, DataType::Decimal(30, 2), DataType::Timestamp(9), DataType::Array(text),
                                       DataType::Map(text, DataType::BigInt()), DataType::Boolean(), DataType::Bytes()};
  const DatumList values = {7, "a text that is longer than seven bytes", Decimal{Int128{1} << 90}, Timestamp{1'700'000'000'000, 5},
                            DatumList{"x", Datum(), "a longer element"}, DatumList{Datum(DatumList{"k", 1})}, true, std::string(20, '\xFF')};
  const std::string good = BinaryRow::Make(types, values).Serialize();
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    const std::string damaged = ByteMutator(seed).Mutate(good);
    const AllocationLimit limit(kMostBytes);
    EXPECT_NO_THROW({
      if (const Result<BinaryRow> row = BinaryRow::Deserialize(damaged)) {
        static_cast<void>(row->ToDatums(types));
        for (int field = 0; field < 20; ++field) static_cast<void>(row->Get(field, types[seed % types.size()]));
        EXPECT_EQ(row->Serialize(), damaged);
      }
    });
  }
}

TEST(DamagedInputTest, TypesAndFilters) {
  const std::string type = "ROW<`a b` ARRAY<DECIMAL(10, 2)> NOT NULL 'it''s', m MAP<STRING, TIMESTAMP(3) WITH LOCAL TIME ZONE>>";
  const std::string filter = "a > 3 AND (s LIKE 'a%\\_' OR s IS NOT NULL) AND NOT (d BETWEEN '2024-01-01' AND '2024-02-29') AND a IN (1, -2)";
  const std::vector<DataField> fields = {{FieldId(0), "a", DataType::Int(), {}, {}},
                                         {FieldId(1), "s", DataType::String(), {}, {}},
                                         {FieldId(2), "d", DataType::Date(), {}, {}}};
  ASSERT_THAT(ParseDataType(type), IsOk());
  ASSERT_THAT(ParseFilter(filter, fields), IsOk());
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    ByteMutator mutator(seed);
    const std::string damaged_type = mutator.Mutate(type);
    const std::string damaged_filter = mutator.Mutate(filter);
    const AllocationLimit limit(kMostBytes);
    EXPECT_NO_THROW({
      if (const auto parsed = ParseDataType(damaged_type)) static_cast<void>(parsed->ToString());
      if (const auto parsed = ParseFilter(damaged_filter, fields)) static_cast<void>((*parsed)->ToString());
    });
  }
}

// Nesting has an end long before the stack's.
TEST(DamagedInputTest, DeepNesting) {
  constexpr std::size_t kDepth = 100'000;
  std::string type;
  std::string filter;
  for (std::size_t i = 0; i < kDepth; ++i) {
    type += "ARRAY<";
    filter += "(";
  }
  EXPECT_THAT(ParseDataType(type + "INT" + std::string(kDepth, '>')), IsError(ErrorCode::kInvalidArgument));
  const std::vector<DataField> fields = {{FieldId(0), "a", DataType::Int(), {}, {}}};
  EXPECT_THAT(ParseFilter(filter + "a = 1" + std::string(kDepth, ')'), fields), IsError(ErrorCode::kInvalidArgument));
}

TEST(DamagedInputTest, Variants) {
  // {"a": [1, "text"], "b": null}, by the encoding of Spark's variants.
  const std::string metadata("\x01\x02\x00\x01\x02" "ab", 7);
  const std::string value("\x02\x02\x00\x01\x00\x0d\x0e" "\x03\x02\x00\x02\x07\x0c\x01\x11text" "\x00", 21);
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    ByteMutator mutator(seed);
    const std::string damaged = mutator.Mutate(value);
    const std::string damaged_names = seed % 2 == 0 ? metadata : mutator.Mutate(metadata);
    const AllocationLimit limit(kMostBytes);
    EXPECT_NO_THROW(static_cast<void>(VariantToJson(damaged, damaged_names)));
  }
}

// Arrays of eight elements that are all the same array, twenty levels deep: 8^20 values in 221 bytes.
TEST(DamagedInputTest, VariantsThatShareBytes) {
  std::string value(1, '\0');
  for (int level = 0; level < 20; ++level) value = std::string("\x03\x08", 2) + std::string(9, '\0') + value;
  const AllocationLimit limit(kMostBytes);
  EXPECT_THAT(VariantToJson(value, std::string("\x01\x00\x00", 3)), IsError(ErrorCode::kCorruption));
}

TEST(DamagedInputTest, Values) {
  const std::vector<std::pair<DataType, std::string>> cases = {
      {DataType::Timestamp(9), "2024-02-29 12:34:56.123456789"}, {DataType::TimestampLtz(3), "2024-02-29T12:34:56.123+02:00"},
      {DataType::Date(), "2024-02-29"},                          {DataType::Time(3), "12:34:56.789"},
      {DataType::Decimal(38, 10), "-12345678901234567890.5e-3"}, {DataType::Double(), "-1.5e300"},
      {DataType::BigInt(), "-9223372036854775808"},              {DataType::Boolean(), "true"},
      {DataType::Bytes(), "00ff"}};
  for (const auto& [type, good] : cases) {
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
      SCOPED_TRACE(type.ToString());
      const std::string damaged = ByteMutator(seed).Mutate(good);
      const AllocationLimit limit(kMostBytes);
      EXPECT_NO_THROW({
        if (const auto value = ParseDatum(damaged, type)) static_cast<void>(FormatDatum(*value, type));
      });
    }
  }
}

}  // namespace
}  // namespace braid
