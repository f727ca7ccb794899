#include "duck/engine.h"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "duck/scan_function.h"
#include "types/batch.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;

DataField Field(const std::string& name, DataType type) {
  return DataField{.id = FieldId(0), .name = name, .type = std::move(type), .description = {}, .default_value = {}};
}

class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<DuckEngine>> engine = DuckEngine::Open({});
    ASSERT_THAT(engine, IsOk());
    engine_ = std::move(engine).value();
    Result<std::unique_ptr<DuckConnection>> connection = engine_->Connect();
    ASSERT_THAT(connection, IsOk());
    connection_ = std::move(connection).value();
  }

  /// Rows of a query as values.
  Result<std::vector<DatumList>> Rows(const std::string& sql, const std::vector<DataType>& wanted = {}) {
    BRAID_TRY_ASSIGN(const std::unique_ptr<QueryResult> result, connection_->Query(sql, wanted));
    BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
    std::vector<DatumList> rows;
    for (const Batch& batch : batches) {
      for (std::int64_t row = 0; row < batch.row_count(); ++row) {
        DatumList values;
        for (std::size_t i = 0; i < result->columns().size(); ++i) {
          values.push_back(DatumAt(*batch.rows->column(static_cast<int>(i)), row, result->columns()[i].type));
        }
        rows.push_back(std::move(values));
      }
    }
    return rows;
  }

  std::unique_ptr<DuckEngine> engine_;
  std::unique_ptr<DuckConnection> connection_;
};

TEST_F(EngineTest, StreamsRowsWithNamesAndTypes) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result,
                             connection_->Query("SELECT 1::INTEGER AS a, 'x' AS b, sum(i) AS s FROM range(3) t(i)"));
  ASSERT_EQ(result->columns().size(), 3U);
  EXPECT_EQ(result->columns()[0].name, "a");
  EXPECT_EQ(result->columns()[1].type, DataType::String());
  EXPECT_EQ(result->columns()[2].duck_type, "HUGEINT");
  EXPECT_EQ(result->columns()[2].type, DataType::Decimal(38, 0));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(DatumAt(*batches[0].rows->column(2), 0, DataType::Decimal(38, 0)), Datum(Decimal{3}));
}

TEST_F(EngineTest, StreamsMoreRowsThanABatchHolds) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result, connection_->Query("SELECT i FROM range(100000) t(i)"));
  std::int64_t sum = 0;
  std::int64_t count = 0;
  while (true) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, result->Next());
    if (!batch) break;
    for (std::int64_t row = 0; row < batch->row_count(); ++row)
      sum += DatumAt(*batch->rows->column(0), row, DataType::BigInt()).as_int();
    count += batch->row_count();
  }
  EXPECT_EQ(count, 100000);
  EXPECT_EQ(sum, 4999950000);
}

