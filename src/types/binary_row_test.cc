#include "types/binary_row.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/text.h"
#include "types/batch.h"

namespace braid {
namespace {

DataField Field(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

std::string Bytes(std::string hex) {
  std::erase(hex, ' ');
  return FromHex(hex).value();
}

Decimal DecimalOf(std::string_view digits) {
  Decimal decimal;
  const bool is_negative = digits.starts_with('-');
  for (const char digit : digits.substr(is_negative ? 1 : 0)) decimal.unscaled = decimal.unscaled * 10 + (digit - '0');
  if (is_negative) decimal.unscaled = -decimal.unscaled;
  return decimal;
}

struct Sample {
  std::string name;
  std::vector<DataType> types;
  DatumList values;
  std::string hex;
  std::int32_t hash;
};

/// Bytes and hashes made by Paimon 1.4.2's InternalRowSerializer and, the last one here, by its generated projections; the
/// first is the specification's.
std::vector<Sample> ScalarSamples() {
  const Decimal nines = DecimalOf("99999999999999999999999999999999999999");
  return {
      {"worked example",
       {DataType::Int(), DataType::String(), DataType::String(), DataType::Timestamp(3), DataType::Timestamp(9),
        DataType::Decimal(10, 2), DataType::Decimal(38, 0), DataType::Int()},
       {7, "paimon", "long string value", Timestamp{1700000000123, 0}, Timestamp{1700000000123, 456789}, Decimal{12345},
        DecimalOf("100000000000000000000"), Datum()},
       "0080000000000000 0700000000000000 7061696d6f6e0086 1100000048000000 7b68e5cf8b010000 55f8060060000000"
       "3930000000000000 0900000068000000 0000000000000000 6c6f6e6720737472 696e672076616c75 6500000000000000"
       "7b68e5cf8b010000 056bc75e2d631000 0000000000000000",
       -1186037080},
      {"NULLs",
       {DataType::Decimal(10, 2), DataType::Decimal(20, 2), DataType::Timestamp(3), DataType::Timestamp(6),
        DataType::TimestampLtz(9), DataType::String(), DataType::Array(DataType::Int())},
       DatumList(7),
       "007f000000000000 0000000000000000 0000000040000000 0000000000000000 0000000050000000 0000000058000000"
       "0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000000",
       -953074270},
      {"scalars",
       {DataType::Boolean(), DataType::TinyInt(), DataType::SmallInt(), DataType::BigInt(), DataType::Float(),
        DataType::Double(), DataType::Date(), DataType::Time(3), DataType::Bytes(), DataType::Bytes(),
        DataType::Decimal(38, 2), DataType::Char(9)},
       {true, -2, -3, -5, 1.5F, -0.0, 19857, 1234, "\1\2\3\4\5\6\7", "\1\2\3\4\5\6\7\x8", Decimal{-128}, "héllö"},
       "0000000000000000 0100000000000000 fe00000000000000 fdff000000000000 fbffffffffffffff 0000c03f00000000"
       "0000000000000080 914d000000000000 d204000000000000 0102030405060787 0800000068000000 0100000070000000"
       "68c3a96c6cc3b687 0102030405060708 8000000000000000 0000000000000000",
       1298442515},
      {"decimals",
       {DataType::Decimal(38, 0), DataType::Decimal(38, 0), DataType::Decimal(38, 0), DataType::Decimal(19, 0)},
       {nines, Decimal{-nines.unscaled}, Decimal{0}, Decimal{128}},
       "0000000000000000 1000000028000000 1000000038000000 0100000048000000 0200000058000000 4b3b4ca85a86c47a"
       "098a223fffffffff b4c4b357a5793b85 f675ddc000000001 0000000000000000 0000000000000000 0080000000000000"
       "0000000000000000",
       -107637149},
      {"no field", {}, {}, "0000000000000000", -1670924195},
      {"wide decimal and long text beside NULLs",
       {DataType::Decimal(20, 2), DataType::Timestamp(6), DataType::String(), DataType::Array(DataType::Int())},
       {Decimal{100}, Datum(), "12345678", Datum()},
       "000a000000000000 0100000028000000 0000000038000000 0800000040000000 0000000000000000 6400000000000000"
       "0000000000000000 0000000000000000 3132333435363738",
       1449511943},
  };
}

std::vector<Sample> NestedSamples() {
  const DataType row = DataType::Row({Field(0, "a", DataType::Int()), Field(1, "b", DataType::String()),
                                      Field(2, "c", DataType::Decimal(30, 1)), Field(3, "d", DataType::Timestamp(9))});
  return {
      {"INT array", {DataType::Array(DataType::Int())}, {Datum(DatumList{1, Datum(), 3})},
       "0000000000000000 1800000010000000 0300000002000000 0100000000000000 0300000000000000", 1830759751},
      {"BOOLEAN array", {DataType::Array(DataType::Boolean())}, {Datum(DatumList{true, Datum(), true})},
       "0000000000000000 1000000010000000 0300000002000000 0100010000000000", 1833147391},
      {"STRING array", {DataType::Array(DataType::String()), DataType::Int()},
       {DatumList{"a", "long string here", Datum()}, 5},
       "0000000000000000 3000000018000000 0500000000000000 0300000004000000 6100000000000081 1000000020000000"
       "0000000000000000 6c6f6e6720737472 696e672068657265",
       277706066},
      {"DECIMAL array keeps no room for NULL", {DataType::Array(DataType::Decimal(20, 0))},
       {Datum(DatumList{Decimal{7}, Datum()})},
       "0000000000000000 2800000010000000 0200000002000000 0100000018000000 0000000000000000 0700000000000000"
       "0000000000000000",
       -1143261475},
      {"TIMESTAMP array", {DataType::Array(DataType::Timestamp(6))}, {Datum(DatumList{Timestamp{5, 6000}, Datum()})},
       "0000000000000000 2000000010000000 0200000002000000 7017000018000000 0000000000000000 0500000000000000",
       -700281732},
      {"MAP", {DataType::Map(DataType::String(), DataType::Int()), DataType::String()},
       {DatumList{DatumList{"k", 1}, DatumList{"longer key", Datum()}}, "after the map"},
       "0000000000000000 3c00000018000000 0d00000058000000 2800000002000000 000000006b000000 000000810a000000"
       "180000006c6f6e67 6572206b65790000 0000000002000000 0200000001000000 0000000000000000 6166746572207468"
       "65206d6170000000",
       1857472911},
      {"MULTISET", {DataType::Multiset(DataType::String())}, {Datum(DatumList{Datum(DatumList{"k", 2})})},
       "0000000000000000 2400000010000000 1000000001000000 000000006b000000 0000008101000000 0000000002000000"
       "0000000000000000",
       -796570988},
      {"ROW", {row}, {Datum(DatumList{1, "eight or more", Datum(), Datum()})},
       "0000000000000000 5000000010000000 000c000000000000 0100000000000000 0d00000028000000 0000000038000000"
       "0000000048000000 6569676874206f72 206d6f7265000000 0000000000000000 0000000000000000 0000000000000000",
       -508324862},
      {"array of ROW", {DataType::Array(DataType::Row({Field(0, "a", DataType::Int())}))},
       {Datum(DatumList{DatumList{9}, Datum()})},
       "0000000000000000 2800000010000000 0200000002000000 1000000018000000 0000000000000000 0000000000000000"
       "0900000000000000",
       1328052877},
      {"array of arrays", {DataType::Array(DataType::Array(DataType::BigInt()))},
       {Datum(DatumList{DatumList{0, 0}, DatumList{}})},
       "0000000000000000 3800000010000000 0200000000000000 1800000018000000 0800000030000000 0200000000000000"
       "0000000000000000 0000000000000000 0000000000000000",
       -195950075},
      {"VARIANT", {DataType::Variant()}, {Datum(DatumList{"\x0c\1", std::string("\1\0\0", 3)})},
       "0000000000000000 0900000010000000 020000000c010100 0000000000000000", 861138177},
      {"NULL VARIANT", {DataType::Variant(), DataType::Int()}, {Datum(), 1},
       "0001000000000000 0000000000000000 0100000000000000", -2146858737},
      {"BLOB", {DataType::Blob()}, {"\1\2\3\4\5\6\7\x8\x9"},
       "0000000000000000 0900000010000000 0102030405060708 0900000000000000", -171399545},
      {"FLOAT vector", {DataType::Vector(DataType::Float(), 3)}, {Datum(DatumList{1.0F, 2.0F, 3.0F})},
       "0000000000000000 1400000010000000 030000000000803f 0000004000004040 0000000000000000", -1619883983},
      {"BOOLEAN vector", {DataType::Vector(DataType::Boolean(), 3)}, {Datum(DatumList{true, false, true})},
       "0000000000000000 0c00000010000000 0300000001000100 0000000000000000", 177414573},
      {"BIGINT vector", {DataType::Vector(DataType::BigInt(), 2)}, {Datum(DatumList{1, -1})},
       "0000000000000000 1400000010000000 0200000001000000 00000000ffffffff ffffffff00000000", -1640641832},
  };
}

std::vector<Sample> AllSamples() {
  std::vector<Sample> samples = ScalarSamples();
  std::ranges::move(NestedSamples(), std::back_inserter(samples));
  return samples;
}

TEST(BinaryRowTest, CopiesOutliveTheRowTheyWereMadeFrom) {
  const std::vector<DataType> types = {DataType::Int(), DataType::String()};
  BinaryRow kept;
  EXPECT_EQ(kept.arity(), 0);
  EXPECT_EQ(kept.bytes(), std::string(8, '\0'));
  {
    const BinaryRow row = BinaryRow::Make(types, DatumList{7, "a text of many letters"});
    BinaryRow copy = row;
    kept = copy;
    EXPECT_EQ(kept, row);
    copy = BinaryRow();
    EXPECT_EQ(copy, BinaryRow());
    EXPECT_NE(kept, copy);
  }
  EXPECT_THAT(kept.ToDatums(types), HasValue(DatumList{7, "a text of many letters"}));
  const BinaryRow moved = std::move(kept);
  EXPECT_EQ(moved.arity(), 2);
  EXPECT_THAT(BinaryRow::Deserialize(moved.Serialize()), HasValue(moved));
}

TEST(BinaryRowTest, ComparesByArityThenBytes) {
  const BinaryRow one = BinaryRow::Make(std::vector<DataType>{DataType::Int()}, DatumList{9});
  const BinaryRow two = BinaryRow::Make(std::vector<DataType>{DataType::Int(), DataType::Int()}, DatumList{1, 1});
  const BinaryRow larger = BinaryRow::Make(std::vector<DataType>{DataType::Int()}, DatumList{10});
  EXPECT_LT(BinaryRow(), one);
  EXPECT_LT(one, larger);
  EXPECT_LT(larger, two);
}

TEST(BinaryRowTest, WritesTheBytesThatJavaWrites) {
  for (const Sample& sample : AllSamples()) {
    SCOPED_TRACE(sample.name);
    const BinaryRow row = BinaryRow::Make(sample.types, sample.values);
    EXPECT_EQ(ToHex(row.bytes()), ToHex(Bytes(sample.hex)));
    EXPECT_EQ(row.Hash(), sample.hash);
  }
}

TEST(BinaryRowTest, ReadsBackEveryValue) {
  for (const Sample& sample : AllSamples()) {
    SCOPED_TRACE(sample.name);
    const BinaryRow row = BinaryRow::Make(sample.types, sample.values);
    EXPECT_THAT(row.ToDatums(sample.types), HasValue(sample.values));
    EXPECT_THAT(BinaryRow::Deserialize(row.Serialize()), HasValue(row));
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      EXPECT_EQ(row.IsNull(static_cast<int>(i)), sample.values[i].is_null());
    }
  }
}

TEST(BinaryRowTest, HashesAsTheSpecificationSays) {
  const auto hash = [](DataType type, Datum value) { return BinaryRow::Make(std::span(&type, 1), std::span(&value, 1)).Hash(); };
  EXPECT_EQ(hash(DataType::Int(), 0), -300363099);
  EXPECT_EQ(hash(DataType::Int(), 1), 1465514398);
  EXPECT_EQ(hash(DataType::BigInt(), -1), -821098432);
  EXPECT_EQ(hash(DataType::String(), "20240514"), -1422800034);
  EXPECT_EQ(BinaryRow().Hash(), -1670924195);
}

TEST(BinaryRowTest, SerializesAsManifestsStoreIt) {
  const std::vector<DataType> text_and_int = {DataType::String(), DataType::Int()};
  const std::vector<DataType> texts = {DataType::String(), DataType::String()};
  EXPECT_EQ(BinaryRow().Serialize(), Bytes("00000000 0000000000000000"));
  EXPECT_EQ(BinaryRow::Make(text_and_int, DatumList{"Alice", 1}).Serialize(),
            Bytes("00000002 0000000000000000 416c696365000085 0100000000000000"));
  EXPECT_EQ(BinaryRow::Make(text_and_int, DatumList{"2024-05-14", 7}).Serialize(),
            Bytes("00000002 0000000000000000 0a00000018000000 0700000000000000 323032342d30352d3134000000000000"));
  EXPECT_EQ(BinaryRow::Make(texts, DatumList{"a", Datum()}).Serialize(),
            Bytes("00000002 0002000000000000 6100000000000081 0000000000000000"));
}

TEST(BinaryRowTest, WidensTheHeaderFrom57Fields) {
  const std::vector<DataType> types(57, DataType::Int());
  DatumList values(types.size(), 1);
  values.back() = Datum();
  const BinaryRow row = BinaryRow::Make(types, values);
  EXPECT_EQ(row.bytes().size(), 16u + 57u * 8u);
  EXPECT_EQ(row.bytes()[8], 1);  // bit 64 of the header is field 56
  EXPECT_THAT(row.ToDatums(types), HasValue(values));
}

TEST(BinaryRowTest, RefusesBytesThatAreNoRow) {
  EXPECT_THAT(BinaryRow::Deserialize(""), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(BinaryRow::Deserialize(Bytes("0000")), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(BinaryRow::Deserialize(Bytes("00000000")), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(BinaryRow::Deserialize(Bytes("00000001 0000000000000000")), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(BinaryRow::Deserialize(Bytes("00000000 000000000000000000")), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(BinaryRow::Deserialize(Bytes("ffffffff 0000000000000000")), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(BinaryRow::Deserialize(Bytes("7fffffff 0000000000000000")), IsError(ErrorCode::kCorruption));
}

TEST(BinaryRowTest, RefusesFieldsThatAreNotThere) {
  const std::vector<DataType> types = {DataType::Int()};
  const BinaryRow row = BinaryRow::Make(types, DatumList{1});
  EXPECT_THAT(row.Get(1, DataType::Int()), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(row.Get(-1, DataType::Int()), IsError(ErrorCode::kCorruption));
  EXPECT_TRUE(row.IsNull(1));
  EXPECT_THAT(row.ToDatums(std::vector<DataType>(2, DataType::Int())), IsError(ErrorCode::kCorruption));
}

// Each byte of each sample in turn takes several other values. Under the address sanitizer any read outside fails.
TEST(BinaryRowTest, NeverReadsOutsideADamagedRow) {
  int refused = 0;
  for (const Sample& sample : AllSamples()) {
    const std::string serialized = BinaryRow::Make(sample.types, sample.values).Serialize();
    for (std::size_t i = 4; i < serialized.size(); ++i) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0x88, 0xff}) {
        std::string damaged = serialized;
        damaged[i] = static_cast<char>(value);
        BRAID_ASSERT_OK_AND_ASSIGN(const BinaryRow row, BinaryRow::Deserialize(damaged));
        const Result<DatumList> values = row.ToDatums(sample.types);
        if (values) continue;
        EXPECT_EQ(values.error().code(), ErrorCode::kCorruption);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(BinaryRowTest, RefusesReferencesOutsideTheRow) {
  const std::vector<std::pair<DataType, std::string>> cases = {
      {DataType::String(), "0900000010000000"},              // nine bytes of eight
      {DataType::String(), "0800000018000000"},              // begins behind the end
      {DataType::String(), "08000000ffffffff"},              // negative offset
      {DataType::String(), "ffffffff1000007f"},              // negative length
      {DataType::String(), "0000000000000088"},              // more inline bytes than fit
      {DataType::Decimal(38, 0), "1100000010000000"},        // 17 bytes
      {DataType::Decimal(38, 0), "0000000010000000"},        // no byte
      {DataType::Timestamp(9), "40420f0010000000"},          // a million nanoseconds
      {DataType::Timestamp(9), "0000000011000000"},          // seven bytes left
      {DataType::Array(DataType::Int()), "0300000010000000"},
      {DataType::Variant(), "0000000010000000"},
      {DataType::Row({Field(0, "a", DataType::Int())}), "0800000010000000"},
  };
  for (const auto& [type, slot] : cases) {
    SCOPED_TRACE(type.ToString() + " " + slot);
    BRAID_ASSERT_OK_AND_ASSIGN(const BinaryRow row,
                               BinaryRow::Deserialize(Bytes("00000001 0000000000000000" + slot + "0000000000000000")));
    EXPECT_THAT(row.Get(0, type), IsError(ErrorCode::kCorruption));
  }
}

TEST(BinaryRowEncoderTest, EncodesColumnsAsRowsOfValues) {
  for (const Sample& sample : AllSamples()) {
    SCOPED_TRACE(sample.name);
    const std::vector<DatumList> rows = {DatumList(sample.types.size()), sample.values};
    std::vector<DataField> fields;
    for (const DataType& type : sample.types) fields.push_back(Field(0, "f", type));
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
    BinaryRowEncoder encoder(sample.types, batch.rows->columns());
    EXPECT_EQ(ToHex(encoder.Encode(1)), ToHex(Bytes(sample.hex)));
    EXPECT_EQ(encoder.EncodeRow(0), BinaryRow::Make(sample.types, rows[0]));

    BinaryRowEncoder sliced(sample.types, batch.rows->Slice(1)->columns());
    EXPECT_EQ(ToHex(sliced.Encode(0)), ToHex(Bytes(sample.hex)));
  }
}

TEST(BinaryRowEncoderTest, EncodesTimesBefore1970) {
  const std::vector<DataType> types = {DataType::Timestamp(6)};
  const DatumList values = {Timestamp{-1, 999'000}};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto column, MakeColumn(values, types[0]));
  BinaryRowEncoder encoder(types, {column});
  EXPECT_EQ(encoder.EncodeRow(0), BinaryRow::Make(types, values));
}

}  // namespace
}  // namespace braid
