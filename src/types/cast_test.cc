#include "types/cast.h"

#include <fstream>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>

#include "base/json.h"
#include "base/result_matchers.h"
#include "base/text.h"
#include "types/batch.h"
#include "types/date_time.h"
#include "types/number_text.h"
#include "types/row_json.h"

namespace braid {
namespace {

using testing::ElementsAre;

DataType Type(std::string_view text) {
  Result<DataType> type = ParseDataType(text);
  BRAID_CHECK(type.has_value());
  return *std::move(type);
}

std::string ToJson(const Datum& value, const DataType& type) {
  std::string out;
  AppendDatumJson(value, type, out);
  return out;
}

/// A value written as in docs/rows-as-json.md.
Datum FromJson(const Json& json, const DataType& type) {
  if (json.is_null()) return {};
  const auto children = [&json](const auto& type_of) {
    DatumList out;
    for (std::size_t i = 0; i < json.as_array().size(); ++i) out.push_back(FromJson(json.as_array()[i], type_of(i)));
    return Datum(std::move(out));
  };
  switch (type.kind()) {
    case TypeKind::kBoolean: return json.as_bool();
    case TypeKind::kFloat:
      return json.is_string() ? *ParseJavaFloating<float>(json.as_string()) : static_cast<float>(json.as_double());
    case TypeKind::kDouble: return json.is_string() ? *ParseJavaFloating<double>(json.as_string()) : json.as_double();
    case TypeKind::kDecimal: return **ParseDecimal(json.as_string(), type.precision(), type.scale());
    case TypeKind::kChar:
    case TypeKind::kVarChar: return json.as_string();
    case TypeKind::kBinary:
    case TypeKind::kVarBinary: return *FromHex(json.as_string());
    case TypeKind::kDate: return std::int64_t{*ParseIsoDate(json.as_string())};
    case TypeKind::kTime: return ParseIsoTimestamp("1970-01-01T" + json.as_string(), false)->millis;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return *ParseIsoTimestamp(json.as_string(), type.kind() == TypeKind::kTimestampLtz);
    case TypeKind::kArray: return children([&](std::size_t) { return type.element(); });
    case TypeKind::kRow: return children([&](std::size_t i) { return type.fields()[i].type; });
    case TypeKind::kMap: {
      DatumList out;
      for (const Json& pair : json.as_array()) {
        out.push_back(DatumList{FromJson(pair.as_array()[0], type.key()), FromJson(pair.as_array()[1], type.element())});
      }
      return out;
    }
    default: return json.as_integer();
  }
}

struct JavaCast {
  std::string from;
  std::string to;
  std::string value;
  std::string expected;  // "error" if Java fails
};

std::vector<JavaCast> ReadJavaCasts() {
  std::ifstream in(BRAID_SOURCE_DIR "/tests/data/types/java_casts.tsv");
  std::vector<JavaCast> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> parts = Split(line, '\t');
    out.push_back({parts[0], parts[1], parts[2], parts[3]});
  }
  return out;
}

TEST(CastTest, ConvertsSingleValuesAsJava) {
  const std::vector<JavaCast> casts = ReadJavaCasts();
  ASSERT_GT(casts.size(), 1000U);
  for (const JavaCast& c : casts) {
    SCOPED_TRACE(c.from + " to " + c.to + ": " + c.value);
    const DataType from = Type(c.from);
    const DataType to = Type(c.to);
    BRAID_ASSERT_OK_AND_ASSIGN(const Json json, ParseJson(c.value));
    const Result<Datum> cast = CastDatum(FromJson(json, from), from, to);
    if (c.expected == "error") {
      EXPECT_THAT(cast, IsError(ErrorCode::kInvalidArgument));
    } else {
      ASSERT_THAT(cast, IsOk());
      EXPECT_EQ(ToJson(*cast, to), c.expected);
    }
  }
}

TEST(CastTest, ConvertsColumnsAsSingleValues) {
  for (const JavaCast& c : ReadJavaCasts()) {
    SCOPED_TRACE(c.from + " to " + c.to + ": " + c.value);
    const DataType from = Type(c.from);
    const DataType to = Type(c.to);
    BRAID_ASSERT_OK_AND_ASSIGN(const Json json, ParseJson(c.value));
    const Datum value = FromJson(json, from);
    const std::vector<Datum> values = {Datum(), value, value, Datum()};
    BRAID_ASSERT_OK_AND_ASSIGN(const auto whole, MakeColumn(values, from));
    const Result<std::shared_ptr<arrow::Array>> cast = CastColumn(whole->Slice(1), from, to);
    if (c.expected == "error") {
      EXPECT_THAT(cast, IsError(ErrorCode::kInvalidArgument));
      continue;
    }
    ASSERT_THAT(cast, IsOk());
    ASSERT_TRUE((*cast)->ValidateFull().ok());
    ASSERT_TRUE((*cast)->type()->Equals(*ToArrowType(to)));
    ASSERT_EQ((*cast)->length(), 3);
    // Columns of microseconds cannot hold what Java leaves of nanoseconds in TIMESTAMP(6).
    if (c.from == "TIMESTAMP(9)" && c.to == "TIMESTAMP(6)" && c.expected.size() > 28) continue;
    if (c.from == "TIMESTAMP(9)" && c.to == "TIMESTAMP(3)" && c.expected.size() > 25) continue;
    EXPECT_EQ(ToJson(DatumAt(**cast, 0, to), to), c.expected);
    EXPECT_EQ(ToJson(DatumAt(**cast, 1, to), to), c.expected);
    EXPECT_TRUE((*cast)->IsNull(2));
  }
}

TEST(CastTest, AllowsTypeChangesOfTheSpecification) {
  struct Case {
    std::string from;
    std::string to;
    bool implicit;
    bool is_explicit;
  };
  const std::vector<Case> cases = {
      {"TINYINT", "SMALLINT", true, true},
      {"INT", "BIGINT", true, true},
      {"BIGINT", "INT", false, true},
      {"INT", "FLOAT", true, true},
      {"DOUBLE", "FLOAT", false, true},
      {"FLOAT", "DOUBLE", true, true},
      {"DOUBLE", "DECIMAL(10, 2)", true, true},
      {"DECIMAL(10, 2)", "DECIMAL(5, 1)", true, true},
      {"DECIMAL(10, 2)", "FLOAT", true, true},
      {"DECIMAL(10, 2)", "BOOLEAN", false, false},
      {"BOOLEAN", "INT", false, true},
      {"INT", "BOOLEAN", false, true},
      {"DOUBLE", "BOOLEAN", false, false},
      {"VARCHAR(10)", "VARCHAR(3)", true, true},
      {"STRING", "CHAR(3)", false, true},
      {"CHAR(3)", "STRING", true, true},
      {"BINARY(3)", "BYTES", true, true},
      {"BYTES", "BINARY(3)", false, true},
      {"INT", "BYTES", false, false},
      {"DATE", "STRING", false, true},
      {"DATE", "VARCHAR(20)", false, false},
      {"DATE", "STRING NOT NULL", false, false},
      {"TIMESTAMP(3)", "DATE", true, true},
      {"TIMESTAMP(3) WITH LOCAL TIME ZONE", "DATE", false, true},
      {"DATE", "TIMESTAMP(3)", false, true},
      {"TIMESTAMP(3)", "TIMESTAMP(6)", true, true},
      {"TIMESTAMP(3)", "TIMESTAMP(3) WITH LOCAL TIME ZONE", true, true},
      {"TIME(3)", "TIME(0)", false, false},
      {"TIMESTAMP(3)", "INT", false, true},
      {"TIMESTAMP(3)", "SMALLINT", false, false},
      {"SMALLINT", "TIMESTAMP(3)", false, false},
      {"ARRAY<INT>", "STRING", false, true},
      {"ARRAY<INT>", "ARRAY<BIGINT>", false, false},
      {"STRING", "ARRAY<INT>", false, false},
      {"MULTISET<INT>", "STRING", false, false},
      {"INT NOT NULL", "INT", true, true},
      {"INT", "INT NOT NULL", false, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.from + " to " + c.to);
    EXPECT_EQ(CanCast(Type(c.from), Type(c.to), false), c.implicit);
    EXPECT_EQ(CanCast(Type(c.from), Type(c.to), true), c.is_explicit);
  }
}

TEST(CastTest, RefusesWhatNoExecutorConverts) {
  EXPECT_THAT(CastDatum(Datum(1), DataType::Int(), DataType::Bytes()), IsError(ErrorCode::kUnsupported));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto column, MakeConstantColumn(Datum(1), DataType::Int(), 2));
  EXPECT_THAT(CastColumn(column, DataType::Int(), DataType::Bytes()), HasMessage("INT cannot be converted to BYTES"));
}

