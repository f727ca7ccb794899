#include "mergetree/file_statistics.h"

#include "base/result_matchers.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

using Kind = StatisticsMode::Kind;

TEST(FileStatisticsTest, ParsesModes) {
  EXPECT_THAT(StatisticsMode::Parse("none"), HasValue(StatisticsMode{Kind::kNone, 0}));
  EXPECT_THAT(StatisticsMode::Parse("COUNTS"), HasValue(StatisticsMode{Kind::kCounts, 0}));
  EXPECT_THAT(StatisticsMode::Parse("Truncate(5)"), HasValue(StatisticsMode{Kind::kTruncate, 5}));
  EXPECT_THAT(StatisticsMode::Parse("full"), HasValue(StatisticsMode{Kind::kFull, 0}));
  for (const char* text : {"", "truncate", "truncate()", "truncate(0)", "truncate(-1)", "some"}) {
    EXPECT_THAT(StatisticsMode::Parse(text), IsError(ErrorCode::kInvalidArgument)) << text;
  }
}

TEST(FileStatisticsTest, CutsBoundsSoThatTheyStillHold) {
  struct Case {
    std::string name;
    DataType type;
    std::string min, max;
    Datum expected_min, expected_max;
  };
  const DataType text = DataType::String();
  const std::string last = "\xf4\x8f\xbf\xbf";  // U+10FFFF
  for (const Case& c : std::vector<Case>{
           {"short texts stay", text, "ab", "abc", "ab", "abc"},
           {"the maximum's last code point grows", text, "abcdef", "abcdef", "abc", "abd"},
           {"code points, not bytes, count", text, "äöüß", "äöüß", "äöü", "äöý"},
           {"growth carries to the left", text, "a", "ab" + last + "x", "a", "ac"},
           {"no growth is possible", text, "a", last + last + last + "x", Datum(), Datum()},
           {"growth changes the length of a code point", text, "a", "ab\x7fx", "a", "ab\xc2\x80"},
           {"bytes", DataType::Bytes(), "abcd", std::string("a\xff\xff\x01", 4), "abc", "b"},
           {"bytes without growth", DataType::Bytes(), "a", std::string(4, '\xff'), Datum(), Datum()},
       }) {
    SCOPED_TRACE(c.name);
    Datum min(c.min);
    Datum max(c.max);
    TruncateBounds(min, max, c.type, 3);
    EXPECT_EQ(min, c.expected_min);
    EXPECT_EQ(max, c.expected_max);
  }
}

TEST(FileStatisticsTest, LeavesOutColumnsOfWhichNothingIsKnownIfDense) {
  const std::vector<DataField> fields = {Field(0, "a", DataType::Int()), Field(1, "b", DataType::Int()),
                                         Field(2, "c", DataType::Array(DataType::Int())),
                                         Field(3, "d", DataType::Int())};
  const std::vector<ColumnStatistics> columns = {{1, 5, 2}, {1, 5, 0}, {Datum(), Datum(), 1}, {3, 4, 0}};
  const std::vector<StatisticsMode> modes = {{Kind::kFull, 0}, {Kind::kNone, 0}, {Kind::kFull, 0}, {Kind::kCounts, 0}};
  const FileStatistics dense = MakeFileStatistics(fields, columns, modes, true, false);
  EXPECT_EQ(dense.columns, (std::vector<std::string>{"a", "d"}));
  EXPECT_EQ(dense.stats.null_counts, (std::vector<std::optional<std::int64_t>>{2, 0}));
  EXPECT_EQ(dense.stats.min_values.arity(), 2);
  EXPECT_EQ(dense.stats.max_values.Get(0, fields[0].type)->as_int(), 5);
  EXPECT_TRUE(dense.stats.min_values.IsNull(1));

  const FileStatistics whole = MakeFileStatistics(fields, columns, modes, false, true);
  EXPECT_EQ(whole.columns, std::nullopt);
  EXPECT_EQ(whole.stats.null_counts, (std::vector<std::optional<std::int64_t>>{2, std::nullopt, 1, 0}));
}

TEST(FileStatisticsTest, ChoosesModesByColumnThenByPosition) {
  const std::vector<DataField> fields = {Field(0, "a", DataType::Int()), Field(1, "b", DataType::Int()),
                                         Field(2, "c", DataType::Int())};
  const Options options(Options::Map{{"fields.c.stats-mode", "full"}, {"metadata.stats-keep-first-n-columns", "1"}});
  EXPECT_THAT(ColumnStatisticsModes(fields, options, {Kind::kTruncate, 16}),
              HasValue(testing::ElementsAre(StatisticsMode{Kind::kTruncate, 16}, StatisticsMode{Kind::kNone, 0},
                                            StatisticsMode{Kind::kFull, 0})));
  EXPECT_THAT(ColumnStatisticsModes(fields, Options(Options::Map{{"fields.a.stats-mode", "x"}}), {}),
              HasMessage("fields.a.stats-mode"));
}

}  // namespace
}  // namespace braid
