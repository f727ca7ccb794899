#include "mergetree/levels.h"

#include "base/result_matchers.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

const std::vector<DataField> kKey = {Field(0, "k", DataType::BigInt().NotNull())};

TEST(LevelsTest, OrdersRunsFromTheYoungestToTheOldest) {
  DataFileMeta wide = FileOf("wide", 0, 1, 0, 9, 7);
  wide.min_sequence_number = 1;
  DataFileMeta narrow = FileOf("narrow", 0, 1, 0, 9, 7);
  narrow.min_sequence_number = 5;
  BRAID_ASSERT_OK_AND_ASSIGN(const Levels levels,
                             Levels::Make(kKey, 4,
                                          {FileOf("b", 3, 10, 5, 9), narrow, FileOf("new", 0, 1, 0, 9, 8), wide,
                                           FileOf("a", 3, 10, 1, 4), FileOf("old", 0, 1, 0, 9, 2)}));
  EXPECT_EQ(levels.run_count(), 5);
  EXPECT_EQ(levels.max_level(), 3);
  EXPECT_EQ(levels.highest_non_empty_level(), 3);
  std::vector<std::string> names;
  for (const LevelRun& run : levels.Runs()) {
    for (const DataFileMeta& file : run.run.files()) names.push_back(file.file_name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"new", "wide", "narrow", "old", "a", "b"}));
  EXPECT_EQ(levels.Runs().back().run.total_bytes(), 20);
}

TEST(LevelsTest, HasAsManyLevelsAsTheDeepestFileNeeds) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Levels levels, Levels::Make(kKey, 3, {FileOf("deep", 7, 1)}));
  EXPECT_EQ(levels.level_count(), 8);
  BRAID_ASSERT_OK_AND_ASSIGN(const Levels empty, Levels::Make(kKey, 3, {}));
  EXPECT_EQ(empty.level_count(), 3);
  EXPECT_EQ(empty.highest_non_empty_level(), -1);
}

TEST(LevelsTest, ReplacesFilesOfACompaction) {
  BRAID_ASSERT_OK_AND_ASSIGN(Levels levels,
                             Levels::Make(kKey, 6, {FileOf("l0", 0, 1, 1, 5, 3), FileOf("top", 5, 1, 3, 9)}));
  levels.AddLevel0(FileOf("newer", 0, 1, 1, 1, 9));
  EXPECT_THAT(levels.Update(std::vector{FileOf("l0", 0, 1, 1, 5, 3), FileOf("top", 5, 1, 3, 9)},
                            std::vector{FileOf("merged", 5, 2, 1, 9)}),
              IsOk());
  EXPECT_EQ(NamesOf(levels.AllFiles()), (std::vector<std::string>{"newer", "merged"}));
  EXPECT_THAT(levels.Update(std::vector{FileOf("gone", 4, 1)}, {}), IsError(ErrorCode::kInternal));
}

TEST(LevelsTest, RefusesFilesOfOneLevelThatOverlap) {
  const auto levels = Levels::Make(kKey, 6, {FileOf("a", 2, 1, 1, 5), FileOf("b", 2, 1, 5, 9)});
  EXPECT_THAT(levels, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(levels, HasMessage("data files a and b of level 2 share keys"));
}

}  // namespace
}  // namespace braid
