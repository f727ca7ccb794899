#pragma once

// Columns and rows of the golden cases whose files lie below tests/data/format, written out by hand from the rows that
// Java reads; include only from tests.

#include <array>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "format/rows_testing.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

inline constexpr float kFloatNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline Decimal Digits(std::string_view text) {
  Decimal value;
  for (const char c : text) {
    if (c != '-') value.unscaled = value.unscaled * 10 + (c - '0');
  }
  if (text.starts_with('-')) value.unscaled = -value.unscaled;
  return value;
}

inline std::string Bytes(std::initializer_list<unsigned char> bytes) {
  return {bytes.begin(), bytes.end()};
}

/// The columns of the golden tables types_parquet and types_orc.
inline std::vector<DataField> TypeFields() {
  return MakeFields(
      {{"b", DataType::Boolean()},         {"i8", DataType::TinyInt()},        {"i16", DataType::SmallInt()},
       {"i32", DataType::Int()},           {"i64", DataType::BigInt()},        {"f32", DataType::Float()},
       {"f64", DataType::Double()},        {"d5", DataType::Decimal(5, 2)},    {"d18", DataType::Decimal(18, 6)},
       {"d38", DataType::Decimal(38, 10)}, {"c", DataType::Char(4)},           {"vc", DataType::VarChar(20)},
       {"s", DataType::String()},          {"bin", DataType::Binary(4)},       {"vb", DataType::VarBinary(10)},
       {"by", DataType::Bytes()},          {"dt", DataType::Date()},           {"t0", DataType::Time(0)},
       {"t3", DataType::Time(3)},          {"ts0", DataType::Timestamp(0)},    {"ts3", DataType::Timestamp(3)},
       {"ts6", DataType::Timestamp(6)},    {"ts9", DataType::Timestamp(9)},    {"tz0", DataType::TimestampLtz(0)},
       {"tz3", DataType::TimestampLtz(3)}, {"tz6", DataType::TimestampLtz(6)}, {"tz9", DataType::TimestampLtz(9)}});
}

/// Appends the same four instants for TIMESTAMP and TIMESTAMP_LTZ.
inline DatumList WithTimes(DatumList row, const std::array<Timestamp, 4>& times) {
  for (int i = 0; i < 2; ++i) row.insert(row.end(), times.begin(), times.end());
  return row;
}

/// Rows of types_parquet's file types_limits.parquet (expected/append-latest.jsonl).
inline std::vector<DatumList> LimitRows() {
  const std::int64_t leap = MillisOf(2024, 2, 29, 12, 34, 56);
  return {
      WithTimes(
          {true, 127, 32767, 2147483647, std::int64_t{9223372036854775807}, 3.4028235e+38F, 1.7976931348623157e+308,
           Digits("99999"), Digits("999999999999999999"), Digits("99999999999999999999999999999999999999"), "abcd",
           "variable text", "any ä 中 🐟", Bytes({0x00, 0xff, 0x10, 0xab}), Bytes({1, 2}),
           Bytes({0xde, 0xad, 0xbe, 0xef}), 19782, 86399000, 86399999},
          {Timestamp{leap, 0}, Timestamp{leap + 789, 0}, Timestamp{leap + 789, 12000}, Timestamp{leap + 789, 12345}}),
      WithTimes(
          {false, -128, -32768, std::int64_t{-2147483648}, std::numeric_limits<std::int64_t>::min(),
           -std::numeric_limits<float>::denorm_min(), -std::numeric_limits<double>::denorm_min(), Digits("-99999"),
           Digits("-1"), Digits("-1"), "ab", "", "", Bytes({0xff, 0xff, 0xff, 0xff}), "", "", -719162, 0, 1},
          {Timestamp{-1000, 0}, Timestamp{-1, 0}, Timestamp{-1, 999000}, Timestamp{-1, 999999}}),
      DatumList(27),
  };
}

