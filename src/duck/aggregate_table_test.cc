// Expected values and types: Flink 2.2.1 (fixtures flink-sql/aggregates).

#include "duck/aggregate_table.h"

#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "duck/engine.h"
#include "types/batch.h"
#include "types/cast.h"

namespace braid {
namespace {

class AggregateTableTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<DuckEngine>> engine = DuckEngine::Open({});
    ASSERT_THAT(engine, IsOk());
    engine_ = std::move(engine).value();
    Result<std::unique_ptr<DuckConnection>> connection = engine_->Connect();
    ASSERT_THAT(connection, IsOk());
    connection_ = std::move(connection).value();
  }

  /// "type value" of an aggregate over a column x of a table of these values.
  std::string Aggregate(AggregateCall call, const std::string& values) {
    const Result<EmittedCall> resolved = ResolveAggregate(call, {});
    if (!resolved) return "does not resolve: " + resolved.error().message();
    const DataType type = resolved->type.data();
    const auto result =
        connection_->Query("SELECT " + resolved->sql + " FROM (VALUES " + values + ") t(x)", std::vector{type});
    if (!result) return "fails: " + result.error().message();
    const auto batches = ReadAllBatches(**result);
    if (!batches) return "fails: " + batches.error().message();
    const Datum value = DatumAt(*batches->at(0).rows->column(0), 0, type);
    return resolved->type.ToString() + " " + (value.is_null() ? "NULL" : FormatDatum(value, type));
  }
  std::string Aggregate(const std::string& name, const DataType& type, const std::string& values) {
    return Aggregate(AggregateCall{.name = name, .arguments = {{type, "CAST(x AS " + DuckType(type) + ")"}}}, values);
  }

  static std::string DuckType(const DataType& type) {
    switch (type.kind()) {
      case TypeKind::kTinyInt: return "TINYINT";
      case TypeKind::kInt: return "INTEGER";
      case TypeKind::kBigInt: return "BIGINT";
      case TypeKind::kDouble: return "DOUBLE";
      case TypeKind::kFloat: return "FLOAT";
      case TypeKind::kDecimal: return "DECIMAL(10,2)";
      default: return "VARCHAR";
    }
  }

  std::unique_ptr<DuckEngine> engine_;
  std::unique_ptr<DuckConnection> connection_;
};

TEST_F(AggregateTableTest, SumsInTheTypeOfTheArgument) {
  EXPECT_EQ(Aggregate("SUM", DataType::TinyInt(), "(127), (1)"), "TINYINT -128");
  EXPECT_EQ(Aggregate("SUM", DataType::Int(), "(2147483647), (1)"), "INT -2147483648");
  EXPECT_EQ(Aggregate("SUM", DataType::BigInt(), "(9223372036854775807), (1)"), "BIGINT -9223372036854775808");
  EXPECT_EQ(Aggregate("SUM", DataType::Decimal(10, 2), "(1), (2)"), "DECIMAL(38, 2) 3.00");
  EXPECT_EQ(Aggregate("SUM", DataType::Float(), "(1), (2)"), "FLOAT 3.0");
  EXPECT_EQ(Aggregate("SUM", DataType::Int(), "(NULL)"), "INT NULL");
}

TEST_F(AggregateTableTest, AveragesIntegersToIntegers) {
  EXPECT_EQ(Aggregate("AVG", DataType::Int(), "(1), (2)"), "INT 1");
  EXPECT_EQ(Aggregate("AVG", DataType::Int(), "(-1), (-2)"), "INT -1");
  EXPECT_EQ(Aggregate("AVG", DataType::BigInt(), "(9223372036854775807), (9223372036854775807)"), "BIGINT -1");
  EXPECT_EQ(Aggregate("AVG", DataType::Decimal(10, 2), "(1), (2), (2)"), "DECIMAL(38, 6) 1.666667");
  EXPECT_EQ(Aggregate("AVG", DataType::Double(), "(1), (2)"), "DOUBLE 1.5");
  EXPECT_EQ(Aggregate("AVG", DataType::Int(), "(NULL)"), "INT NULL");
}

TEST_F(AggregateTableTest, ComputesVariancesOfIntegersInIntegers) {
  EXPECT_EQ(Aggregate("STDDEV_POP", DataType::Int(), "(1), (2), (4)"), "INT 1");
  EXPECT_EQ(Aggregate("VAR_POP", DataType::Int(), "(1), (2), (4)"), "INT 1");
  EXPECT_EQ(Aggregate("VAR_SAMP", DataType::Int(), "(1), (2), (4)"), "INT 2");
  EXPECT_EQ(Aggregate("VAR_POP", DataType::Int(), "(1)"), "INT 0");
  EXPECT_EQ(Aggregate("STDDEV_SAMP", DataType::Int(), "(1)"), "INT NULL");
  EXPECT_EQ(Aggregate("STDDEV_SAMP", DataType::Decimal(10, 2), "(1.5), (2.25)"), "DECIMAL(38, 6) 0.530330");
}

TEST_F(AggregateTableTest, PassesNanOver) {
  EXPECT_EQ(Aggregate("MAX", DataType::Double(), "('nan'), ('1')"), "DOUBLE 1.0");
  EXPECT_EQ(Aggregate("MIN", DataType::Double(), "('nan'), ('1')"), "DOUBLE 1.0");
  EXPECT_EQ(Aggregate("MIN", DataType::String(), "('b'), ('A'), ('a')"), "STRING A");
}

