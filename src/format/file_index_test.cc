#include "format/file_index.h"

#include <random>

#include <gmock/gmock.h>

#include "format/file_index_testing.h"

namespace braid {
namespace {

using Op = Predicate::Op;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

PredicatePtr On(Op op, const std::string& column, std::vector<Datum> literals = {}) {
  const std::vector<DataField> fields = GoldenIndexFields();
  return Predicate::Leaf(op, column, fields[*FindField(fields, column)].type, std::move(literals));
}

// ---- Indexes that Java wrote. ----

TEST(FileIndexTest, FindsTheRowsInIndexesOfJava) {
  struct Case {
    std::string name;
    PredicatePtr condition;
    bool bloom_filters_alone = false;  // which tell of whole files, and not always
  };
  const std::vector<Case> cases = {
      {"bloom filter, a number", On(Op::kEqual, "id", {7}), true},
      {"bloom filter, an absent number", On(Op::kEqual, "id", {100000}), true},
      {"bloom filter, text", On(Op::kIn, "s", {"s120", "s7"}), true},
      {"bloom filter, empty text", On(Op::kEqual, "s", {""}), true},
      {"bitmap, text", On(Op::kEqual, "c", {"c1"})},
      {"bitmap, absent text", On(Op::kEqual, "c", {"c"})},
      {"bitmap, other text", On(Op::kNotEqual, "c", {"c1"})},
      {"bitmap, booleans", On(Op::kIn, "b", {true, false})},
      {"bitmap, NULL", On(Op::kIsNull, "c")},
      {"bitmap, no NULL", On(Op::kIsNotNull, "b")},
      {"bit slices, equal", On(Op::kEqual, "n", {3})},
      {"bit slices, not among", On(Op::kNotIn, "n", {3, -5})},
      {"bit slices, above", On(Op::kGreater, "n", {8})},
      {"bit slices, below zero", On(Op::kLess, "n", {0})},
      {"bit slices, between", On(Op::kBetween, "l", {-3, 101})},
      {"bit slices, at most the least", On(Op::kLessOrEqual, "l", {Datum(std::int64_t{-9223372036854775807})})},
      {"bit slices, above the greatest", On(Op::kGreater, "l", {Datum(std::numeric_limits<std::int64_t>::max())})},
      {"bit slices, NULL", On(Op::kIsNull, "l")},
      {"range bitmap, at least", On(Op::kGreaterOrEqual, "r", {11})},
      {"range bitmap, among", On(Op::kIn, "r", {12, -2147483648})},
      {"range bitmap, text", On(Op::kEqual, "rs", {"r5"})},
      {"range bitmap, text below", On(Op::kLess, "rs", {"r2"})},
      {"range bitmap, text between others", On(Op::kGreater, "rs", {"r10"})},
      {"range bitmap, not between", On(Op::kNotBetween, "r", {3, 8})},
      {"several", Predicate::And({On(Op::kEqual, "c", {"c1"}), On(Op::kLess, "l", {-10})})},
      {"one of several", Predicate::Or({On(Op::kEqual, "c", {"c2"}), On(Op::kEqual, "r", {1})})},
  };
  const std::vector<DataField> fields = GoldenIndexFields();
  const std::vector<std::pair<std::string, std::vector<DatumList>>> files = {
      {"from_0", GoldenIndexRows(0)}, {"from_100", GoldenIndexRows(100)}, {"limits", GoldenIndexLimits()}};
  for (const auto& [name, rows] : files) {
    const std::string index = TestFile("file_index/" + name + ".index");
    for (const Case& c : cases) {
      SCOPED_TRACE(name + ": " + c.name);
      std::vector<std::int64_t> matching;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        if (c.condition->Test(fields, rows[row])) matching.push_back(static_cast<std::int64_t>(row));
      }
      BRAID_ASSERT_OK_AND_ASSIGN(const auto selected,
                                 SelectedRows(index, *c.condition, static_cast<std::int64_t>(rows.size())));
      if (!c.bloom_filters_alone) {
        EXPECT_THAT(selected, Optional(matching));
      } else if (matching.empty()) {
        EXPECT_THAT(selected, Optional(IsEmpty()));
      } else {
        EXPECT_EQ(selected, std::nullopt);
      }
    }
  }
}

// Table g.v1 of Java Paimon 1.4.2, with `version` 1 for every bitmap.
TEST(FileIndexTest, FindsTheRowsInOldBitmapsOfJava) {
  const std::string index = TestFile("file_index/java_v1.index");
  const auto rows = [&](Op op, const char* column, const DataType& type, std::vector<Datum> literals) {
    return SelectedRows(index, *Predicate::Leaf(op, column, type, std::move(literals)), 5);
  };
  const Timestamp leap{MillisOf(2024, 2, 29, 12, 34, 56, 123), 456000};
  EXPECT_THAT(rows(Op::kEqual, "s", DataType::String(), {"a"}), HasValue(Optional(ElementsAre(0, 2))));
  EXPECT_THAT(rows(Op::kEqual, "s", DataType::String(), {"b"}), HasValue(Optional(ElementsAre(1))));
  EXPECT_THAT(rows(Op::kIsNull, "s", DataType::String(), {}), HasValue(Optional(ElementsAre(3, 4))));
  EXPECT_THAT(rows(Op::kNotEqual, "i", DataType::Int(), {1}), HasValue(Optional(ElementsAre(1, 3))));
  EXPECT_THAT(rows(Op::kIsNull, "i", DataType::Int(), {}), HasValue(Optional(ElementsAre(4))));
  EXPECT_THAT(rows(Op::kEqual, "t", DataType::Timestamp(6), {leap}), HasValue(Optional(ElementsAre(0, 3))));
  EXPECT_THAT(rows(Op::kEqual, "f", DataType::Double(), {0.0}), HasValue(Optional(ElementsAre(2))));
  EXPECT_THAT(rows(Op::kEqual, "f", DataType::Double(), {std::numeric_limits<double>::quiet_NaN()}), HasValue(Optional(ElementsAre(3))));
  EXPECT_THAT(rows(Op::kIn, "y", DataType::TinyInt(), {-2, 3}), HasValue(Optional(ElementsAre(1, 3))));
  EXPECT_THAT(rows(Op::kEqual, "b", DataType::Boolean(), {true}), HasValue(Optional(ElementsAre(0, 3))));
}

TEST(FileIndexTest, NamesThePartsOfAContainer) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto parts, ParseFileIndexParts(TestFile("file_index/map_keys.index")));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parts[0].column, "m[a]");
  EXPECT_EQ(parts[1].column, "m[b]");
  EXPECT_EQ(parts[1].kind, "bloom-filter");
  EXPECT_THAT(parts[1].body, Optional(SizeIs(604)));
  EXPECT_THAT(EncodeFileIndex(parts), HasValue(TestFile("file_index/map_keys.index")));
}

