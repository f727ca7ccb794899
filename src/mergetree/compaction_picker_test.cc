#include "mergetree/compaction_picker.h"

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

struct RunSpec {
  int level;
  std::int64_t size;
};

std::vector<LevelRun> RunsOf(const std::vector<RunSpec>& specs) {
  std::vector<LevelRun> runs;
  for (const RunSpec& spec : specs) {
    runs.push_back({spec.level, SortedRun::Single(FileOf(fmt::format("f{}", runs.size()), spec.level, spec.size))});
  }
  return runs;
}

/// How many runs a pick takes and where it puts them; {0, 0}: nothing.
using Picked = std::pair<std::size_t, int>;

Picked PickedFrom(const std::optional<CompactUnit>& unit) {
  return unit ? Picked{unit->files.size(), unit->output_level} : Picked{0, 0};
}

struct PickCase {
  std::string name;
  std::vector<RunSpec> runs;
  Picked expected;
  CompactionOptions options = {};
};

void CheckCases(const std::vector<PickCase>& cases) {
  const ManualClock clock(1'000'000);
  for (const PickCase& c : cases) {
    SCOPED_TRACE(c.name);
    CompactionPicker picker(c.options, clock);
    EXPECT_EQ(PickedFrom(picker.Pick(6, RunsOf(c.runs))), c.expected);
  }
}

TEST(CompactionPickerTest, PicksBySizeAmplification) {
  CheckCases({
      {"fewer runs than the trigger", {{0, 9}, {0, 9}, {0, 9}, {5, 1}}, {0, 0}},
      {"201 percent", {{0, 50}, {0, 50}, {0, 50}, {0, 51}, {5, 100}}, {5, 5}},
      {"exactly 200 percent is not above it, but sizes are alike",
       {{0, 50}, {0, 50}, {0, 50}, {0, 50}, {5, 100}},
       {5, 5}},
      {"exactly 200 percent and sizes that differ", {{0, 1}, {0, 2}, {0, 4}, {0, 193}, {5, 100}}, {0, 0}},
  });
}

TEST(CompactionPickerTest, PicksBySizeRatio) {
  CheckCases({
      // 1×1.01 ≥ 1, 2×1.01 ≥ 1, 3×1.01 < 5: three runs; the next lives on level 3, so they go to level 2.
      {"below a higher level", {{0, 1}, {0, 1}, {0, 1}, {3, 5}, {5, 1000}}, {3, 2}},
      // The next is on level 0: runs up to the first of a higher level are taken, and its level is theirs.
      {"never to level 0", {{0, 1}, {0, 1}, {0, 5}, {3, 50}, {5, 1000}}, {4, 3}},
      // level 1 − 1 = 0: level 1 is taken too.
      {"level 1 takes part", {{0, 1}, {0, 1}, {0, 1}, {1, 50}, {5, 1000}}, {4, 1}},
      {"101 of 100 passes with one percent", {{0, 100}, {0, 101}, {0, 300}, {3, 1000}, {5, 100000}}, {4, 3}},
      {"102 of 100 does not", {{0, 100}, {0, 102}, {0, 300}, {3, 1000}, {5, 100000}}, {0, 0}},
      {"102 of 100 does with two percent",
       {{0, 100}, {0, 102}, {0, 300}, {3, 1000}, {5, 100000}},
       {4, 3},
       {.size_ratio = 2}},
  });
}

TEST(CompactionPickerTest, PicksByRunCount) {
  CheckCases({
      // Six runs with trigger 5: two at least; 3×1.01 < 4.
      {"two runs", {{0, 1}, {0, 2}, {1, 4}, {2, 9}, {3, 30}, {5, 1000}}, {3, 1}},
      {"two runs below level 3", {{0, 1}, {0, 2}, {3, 4}, {4, 9}, {4, 30}, {5, 1000}}, {2, 2}},
      {"everything goes to the top", {{0, 1}, {0, 2}, {0, 4}, {0, 9}, {0, 30}, {0, 1000}}, {6, 5}},
  });
}

TEST(CompactionPickerTest, LeavesASingleFileThatIsInItsPlace) {
  const CompactionOptions eager{.run_trigger = 1};
  CheckCases({{"on the top level", {{5, 10}}, {0, 0}, eager}, {"nothing", {}, {0, 0}}});
}

TEST(CompactionPickerTest, PicksEverythingEarlyWhenOptionsSaySo) {
  CheckCases({
      {"smaller than the threshold", {{0, 1}, {5, 8}}, {2, 5}, {.total_size_threshold = 10}},
      {"as large as the threshold", {{0, 1}, {5, 9}}, {0, 0}, {.total_size_threshold = 10}},
      {"one run", {{0, 1}}, {0, 0}, {.total_size_threshold = 10}},
      {"much outside the top level", {{0, 6}, {3, 5}, {5, 100}}, {3, 5}, {.incremental_size_threshold = 10}},
      {"little outside the top level", {{0, 5}, {3, 5}, {5, 100}}, {0, 0}, {.incremental_size_threshold = 10}},
  });
}

