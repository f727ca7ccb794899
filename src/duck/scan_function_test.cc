#include "duck/scan_function.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "duck/engine.h"
#include "types/batch.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;

DataField Field(const std::string& name, DataType type) {
  return DataField{.id = FieldId(0), .name = name, .type = std::move(type), .description = {}, .default_value = {}};
}

/// What a source was asked for.
struct Log {
  std::mutex mutex;  // guards the fields below
  std::vector<std::vector<std::size_t>> columns;
  std::vector<std::string> plan_filters;
  std::vector<std::string> open_filters;
};

/// Passes everything to a source in memory and writes down what was asked.
class WatchedSource : public ScanSource {
 public:
  WatchedSource(std::shared_ptr<const ScanSource> source, Log* log, bool counted)
      : source_(std::move(source)), log_(log), counted_(counted) {}

  std::span<const DataField> fields() const override { return source_->fields(); }
  std::string name() const override { return source_->name(); }
  std::optional<std::int64_t> exact_row_count() const override {
    return counted_ ? source_->exact_row_count() : std::nullopt;
  }
  std::optional<std::int64_t> estimated_row_count() const override { return source_->exact_row_count(); }

  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& request) const override {
    const std::lock_guard<std::mutex> guard(log_->mutex);
    log_->columns.push_back(request.columns);
    log_->plan_filters.push_back(request.filter ? request.filter->ToString() : "");
    BRAID_TRY_ASSIGN(std::unique_ptr<ScanPlan> plan, source_->Plan(request));
    return std::unique_ptr<ScanPlan>(new WatchedPlan(std::move(plan), log_));
  }

 private:
  class WatchedPlan : public ScanPlan {
   public:
    WatchedPlan(std::unique_ptr<ScanPlan> plan, Log* log) : plan_(std::move(plan)), log_(log) {}
    std::size_t partition_count() const override { return plan_->partition_count(); }
    Result<std::unique_ptr<BatchReader>> Open(std::size_t partition, const PredicatePtr& filter) const override {
      const std::lock_guard<std::mutex> guard(log_->mutex);
      log_->open_filters.push_back(filter ? filter->ToString() : "");
      return plan_->Open(partition, filter);
    }

   private:
    std::unique_ptr<ScanPlan> plan_;
    Log* log_;
  };

  std::shared_ptr<const ScanSource> source_;
  Log* log_;
  bool counted_;
};

/// Fails where it is told to.
class FailingSource : public ScanSource {
 public:
  enum class Where { kPlan, kOpen, kNext };
  FailingSource(std::vector<DataField> fields, Where where) : fields_(std::move(fields)), where_(where) {}

  static Error Failure() {
    return Error(ErrorCode::kCorruption, "file f-1.parquet is damaged").Hint("restore it").Context("while merging");
  }
  std::span<const DataField> fields() const override { return fields_; }
  std::string name() const override { return "db.broken"; }
  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& /*request*/) const override {
    if (where_ == Where::kPlan) return Failure();
    return std::unique_ptr<ScanPlan>(new FailingPlan(where_));
  }

 private:
  class FailingReader : public BatchReader {
   public:
    Result<std::optional<Batch>> Next() override { return Failure(); }
  };
  class FailingPlan : public ScanPlan {
   public:
    explicit FailingPlan(Where where) : where_(where) {}
    std::size_t partition_count() const override { return 2; }
    Result<std::unique_ptr<BatchReader>> Open(std::size_t /*partition*/,
                                              const PredicatePtr& /*filter*/) const override {
      if (where_ == Where::kOpen) return Failure();
      return std::unique_ptr<BatchReader>(new FailingReader());
    }

   private:
    Where where_;
  };

  std::vector<DataField> fields_;
  Where where_;
};

class ScanFunctionTest : public testing::Test {
 protected:
  void SetUp() override {
    EngineSettings settings;
    settings.threads = 2;
    Result<std::unique_ptr<DuckEngine>> engine = DuckEngine::Open(settings);
    ASSERT_THAT(engine, IsOk());
    engine_ = std::move(engine).value();
    Result<std::unique_ptr<DuckConnection>> connection = engine_->Connect();
    ASSERT_THAT(connection, IsOk());
    connection_ = std::move(connection).value();
  }

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

