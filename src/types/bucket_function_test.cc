#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/binary_row.h"

namespace braid {
namespace {

// Expected buckets come from Paimon 1.4.2's DefaultBucketFunction, ModBucketFunction and HiveBucketFunction.

Result<std::int32_t> Bucket(BucketFunction function, DataType type, Datum value, std::int32_t bucket_count) {
  return BucketOf(function, std::span(&type, 1), std::span(&value, 1), bucket_count);
}

TEST(BucketFunctionTest, DefaultTakesTheRemainderOfTheHash) {
  EXPECT_THAT(Bucket(BucketFunction::kDefault, DataType::Int(), 0, 2), HasValue(1));
  EXPECT_THAT(Bucket(BucketFunction::kDefault, DataType::Int(), 1, 2), HasValue(0));
  EXPECT_THAT(Bucket(BucketFunction::kDefault, DataType::Int(), -7, 7), HasValue(5));
  EXPECT_THAT(Bucket(BucketFunction::kDefault, DataType::BigInt(), std::int64_t{-12345678901}, 7), HasValue(6));
  EXPECT_EQ(DefaultBucket(std::numeric_limits<std::int32_t>::min(), 3), 2);  // -2147483648 % 3 == -2
}

TEST(BucketFunctionTest, ModTakesOneIntegerColumn) {
  EXPECT_THAT(Bucket(BucketFunction::kMod, DataType::Int(), -7, 5), HasValue(3));
  EXPECT_THAT(Bucket(BucketFunction::kMod, DataType::BigInt(), std::int64_t{-12345678901}, 5), HasValue(4));
  EXPECT_THAT(Bucket(BucketFunction::kMod, DataType::Int(), Datum(), 5), HasValue(0));
  EXPECT_THAT(Bucket(BucketFunction::kMod, DataType::String(), "1", 5), IsError(ErrorCode::kInvalidArgument));
  const std::vector<DataType> two = {DataType::Int(), DataType::Int()};
  EXPECT_THAT(BucketOf(BucketFunction::kMod, two, DatumList{1, 2}, 5), IsError(ErrorCode::kInvalidArgument));
}

TEST(BucketFunctionTest, HiveHashesEachTypeAsJavaDoes) {
  struct Case {
    DataType type;
    Datum value;
    std::int32_t bucket;  // of (value, INT 3) among 1000003
  };
  Int128 digits = std::int64_t{1234567890123456789};
  digits = digits * 10'000'000'000 + std::int64_t{123456789};
  digits = digits * 1'000'000'000 + std::int64_t{12345678};
  const std::vector<Case> cases = {
      {DataType::Boolean(), true, 34},
      {DataType::TinyInt(), -3, 477117},
      {DataType::SmallInt(), -300, 467910},
      {DataType::Int(), -7, 476993},
      {DataType::Date(), 19857, 615570},
      {DataType::Time(3), 1234567, 271466},
      {DataType::BigInt(), std::int64_t{-12345678901}, 955232},
      {DataType::Float(), 1.5F, 715574},
      {DataType::Float(), -0.0F, 3},
      {DataType::Double(), -2.25, 801828},
      {DataType::Double(), -0.0, 3},
      {DataType::Double(), std::numeric_limits<double>::quiet_NaN(), 224330},
      {DataType::String(), "héllo world", 681169},
      {DataType::Char(2), "ab", 96258},
      {DataType::Bytes(), "\x01\xfe\x03", 27965},
      {DataType::Decimal(10, 2), Decimal{12340}, 185905},
      {DataType::Decimal(10, 2), Decimal{-120000}, 324013},
      {DataType::Decimal(10, 2), Decimal{0}, 3},
      {DataType::Decimal(38, 38), Decimal{1}, 2142},
      {DataType::Decimal(18, 0), Decimal{-123456789012345678}, 419220},
      {DataType::Decimal(38, 10), Decimal{-digits}, 104597},
      {DataType::Int(), Datum(), 3},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type.ToString());
    const std::vector<DataType> types = {c.type, DataType::Int()};
    EXPECT_THAT(BucketOf(BucketFunction::kHive, types, DatumList{c.value, 3}, 1'000'003), HasValue(c.bucket));
  }
  EXPECT_THAT(Bucket(BucketFunction::kHive, DataType::Timestamp(3), Timestamp{}, 2), IsError(ErrorCode::kInvalidArgument));
}

TEST(BucketFunctionTest, ReadsNames) {
  EXPECT_THAT(ParseBucketFunction("default"), HasValue(BucketFunction::kDefault));
  EXPECT_THAT(ParseBucketFunction("MOD"), HasValue(BucketFunction::kMod));
  EXPECT_THAT(ParseBucketFunction("hive"), HasValue(BucketFunction::kHive));
  EXPECT_THAT(ParseBucketFunction("spark"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