// ---- The container. ----

TEST(FileIndexTest, KeepsNamesOfAllCharacters) {
  const std::vector<FileIndexPart> parts = {{.column = std::string("a\0b", 3), .kind = "bitmap", .body = "x"},
                                            {.column = "s\U0001F600\u00E4", .kind = "bsi", .body = std::nullopt},
                                            {.column = "s\U0001F600\u00E4", .kind = "z", .body = ""}};
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string bytes, EncodeFileIndex(parts));
  // Modified UTF-8: U+0000 in two bytes, U+1F600 as its surrogates D83D and DE00 in three each.
  EXPECT_THAT(bytes, testing::HasSubstr(std::string("\0\4a\xC0\x80"
                                                    "b",
                                                    6)));
  EXPECT_THAT(bytes, testing::HasSubstr("s\xED\xA0\xBD\xED\xB8\x80\xC3\xA4"));
  EXPECT_THAT(ParseFileIndexParts(bytes), HasValue(parts));
}

TEST(FileIndexTest, KnowsNothingOfUnknownKindsAndOtherColumns) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string bytes,
                             EncodeFileIndex(std::vector<FileIndexPart>{{.column = "n", .kind = "from-the-future", .body = "?"}}));
  EXPECT_THAT(SelectedRows(bytes, *On(Op::kEqual, "n", {3}), 10), HasValue(std::nullopt));
  EXPECT_THAT(SelectedRows(bytes, *On(Op::kEqual, "l", {3}), 10), HasValue(std::nullopt));
  EXPECT_THAT(SelectedRows(bytes, *Predicate::Constant(false), 10), HasValue(Optional(IsEmpty())));
}