  /// k = 0 … 19,999 in four batches, v = k % 100 or NULL for every seventh, s = "text of row k", d = k / 4.
  ScanRegistration RegisterNumbers(bool counted = false) {
    const std::vector<DataField> fields = {Field("k", DataType::BigInt()), Field("v", DataType::Int()),
                                           Field("s", DataType::String()), Field("d", DataType::Double())};
    std::vector<Batch> batches;
    for (int batch = 0; batch < 4; ++batch) {
      std::vector<DatumList> rows;
      for (int k = batch * 5000; k < (batch + 1) * 5000; ++k) {
        rows.push_back({k, k % 7 == 0 ? Datum() : Datum(k % 100), "text of row " + std::to_string(k), k / 4.0});
      }
      Result<Batch> made = MakeBatch(fields, rows);
      EXPECT_THAT(made, IsOk());
      batches.push_back(std::move(made).value());
    }
    return engine_->Register(
        std::make_shared<WatchedSource>(MakeBatchSource("db.numbers", fields, std::move(batches)), &log_, counted));
  }

  /// The same rows as a table of DuckDB.
  void MakeCopy() {
    ASSERT_THAT(connection_->Execute(
                    "CREATE TABLE copy AS SELECT k, CASE WHEN k % 7 = 0 THEN NULL ELSE (k % 100)::INTEGER END AS v, "
                    "'text of row ' || k AS s, k / 4 AS d FROM range(20000) t(k)"),
                IsOk());
  }

  Log log_;
  std::unique_ptr<DuckEngine> engine_;
  std::unique_ptr<DuckConnection> connection_;
};

TEST_F(ScanFunctionTest, GivesTheSameAsATableOfDuckDb) {
  const ScanRegistration numbers = RegisterNumbers();
  MakeCopy();
  const std::vector<std::string> queries = {
      "SELECT * FROM {} ORDER BY k",
      "SELECT s, k FROM {} ORDER BY k DESC LIMIT 3",
      "SELECT count(*), count(v), sum(k), min(s), max(d) FROM {}",
      "SELECT count(*) FROM {} WHERE v = 5",
      "SELECT count(*) FROM {} WHERE v IS NULL AND k > 100",
      "SELECT k FROM {} WHERE v = 5 OR v IS NULL ORDER BY k",
      "SELECT s FROM {} WHERE k BETWEEN 4990 AND 5010 AND v <> 1 ORDER BY s",
      "SELECT k FROM {} WHERE k IN (3, 4999, 5000, 19999, 20000) ORDER BY k",
      "SELECT k FROM {} WHERE s LIKE 'text of row 1999%' ORDER BY k",
      "SELECT k FROM {} WHERE length(s) = 13 ORDER BY k",
      "SELECT k FROM {} WHERE d > 4999.5 OR d < 0.5 ORDER BY k",
      "SELECT v, count(*) FROM {} GROUP BY v ORDER BY v",
      "SELECT k FROM {} ORDER BY v DESC, k LIMIT 10",
      "SELECT count(*) FROM {} WHERE k < 0",
      "SELECT a.k, b.s FROM {} a JOIN {} b ON a.k = b.v WHERE b.k < 300 ORDER BY a.k, b.s",
      "SELECT count(*) FROM {} a WHERE NOT EXISTS (SELECT 1 FROM {} b WHERE b.v = a.k)",
  };
  for (const std::string& query : queries) {
    const auto with = [&query](const std::string& table) {
      std::string sql = query;
      for (std::size_t at = sql.find("{}"); at != std::string::npos; at = sql.find("{}")) sql.replace(at, 2, table);
      return sql;
    };
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<DatumList> expected, Rows(with("copy")));
    EXPECT_THAT(Rows(with(numbers.sql())), HasValue(Eq(expected))) << query;
  }
}

