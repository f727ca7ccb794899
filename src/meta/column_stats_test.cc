#include "meta/column_stats.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "format/statistics.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr StatsMode kNone = {StatsMode::Kind::kNone};
constexpr StatsMode kCounts = {StatsMode::Kind::kCounts};
constexpr StatsMode kFull = {StatsMode::Kind::kFull};
constexpr StatsMode Truncated(std::int32_t length) {
  return {StatsMode::Kind::kTruncate, length};
}

constexpr std::string_view kLong = "a long text of more than sixteen characters";
const std::string kHighest = "\xf4\x8f\xbf\xbf";  // U+10FFFF

DataField Field(int id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

/// The columns of the golden tables in stats_modes.
std::vector<DataField> Fields() {
  return {Field(0, "id", DataType::Int()), Field(1, "s", DataType::String()), Field(2, "d", DataType::Double()),
          Field(3, "x", DataType::Array(DataType::Int()))};
}

std::string Times(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

/// Statistics of their first file: ids 1 and 2, two texts, 1.5 and NULL, an array without statistics in Parquet.
std::vector<ColumnStatistics> FirstFile() {
  return {{1, 2, 0}, {std::string(kLong), Times("z", 32), 0}, {1.5, 1.5, 1}, {{}, {}, std::nullopt}};
}

/// Of their second: ids 3 and 4, NULL and nine times the last code point, NULL and NaN.
std::vector<ColumnStatistics> SecondFile() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {{3, 4, 0}, {Times(kHighest, 9), Times(kHighest, 9), 1}, {nan, nan, 1}, {{}, {}, std::nullopt}};
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

ManifestStats Make(const std::vector<ColumnStatistics>& statistics, StatsMode mode, bool dense = true) {
  return MakeManifestStats(Fields(), statistics, std::vector<StatsMode>(4, mode), dense);
}

TEST(ColumnStatsTest, ParsesModesInAnyCase) {
  EXPECT_THAT(ParseStatsMode("none"), HasValue(kNone));
  EXPECT_THAT(ParseStatsMode("COUNTS"), HasValue(kCounts));
  EXPECT_THAT(ParseStatsMode("Full"), HasValue(kFull));
  EXPECT_THAT(ParseStatsMode("truncate(16)"), HasValue(Truncated(16)));
  for (const char* wrong : {"", "truncate", "truncate()", "truncate(0)", "truncate(-1)", "truncate(1x)", "some"}) {
    EXPECT_THAT(ParseStatsMode(wrong), IsError(ErrorCode::kInvalidArgument)) << wrong;
  }
}

TEST(ColumnStatsTest, TruncatesToTheBytesThatJavaWrites) {
  const ManifestStats stats = Make(FirstFile(), Truncated(16));
  EXPECT_THAT(stats.columns, testing::Optional(ElementsAre("id", "s", "d")));
  EXPECT_THAT(stats.stats.null_counts, ElementsAre(0, 0, 1));
  EXPECT_EQ(stats.stats.min_values.Serialize(),
            FromHex("00000003000000000000000001000000000000001000000020000000000000000000f83f61206c6f6e6720746578742"
                    "06f66206d"));
  EXPECT_EQ(stats.stats.max_values.Serialize(),
            FromHex("00000003000000000000000002000000000000001000000020000000000000000000f83f7a7a7a7a7a7a7a7a7a7a7a7"
                    "a7a7a7a7b"));
}

TEST(ColumnStatsTest, DropsBothBoundsWhenNoCutTextIsGreater) {
  const ManifestStats cut = Make(SecondFile(), Truncated(4));
  BRAID_ASSERT_OK_AND_ASSIGN(const Datum min, cut.stats.min_values.Get(1, DataType::String()));
  BRAID_ASSERT_OK_AND_ASSIGN(const Datum max, cut.stats.max_values.Get(1, DataType::String()));
  EXPECT_TRUE(min.is_null());
  EXPECT_TRUE(max.is_null());
  EXPECT_THAT(cut.stats.null_counts, ElementsAre(0, 1, 1));
  // Nine code points are not cut to sixteen; these are the bytes of the golden manifest.
  const ManifestStats whole = Make(SecondFile(), Truncated(16));
  EXPECT_EQ(whole.stats.min_values.Serialize(),
            FromHex("00000003000000000000000003000000000000002400000020000000000000000000f87ff48fbfbff48fbfbff48fbfbff4"
                    "8fbfbff48fbfbff48fbfbff48fbfbff48fbfbff48fbfbf00000000"));
}

TEST(ColumnStatsTest, RaisesTheLastCodePointThatHasASuccessor) {
  struct Case {
    std::string max;
    std::int32_t length;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {"abc", 3, "abc"},
      {"abcd", 3, "abd"},
      {"ab" + kHighest + "d", 3, "ac"},
      {"a\x7f"
       "b",
       2, "a\xc2\x80"},  // U+007F → U+0080 takes a byte more
      {"\xed\x9f\xbf"
       "b",
       1, "\xee\x80\x80"},                              // U+D7FF → U+E000, past the surrogates
      {"\xe4\xb8\xad\xe4\xb8\xad", 1, "\xe4\xb8\xae"},  // 中中 → 丮
  };
  const std::vector<DataField> fields = {Field(0, "s", DataType::String())};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.expected);
    const std::vector<ColumnStatistics> statistics = {{"a", c.max, 0}};
    const std::vector<StatsMode> modes = {Truncated(c.length)};
    const ManifestStats stats = MakeManifestStats(fields, statistics, modes, true);
    BRAID_ASSERT_OK_AND_ASSIGN(const Datum max, stats.stats.max_values.Get(0, DataType::String()));
    EXPECT_EQ(max.as_string(), c.expected);
  }
}