TEST(FileIndexTest, AnIndexThatSawNoValueRulesOutWhatNeedsOne) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string bytes,
                             EncodeFileIndex(std::vector<FileIndexPart>{{.column = "c", .kind = "bitmap", .body = std::nullopt}}));
  EXPECT_THAT(SelectedRows(bytes, *On(Op::kEqual, "c", {"x"}), 10), HasValue(Optional(IsEmpty())));
  EXPECT_THAT(SelectedRows(bytes, *On(Op::kLike, "c", {"x%"}), 10), HasValue(Optional(IsEmpty())));
  EXPECT_THAT(SelectedRows(bytes, *On(Op::kIsNull, "c"), 10), HasValue(std::nullopt));
  EXPECT_THAT(SelectedRows(bytes, *On(Op::kNotEqual, "c", {"x"}), 10), HasValue(std::nullopt));
}

TEST(FileIndexTest, RefusesWhatIsNoIndexOfTheFile) {
  const std::string good = TestFile("file_index/from_0.index");
  const PredicatePtr any = On(Op::kEqual, "c", {"c1"});
  EXPECT_THAT(SelectedRows("", *any, 50), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(SelectedRows("12345678" + good.substr(8), *any, 50), IsError(ErrorCode::kCorruption));
  std::string later = good;
  later[11] = 2;
  EXPECT_THAT(SelectedRows(later, *any, 50), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(SelectedRows(good.substr(0, good.size() - 1), *On(Op::kEqual, "n", {1}), 50), IsError(ErrorCode::kCorruption));
  for (const PredicatePtr& condition : {any, On(Op::kEqual, "n", {1}), On(Op::kEqual, "r", {1})}) {
    EXPECT_THAT(SelectedRows(good, *condition, 49), IsError(ErrorCode::kCorruption));
  }
  EXPECT_THAT(SelectedRows(good, *any, std::int64_t{1} << 31), HasValue(std::nullopt));
}

// ---- Against the rows themselves. ----

/// Rows of one column, an index over it and conditions on it, all by chance.
class RandomIndex {
 public:
  RandomIndex(std::uint32_t seed, std::string kind, const DataType& type)
      : random_(seed), kind_(std::move(kind)), type_(type), fields_(MakeFields({{"x", type}})) {
    for (unsigned i = 0; i < 12; ++i) values_.push_back(Value());
  }

  void Run() {
    std::vector<DatumList> rows;
    const std::size_t null_share = random_() % 3;
    for (const std::size_t count = random_() % 300; rows.size() < count;) {
      rows.push_back({random_() % 10 < 3 * null_share ? Datum() : Pick()});
    }
    Options::Map options = {{"file-index." + kind_ + ".columns", "x"}};
    if (kind_ == "bitmap" && random_() % 2 == 0) options["file-index.bitmap.x.version"] = "1";
    if (kind_ == "bitmap") options["file-index.bitmap.x.index-block-size"] = std::to_string(40 + random_() % 60) + " b";
    if (kind_ == "range-bitmap") options["file-index.range-bitmap.x.chunk-size"] = std::to_string(random_() % 40) + " b";
    if (kind_ == "bloom-filter") options["file-index.bloom-filter.x.items"] = "100";
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<std::string> index, IndexRows(fields_, rows, options));
    ASSERT_TRUE(index);
    for (int i = 0; i < 40; ++i) CheckCondition(*index, rows, *Condition(2));
  }

  /// How often it selected rows, and how often it left some out.
  int selected() const { return selected_; }
  int narrowed() const { return narrowed_; }

 private:
  Datum Pick() { return values_[random_() % values_.size()]; }

  Datum Value() {
    const auto small = static_cast<std::int64_t>(random_() % 20) - 10;
    switch (type_.kind()) {
      case TypeKind::kBoolean: return small < 0;
      case TypeKind::kFloat: return std::array{-0.0F, 0.0F, std::numeric_limits<float>::quiet_NaN(), 1.5F, -2.0F}[random_() % 5];
      case TypeKind::kDouble: return std::array{-0.0, 0.0, std::numeric_limits<double>::quiet_NaN(), 1.5, -1e300}[random_() % 5];
      case TypeKind::kDecimal: return Decimal{Int128{small} * 1000003};
      case TypeKind::kVarChar: return std::string(random_() % 3, static_cast<char>('a' + random_() % 3));
      case TypeKind::kVarBinary: return std::string(random_() % 3, static_cast<char>(0xFE + random_() % 2));
      case TypeKind::kTimestamp:
        return Timestamp{small, type_.precision() <= 3 ? 0 : type_.precision() <= 6 ? 1000 * static_cast<int>(random_() % 3) : static_cast<int>(random_() % 1500)};
      case TypeKind::kBigInt:
        if (random_() % 8 == 0) return random_() % 2 == 0 ? Datum(std::numeric_limits<std::int64_t>::max()) : Datum(std::numeric_limits<std::int64_t>::min() + 1);
        return small;
      default: return small;
    }
  }

  std::vector<Datum> Literals(std::size_t count) {
    std::vector<Datum> literals;
    while (literals.size() < count) literals.push_back(random_() % 15 == 0 ? Datum() : random_() % 3 == 0 ? Value() : Pick());
    return literals;
  }

  PredicatePtr Condition(int depth) {
    if (depth > 0 && random_() % 4 == 0) {
      std::vector<PredicatePtr> children = {Condition(depth - 1), Condition(depth - 1)};
      return random_() % 2 == 0 ? Predicate::And(std::move(children)) : Predicate::Or(std::move(children));
    }
    constexpr std::array kOps = {Op::kEqual, Op::kNotEqual, Op::kLess, Op::kLessOrEqual, Op::kGreater, Op::kGreaterOrEqual,
                                 Op::kIsNull, Op::kIsNotNull, Op::kIn, Op::kNotIn, Op::kBetween, Op::kNotBetween};
    const Op op = kOps[random_() % kOps.size()];
    const bool is_in = op == Op::kIn || op == Op::kNotIn;
    const bool is_between = op == Op::kBetween || op == Op::kNotBetween;
    const bool is_null = op == Op::kIsNull || op == Op::kIsNotNull;
    return Predicate::Leaf(op, "x", type_, Literals(is_null ? 0 : is_between ? 2 : is_in ? 1 + random_() % 3 : 1));
  }

  // Whether the index tells exactly which rows match: it knows the order, and its keys are the values.
  bool IsExact() const { return (kind_ == "bsi" || kind_ == "range-bitmap") && !(type_.is_timestamp() && type_.precision() > 6); }

  void CheckCondition(const std::string& index, const std::vector<DatumList>& rows, const Predicate& condition) {
    SCOPED_TRACE(condition.ToString());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto selected, SelectedRows(index, condition, static_cast<std::int64_t>(rows.size())));
    std::vector<std::int64_t> matching;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (condition.Test(fields_, rows[row])) matching.push_back(static_cast<std::int64_t>(row));
    }
    if (IsExact()) {
      EXPECT_THAT(selected, Optional(matching));
    }
    if (!selected) return;
    ++selected_;
    if (selected->size() < rows.size()) ++narrowed_;
    EXPECT_TRUE(std::includes(selected->begin(), selected->end(), matching.begin(), matching.end()));
  }

  std::mt19937 random_;
  std::string kind_;
  DataType type_;
  std::vector<DataField> fields_;
  std::vector<Datum> values_;
  int selected_ = 0;
  int narrowed_ = 0;
};