TEST_F(ScanFunctionTest, AsksOnlyForTheColumnsItNeeds) {
  const ScanRegistration numbers = RegisterNumbers();
  ASSERT_THAT(Rows("SELECT sum(v) FROM " + numbers.sql()), IsOk());
  EXPECT_THAT(log_.columns, ElementsAre(ElementsAre(1)));
}

TEST_F(ScanFunctionTest, AsksForNoColumnsToCountRows) {
  const ScanRegistration numbers = RegisterNumbers();
  EXPECT_THAT(Rows("SELECT count(*) FROM " + numbers.sql()), HasValue(ElementsAre(ElementsAre(Datum(20000)))));
  EXPECT_THAT(log_.columns, ElementsAre(IsEmpty()));
}

TEST_F(ScanFunctionTest, CountsWithoutAScanWhenTheNumberIsKnown) {
  const ScanRegistration numbers = RegisterNumbers(true);
  EXPECT_THAT(Rows("SELECT count(*) FROM " + numbers.sql()), HasValue(ElementsAre(ElementsAre(Datum(20000)))));
  EXPECT_THAT(log_.columns, IsEmpty());
  EXPECT_THAT(Rows("SELECT count(*) FROM " + numbers.sql() + " WHERE k < 10"),
              HasValue(ElementsAre(ElementsAre(Datum(10)))));
}

TEST_F(ScanFunctionTest, HandsConditionsDownForPruning) {
  const ScanRegistration numbers = RegisterNumbers();
  ASSERT_THAT(Rows("SELECT s FROM " + numbers.sql() + " WHERE k >= 10 AND k < 12 AND v IS NOT NULL"), IsOk());
  ASSERT_EQ(log_.plan_filters.size(), 1U);
  EXPECT_THAT(log_.plan_filters[0], HasSubstr("k >= 10"));
  EXPECT_THAT(log_.plan_filters[0], HasSubstr("k < 12"));
}

TEST_F(ScanFunctionTest, HandsDownNoConditionThatStatisticsOrderDifferently) {
  const ScanRegistration numbers = RegisterNumbers();
  ASSERT_THAT(Rows("SELECT k FROM " + numbers.sql() + " WHERE d > 17.0"), IsOk());  // NaN passes in DuckDB
  ASSERT_THAT(Rows("SELECT k FROM " + numbers.sql() + " WHERE d = 0.0"), IsOk());   // so does -0.0
  EXPECT_THAT(log_.plan_filters, ElementsAre("", ""));
}

TEST_F(ScanFunctionTest, HandsDownWhatAJoinLearns) {
  const ScanRegistration numbers = RegisterNumbers();
  ASSERT_THAT(connection_->Execute("CREATE TABLE few AS SELECT unnest([4711, 4712]) AS x"), IsOk());
  EXPECT_THAT(Rows("SELECT n.k FROM " + numbers.sql() + " n JOIN few ON n.k = few.x ORDER BY 1"),
              HasValue(ElementsAre(ElementsAre(Datum(4711)), ElementsAre(Datum(4712)))));
  ASSERT_FALSE(log_.open_filters.empty());
  for (const std::string& filter : log_.open_filters) EXPECT_THAT(filter, HasSubstr("4711"));
}

