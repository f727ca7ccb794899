// Rows on their way from DuckDB to a reader that is slow, leaves, or wants long ones, by way of DuckConnection.

#include <fstream>
#include <memory>
#include <string>

#include <arrow/record_batch.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "duck/engine.h"
#include "types/batch_bytes.h"

namespace braid {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// Memory of this process's own.
std::int64_t ResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8)) * 1024;
  }
  return -1;
}

class BatchCollectorTest : public testing::Test {
 protected:
  void SetUp() override {
    EngineSettings settings;
    settings.threads = 4;
    auto engine = DuckEngine::Open(settings);
    ASSERT_THAT(engine, IsOk());
    engine_ = *std::move(engine);
    auto connection = engine_->Connect();
    ASSERT_THAT(connection, IsOk());
    connection_ = *std::move(connection);
  }

  Result<std::unique_ptr<QueryResult>> Query(const std::string& sql) { return connection_->Query(sql); }

  /// The number that a query of one gives.
  Result<std::int64_t> Number(const std::string& sql) {
    BRAID_TRY_ASSIGN(const auto result, Query(sql));
    BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
    return DatumAt(*batches.at(0).rows->column(0), 0, result->columns().at(0).type).as_int();
  }

  std::unique_ptr<DuckEngine> engine_;
  std::unique_ptr<DuckConnection> connection_;
};

// 3 GB of texts, of which DuckDB's own buffer would hold the half, as it counts 16 bytes for each.
TEST_F(BatchCollectorTest, KeepsFewRowsForAReaderThatIsSlow) {
  const std::int64_t before = ResidentBytes();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result,
                             Query("SELECT i, repeat('x', 1000) || i AS t FROM range(3000000) r(i)"));
  for (int read = 0; read < 20; ++read) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto batch, result->Next());
    ASSERT_TRUE(batch.has_value());
    EXPECT_LE(BytesOf(*batch->rows).used, kMaxBatchBytes + 3 * kMiB) << "a chunk more";
    EXPECT_LT(ResidentBytes() - before, 200 * kMiB);
  }
}

TEST_F(BatchCollectorTest, GivesRowsThatAreLargerThanAllThatMayWaitOneByOne) {
  constexpr std::int64_t kBytes = 40 * kMiB;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result,
                             Query("SELECT i, repeat(chr(97 + i::INTEGER), 41943040) FROM range(6) r(i)"));
  std::int64_t sum = 0;
  for (int row = 0; row < 6; ++row) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto batch, result->Next());
    ASSERT_TRUE(batch.has_value());
    ASSERT_EQ(batch->row_count(), 1);
    const std::int64_t number = DatumAt(*batch->rows->column(0), 0, result->columns().at(0).type).as_int();
    EXPECT_EQ(DatumAt(*batch->rows->column(1), 0, DataType::String()).as_string(),
              std::string(static_cast<std::size_t>(kBytes), static_cast<char>('a' + number)));
    sum += number;
  }
  EXPECT_EQ(sum, 15);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto end, result->Next());
  EXPECT_FALSE(end.has_value());
}

// The longest go into files without passing through memory.
TEST_F(BatchCollectorTest, LongRowsKeepTheirShortAndAbsentValues) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto result, Query("SELECT CASE WHEN i = 0 THEN repeat('a', 20971520) END, repeat('b', 6291456), 'short ' || i, "
                               "CAST(repeat('c', 20971521) AS BLOB), NULL::VARCHAR FROM range(2) r(i) ORDER BY i"));
  for (int row = 0; row < 2; ++row) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto batch, result->Next());
    ASSERT_TRUE(batch.has_value());
    ASSERT_EQ(batch->row_count(), 1);
    const auto text = [&](int column) {
      const Datum value = DatumAt(*batch->rows->column(column), 0, result->columns().at(static_cast<std::size_t>(column)).type);
      return value.is_null() ? "NULL" : std::string(value.as_string());
    };
    EXPECT_EQ(text(0), row == 0 ? std::string(20971520, 'a') : "NULL");
    EXPECT_EQ(text(1), std::string(6291456, 'b'));
    EXPECT_EQ(text(2), "short " + std::to_string(row));
    EXPECT_EQ(text(3), std::string(20971521, 'c'));
    EXPECT_EQ(text(4), "NULL");
    EXPECT_TRUE(batch->rows->Validate().ok());
  }
}

TEST_F(BatchCollectorTest, CanBeLeftBeforeTheEnd) {
  for (int round = 0; round < 20; ++round) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto result, Query("SELECT repeat('x', 1000) || i FROM range(100000000) r(i)"));
    if (round % 2 == 0) {
      EXPECT_THAT(result->Next(), IsOk());
    }
  }
  EXPECT_THAT(Number("SELECT 7"), HasValue(7));
}

TEST_F(BatchCollectorTest, IsCancelledWhileItsRowsWait) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result, Query("SELECT repeat('x', 1000) || i FROM range(100000000) r(i)"));
  ASSERT_THAT(result->Next(), IsOk());
  connection_->Cancel();
  Result<std::optional<Batch>> batch = result->Next();
  while (batch && *batch) batch = result->Next();
  EXPECT_THAT(batch, IsError(ErrorCode::kCancelled));
}

}  // namespace
}  // namespace braid
