#include "meta/tag_json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// Written by Java Paimon 1.4.2 for a tag retained 36500 days.
constexpr std::string_view kRetained = R"({
  "version" : 3,
  "id" : 2,
  "schemaId" : 0,
  "baseManifestList" : "manifest-list-219dcca7-7410-42fe-aa33-434c36acf1c8-0",
  "baseManifestListSize" : 1108,
  "deltaManifestList" : "manifest-list-219dcca7-7410-42fe-aa33-434c36acf1c8-1",
  "deltaManifestListSize" : 1109,
  "commitUser" : "oracle",
  "commitIdentifier" : 9223372036854775807,
  "commitKind" : "APPEND",
  "timeMillis" : 1795966945340,
  "totalRecordCount" : 2,
  "deltaRecordCount" : 1,
  "nextRowId" : 0,
  "tagCreateTime" : [ 2026, 11, 29, 15, 42, 25, 356563705 ],
  "tagTimeRetained" : 3153600000.000000000
})";

std::string TagWith(std::string_view create_time, std::string_view time_retained) {
  return fmt::format(
      R"({{"version": 3, "id": 2, "schemaId": 0, "baseManifestList": "a", "deltaManifestList": "b", "commitUser": "u",
    "commitIdentifier": 1, "commitKind": "APPEND", "timeMillis": 1, "totalRecordCount": 2, "deltaRecordCount": 1,
    "tagCreateTime": {}, "tagTimeRetained": {}}})",
      create_time, time_retained);
}

TEST(TagJsonTest, ReadsAndPrintsARetainedTagOfJava) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Tag tag, ParseTag("keep", kRetained));
  EXPECT_EQ(tag.name, "keep");
  EXPECT_EQ(tag.snapshot.id, SnapshotId(2));
  EXPECT_EQ(tag.create_time, "2026-11-29T15:42:25.356563705");
  EXPECT_EQ(tag.time_retained, "PT876000H");
  EXPECT_THAT(PrintTag(tag), HasValue(testing::Eq(kRetained)));
}

TEST(TagJsonTest, PrintsAnUnretainedTagAsItsSnapshot) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Tag tag, ParseTag("t", TagWith("null", "null")));
  EXPECT_EQ(tag.create_time, std::nullopt);
  EXPECT_EQ(tag.time_retained, std::nullopt);
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string text, PrintTag(tag));
  EXPECT_THAT(text, testing::EndsWith("\"deltaRecordCount\" : 1\n}"));
}

TEST(TagJsonTest, LeavesOutZeroSecondsAsJacksonDoes) {
  struct Case {
    std::string create_time;
    std::string text;
    std::string time_retained;
    std::string retained_text;
  };
  const std::vector<Case> cases = {
      {"[ 2024, 5, 14, 10, 15 ]", "2024-05-14T10:15", "86400.000000000", "PT24H"},
      {"[ 2024, 5, 14, 10, 15, 30 ]", "2024-05-14T10:15:30", "0.500000000", "PT0.5S"},
      {"[ 2024, 5, 14, 10, 15, 0, 1000 ]", "2024-05-14T10:15:00.000001", "3661.001000000", "PT1H1M1.001S"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    BRAID_ASSERT_OK_AND_ASSIGN(const Tag tag, ParseTag("t", TagWith(c.create_time, c.time_retained)));
    EXPECT_EQ(tag.create_time, c.text);
    EXPECT_EQ(tag.time_retained, c.retained_text);
    BRAID_ASSERT_OK_AND_ASSIGN(const std::string text, PrintTag(tag));
    EXPECT_THAT(text, testing::HasSubstr("\"tagCreateTime\" : " + c.create_time + ",\n"));
    EXPECT_THAT(text, testing::HasSubstr("\"tagTimeRetained\" : " + c.time_retained + "\n}"));
  }
}

TEST(TagJsonTest, AcceptsIsoTextAndWholeSeconds) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Tag iso, ParseTag("t", TagWith(R"("2024-05-14T10:15:30")", R"("PT1H")")));
  EXPECT_EQ(iso.create_time, "2024-05-14T10:15:30");
  EXPECT_EQ(iso.time_retained, "PT1H");
  BRAID_ASSERT_OK_AND_ASSIGN(const Tag seconds, ParseTag("t", TagWith("null", "3600")));
  EXPECT_EQ(seconds.time_retained, "PT1H");
}

TEST(TagJsonTest, RefusesMalformedTimes) {
  for (const std::string_view time : {"[ 2024, 5 ]", "[ 2024, 13, 1, 0, 0 ]", "[ 2024, 1, 1, 0, 0, 0, 0, 0 ]",
                                      "\"soon\"", "17", "[ 2024, 1, 1, 0, 0.5 ]"}) {
    EXPECT_THAT(ParseTag("t", TagWith(time, "null")), IsError(ErrorCode::kCorruption)) << time;
  }
  for (const std::string_view duration : {"\"1 d\"", "[ 1 ]", "1e300", "true"}) {
    EXPECT_THAT(ParseTag("t", TagWith("null", duration)), IsError(ErrorCode::kCorruption)) << duration;
  }
}

}  // namespace
}  // namespace braid
