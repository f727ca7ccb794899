#include "mergetree/interval_partition.h"

#include <random>

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

using Names = std::vector<std::vector<std::vector<std::string>>>;  // of sections of runs

const std::vector<DataField> kKey = {Field(0, "k", DataType::BigInt().NotNull())};

struct Range {
  std::int64_t min;
  std::int64_t max;
};

std::vector<DataFileMeta> FilesOf(const std::vector<Range>& ranges) {
  std::vector<DataFileMeta> files;
  for (const Range& range : ranges) {
    files.push_back(FileOf(fmt::format("{}-{}", range.min, range.max), 0, 1, range.min, range.max));
  }
  return files;
}

TEST(IntervalPartitionTest, MakesSectionsOfOverlappingFilesAndFewRuns) {
  struct Case {
    std::string name;
    std::vector<Range> files;
    Names expected;
  };
  for (const Case& c : std::vector<Case>{
           {"nothing", {}, {}},
           {"disjoint files are sections of their own", {{5, 6}, {1, 2}}, {{{"1-2"}}, {{"5-6"}}}},
           {"bounds are inclusive", {{1, 5}, {5, 9}}, {{{"1-5"}, {"5-9"}}}},
           {"one run takes files that do not overlap",
            {{1, 20}, {2, 5}, {6, 9}, {10, 15}},
            {{{"1-20"}, {"2-5", "6-9", "10-15"}}}},
           {"the section's greatest key counts, not the last file's",
            {{1, 10}, {2, 3}, {9, 12}, {13, 14}},
            {{{"1-10"}, {"2-3", "9-12"}}, {{"13-14"}}}},
           {"negative keys come first", {{1, 2}, {-5, -3}}, {{{"-5--3"}}, {{"1-2"}}}},
       }) {
    SCOPED_TRACE(c.name);
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Section> sections, PartitionIntoSections(FilesOf(c.files), kKey));
    Names names;
    for (const Section& section : sections) {
      names.emplace_back();
      for (const SortedRun& run : section) names.back().push_back(NamesOf(run.files()));
    }
    EXPECT_EQ(names, c.expected);
  }
}

TEST(IntervalPartitionTest, NeverOverlapsWithinARunNorAcrossSections) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 50; ++round) {
    std::vector<Range> ranges;
    for (std::size_t i = random() % 40; i > 0; --i) {
      const auto min = static_cast<std::int64_t>(random() % 300);
      ranges.push_back({min, min + static_cast<std::int64_t>(random() % 20)});
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Section> sections, PartitionIntoSections(FilesOf(ranges), kKey));
    std::size_t files = 0;
    std::int64_t previous_max = -1;
    for (const Section& section : sections) {
      std::int64_t greatest = -1;
      for (const SortedRun& run : section) {
        EXPECT_THAT(SortedRun::Make(run.files(), kKey), IsOk());
        files += run.files().size();
        for (const DataFileMeta& file : run.files()) {
          const std::int64_t min = file.min_key.Get(0, kKey[0].type)->as_int();
          EXPECT_GT(min, previous_max);
          greatest = std::max(greatest, file.max_key.Get(0, kKey[0].type)->as_int());
        }
      }
      // As few runs as the most files over one key.
      std::size_t deepest = 0;
      for (std::int64_t key = previous_max + 1; key <= greatest; ++key) {
        const auto covers = [key](const Range& range) { return range.min <= key && key <= range.max; };
        deepest = std::max(deepest, static_cast<std::size_t>(std::count_if(ranges.begin(), ranges.end(), covers)));
      }
      EXPECT_EQ(section.size(), deepest);
      previous_max = greatest;
    }
    EXPECT_EQ(files, ranges.size());
  }
}

}  // namespace
}  // namespace braid
