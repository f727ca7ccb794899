#include "format/statistics.h"

#include <limits>

#include <gtest/gtest.h>

#include "format/rows_testing.h"

namespace braid {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Statistics of one column whose values come in these batches.
Result<ColumnStatistics> Collect(const DataType& type, const std::vector<DatumList>& batches,
                                 StatisticsRule rule = {}) {
  const std::vector<DataField> fields = MakeFields({{"c", type}});
  StatisticsCollector collector(fields, rule);
  for (const DatumList& values : batches) {
    std::vector<DatumList> rows;
    for (const Datum& value : values) rows.push_back({value});
    BRAID_TRY_ASSIGN(const Batch batch, MakeBatch(fields, rows));
    collector.Update(*batch.rows);
  }
  return collector.Finish().front();
}

void ExpectStatistics(const DataType& type, const std::vector<DatumList>& batches, const Datum& min, const Datum& max,
                      std::int64_t null_count) {
  SCOPED_TRACE(type.ToString());
  BRAID_ASSERT_OK_AND_ASSIGN(const ColumnStatistics statistics, Collect(type, batches));
  EXPECT_TRUE(SameDatum(statistics.min, min));
  EXPECT_TRUE(SameDatum(statistics.max, max));
  EXPECT_EQ(statistics.null_count, null_count);
}

TEST(StatisticsTest, FindsBoundsAcrossBatches) {
  ExpectStatistics(DataType::Int(), {{3, Datum(), 1}, {7}, {}, {Datum(), 2}}, 1, 7, 2);
  ExpectStatistics(DataType::Boolean(), {{true}, {false}}, false, true, 0);
  ExpectStatistics(DataType::Timestamp(6), {{Timestamp{-1, 999'000}, Timestamp{0, 1000}}}, Timestamp{-1, 999'000},
                   Timestamp{0, 1000}, 0);
  ExpectStatistics(DataType::TimestampLtz(9), {{Timestamp{5, 2}, Timestamp{5, 1}}}, Timestamp{5, 1}, Timestamp{5, 2},
                   0);
  ExpectStatistics(DataType::Decimal(38, 0), {{Decimal{-1}, Decimal{Int128{1} << 100}}}, Decimal{-1},
                   Decimal{Int128{1} << 100}, 0);
}

TEST(StatisticsTest, HasNoBoundsWithoutValues) {
  ExpectStatistics(DataType::Int(), {}, Datum(), Datum(), 0);
  ExpectStatistics(DataType::String(), {{Datum(), Datum()}}, Datum(), Datum(), 2);
}

TEST(StatisticsTest, OrdersFloatsAsJavaDoes) {
  ExpectStatistics(DataType::Double(), {{0.0, -0.0}}, -0.0, 0.0, 0);
  ExpectStatistics(DataType::Double(), {{kNan, -1.0}, {2.0}}, -1.0, kNan, 0);
  ExpectStatistics(DataType::Double(), {{-kNan, -1.0}}, -1.0, kNan, 0);  // whatever its sign
  const float infinity = std::numeric_limits<float>::infinity();
  ExpectStatistics(DataType::Float(), {{-infinity, 1.0F, infinity}}, -infinity, infinity, 0);
}

TEST(StatisticsTest, OrdersTextsByUnsignedBytes) {
  ExpectStatistics(DataType::String(), {{"b", "a", "ä"}, {""}}, "", "ä", 0);
}

TEST(StatisticsTest, HasNoBoundsOfByteStrings) {
  ExpectStatistics(DataType::Bytes(), {{"b", "a", Datum()}}, Datum(), Datum(), 1);
  ExpectStatistics(DataType::Binary(1), {{"b"}}, Datum(), Datum(), 0);
}

TEST(StatisticsTest, LeavesOutWhatTheFormatHasNot) {
  const StatisticsRule parquet = {.wide_timestamp_bounds = false, .nested_null_counts = false};
  BRAID_ASSERT_OK_AND_ASSIGN(const ColumnStatistics wide,
                             Collect(DataType::Timestamp(9), {{Timestamp{5, 2}, Datum()}}, parquet));
  EXPECT_TRUE(wide.min.is_null());
  EXPECT_EQ(wide.null_count, 1);
  const DataType array = DataType::Array(DataType::Int());
  BRAID_ASSERT_OK_AND_ASSIGN(const ColumnStatistics nested, Collect(array, {{Datum()}}, parquet));
  EXPECT_EQ(nested.null_count, std::nullopt);
  BRAID_ASSERT_OK_AND_ASSIGN(const ColumnStatistics counted, Collect(array, {{Datum()}}));
  EXPECT_EQ(counted.null_count, 1);
}

TEST(StatisticsTest, KeepsTheBeginningOfLongTexts) {
  const std::string least(kLongestTextBound - 1, 'a');
  const std::string exact(kLongestTextBound, 'b');
  ExpectStatistics(DataType::String(), {{exact, least}}, least, exact, 0);
  // Whole characters, and so many bytes that it shows that there were more.
  const std::string euro = "\xe2\x82\xac";
  const std::string whole = least + euro;
  ExpectStatistics(DataType::String(), {{whole + std::string(1 << 20, 'x')}, {whole + "a"}}, whole, whole, 0);
}

}  // namespace
}  // namespace braid