TEST(FileIndexTest, NeverLeavesOutARowThatMatches) {
  const std::vector<DataType> numbers = {DataType::TinyInt(), DataType::SmallInt(), DataType::Int(), DataType::BigInt(),
                                         DataType::Date(), DataType::Time(3), DataType::Timestamp(3), DataType::Timestamp(6)};
  const std::vector<DataType> others = {DataType::Float(), DataType::Double(), DataType::String()};
  std::vector<std::pair<std::string, DataType>> cases = {{"bsi", DataType::Decimal(20, 2)},
                                                         {"range-bitmap", DataType::Decimal(18, 2)},
                                                         {"bitmap", DataType::Boolean()},
                                                         {"range-bitmap", DataType::Boolean()},
                                                         {"bloom-filter", DataType::Bytes()}};
  for (const char* kind : {"bloom-filter", "bitmap", "bsi", "range-bitmap"}) {
    for (const DataType& type : numbers) cases.emplace_back(kind, type);
    for (const DataType& type : others) {
      if (std::string_view(kind) != "bsi") cases.emplace_back(kind, type);
    }
    if (std::string_view(kind) != "range-bitmap") cases.emplace_back(kind, DataType::Timestamp(9));
  }
  for (const auto& [kind, type] : cases) {
    int selected = 0;
    int narrowed = 0;
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(kind + " of " + type.ToString() + ", seed " + std::to_string(seed));
      RandomIndex random(seed, kind, type);
      random.Run();
      selected += random.selected();
      narrowed += random.narrowed();
    }
    // A bloom filter answers little, and only of whole files.
    EXPECT_GT(narrowed, kind == "bloom-filter" ? 0 : 10) << kind << " of " << type.ToString() << ", of " << selected;
  }
}

}  // namespace
}  // namespace braid