TEST(CompactionPickerTest, PicksEverythingWhenTheIntervalHasPassed) {
  ManualClock clock(5'000);
  const std::vector<LevelRun> runs = RunsOf({{0, 1}, {5, 100}});
  const CompactionOptions options{.full_interval = std::chrono::milliseconds(1'000)};
  CompactionPicker fresh(options, clock);
  EXPECT_EQ(PickedFrom(fresh.Pick(6, runs)), Picked(2, 5)) << "never compacted";
  CompactionPicker picker(options, clock, 4'000);
  EXPECT_EQ(PickedFrom(picker.Pick(6, runs)), Picked(0, 0)) << "exactly the interval ago";
  clock.Advance(1);
  EXPECT_EQ(PickedFrom(picker.Pick(6, runs)), Picked(2, 5));
  clock.Advance(1'000);
  EXPECT_EQ(PickedFrom(picker.Pick(6, runs)), Picked(0, 0)) << "compacted a moment ago";
}

TEST(CompactionPickerTest, AddsTheOffpeakRatioWithinItsHours) {
  const ManualClock clock(0);
  const std::vector<LevelRun> runs = RunsOf({{0, 100}, {0, 110}, {0, 1000}, {3, 9000}, {5, 100000}});
  struct Case {
    int start;
    int end;
    int hour;
    Picked expected;
  };
  for (const Case& c : std::vector<Case>{{2, 6, 2, {4, 3}},
                                         {2, 6, 6, {0, 0}},
                                         {22, 4, 23, {4, 3}},
                                         {22, 4, 3, {4, 3}},
                                         {22, 4, 4, {0, 0}},
                                         {-1, 4, 3, {0, 0}},
                                         {3, 3, 3, {0, 0}}}) {
    SCOPED_TRACE(fmt::format("{}-{} at {}", c.start, c.end, c.hour));
    const CompactionOptions options{.offpeak_start_hour = c.start, .offpeak_end_hour = c.end, .offpeak_ratio = 20};
    CompactionPicker picker(options, clock, std::nullopt, [&c] { return c.hour; });
    EXPECT_EQ(PickedFrom(picker.Pick(6, runs)), c.expected);
  }
}

TEST(CompactionPickerTest, MovesLevel0UpIfForced) {
  CheckCases({
      {"level 0 alone below level 5", {{0, 1}, {5, 100}}, {1, 4}, {.force_up_level0 = true}},
      {"extended by the size ratio", {{0, 100}, {4, 100}, {5, 1000}}, {2, 4}, {.force_up_level0 = true}},
      {"nothing on level 0", {{4, 100}, {5, 1000}}, {0, 0}, {.force_up_level0 = true}},
  });
  const ManualClock clock(0);
  CompactionPicker gentle({.force_up_level0 = true, .gentle_interval = 3}, clock);
  const std::vector<LevelRun> runs = RunsOf({{0, 1}, {5, 100}});
  for (const Picked& expected : {Picked{0, 0}, Picked{0, 0}, Picked{1, 4}, Picked{0, 0}, Picked{0, 0}, Picked{1, 4}}) {
    EXPECT_EQ(PickedFrom(gentle.Pick(6, runs)), expected);
  }
}

TEST(CompactionPickerTest, PicksAllForAFullCompaction) {
  const ManualClock clock(0);
  const CompactionPicker picker({}, clock);
  EXPECT_EQ(PickedFrom(picker.PickFull(6, RunsOf({{0, 1}, {3, 5}, {5, 100}}))), Picked(3, 5));
  EXPECT_EQ(PickedFrom(picker.PickFull(6, RunsOf({{0, 1}}))), Picked(1, 5));
  EXPECT_EQ(PickedFrom(picker.PickFull(6, RunsOf({{5, 1}}))), Picked(0, 0));
  EXPECT_EQ(PickedFrom(picker.PickFull(6, {})), Picked(0, 0));
  const CompactionPicker rewriter({.force_rewrite_all_files = true}, clock);
  EXPECT_EQ(PickedFrom(rewriter.PickFull(6, RunsOf({{5, 1}}))), Picked(1, 5));
}

TEST(CompactionPickerTest, ReadsOptionsWithPaimonsDefaults) {
  BRAID_ASSERT_OK_AND_ASSIGN(const CompactionOptions defaults, CompactionOptions::FromOptions(Options()));
  EXPECT_EQ(defaults.run_trigger, 5);
  EXPECT_EQ(defaults.stop_trigger, 8);
  EXPECT_EQ(defaults.level_count, 6);
  EXPECT_EQ(defaults.max_size_amplification, 200);
  EXPECT_EQ(defaults.size_ratio, 1);
  EXPECT_FALSE(defaults.force_up_level0);
  EXPECT_EQ(defaults.small_file_bytes, 134217728 / 10 * 7);
  BRAID_ASSERT_OK_AND_ASSIGN(
      const CompactionOptions set,
      CompactionOptions::FromOptions(Options(Options::Map{{"num-sorted-run.compaction-trigger", "7"},
                                                          {"num-sorted-run.stop-trigger", "3"},
                                                          {"merge-engine", "first-row"},
                                                          {"lookup-compact", "gentle"},
                                                          {"compaction.optimization-interval", "1 h"},
                                                          {"compaction.total-size-threshold", "2 kb"}})));
  EXPECT_EQ(set.stop_trigger, 7);
  EXPECT_EQ(set.level_count, 8);
  EXPECT_TRUE(set.force_up_level0);
  EXPECT_EQ(set.gentle_interval, 14);
  EXPECT_EQ(set.full_interval, std::chrono::milliseconds(3'600'000));
  EXPECT_EQ(set.total_size_threshold, 2048);
  EXPECT_THAT(CompactionOptions::FromOptions(Options(Options::Map{{"num-levels", "1"}})), HasMessage("num-levels"));
}

}  // namespace
}  // namespace braid
