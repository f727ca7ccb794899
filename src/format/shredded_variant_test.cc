#include "format/shredded_variant.h"

#include <arrow/array.h>
#include <arrow/json/from_string.h>
#include <arrow/type.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/batch.h"
#include "types/variant_json.h"

namespace braid {
namespace {

using arrow::field;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

TypePtr Level(TypePtr typed) {
  return arrow::struct_({field("value", arrow::binary()), field("typed_value", std::move(typed))});
}

TypePtr Column(TypePtr typed) {
  return arrow::struct_(
      {field("metadata", arrow::binary()), field("value", arrow::binary()), field("typed_value", std::move(typed))});
}

ArrayPtr Rows(const TypePtr& type, std::string_view json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

// The names "a", "b" and "c".
constexpr std::string_view kNames = R"("metadata": "\u0001\u0003\u0000\u0001\u0002\u0003abc")";

std::string JsonAt(const arrow::Array& variants, std::int64_t row) {
  const Datum variant = DatumAt(variants, row, DataType::Variant());
  if (variant.is_null()) return "NULL";
  const Result<std::string> json = VariantToJson(variant.as_list()[0].as_string(), variant.as_list()[1].as_string());
  return json ? json.value() : json.error().ToString();
}

/// The variants of the rows as JSON, or NULL. `rows` misses the metadata of each.
Result<std::vector<std::string>> Rebuild(const TypePtr& typed, const std::vector<std::string>& rows) {
  std::string json = "[";
  for (const std::string& row : rows) {
    if (json.size() > 1) json += ",";
    json += row == "null" ? row : "{" + std::string(kNames) + "," + row + "}";
  }
  const ArrayPtr column = Rows(Column(typed), json + "]");
  BRAID_TRY_ASSIGN(const ArrayPtr variants,
                   RebuildVariants("v", static_cast<const arrow::StructArray&>(*column), DataType::Variant()));
  EXPECT_TRUE(variants->ValidateFull().ok());
  std::vector<std::string> found;
  for (std::int64_t i = 0; i < variants->length(); ++i) found.push_back(JsonAt(*variants, i));
  return found;
}

TEST(ShreddedVariantTest, ScalarsComeFromEitherColumn) {
  EXPECT_THAT(
      Rebuild(arrow::int32(), {R"("typed_value": 300)", R"("value": "\u0005x")", R"("value": "\u0000")", "null"}),
      HasValue(testing::ElementsAre("300", R"("x")", "null", "NULL")));
  EXPECT_THAT(Rebuild(arrow::boolean(), {R"("typed_value": true)"}), HasValue(testing::ElementsAre("true")));
  EXPECT_THAT(Rebuild(arrow::int8(), {R"("typed_value": -1)"}), HasValue(testing::ElementsAre("-1")));
  EXPECT_THAT(Rebuild(arrow::int16(), {R"("typed_value": -300)"}), HasValue(testing::ElementsAre("-300")));
  EXPECT_THAT(Rebuild(arrow::int64(), {R"("typed_value": 5000000000)"}), HasValue(testing::ElementsAre("5000000000")));
  EXPECT_THAT(Rebuild(arrow::float32(), {R"("typed_value": 0.5)"}), HasValue(testing::ElementsAre("0.5")));
  EXPECT_THAT(Rebuild(arrow::float64(), {R"("typed_value": 0.25)"}), HasValue(testing::ElementsAre("0.25")));
  EXPECT_THAT(Rebuild(arrow::utf8(), {R"("typed_value": "text")"}), HasValue(testing::ElementsAre(R"("text")")));
  EXPECT_THAT(Rebuild(arrow::binary(), {R"("typed_value": "\n")"}), HasValue(testing::ElementsAre(R"("Cg==")")));
  EXPECT_THAT(Rebuild(arrow::decimal128(10, 2), {R"("typed_value": "1.25")"}), HasValue(testing::ElementsAre("1.25")));
  EXPECT_THAT(Rebuild(arrow::date32(), {R"("typed_value": 1)"}), HasValue(testing::ElementsAre(R"("1970-01-02")")));
  EXPECT_THAT(Rebuild(arrow::timestamp(arrow::TimeUnit::MILLI), {R"("typed_value": 1)"}),
              HasValue(testing::ElementsAre(R"("1970-01-01 00:00:00.001")")));
  EXPECT_THAT(Rebuild(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), {R"("typed_value": 1)"}),
              HasValue(testing::ElementsAre(R"("1970-01-01 00:00:00.000001+00:00")")));
}

TEST(ShreddedVariantTest, ObjectsAreUnitedWithTheirRest) {
  const TypePtr typed = arrow::struct_({field("b", Level(arrow::int32())), field("a", Level(arrow::utf8()))});
  // The rest is {"c": true}: one member, name 2, at offset 0 of one byte.
  EXPECT_THAT(
      Rebuild(typed,
              {R"("typed_value": {"b": {"typed_value": 1}, "a": {"typed_value": "x"}})",
               R"("typed_value": {"b": {"value": "\u0000"}, "a": {}}, "value": "\u0002\u0001\u0002\u0000\u0001\u0004")",
               R"("typed_value": {"b": {}, "a": {}})", R"("value": "\u0004")"}),
      HasValue(testing::ElementsAre(R"({"a":"x","b":1})", R"({"b":null,"c":true})", "{}", "true")));
}

TEST(ShreddedVariantTest, ArraysOfObjects) {
  const TypePtr typed = arrow::list(Level(arrow::struct_({field("a", Level(arrow::list(Level(arrow::int32()))))})));
  EXPECT_THAT(
      Rebuild(
          typed,
          {R"("typed_value": [])",
           R"("typed_value": [{"typed_value": {"a": {"typed_value": [{"typed_value": 1}, {"value": "\u0004"}]}}}, {"value": "\u0000"}])",
           "null", R"("typed_value": [{"typed_value": {"a": {"typed_value": [{"typed_value": 2}]}}}])"}),
      HasValue(testing::ElementsAre("[]", R"([{"a":[1,true]},null])", "NULL", R"([{"a":[2]}])")));
}

TEST(ShreddedVariantTest, ReadsASliceOfAColumn) {
  const ArrayPtr column =
      Rows(Column(arrow::int32()), "[" + std::string("{") + std::string(kNames) + R"(, "typed_value": 1},{)" +
                                       std::string(kNames) + R"(, "typed_value": 2}])");
  const ArrayPtr slice = column->Slice(1);
  BRAID_ASSERT_OK_AND_ASSIGN(const ArrayPtr variants,
                             RebuildVariants("v", static_cast<const arrow::StructArray&>(*slice), DataType::Variant()));
  ASSERT_EQ(variants->length(), 1);
  EXPECT_EQ(JsonAt(*variants, 0), "2");
}

TEST(ShreddedVariantTest, RefusesWhatCannotBePutTogether) {
  const TypePtr object = arrow::struct_({field("c", Level(arrow::int32()))});
  const struct {
    TypePtr typed;
    std::string row, message;
  } damaged[] = {
      {arrow::int32(), R"("value": null)", "v has no value"},
      {object, R"("typed_value": {"c": null})", "v.c is NULL"},
      {object, R"("typed_value": {"c": {}}, "value": "\u0004")", "the rest of v is no object"},
      {object, R"("typed_value": {"c": {}}, "value": "\u0002\u0001\u0002\u0000\u0001\u0004")",
       "a member 'c', which has columns of its own"},
      {arrow::list(Level(arrow::int32())), R"("typed_value": [{}])", "v[] has no value"},
      {arrow::int32(), R"("value": "\u0009x")", "bytes beyond the end"},
  };
  for (const auto& known : damaged) {
    const auto found = Rebuild(known.typed, {known.row});
    EXPECT_THAT(found, IsError(ErrorCode::kCorruption)) << known.row;
    EXPECT_THAT(found, HasMessage(known.message));
  }
  const auto unknown = Rebuild(arrow::time32(arrow::TimeUnit::MILLI), {R"("typed_value": 1)"});
  EXPECT_THAT(unknown, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(unknown, HasMessage("time32"));
}

}  // namespace
}  // namespace braid
