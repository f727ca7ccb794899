#include "types/predicate.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/batch.h"

namespace braid {
namespace {

using Op = Predicate::Op;
using testing::ElementsAre;

DataField Field(std::string name, DataType type) {
  return {FieldId(0), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

PredicatePtr K(Op op, std::vector<Datum> literals = {}) {
  return Predicate::Leaf(op, "k", DataType::Int(), std::move(literals));
}
PredicatePtr V(Op op, std::vector<Datum> literals = {}) {
  return Predicate::Leaf(op, "v", DataType::String(), std::move(literals));
}

/// Types with values that are equal, neighbours, extreme or special.
std::vector<std::pair<DataType, std::vector<Datum>>> ValuesToCompare() {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto max32 = std::int64_t{std::numeric_limits<std::int32_t>::max()};
  const std::int64_t max64 = std::numeric_limits<std::int64_t>::max();
  const Int128 large = Int128{1} << 100;
  return {
      {DataType::Boolean(), {true, false}},
      {DataType::TinyInt(), {-128, -1, 0, 1, 127}},
      {DataType::SmallInt(), {-32768, 0, 32767}},
      {DataType::Int(), {-max32 - 1, -1, 0, 1, max32}},
      {DataType::BigInt(), {-max64 - 1, -max64, 0, max64 - 1, max64}},
      {DataType::Float(), {-0.0F, 0.0F, 1.5F, std::nanf(""), std::numeric_limits<float>::infinity(), -1.5F}},
      {DataType::Double(), {-0.0, 0.0, 1e-320, -1e308, std::nan(""), infinity, -infinity}},
      {DataType::Decimal(38, 2), {Decimal{-large}, Decimal{-1}, Decimal{0}, Decimal{large}, Decimal{large + 1}}},
      {DataType::Char(3), {"", "a", "ab", "b", "\xC3\xA4", "%", "a\\"}},
      {DataType::Bytes(), {"", std::string("\0", 1), "\x7F", "\xFF", "\xFF\xFF"}},
      {DataType::Date(), {-1, 0, 19857}},
      {DataType::Time(3), {0, 1, 86'399'999}},
      {DataType::Timestamp(3), {Timestamp{-1, 0}, Timestamp{0, 0}, Timestamp{1, 0}, Timestamp{max64 / 1'000'000, 0}}},
      {DataType::TimestampLtz(6), {Timestamp{-1, 999'000}, Timestamp{-1, 0}, Timestamp{0, 1000}, Timestamp{5, 0}}},
      {DataType::Timestamp(9), {Timestamp{-1, 999'999}, Timestamp{0, 0}, Timestamp{0, 1}, Timestamp{max64, 5}}},
  };
}

std::vector<PredicatePtr> EveryTest(const DataType& type, const std::vector<Datum>& literals) {
  std::vector<PredicatePtr> out;
  const auto add = [&](Op op, std::vector<Datum> with) { out.push_back(Predicate::Leaf(op, "v", type, std::move(with))); };
  add(Op::kIsNull, {});
  add(Op::kIsNotNull, {});
  for (const Datum& a : literals) {
    for (const Op op : {Op::kEqual, Op::kNotEqual, Op::kLess, Op::kLessOrEqual, Op::kGreater, Op::kGreaterOrEqual}) {
      add(op, {a});
    }
    for (const Datum& b : literals) {
      for (const Op op : {Op::kIn, Op::kNotIn, Op::kBetween, Op::kNotBetween}) add(op, {a, b});
    }
    if (!type.is_text()) continue;
    for (const Op op : {Op::kStartsWith, Op::kEndsWith, Op::kContains, Op::kLike, Op::kNotLike}) add(op, {a});
  }
  return out;
}

TEST(PredicateTest, SelectAgreesWithTestForEveryTypeAndOperator) {
  for (auto& [type, values] : ValuesToCompare()) {
    SCOPED_TRACE(type.ToString());
    const std::vector<DataField> fields = {Field("v", type)};
    std::vector<DatumList> rows = {{Datum()}};
    for (const Datum& value : values) {
      rows.push_back({value});
      rows.push_back({Datum()});
    }
    rows.push_back({values[0]});
    BRAID_ASSERT_OK_AND_ASSIGN(Batch batch, MakeBatch(fields, rows));
    batch.rows = batch.rows->Slice(1);
    std::vector<Datum> literals = values;
    literals.emplace_back();
    // A finer literal than the column holds, too.
    if (type.is_timestamp()) literals.emplace_back(Timestamp{0, 500});
    for (const PredicatePtr& predicate : EveryTest(type, literals)) {
      SCOPED_TRACE(predicate->ToString());
      std::vector<std::int32_t> expected;
      for (std::size_t i = 1; i < rows.size(); ++i) {
        if (predicate->Test(fields, rows[i])) expected.push_back(static_cast<std::int32_t>(i) - 1);
      }
      EXPECT_THAT(predicate->Select(batch), HasValue(testing::Eq(expected)));
    }
  }
}

TEST(PredicateTest, MayMatchNeverDropsARowThatPasses) {
  for (auto& [type, values] : ValuesToCompare()) {
    SCOPED_TRACE(type.ToString());
    const std::vector<DataField> fields = {Field("v", type)};
    std::vector<Datum> literals = values;
    literals.emplace_back();
    for (const Datum& a : values) {
      for (const Datum& b : values) {
        const bool ordered = CompareDatums(a, b) != std::strong_ordering::greater;
        const ColumnBounds bounds = {ordered ? a : b, ordered ? b : a, 1};
        for (const PredicatePtr& predicate : EveryTest(type, literals)) {
          const bool passes = predicate->Test(fields, DatumList{a}) || predicate->Test(fields, DatumList{b}) ||
                              predicate->Test(fields, DatumList{Datum()});
          EXPECT_TRUE(!passes || predicate->MayMatch(fields, {{bounds}}, 3)) << predicate->ToString();
        }
      }
    }
  }
}

TEST(PredicateTest, PrunesByBoundsAsJava) {
  struct Case {
    PredicatePtr predicate;
    bool within_2_5;       // min 2, max 5, 0 of 10 NULL
    bool only_3;           // min 3, max 3, 1 of 10 NULL
    bool all_null;         // 10 of 10 NULL
    bool unknown;          // nothing known
  };
  const std::vector<Case> cases = {
      {K(Op::kEqual, {3}), true, true, false, true},
      {K(Op::kEqual, {6}), false, false, false, true},
      {K(Op::kNotEqual, {3}), true, false, false, true},
      {K(Op::kLess, {2}), false, false, false, true},
      {K(Op::kLessOrEqual, {2}), true, false, false, true},
      {K(Op::kGreater, {5}), false, false, false, true},
      {K(Op::kGreaterOrEqual, {5}), true, false, false, true},
      {K(Op::kIn, {1, 6}), false, false, false, true},
      {K(Op::kIn, {1, 3}), true, true, false, true},
      {K(Op::kNotIn, {1, 3}), true, false, false, true},
      {K(Op::kBetween, {6, 9}), false, false, false, true},
      {K(Op::kBetween, {5, 9}), true, false, false, true},
      {K(Op::kNotBetween, {2, 5}), false, false, false, true},
      {K(Op::kNotBetween, {3, 5}), true, false, false, true},
      {K(Op::kIsNull), false, true, true, true},
      {K(Op::kIsNotNull), true, true, false, true},
      {K(Op::kEqual, {Datum()}), false, false, false, true},
      {Predicate::And({K(Op::kEqual, {3}), K(Op::kGreater, {4})}), true, false, false, true},
      {Predicate::Or({K(Op::kEqual, {1}), K(Op::kIsNull)}), false, true, true, true},
      {Predicate::Constant(false), false, false, false, false},
  };
  const std::vector<DataField> fields = {Field("k", DataType::Int())};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.predicate->ToString());
    EXPECT_EQ(c.predicate->MayMatch(fields, {{ColumnBounds{2, 5, 0}}}, 10), c.within_2_5);
    EXPECT_EQ(c.predicate->MayMatch(fields, {{ColumnBounds{3, 3, 1}}}, 10), c.only_3);
    EXPECT_EQ(c.predicate->MayMatch(fields, {{ColumnBounds{{}, {}, 10}}}, 10), c.all_null);
    EXPECT_EQ(c.predicate->MayMatch(fields, {{ColumnBounds{}}}, 10), c.unknown);
  }
  // Bounds without NULL counts, and columns without bounds.
  EXPECT_FALSE(K(Op::kEqual, {6})->MayMatch(fields, {{ColumnBounds{2, 5, std::nullopt}}}, 10));
  EXPECT_TRUE(K(Op::kIsNull)->MayMatch(fields, {{ColumnBounds{2, 5, std::nullopt}}}, 10));
  EXPECT_TRUE(K(Op::kIsNull)->MayMatch(fields, {{ColumnBounds{{}, {}, 0}}}, 10));
  EXPECT_TRUE(V(Op::kEqual, {"x"})->MayMatch(fields, {{ColumnBounds{2, 5, 0}}}, 10));
}

TEST(PredicateTest, PrunesPrefixesByBounds) {
  const std::vector<DataField> fields = {Field("v", DataType::String())};
  const auto may_match = [&fields](Op op, const char* text) {
    return V(op, {text})->MayMatch(fields, {{ColumnBounds{"beta", "delta", 0}}}, 10);
  };
  EXPECT_TRUE(may_match(Op::kStartsWith, "b"));
  EXPECT_TRUE(may_match(Op::kStartsWith, "c"));
  EXPECT_TRUE(may_match(Op::kStartsWith, "delt"));
  EXPECT_FALSE(may_match(Op::kStartsWith, "alpha"));
  EXPECT_FALSE(may_match(Op::kStartsWith, "e"));
  EXPECT_TRUE(may_match(Op::kEndsWith, "zzz"));
  EXPECT_TRUE(may_match(Op::kContains, "zzz"));
  EXPECT_TRUE(may_match(Op::kLike, "z_z"));
}

TEST(PredicateTest, ProjectsToWhatFollows) {
  const PredicatePtr k = K(Op::kEqual, {1});
  const PredicatePtr k2 = K(Op::kGreater, {0});
  const PredicatePtr v = V(Op::kEqual, {"x"});
  const std::vector<std::string> only_k = {"k"};
  EXPECT_EQ(Predicate::Project(k, only_k), k);
  EXPECT_EQ(Predicate::Project(v, only_k), nullptr);
  EXPECT_EQ(Predicate::Project(Predicate::And({k, v}), only_k), k);
  EXPECT_EQ(Predicate::Project(Predicate::Or({k, v}), only_k), nullptr);
  EXPECT_EQ(Predicate::Project(Predicate::Or({Predicate::And({k, v}), k2}), only_k)->ToString(), "k = 1 OR k > 0");
  EXPECT_EQ(Predicate::Project(Predicate::And({v, v}), only_k), nullptr);
}

TEST(PredicateTest, SimplifiesConnections) {
  const PredicatePtr k = K(Op::kEqual, {1});
  const PredicatePtr v = V(Op::kIsNull);
  EXPECT_EQ(Predicate::And({})->op(), Op::kTrue);
  EXPECT_EQ(Predicate::Or({})->op(), Op::kFalse);
  EXPECT_EQ(Predicate::And({k, Predicate::Constant(true)}), k);
  EXPECT_EQ(Predicate::And({k, Predicate::Constant(false)})->op(), Op::kFalse);
  EXPECT_EQ(Predicate::And({Predicate::And({k, v}), Predicate::Or({k, v})})->ToString(),
            "k = 1 AND v IS NULL AND (k = 1 OR v IS NULL)");
  EXPECT_THAT(Predicate::And({v, Predicate::Or({k, v})})->Columns(), ElementsAre("v", "k"));
}

TEST(PredicateTest, ReportsMissingColumns) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(std::vector{Field("k", DataType::Int())}, {}));
  EXPECT_THAT(V(Op::kIsNull)->Select(batch), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(V(Op::kIsNull)->Select(batch), HasMessage("no column v"));
  const PredicatePtr wrong = Predicate::Leaf(Op::kEqual, "k", DataType::BigInt(), {1});
  EXPECT_THAT(wrong->Select(batch), HasMessage("expects int64 but the rows hold int32"));
}

TEST(PredicateTest, QuotesNamesThatAreNoWords) {
  const PredicatePtr odd = Predicate::Leaf(Op::kIsNull, "a b", DataType::Int());
  EXPECT_EQ(odd->ToString(), "`a b` IS NULL");
  const std::vector<DataField> fields = {Field("a b", DataType::Int())};
  EXPECT_THAT(ParseFilter(odd->ToString(), fields), IsOk());
}

}  // namespace
}  // namespace braid