TEST(CastTest, MatchesFieldsOfRowsById) {
  const auto field = [](int id, std::string name, DataType type) {
    return DataField{FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
  };
  const DataType from = DataType::Row({field(1, "a", DataType::Int()), field(2, "b", DataType::String())});
  const DataType to = DataType::Row(
      {field(3, "c", DataType::Date()), field(2, "renamed", DataType::String()), field(1, "a", DataType::BigInt())});
  const std::vector<Datum> rows = {DatumList{7, "x"}, Datum(), DatumList{Datum(), "y"}};
  const DataType old_list = DataType::Array(from);
  const DataType new_list = DataType::Array(to);
  const DataType old_map = DataType::Map(DataType::Int(), from);
  const DataType new_map = DataType::Map(DataType::Int(), to);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto column, MakeColumn(rows, from));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto cast, CastColumn(column->Slice(1), from, to));
  ASSERT_TRUE(cast->ValidateFull().ok());
  EXPECT_EQ(ToJson(DatumAt(*cast, 0, to), to), "null");
  EXPECT_EQ(ToJson(DatumAt(*cast, 1, to), to), R"({"c":null,"renamed":"y","a":null})");

  const Datum list = DatumList{rows[0], rows[1]};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto lists, MakeColumn(std::vector<Datum>{Datum(), list}, old_list));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto cast_lists, CastColumn(lists->Slice(1), old_list, new_list));
  EXPECT_EQ(ToJson(DatumAt(*cast_lists, 0, new_list), new_list), R"([{"c":null,"renamed":"x","a":7},null])");

  const Datum map = DatumList{Datum(DatumList{5, rows[0]})};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto maps, MakeColumn(std::vector<Datum>{map, Datum()}, old_map));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto cast_maps, CastColumn(maps, old_map, new_map));
  EXPECT_EQ(ToJson(DatumAt(*cast_maps, 0, new_map), new_map), R"([[5,{"c":null,"renamed":"x","a":7}]])");
  BRAID_ASSERT_OK_AND_ASSIGN(const Datum single, CastDatum(map, old_map, new_map));
  EXPECT_EQ(ToJson(single, new_map), R"([[5,{"c":null,"renamed":"x","a":7}]])");
}