TEST_F(ScanFunctionTest, ReadsEveryTypeBothWays) {
  const DataType row = DataType::Row({Field("a", DataType::Int()), Field("b", DataType::Array(DataType::String()))});
  struct Case {
    DataType type;
    std::vector<Datum> values;  // besides NULL
  };
  const std::string longer = "longer than twelve bytes";
  const std::vector<Case> cases = {
      {DataType::Boolean(), {true, false}},
      {DataType::TinyInt(), {-128, 127}},
      {DataType::SmallInt(), {-32768, 32767}},
      {DataType::Int(), {std::int64_t{-2147483648}, 2147483647}},
      {DataType::BigInt(), {std::int64_t{-9223372036854775807}, std::int64_t{9223372036854775807}}},
      {DataType::Float(), {0.1F, -1.5F}},
      {DataType::Double(), {0.1, -1e300}},
      {DataType::Decimal(4, 2), {Decimal{-9999}, Decimal{1}}},
      {DataType::Decimal(9, 2), {Decimal{-999999999}, Decimal{1}}},
      {DataType::Decimal(18, 0), {Decimal{-999999999999999999}, Decimal{1}}},
      {DataType::Decimal(38, 10), {Decimal{Int128{-999999999999999999} * 1000000000000}, Decimal{1}}},
      {DataType::Char(3), {"ab ", ""}},
      {DataType::String(), {longer, "short", ""}},
      {DataType::Bytes(), {std::string("\0\x01", 2), longer}},
      {DataType::Date(), {-719162, 2932896}},
      {DataType::Time(3), {0, 86399999}},
      {DataType::Timestamp(0), {Timestamp{-62135596800000, 0}, Timestamp{253402300799000, 0}}},
      {DataType::Timestamp(3), {Timestamp{-1, 0}, Timestamp{1, 0}}},
      {DataType::Timestamp(6), {Timestamp{-1, 999000}, Timestamp{1, 1000}}},
      {DataType::Timestamp(9), {Timestamp{-1, 999999}, Timestamp{1, 1}}},
      {DataType::TimestampLtz(3), {Timestamp{-1, 0}}},
      {DataType::TimestampLtz(6), {Timestamp{-1, 999000}}},
      {DataType::TimestampLtz(9), {Timestamp{-1, 999000}}},
      {DataType::Array(DataType::Int()), {DatumList{1, Datum(), 3}, DatumList{}}},
      {DataType::Array(DataType::Array(DataType::String())), {Datum(DatumList{DatumList{longer}, Datum(), DatumList{}})}},
      {DataType::Vector(DataType::Float(), 2), {Datum(DatumList{1.5F, 2.5F})}},
      {DataType::Map(DataType::String(), DataType::Timestamp(9)),
       {DatumList{DatumList{"k", Timestamp{1, 1}}, DatumList{longer, Datum()}}, DatumList{}}},
      {DataType::Multiset(DataType::String()), {Datum(DatumList{Datum(DatumList{"k", 2})})}},
      {row, {DatumList{1, DatumList{"x", longer}}, DatumList{Datum(), Datum()}}},
      {DataType::Array(row), {Datum(DatumList{DatumList{1, DatumList{"x"}}, Datum()})}},
      {DataType::Row({Field("r", row)}), {DatumList{Datum(DatumList{7, DatumList{}})}, DatumList{Datum()}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type.ToString());
    const std::vector<DataField> fields = {Field("i", DataType::Int()), Field("x", c.type)};
    // More rows than one call hands over, with NULLs at changing places.
    std::vector<DatumList> rows;
    for (int i = 0; i < 5000; ++i)
      rows.push_back({i, i % 3 == 0 ? Datum() : c.values[static_cast<std::size_t>(i) % c.values.size()]});
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
    // Columns may start anywhere in their buffers.
    const Batch sliced{.rows = batch.rows->Slice(5), .kinds = nullptr};
    const ScanRegistration source = engine_->Register(MakeBatchSource("db.t", fields, {sliced}));
    const Result<std::vector<DatumList>> read =
        Rows("SELECT i, x FROM " + source.sql() + " WHERE i >= 10 ORDER BY i", {DataType::Int(), c.type});
    ASSERT_THAT(read, IsOk());
    EXPECT_TRUE(std::equal(read->begin(), read->end(), rows.begin() + 10, rows.end()));
  }
}

TEST_F(ScanFunctionTest, NamesTheTimestampThatDuckDbCannotHold) {
  struct Case {
    DataType type;
    Timestamp value;
    std::string message;
  };
  const std::vector<Case> cases = {
      {DataType::Timestamp(9), Timestamp{253402300799000, 1}, "9999-12-31 23:59:59.000000001"},
      {DataType::TimestampLtz(9), Timestamp{0, 1}, "microseconds"},
  };
  for (const Case& c : cases) {
    const std::vector<DataField> fields = {Field("at", c.type)};
    const std::vector<DatumList> rows = {{c.value}};
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
    const ScanRegistration source = engine_->Register(MakeBatchSource("db.t", fields, {batch}));
    const Result<std::vector<DatumList>> read = Rows("SELECT \"at\" FROM " + source.sql());
    EXPECT_THAT(read, IsError(ErrorCode::kInvalidArgument));
    EXPECT_THAT(read, HasMessage(c.message));
    EXPECT_THAT(read, HasMessage("column at of db.t"));
  }
}

TEST_F(ScanFunctionTest, HandsVariantsThroughAsTheyAre) {
  const std::vector<DataField> fields = {Field("v", DataType::Variant()), Field("a", DataType::Array(DataType::Variant()))};
  const DatumList variant = {std::string("\x04"), std::string("\1\0\0", 3)};
  const std::vector<DatumList> rows = {{Datum(variant), Datum(DatumList{Datum(variant), Datum()})}, {Datum(), Datum()}};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  const ScanRegistration source = engine_->Register(MakeBatchSource("db.t", fields, {batch}));
  const std::vector<DataType> wanted = {fields[0].type, fields[1].type};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result, connection_->Query("SELECT * FROM " + source.sql(), wanted));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_TRUE(batches[0].rows->Equals(*batch.rows)) << batches[0].rows->ToString();
}

