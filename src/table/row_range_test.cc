#include "table/row_range.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "table/row_range_reader.h"

namespace braid {
namespace {

using testing::ElementsAre;

DataFileMeta FileOf(std::string name, std::int64_t first_row_id, std::int64_t rows, std::int64_t sequence) {
  DataFileMeta file{.file_name = std::move(name), .row_count = rows, .max_sequence_number = sequence};
  file.first_row_id = first_row_id;
  return file;
}

std::vector<const DataFileMeta*> PointersTo(const std::vector<DataFileMeta>& files) {
  std::vector<const DataFileMeta*> pointers;
  for (const DataFileMeta& file : files) pointers.push_back(&file);
  return pointers;
}

std::vector<std::string> NamesOf(const std::vector<const DataFileMeta*>& files) {
  std::vector<std::string> names;
  for (const DataFileMeta* file : files) names.push_back(file->file_name);
  return names;
}

TEST(RowRangeTest, PutsFilesOfTheSameRowsTogetherTheNewestFirst) {
  const std::vector<DataFileMeta> files = {FileOf("later", 3, 1, 2),  FileOf("old", 0, 3, 1), FileOf("new", 0, 3, 9),
                                           FileOf("b2.blob", 2, 1, 9), FileOf("middle", 0, 3, 4), FileOf("b1.blob", 0, 2, 1),
                                           FileOf("b0.blob", 0, 2, 3)};
  const auto pointers = PointersTo(files);
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<RowRange> ranges, GroupByRowRange(pointers));
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].first_row_id, 0);
  EXPECT_EQ(ranges[0].end_row_id(), 3);
  EXPECT_THAT(NamesOf(ranges[0].files), ElementsAre("new", "middle", "old"));
  EXPECT_THAT(NamesOf(ranges[0].blobs), ElementsAre("b0.blob", "b1.blob", "b2.blob"));
  EXPECT_EQ(AnchorOf(ranges[0]).file_name, "old");
  EXPECT_EQ(ranges[1].first_row_id, 3);
  EXPECT_THAT(NamesOf(ranges[1].files), ElementsAre("later"));
}

TEST(RowRangeTest, NamesFilesThatDoNotFit) {
  DataFileMeta without_ids = FileOf("without-ids", 0, 3, 1);
  without_ids.first_row_id.reset();
  struct Case {
    std::string culprit;
    std::vector<DataFileMeta> files;
  };
  const std::vector<Case> cases = {
      {"without-ids", {without_ids}},
      {"shorter", {FileOf("whole", 0, 3, 2), FileOf("shorter", 0, 2, 1)}},
      {"shifted", {FileOf("whole", 0, 3, 1), FileOf("shifted", 1, 3, 2)}},
      {"alone.blob", {FileOf("alone.blob", 0, 3, 1)}},
      {"long.blob", {FileOf("whole", 0, 3, 1), FileOf("long.blob", 1, 3, 2)}},
      {"between.blob", {FileOf("whole", 0, 3, 1), FileOf("between.blob", 3, 1, 1), FileOf("next", 4, 1, 1)}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.culprit);
    const auto pointers = PointersTo(c.files);
    const auto ranges = GroupByRowRange(pointers);
    EXPECT_THAT(ranges, IsError(ErrorCode::kCorruption));
    EXPECT_THAT(ranges, HasMessage(c.culprit));
  }
}

}  // namespace
}  // namespace braid
