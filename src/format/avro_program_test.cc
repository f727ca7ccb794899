#include "format/avro_program.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using testing::ElementsAre;

enum Target : std::int32_t { kA, kB, kInnerC, kList, kRecordList };

constexpr AvroWanted kInner[] = {{"c", AvroShape::kInteger, true, kInnerC}};
constexpr AvroWanted kWanted[] = {{"a", AvroShape::kInteger, true, kA},
                                  {"b", AvroShape::kBytes, false, kB},
                                  {.name = "inner", .shape = AvroShape::kRecord, .fields = kInner},
                                  {"list", AvroShape::kIntegers, false, kList},
                                  {"records", AvroShape::kRecords, false, kRecordList, kInner}};

Result<AvroProgram> MakeProgram(std::string_view schema) {
  BRAID_TRY_ASSIGN(AvroSchema parsed, AvroSchema::Parse(schema));
  return AvroProgram::Make(std::make_shared<const AvroSchema>(std::move(parsed)), kWanted);
}

std::vector<std::int32_t> Targets(const AvroProgram& program) {
  std::vector<std::int32_t> targets;
  for (const AvroStep& step : program.steps) targets.push_back(step.target);
  return targets;
}

TEST(AvroProgramTest, FollowsTheOrderOfTheWriterAndSkipsUnknownFields) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroProgram program, MakeProgram(R"({"type": "record", "name": "r", "fields": [
    {"name": "inner", "type": {"type": "record", "name": "i", "fields": [{"name": "new", "type": "double"},
    {"name": "c", "type": "int"}]}},
    {"name": "other", "type": {"type": "map", "values": "long"}}, {"name": "b", "type": ["null", "string"]},
    {"name": "a", "type": "long"}]})"));
  EXPECT_THAT(Targets(program), ElementsAre(AvroStep::kNothing, AvroStep::kSkip, kInnerC, AvroStep::kSkip, kB, kA));
}

TEST(AvroProgramTest, TakesUnionsWithNullInEitherPlace) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroProgram program,
                             MakeProgram(R"(["null", {"type": "record", "name": "r", "fields": [
    {"name": "a", "type": ["int", "null"]}, {"name": "b", "type": ["null", "bytes"]},
    {"name": "inner", "type": ["null", {"type": "record", "name": "i", "fields": [{"name": "c", "type": "int"}]}]},
    {"name": "list", "type": ["null", {"type": "array", "items": ["null", "long"]}]}]}])"));
  EXPECT_THAT(Targets(program), ElementsAre(AvroStep::kNothing, kA, kB, AvroStep::kNothing, kInnerC, kList));
  // The record's branch, a = 5 (branch 0), b null, inner's branch.
  const std::string bytes("\x02\x00\x0a\x00\x02", 5);
  AvroCursor cursor(bytes);
  EXPECT_TRUE(program.steps[0].Enter(cursor));
  EXPECT_TRUE(program.steps[1].Enter(cursor));
  EXPECT_EQ(cursor.Long(), 5);
  EXPECT_FALSE(program.steps[2].Enter(cursor));
  EXPECT_TRUE(program.steps[3].Enter(cursor));
  EXPECT_TRUE(cursor.ok() && cursor.at_end());
  EXPECT_EQ(program.steps[5].item_null_branch, 0);
  EXPECT_EQ(program.steps[5].item_value_branch, 1);
}

TEST(AvroProgramTest, RefusesNullWhereAValueMustBe) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroProgram program,
                             MakeProgram(R"(["null", {"type": "record", "name": "r", "fields": [
    {"name": "a", "type": "int"},
    {"name": "inner", "type": {"type": "record", "name": "i", "fields": [{"name": "c", "type": "int"}]}}]}])"));
  for (const std::string& bytes : {std::string("\0", 1), std::string("\4", 1), std::string("\1", 1)}) {
    AvroCursor cursor(bytes);
    EXPECT_FALSE(program.steps[0].Enter(cursor));
    EXPECT_FALSE(cursor.ok());
  }
}

TEST(AvroProgramTest, NamesFieldsThatAreMissingOrOfAnotherType) {
  EXPECT_THAT(MakeProgram(R"({"type": "record", "name": "r", "fields": [{"name": "b", "type": "string"}]})"),
              HasMessage("no field a"));
  EXPECT_THAT(MakeProgram(R"({"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"},
    {"name": "inner", "type": {"type": "record", "name": "i", "fields": [{"name": "d", "type": "int"}]}}]})"),
              HasMessage("no field inner.c"));
  EXPECT_THAT(MakeProgram(R"({"type": "record", "name": "r", "fields": [{"name": "a", "type": "string"}]})"),
              HasMessage("field a is of"));
  EXPECT_THAT(
      MakeProgram(R"({"type": "record", "name": "r", "fields": [{"name": "a", "type": ["null", "int", "long"]}]})"),
      HasMessage("union of several types"));
  EXPECT_THAT(MakeProgram(R"("long")"), IsError(ErrorCode::kCorruption));
}

}  // namespace
}  // namespace braid
