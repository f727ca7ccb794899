#include "format/orc_schema.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "format/orc_proto.h"

namespace braid {
namespace {

/// A message Type, as text: kind, children, names, and what else there is by the number of its field.
std::string Described(const std::string& type) {
  std::string text;
  OrcMessageReader message(type);
  while (const auto field = message.Next()) {
    text += text.empty() ? "" : " ";
    if (field->number == 2) {
      text += "[";
      OrcMessageReader children(field->bytes);
      while (!children.empty()) text += std::to_string(children.Varint()) + ",";
      text += "]";
    } else if (field->number == 3) {
      text += std::string(field->bytes);
    } else if (field->number == 7) {
      OrcMessageReader attribute(field->bytes);
      text += std::string(attribute.Next()->bytes);
      text += "=" + std::string(attribute.Next()->bytes);
    } else {
      text += std::to_string(field->number) + ":" + std::to_string(field->value);
    }
  }
  EXPECT_FALSE(message.broken());
  return text;
}

TEST(OrcSchemaTest, NumbersColumnsFromTheRootDownAndTellsTheirIds) {
  const auto field = [](int id, std::string name, DataType type) {
    return DataField{FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
  };
  // The example of the specification, data.md section 1.2: ARRAY<MAP<INT, ARRAY<INT>>> with id 10.
  const DataType nested = DataType::Array(DataType::Map(DataType::Int(), DataType::Array(DataType::Int())));
  const std::vector<DataField> fields = {
      field(10, "a", nested),
      field(11, "d", DataType::Decimal(12, 2)),
      field(12, "c", DataType::Char(5)),
      field(13, "s", DataType::String()),
      field(14, "v", DataType::VarChar(9)),
      field(15, "r",
            DataType::Row({field(16, "t", DataType::Timestamp(3)), field(17, "z", DataType::TimestampLtz(3))})),
      field(18, "m", DataType::Multiset(DataType::Date()))};
  std::vector<std::string> described;
  for (const std::string& type : EncodeOrcTypes(fields)) described.push_back(Described(type));
  const std::vector<std::string> expected = {
      "1:12 [1,6,7,8,9,10,13,] a d c s v r m",
      "1:10 [2,] paimon.id=10",
      "1:11 [3,4,] paimon.id=" + std::to_string(536870911 + 10240 + 1),
      "1:3 paimon.id=" + std::to_string(536870911 - 10240 - 2),
      "1:10 [5,] paimon.id=" + std::to_string(536870911 + 10240 + 2),
      "1:3 paimon.id=" + std::to_string(536870911 + 10240 + 3),
      "1:14 5:12 6:2 paimon.id=11",
      "1:17 4:5 paimon.id=12",
      "1:7 paimon.id=13",
      "1:16 4:9 paimon.id=14",
      "1:12 [11,12,] t z paimon.id=15",
      "1:9 paimon.id=16",
      "1:18 paimon.id=17",
      "1:11 [14,15,] paimon.id=18",
      "1:15 paimon.id=" + std::to_string(536870911 - 18432 - 1),
      "1:3 paimon.id=" + std::to_string(536870911 + 18432 + 1),
  };
  EXPECT_EQ(described, expected);
}

TEST(OrcSchemaTest, RefusesTypesAtAnyDepth) {
  const DataType type = DataType::Map(DataType::Int(), DataType::Array(DataType::Variant()));
  const Status status = CheckOrcType("m", type);
  EXPECT_THAT(status, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(status, HasMessage("column m"));
  EXPECT_THAT(CheckOrcType("m", DataType::Map(DataType::Int(), DataType::Array(DataType::Int()))), IsOk());
}

TEST(OrcSchemaTest, ReadsBackTheTypesThatItWrote) {
  const DataType row = DataType::Row({{FieldId(1), "x", DataType::Decimal(12, 2), {}, {}}});
  const std::vector<DataField> fields = {{FieldId(0), "m", DataType::Map(DataType::Char(3), row), {}, {}}};
  std::vector<OrcType> types;
  for (const std::string& message : EncodeOrcTypes(fields)) types.push_back(DecodeOrcType(message).value());
  ASSERT_EQ(types.size(), 5U);
  EXPECT_EQ(types[0].kind, OrcTypeKind::kStruct);
  EXPECT_EQ(types[0].names, std::vector<std::string>{"m"});
  EXPECT_EQ(types[1].kind, OrcTypeKind::kMap);
  EXPECT_EQ(types[1].children, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(types[2].kind, OrcTypeKind::kChar);
  EXPECT_EQ(types[3].children, std::vector<std::uint32_t>{4});
  EXPECT_EQ(types[4].ToString(), "decimal(12,2)");
  // A kind of a later version, and a message that breaks off.
  EXPECT_EQ(DecodeOrcType("\x08\x13").value().kind, OrcTypeKind::kUnknown);
  EXPECT_FALSE(DecodeOrcType("\x12\x05").has_value());
}

}  // namespace
}  // namespace braid