TEST(ColumnStatsTest, KeepsCountsAloneOrNothing) {
  const ManifestStats counts = Make(SecondFile(), kCounts);
  EXPECT_THAT(counts.columns, testing::Optional(ElementsAre("id", "s", "d")));
  EXPECT_THAT(counts.stats.null_counts, ElementsAre(0, 1, 1));
  EXPECT_EQ(counts.stats.min_values.Serialize(),
            FromHex("000000030007000000000000000000000000000000000000000000000000000000000000"));
  const ManifestStats none = Make(FirstFile(), kNone);
  EXPECT_THAT(none.columns, testing::Optional(IsEmpty()));
  EXPECT_THAT(none.stats.null_counts, IsEmpty());
  EXPECT_EQ(none.stats.max_values.Serialize(), FromHex("000000000000000000000000"));
}

TEST(ColumnStatsTest, StoresEveryColumnWhenNotDense) {
  const ManifestStats sparse = Make(FirstFile(), kNone, false);
  EXPECT_EQ(sparse.columns, std::nullopt);
  EXPECT_THAT(sparse.stats.null_counts, ElementsAre(std::nullopt, std::nullopt, std::nullopt, std::nullopt));
  EXPECT_EQ(sparse.stats.min_values.Serialize(),
            FromHex("00000004000f0000000000000000000000000000000000000000000000000000000000000000000000000000"));
}

TEST(ColumnStatsTest, NamesNoColumnsWhenAllHaveStatistics) {
  const std::vector<DataField> fields = {Field(0, "id", DataType::Int())};
  const std::vector<ColumnStatistics> statistics = {{1, 2, 0}};
  EXPECT_EQ(MakeManifestStats(fields, statistics, std::vector<StatsMode>{kFull}, true).columns, std::nullopt);
}

TEST(ColumnStatsTest, ResolvesModesByColumnThenKeyThenPositionThenTable) {
  const std::vector<DataField> fields = {
      Field(0, "_KEY_k", DataType::Int()), Field(1, "_SEQUENCE_NUMBER", DataType::BigInt()),
      Field(2, "k", DataType::Int()), Field(3, "a", DataType::Int()), Field(4, "b", DataType::Int())};
  Options options;
  EXPECT_THAT(ResolveStatsModes(fields, options, "none"),
              HasValue(ElementsAre(kKeyStatsMode, kKeyStatsMode, kNone, kNone, kNone)));
  options.Set("fields.k.stats-mode", "counts");
  options.Set("metadata.stats-keep-first-n-columns", "2");
  EXPECT_THAT(ResolveStatsModes(fields, options, "full"),
              HasValue(ElementsAre(kKeyStatsMode, kKeyStatsMode, kCounts, kFull, kNone)));
  const std::vector<std::string> thin_keys = {"b"};
  EXPECT_THAT(ResolveStatsModes(fields, Options(), "none", thin_keys),
              HasValue(ElementsAre(kKeyStatsMode, kKeyStatsMode, kNone, kNone, kKeyStatsMode)));
  EXPECT_THAT(ResolveStatsModes(fields, Options(), "none", thin_keys, "avro"), HasValue(testing::Each(kNone)));
  options.Set("fields.a.stats-mode", "much");
  EXPECT_THAT(ResolveStatsModes(fields, options, "full"), HasMessage("fields.a.stats-mode"));
}

TEST(ColumnStatsTest, TheUpperBoundOfTextsThatWereNotKeptWholeIsRaised) {
  const std::vector<DataField> fields = {Field(0, "s", DataType::String())};
  const std::string kept = Times("z", static_cast<int>(kLongestTextBound) + 1);
  const auto max_of = [&](const std::string& max, StatsMode mode) {
    const std::vector<ColumnStatistics> statistics = {{std::string("a"), max, 0}};
    const std::vector<StatsMode> modes = {mode};
    const std::vector<DataType> types = {DataType::String()};
    return MakeManifestStats(fields, statistics, modes, false).stats.max_values.ToDatums(types).value().at(0);
  };
  EXPECT_EQ(max_of(kept, kFull), Datum(Times("z", static_cast<int>(kLongestTextBound)) + "{"));
  EXPECT_EQ(max_of(kept, Truncated(3)), Datum("zz{"));
  EXPECT_EQ(max_of(Times(kHighest, 1 << 15), kFull), Datum());
  EXPECT_EQ(max_of(kept.substr(1), kFull), Datum(kept.substr(1))) << "it is whole";
}

}  // namespace
}  // namespace braid