TEST(CastTest, ParsesValuesFromText) {
  struct Case {
    std::string text;
    std::string type;
    std::string json;
  };
  const std::vector<Case> cases = {
      {"true", "BOOLEAN", "true"},
      {"-128", "TINYINT", "-128"},
      {"1.50", "DECIMAL(10, 2)", "\"1.50\""},
      {"1.5", "DOUBLE", "1.5"},
      {"2024-02-29", "DATE", "\"2024-02-29\""},
      {"12:34:56.7", "TIME(3)", "\"12:34:56.700\""},
      {"2024-05-14 10:15:30.123", "TIMESTAMP(3)", "\"2024-05-14T10:15:30.123\""},
      {"2024-05-14T10:15:30.123456", "TIMESTAMP(3)", "\"2024-05-14T10:15:30.123\""},
      {"1969-12-31T23:59:59.9999", "TIMESTAMP(3)", "\"1969-12-31T23:59:59.999\""},
      {"2024-05-14", "TIMESTAMP(3)", "\"2024-05-14T00:00:00.000\""},
      {"2024-07-01T00:00:00.001Z", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "\"2024-07-01T00:00:00.001Z\""},
      {"2024-07-01T02:00:00+02:00", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "\"2024-07-01T00:00:00.000Z\""},
      {"abcdef", "VARCHAR(3)", "\"abc\""},
      {"ab", "BYTES", "\"6162\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text + " as " + c.type);
    BRAID_ASSERT_OK_AND_ASSIGN(const Datum value, ParseDatum(c.text, Type(c.type)));
    EXPECT_EQ(ToJson(value, Type(c.type)), c.json);
  }
}

TEST(CastTest, QuotesTextThatIsNoValue) {
  EXPECT_THAT(ParseDatum(" 7 ", DataType::Int()), HasMessage("' 7 ' is no value of type INT"));
  EXPECT_THAT(ParseDatum("2024-02-30", DataType::Date().NotNull()), HasMessage("'2024-02-30' is no value of type DATE"));
  EXPECT_THAT(ParseDatum("12345.6", DataType::Decimal(6, 2)), HasMessage("'12345.6' does not fit into DECIMAL(6, 2)"));
  EXPECT_THAT(ParseDatum("2024-01-01T00:00:00Z", DataType::Timestamp(3)), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ParseDatum("[1]", DataType::Array(DataType::Int())), IsError(ErrorCode::kUnsupported));
}

TEST(CastTest, FormatsValuesAsCastToString) {
  EXPECT_EQ(FormatDatum(Datum(19857), DataType::Date()), "2024-05-14");
  EXPECT_EQ(FormatDatum(Timestamp{1715681730123}, DataType::Timestamp(3)), "2024-05-14 10:15:30.123");
  EXPECT_EQ(FormatDatum(Timestamp{1715681730000}, DataType::Timestamp(0)), "2024-05-14 10:15:30");
  EXPECT_EQ(FormatDatum(Datum(), DataType::Int()), "null");
  EXPECT_EQ(FormatDatum(1e7, DataType::Double()), "1.0E7");
  EXPECT_EQ(FormatDatum(Decimal{-5}, DataType::Decimal(4, 2)), "-0.05");
}

}  // namespace
}  // namespace braid