TEST_F(EngineTest, GivesEveryTypeAsAskedFor) {
  const DataType row = DataType::Row({Field("a", DataType::Int()), Field("b", DataType::String())});
  struct Case {
    std::string sql;
    DataType type;
    Datum value;
  };
  const std::vector<Case> cases = {
      {"true", DataType::Boolean(), true},
      {"(-5)::TINYINT", DataType::TinyInt(), -5},
      {"300::SMALLINT", DataType::SmallInt(), 300},
      {"9000000000", DataType::BigInt(), std::int64_t{9000000000}},
      {"1.5::FLOAT", DataType::Float(), 1.5F},
      {"'nan'::DOUBLE > 1", DataType::Boolean(), true},
      {"(-1.25)::DECIMAL(4,2)", DataType::Decimal(4, 2), Decimal{-125}},
      {"(-1.25)::DECIMAL(9,2)", DataType::Decimal(9, 2), Decimal{-125}},
      {"(-1.25)::DECIMAL(18,2)", DataType::Decimal(18, 2), Decimal{-125}},
      {"(-1.25)::DECIMAL(38,2)", DataType::Decimal(38, 2), Decimal{-125}},
      {"'a text that is not inlined'", DataType::String(), "a text that is not inlined"},
      {"'\\x00\\xFF'::BLOB", DataType::Bytes(), std::string("\0\xff", 2)},
      {"DATE '1969-12-31'", DataType::Date(), -1},
      {"TIME '00:00:01.5'", DataType::Time(3), 1500},
      {"TIMESTAMP '1969-12-31 23:59:59.999'", DataType::Timestamp(3), Timestamp{-1, 0}},
      {"TIMESTAMP '1969-12-31 23:59:59.999999'", DataType::Timestamp(6), Timestamp{-1, 999000}},
      {"TIMESTAMP_NS '1969-12-31 23:59:59.999999999'", DataType::Timestamp(9), Timestamp{-1, 999999}},
      {"TIMESTAMPTZ '1970-01-01 01:00:00.000001+01'", DataType::TimestampLtz(6), Timestamp{0, 1000}},
      {"TIMESTAMPTZ '1970-01-01 00:00:00.002001+00'", DataType::TimestampLtz(9), Timestamp{2, 1000}},
      {"[1, NULL, 3]", DataType::Array(DataType::Int()), DatumList{1, Datum(), 3}},
      {"[[1], [], NULL]", DataType::Array(DataType::Array(DataType::Int())),
       DatumList{DatumList{1}, DatumList{}, Datum()}},
      {"[1.5::FLOAT, 2]::FLOAT[]", DataType::Vector(DataType::Float(), 2), DatumList{1.5F, 2.0F}},
      {"MAP {'a': 1, 'b': NULL}", DataType::Map(DataType::String(), DataType::Int()),
       DatumList{DatumList{"a", 1}, DatumList{"b", Datum()}}},
      {"MAP {'a': 2}", DataType::Multiset(DataType::String()), DatumList{Datum(DatumList{"a", 2})}},
      {"{'a': 1, 'b': NULL}", row, DatumList{1, Datum()}},
      {"[{'a': 1, 'b': 'x'}, NULL]", DataType::Array(row), DatumList{DatumList{1, "x"}, Datum()}},
  };
  for (const Case& c : cases) {
    const std::string sql = "SELECT * FROM (VALUES (" + c.sql + "), (NULL)) t";
    const Result<std::vector<DatumList>> rows = Rows(sql, {c.type});
    ASSERT_THAT(rows, IsOk()) << c.sql;
    EXPECT_THAT(*rows, testing::UnorderedElementsAre(ElementsAre(c.value), ElementsAre(Datum()))) << c.sql;
  }
}

TEST_F(EngineTest, CastsAColumnThatHasAnotherTypeThanWanted) {
  EXPECT_THAT(Rows("SELECT sum(i) FROM range(3) t(i)", {DataType::BigInt()}),
              HasValue(ElementsAre(ElementsAre(Datum(3)))));
  const Result<std::vector<DatumList>> rows = Rows("SELECT 3000000000", {DataType::Int()});
  EXPECT_THAT(rows, IsError(ErrorCode::kInvalidArgument));
}

TEST_F(EngineTest, OrdersNullsAsFlinkDoes) {
  ASSERT_THAT(connection_->Execute("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (NULL), (2)"), IsOk());
  EXPECT_THAT(Rows("SELECT a FROM t ORDER BY a"),
              HasValue(ElementsAre(ElementsAre(Datum()), ElementsAre(Datum(1)), ElementsAre(Datum(2)))));
  EXPECT_THAT(Rows("SELECT a FROM t ORDER BY a DESC"),
              HasValue(ElementsAre(ElementsAre(Datum(2)), ElementsAre(Datum(1)), ElementsAre(Datum()))));
}

TEST_F(EngineTest, SetsWhatResultsDependOn) {
  EXPECT_THAT(Rows("SELECT current_setting('TimeZone')"), HasValue(ElementsAre(ElementsAre(Datum("UTC")))));
  EXPECT_THAT(Rows("SELECT current_setting('autoload_known_extensions')"),
              HasValue(ElementsAre(ElementsAre(Datum(false)))));
  EXPECT_THAT(Rows("SELECT current_setting('threads')"), HasValue(ElementsAre(ElementsAre(Datum(1)))));
}

TEST_F(EngineTest, DescribesWithoutRunning) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ResultColumn> columns,
                             connection_->Describe("SELECT error('ran')::INTEGER AS a, 2.5 AS b"));
  ASSERT_EQ(columns.size(), 2U);
  EXPECT_EQ(columns[0].name, "a");
  EXPECT_EQ(columns[1].type, DataType::Decimal(2, 1));
}

