#include <gmock/gmock.h>

#include "meta/table_paths.h"

namespace braid {
namespace {

DataField Field(std::string name, DataType type) {
  return {FieldId(0), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

DataLayout TextLayout() {
  DataLayout layout;
  layout.partition_fields = {Field("dt", DataType::String()), Field("city", DataType::String())};
  return layout;
}

TEST(PartitionPathTest, EscapesAsInTheSpecificationsExample) {
  const std::vector<Datum> values = {"2024/05", "São:1"};
  EXPECT_EQ(TextLayout().BucketDirectory(values, BucketId(0)), "dt=2024%2F05/city=São%3A1/bucket-0");
  EXPECT_EQ(TextLayout().PartitionPath(values), "dt=2024%2F05/city=São%3A1");
}

TEST(PartitionPathTest, EscapesExactlyWhatJavaEscapes) {
  EXPECT_EQ(EscapePathPart("\"#%'*/:=?\\{}[]^\x7f\x01\n"), "%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%7D%5B%5D%5E%7F%01%0A");
  EXPECT_EQ(EscapePathPart(" <>|$&@é漢"), " <>|$&@é漢");
  EXPECT_EQ(UnescapePathPart("%22a%3A%0Aé%7f"), "\"a:\né\x7f");
  EXPECT_EQ(UnescapePathPart("%,%4,%zz,%41"), "%,%4,%zz,A");
}

TEST(PartitionPathTest, NamesBucketsAndFolders) {
  DataLayout layout;
  EXPECT_EQ(layout.BucketDirectory({}, BucketId(3)), "bucket-3");
  EXPECT_EQ(layout.BucketDirectory({}, BucketId(-2)), "bucket-postpone");
  layout.data_directory = "data/here";
  EXPECT_EQ(layout.BucketDirectory({}, BucketId(0)), "data/here/bucket-0");
}

TEST(PartitionPathTest, GivesNullAndBlankTextTheDefaultName) {
  DataLayout layout = TextLayout();
  const std::vector<Datum> values = {Datum(), "  "};
  EXPECT_EQ(layout.PartitionPath(values), "dt=__DEFAULT_PARTITION__/city=__DEFAULT_PARTITION__");
  layout.default_partition_name = "none";
  EXPECT_EQ(layout.PartitionPath(values), "dt=none/city=none");
}

TEST(PartitionPathTest, PrintsValuesInBothForms) {
  struct Case {
    Datum value;
    DataType type;
    std::string legacy;
    std::string modern;
  };
  // 19857 is 2024-05-14; 1715681730123 ms is 2024-05-14T10:15:30.123.
  const std::vector<Case> cases = {
      {Datum(true), DataType::Boolean(), "true", "true"},
      {Datum(-7), DataType::Int(), "-7", "-7"},
      {Datum(1.0), DataType::Double(), "1.0", "1.0"},
      {Datum(1e10), DataType::Double(), "1.0E10", "1.0E10"},
      {Datum(Decimal{12345}), DataType::Decimal(10, 2), "123.45", "123.45"},
      {Datum(19857), DataType::Date(), "19857", "2024-05-14"},
      {Datum(36'930'123), DataType::Time(3), "36930123", "10:15:30.123"},
      {Datum(Timestamp{1'715'681'730'123, 0}), DataType::Timestamp(3), "2024-05-14T10:15:30.123",
       "2024-05-14 10:15:30.123"},
      {Datum(Timestamp{1'715'681'700'000, 0}), DataType::Timestamp(0), "2024-05-14T10:15", "2024-05-14 10:15:00"},
      {Datum(Timestamp{-1, 500}), DataType::Timestamp(9), "1969-12-31T23:59:59.999000500",
       "1969-12-31 23:59:59.999000500"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(PartitionValueText(c.value, c.type, true, "d"), c.legacy);
    EXPECT_EQ(PartitionValueText(c.value, c.type, false, "d"), c.modern);
  }
}

}  // namespace
}  // namespace braid