/// Rows of its file types_special.parquet.
inline std::vector<DatumList> SpecialRows() {
  const std::int64_t gregorian = MillisOf(1582, 10, 15);
  const Timestamp y1900 = {MillisOf(1900, 1, 1), 1};
  const auto late = [&](float f, double d) {
    return WithTimes({true, 1, 1, 1, 1, f, d, Digits("100"), Digits("1000000"), Digits("10000000000"), "x", "y", "z",
                      Bytes({1, 2, 3, 4}), Bytes({0xff}), Bytes({0xff}), -141427, 1000, 500},
                     {Timestamp{gregorian, 0}, Timestamp{gregorian + 1, 0}, Timestamp{gregorian, 1000}, y1900});
  };
  return {
      WithTimes({true, 0, 0, 0, 0, kFloatNan, kNan, Digits("0"), Digits("0"), Digits("0"), "    ", " x ", "\n\t\"\\",
                 Bytes({0, 0, 0, 0}), Bytes({0}), Bytes({0}), 0, 43200000, 43200000},
                {Timestamp{}, Timestamp{}, Timestamp{}, Timestamp{}}),
      late(-std::numeric_limits<float>::infinity(), kInfinity),
      late(-0.0F, -0.0),
  };
}

inline std::vector<DataField> NestedFields() {
  const auto field = [](int id, std::string name, DataType type) {
    return DataField{FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
  };
  const DataType inner = DataType::Row({field(7, "z", DataType::String()), field(8, "w w", DataType::Decimal(10, 2))});
  return {
      field(0, "id", DataType::Int()),
      field(1, "a", DataType::Array(DataType::Int())),
      field(2, "aa", DataType::Array(DataType::Array(DataType::String()))),
      field(3, "m", DataType::Map(DataType::String(), DataType::Int())),
      field(4, "mi", DataType::Map(DataType::Int(), DataType::Array(DataType::Double()))),
      field(5, "r", DataType::Row({field(6, "x", DataType::Int()), field(9, "y", inner)})),
      field(10, "ar",
            DataType::Array(
                DataType::Row({field(11, "p", DataType::Int().NotNull()), field(12, "q", DataType::Timestamp(6))}))),
      field(13, "mr",
            DataType::Map(DataType::Int(),
                          DataType::Row({field(14, "u", DataType::Bytes()), field(15, "v", DataType::Date())}))),
      field(16, "rm",
            DataType::Row({field(17, "mm", DataType::Map(DataType::String(), DataType::String())),
                           field(18, "bb", DataType::Boolean())})),
  };
}

inline Datum List(DatumList values) {
  return Datum(std::move(values));
}

/// Rows of nested_parquet (expected/append-latest.jsonl).
inline std::vector<DatumList> NestedRows() {
  const Datum null;
  return {
      {1, List({1, null, 3}), List({List({"a", "b"}), List({}), null}), List({List({"k1", 1}), List({"k2", null})}),
       List({List({1, List({1.5, null})}), List({2, List({})}), List({3, null})}),
       List({7, List({"deep", Digits("125")})}),
       List({List({1, Timestamp{MillisOf(2024, 1, 2, 3, 4, 5), 6000}}), List({2, null})}),
       List({List({5, List({Bytes({0x00, 0xff}), 19723})})}), List({List({List({"x", "y"})}), true})},
      {2, List({}), List({}), List({}), List({}), List({null, null}), List({}), List({}), List({List({}), null})},
      {3, null, null, null, null, null, null, null, null},
      {4, List({null}), List({List({null})}), List({List({"", 0})}), List({List({-1, List({kNan, -0.0})})}),
       List({0, List({null, null})}), List({List({0, Timestamp{-1, 999000}})}), List({List({0, null})}), null},
  };
}

/// The columns and rows of types_avro: those of the other cases but for TIMESTAMP(9), which Avro cannot hold.
inline std::vector<DataField> AvroTypeFields() {
  std::vector<std::pair<std::string, DataType>> columns;
  for (const DataField& field : TypeFields()) {
    if (field.name != "ts9" && field.name != "tz9") columns.emplace_back(field.name, field.type);
  }
  return MakeFields(columns);
}

}  // namespace braid