TEST_F(EngineTest, TurnsFailuresIntoErrorsOfOurs) {
  EXPECT_THAT(connection_->Execute("SELECT * FROM nowhere"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Rows("SELECT 'x'::INTEGER"), IsError(ErrorCode::kInvalidArgument));
  const Status refused = connection_->Execute("SELEKT 1");
  EXPECT_THAT(refused, IsError(ErrorCode::kInternal));
  EXPECT_THAT(refused, HasMessage("while running SELEKT 1"));
  // The session goes on.
  EXPECT_THAT(Rows("SELECT 1"), HasValue(ElementsAre(ElementsAre(Datum(1)))));
}

TEST_F(EngineTest, LeavesOutRemediesThatOnlyDuckDbKnows) {
  const auto several = Rows("SELECT (SELECT i FROM range(2) t(i))");
  EXPECT_THAT(several, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(several, HasMessage("gives more than one row\n  try: aggregate it"));
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().ToString().find("SET "), std::string::npos);
}

// The optimizer is told otherwise for deep statements, and for the next one told back.
TEST_F(EngineTest, RunsDeepExpressions) {
  std::string sum = "i";
  for (int depth = 0; depth < 300; ++depth) sum = "(" + sum + " + i)";
  EXPECT_THAT(Rows("SELECT " + sum + " AS s FROM (SELECT 2::BIGINT AS i)"),
              HasValue(ElementsAre(ElementsAre(Datum(602)))));
  EXPECT_THAT(Rows("SELECT current_setting('disabled_optimizers') AS s"),
              HasValue(ElementsAre(ElementsAre(Datum("")))));
}

TEST_F(EngineTest, SaysWhenMemoryDoesNotSuffice) {
  EngineSettings settings;
  settings.memory_limit_bytes = 20 << 20;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto small, DuckEngine::Open(settings));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto connection, small->Connect());
  const Status status =
      connection->Execute("CREATE TABLE t AS SELECT i, repeat('x', 100) || i AS s FROM range(2000000) t(i) ORDER BY s");
  EXPECT_THAT(status, IsError(ErrorCode::kUnavailable));
  EXPECT_THAT(status, HasMessage("raise the option memory"));
}

TEST_F(EngineTest, RefusesSettingsOutOfRange) {
  EngineSettings settings;
  settings.threads = 0;
  EXPECT_THAT(DuckEngine::Open(settings), IsError(ErrorCode::kInvalidArgument));
}

/// Rows without end, whose second batch cancels the statement that reads them.
class CancellingSource : public ScanSource {
 public:
  CancellingSource(DuckConnection* connection, Batch batch) : connection_(connection), batch_(std::move(batch)) {}

  std::span<const DataField> fields() const override { return fields_; }
  std::string name() const override { return "db.endless"; }
  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& /*request*/) const override {
    return std::unique_ptr<ScanPlan>(new Endless(*this));
  }

 private:
  class Endless : public ScanPlan, public BatchReader {
   public:
    explicit Endless(const CancellingSource& source) : source_(source) {}
    std::size_t partition_count() const override { return 1; }
    Result<std::unique_ptr<BatchReader>> Open(std::size_t /*partition*/,
                                              const PredicatePtr& /*filter*/) const override {
      return std::unique_ptr<BatchReader>(new Endless(source_));
    }
    Result<std::optional<Batch>> Next() override {
      if (++calls_ == 2) source_.connection_->Cancel();
      return std::optional<Batch>(source_.batch_);
    }

   private:
    const CancellingSource& source_;
    int calls_ = 0;
  };

  DuckConnection* connection_;
  Batch batch_;
  std::vector<DataField> fields_ = {Field("a", DataType::Int())};
};

TEST_F(EngineTest, CancelsARunningStatement) {
  const std::vector<DataField> fields = {Field("a", DataType::Int())};
  const std::vector<DatumList> rows = {{1}};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  const ScanRegistration endless = engine_->Register(std::make_shared<CancellingSource>(connection_.get(), batch));
  EXPECT_THAT(Rows("SELECT a FROM " + endless.sql() + " WHERE a > 5"), IsError(ErrorCode::kCancelled));
  EXPECT_THAT(Rows("SELECT sum(a) FROM " + endless.sql()), IsError(ErrorCode::kCancelled));
  EXPECT_THAT(Rows("SELECT 1"), HasValue(ElementsAre(ElementsAre(Datum(1)))));
}