TEST_F(ScanFunctionTest, KeepsNamesApartThatDifferInCaseOnly) {
  const std::vector<DataField> fields = {Field("a", DataType::Int()), Field("A", DataType::Int())};
  const std::vector<DatumList> rows = {{1, 2}};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  const ScanRegistration source = engine_->Register(MakeBatchSource("db.t", fields, {batch}));
  EXPECT_THAT(Rows("SELECT c1, c0 FROM " + source.sql() + " AS t(c0, c1)"),
              HasValue(ElementsAre(ElementsAre(Datum(2), Datum(1)))));
}

TEST_F(ScanFunctionTest, ReadsASourceWithoutRows) {
  const ScanRegistration source = engine_->Register(MakeBatchSource("db.t", {Field("a", DataType::Int())}, {}));
  EXPECT_THAT(Rows("SELECT * FROM " + source.sql()), HasValue(IsEmpty()));
  EXPECT_THAT(Rows("SELECT count(a) FROM " + source.sql()), HasValue(ElementsAre(ElementsAre(Datum(0)))));
}

TEST_F(ScanFunctionTest, HandsAnErrorOfASourceBackAsItWas) {
  for (const auto where : {FailingSource::Where::kPlan, FailingSource::Where::kOpen, FailingSource::Where::kNext}) {
    const ScanRegistration source =
        engine_->Register(std::make_shared<FailingSource>(std::vector{Field("a", DataType::Int())}, where));
    const Result<std::vector<DatumList>> read = Rows("SELECT sum(a) FROM " + source.sql());
    ASSERT_THAT(read, IsError(ErrorCode::kCorruption));
    EXPECT_EQ(read.error().message(), "file f-1.parquet is damaged");
    EXPECT_EQ(read.error().hint(), "restore it");
    EXPECT_THAT(read.error().context(), ElementsAre("while merging", "while reading db.broken"));
    // The database stays usable.
    EXPECT_THAT(Rows("SELECT 1"), HasValue(ElementsAre(ElementsAre(Datum(1)))));
  }
}

TEST_F(ScanFunctionTest, KeepsASourceForARunningQuery) {
  ScanRegistration numbers = RegisterNumbers();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto result, connection_->Query("SELECT k FROM " + numbers.sql()));
  const std::string sql = numbers.sql();
  numbers = ScanRegistration();
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
  std::int64_t count = 0;
  for (const Batch& batch : batches) count += batch.row_count();
  EXPECT_EQ(count, 20000);
  EXPECT_THAT(Rows("SELECT k FROM " + sql), IsError(ErrorCode::kInternal));
}

TEST_F(ScanFunctionTest, ExplainsTheTableByName) {
  const ScanRegistration numbers = RegisterNumbers();
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<DatumList> plan, Rows("EXPLAIN SELECT k FROM " + numbers.sql()));
  EXPECT_THAT(plan.at(0).at(1).as_string(), HasSubstr("db.numbers"));
}

}  // namespace
}  // namespace braid