TEST_F(AggregateTableTest, CountsFiltersAndDropsDuplicates) {
  const CallArgument x{DataType::Int(), "x"};
  EXPECT_EQ(Aggregate(AggregateCall{.name = "count", .arguments = {}}, "(1), (2), (NULL)"), "BIGINT NOT NULL 3");
  EXPECT_EQ(Aggregate(AggregateCall{.name = "COUNT", .arguments = {x}, .distinct = true}, "(1), (2), (2), (NULL)"),
            "BIGINT NOT NULL 2");
  EXPECT_EQ(Aggregate(AggregateCall{.name = "SUM", .arguments = {x}, .distinct = true}, "(1), (2), (2), (3)"), "INT 6");
  EXPECT_EQ(Aggregate(AggregateCall{.name = "AVG", .arguments = {x}, .distinct = true}, "(1), (2), (2), (3)"), "INT 2");
  EXPECT_EQ(Aggregate(AggregateCall{.name = "SUM", .arguments = {x}, .filter = "x > 10"}, "(1), (2)"), "INT NULL");
}

TEST_F(AggregateTableTest, CollectsWithoutNullButArraysWithIt) {
  const CallArgument x{DataType::Int(), "x"};
  EXPECT_EQ(Aggregate(AggregateCall{.name = "CARDINALITY", .arguments = {x}}, "(1)"),
            "does not resolve: there is no aggregate function CARDINALITY");
  const Result<EmittedCall> collect = ResolveAggregate({.name = "COLLECT", .arguments = {x}}, {});
  ASSERT_THAT(collect, IsOk());
  EXPECT_EQ(collect->type.ToString(), "MULTISET<INT> NOT NULL");
  EXPECT_THAT(connection_->Query("SELECT " + collect->sql + " FROM (VALUES (1), (2), (2), (NULL)) t(x)"), IsOk());
  const Result<EmittedCall> array = ResolveAggregate({.name = "ARRAY_AGG", .arguments = {x}}, {});
  ASSERT_THAT(array, IsOk());
  EXPECT_EQ(array->type.ToString(), "ARRAY<INT>");
  EXPECT_EQ(Aggregate("FIRST_VALUE", DataType::Int(), "(NULL), (1), (NULL)"), "INT 1");
  EXPECT_EQ(Aggregate("LAST_VALUE", DataType::Int(), "(NULL), (2), (NULL)"), "INT 2");
  EXPECT_EQ(Aggregate("LISTAGG", DataType::String(), "('a'), (NULL)"), "STRING a");
}

TEST_F(AggregateTableTest, BuildsJson) {
  const CallArgument x{DataType::Int(), "x"};
  const CallArgument absent{SqlType::Symbol(), "ABSENT"};
  const CallArgument null{SqlType::Symbol(), "NULL"};
  const CallArgument key{DataType::String().NotNull(), "'k' || coalesce(x, 0)"};
  EXPECT_EQ(Aggregate(AggregateCall{.name = "JSON_ARRAYAGG", .arguments = {absent, x}}, "(1), (NULL)"),
            "VARCHAR(2000) NOT NULL [1]");
  EXPECT_EQ(Aggregate(AggregateCall{.name = "JSON_ARRAYAGG", .arguments = {null, x}}, "(NULL)"),
            "VARCHAR(2000) NOT NULL [null]");
  EXPECT_EQ(Aggregate(AggregateCall{.name = "JSON_OBJECTAGG", .arguments = {null, key, x}}, "(2), (1), (NULL)"),
            "VARCHAR(2000) NOT NULL {\"k0\":null,\"k1\":1,\"k2\":2}");
  EXPECT_EQ(Aggregate(AggregateCall{.name = "JSON_OBJECTAGG", .arguments = {null, key, x}}, "(1), (1)"),
            "fails: JSON_OBJECTAGG met the key 'k1' twice");
}

TEST_F(AggregateTableTest, FindsPercentiles) {
  const CallArgument x{DataType::Int(), "x"};
  const CallArgument half{DataType::Decimal(2, 1).NotNull(), "0.5"};
  EXPECT_EQ(Aggregate(AggregateCall{.name = "PERCENTILE", .arguments = {x, half}}, "(1), (2), (4)"), "DOUBLE 2.0");
}

TEST_F(AggregateTableTest, RanksOverWindows) {
  EXPECT_EQ(Aggregate(AggregateCall{.name = "ROW_NUMBER", .arguments = {}, .over = "(ORDER BY x)"}, "(7)"),
            "BIGINT NOT NULL 1");
  EXPECT_EQ(
      Aggregate(AggregateCall{.name = "LAG", .arguments = {{DataType::Int().NotNull(), "x"}}, .over = "(ORDER BY x)"},
                "(7)"),
      "INT NULL");
  EXPECT_EQ(
      Aggregate(AggregateCall{.name = "FIRST_VALUE", .arguments = {{DataType::Int(), "x"}}, .over = "(ORDER BY x)"},
                "(7)"),
      "INT 7");
  EXPECT_EQ(Aggregate(AggregateCall{.name = "RANK", .arguments = {}}, "(1)"),
            "does not resolve: RANK needs an OVER clause");
}

TEST_F(AggregateTableTest, KnowsWhenAGroupHasAValue) {
  const CallArgument x{DataType::Int().NotNull(), "x"};
  const auto type = [&](bool grouped) {
    return ResolveAggregate({.name = "SUM", .arguments = {x}, .grouped = grouped}, {}).value().type.ToString();
  };
  EXPECT_EQ(type(true), "INT NOT NULL");
  EXPECT_EQ(type(false), "INT");
}

}  // namespace
}  // namespace braid