/// Rows without end; counts the batches that were taken.
class EndlessSource : public ScanSource {
 public:
  explicit EndlessSource(Batch batch) : batch_(std::move(batch)) {}

  std::span<const DataField> fields() const override { return fields_; }
  std::string name() const override { return "db.endless"; }
  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& /*request*/) const override {
    return std::unique_ptr<ScanPlan>(new Endless(*this));
  }
  int taken() const { return taken_; }

 private:
  class Endless : public ScanPlan, public BatchReader {
   public:
    explicit Endless(const EndlessSource& source) : source_(source) {}
    std::size_t partition_count() const override { return 4; }
    Result<std::unique_ptr<BatchReader>> Open(std::size_t /*partition*/,
                                              const PredicatePtr& /*filter*/) const override {
      return std::unique_ptr<BatchReader>(new Endless(source_));
    }
    Result<std::optional<Batch>> Next() override {
      ++source_.taken_;
      return std::optional<Batch>(source_.batch_);
    }

   private:
    const EndlessSource& source_;
  };

  Batch batch_;
  mutable std::atomic<int> taken_ = 0;
  std::vector<DataField> fields_ = {Field("a", DataType::String())};
};

TEST_F(EngineTest, RowsThatNobodyTakesAreNotMade) {
  const std::vector<DataField> fields = {Field("a", DataType::String())};
  const std::vector<DatumList> rows(1024, DatumList{std::string(1024, 'x')});
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  const auto source = std::make_shared<EndlessSource>(batch);
  const ScanRegistration endless = engine_->Register(source);
  BRAID_ASSERT_OK_AND_ASSIGN(auto result, connection_->Query("SELECT a FROM " + endless.sql()));
  // 32 MiB wait, beside what each thread has in hand and what was read.
  std::int64_t read_rows = 0;
  for (int i = 0; i < 100; ++i) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> read, result->Next());
    ASSERT_TRUE(read.has_value());
    read_rows += read->row_count();
    EXPECT_LT(source->taken() - read_rows / 1024, 100);
  }
  result.reset();
  EXPECT_THAT(Rows("SELECT 1"), HasValue(ElementsAre(ElementsAre(Datum(1))))) << "a result may be left unread";
}

TEST_F(EngineTest, RowsComeInTheOrderThatWasAskedFor) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, Rows("SELECT i FROM range(300000) t(i) ORDER BY i DESC"));
  ASSERT_EQ(rows.size(), 300000U);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i][0].as_int(), 299999 - static_cast<std::int64_t>(i));
}

TEST_F(EngineTest, AnErrorAfterManyRowsIsNotTheirEnd) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto result,
      connection_->Query("SELECT CASE WHEN i = 900000 THEN error('at last') ELSE 0 END FROM range(1000000) t(i)"));
  const auto batches = ReadAllBatches(*result);
  EXPECT_THAT(batches, HasMessage("at last"));
}

TEST_F(EngineTest, AnotherStatementEndsAResultWithAnError) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result, connection_->Query("SELECT i FROM range(10000000) t(i)"));
  EXPECT_THAT(Rows("SELECT 1"), HasValue(ElementsAre(ElementsAre(Datum(1)))));
  const auto batches = ReadAllBatches(*result);
  ASSERT_FALSE(batches.has_value());
}

TEST_F(EngineTest, AppendsBatchesToATable) {
  const std::vector<DataField> fields = {Field("k", DataType::BigInt()), Field("s", DataType::String())};
  ASSERT_THAT(connection_->Execute("CREATE TABLE t(k BIGINT, s VARCHAR)"), IsOk());
  const std::vector<DatumList> rows = {{1, "a"}, {2, Datum()}};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  ASSERT_THAT(connection_->Append("t", fields, batch), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM t ORDER BY k"), HasValue(Eq(rows)));
}

TEST_F(EngineTest, OutlivesItsEngineObject) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result, connection_->Query("SELECT 7"));
  engine_.reset();
  connection_.reset();
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
  EXPECT_EQ(DatumAt(*batches.at(0).rows->column(0), 0, DataType::Int()), Datum(7));
}

TEST_F(EngineTest, ReportsItsMemory) {
  BRAID_ASSERT_OK_AND_ASSIGN(const DuckEngine::Usage usage, engine_->usage());
  EXPECT_GE(usage.memory_bytes, 0);
  EXPECT_EQ(usage.spilled_bytes, 0);
}

}  // namespace
}  // namespace braid
