#include "format/file_index_writer.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "format/file_index_testing.h"
#include "format/golden_rows_testing.h"

namespace braid {
namespace {

using testing::Optional;
using testing::SizeIs;

const FileIndexPart* FindPart(const std::vector<FileIndexPart>& parts, const std::string& column) {
  const auto it = std::find_if(parts.begin(), parts.end(), [&](const FileIndexPart& part) { return part.column == column; });
  return it == parts.end() ? nullptr : &*it;
}

// Of bitmaps Java writes the bodies in the order of a hash map, so they are compared by their answers elsewhere.
TEST(FileIndexWriterTest, WritesTheBytesOfJava) {
  const std::vector<std::pair<std::string, std::vector<DatumList>>> files = {
      {"from_0", GoldenIndexRows(0)}, {"from_100", GoldenIndexRows(100)}, {"limits", GoldenIndexLimits()}};
  for (const auto& [name, rows] : files) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto index, IndexRows(GoldenIndexFields(), rows, GoldenIndexOptions()));
    const std::string java = TestFile("file_index/" + name + ".index");
    BRAID_ASSERT_OK_AND_ASSIGN(const auto ours, ParseFileIndexParts(*index));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto theirs, ParseFileIndexParts(java));
    ASSERT_THAT(ours, SizeIs(theirs.size()));
    EXPECT_EQ(index->size(), java.size()) << name;
    for (const FileIndexPart& part : theirs) {
      SCOPED_TRACE(name + ": " + part.kind + " of " + part.column);
      const FileIndexPart* own = FindPart(ours, part.column);
      ASSERT_NE(own, nullptr);
      EXPECT_EQ(own->kind, part.kind);
      if (part.kind != "bitmap") {
        EXPECT_EQ(*own, part);
      }
    }
  }
}

/// Whether the indexes of the rows are byte for byte those in a file that Java wrote.
void ExpectBytesOfJava(const std::string& file, const std::vector<DataField>& fields, const std::vector<DatumList>& rows,
                       const Options::Map& options) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto index, IndexRows(fields, rows, options));
  ASSERT_TRUE(index);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto ours, ParseFileIndexParts(*index));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto theirs, ParseFileIndexParts(TestFile(file)));
  ASSERT_THAT(ours, SizeIs(theirs.size()));
  for (const FileIndexPart& part : theirs) {
    const FileIndexPart* own = FindPart(ours, part.column);
    ASSERT_NE(own, nullptr) << part.column;
    EXPECT_EQ(*own, part) << part.kind << " of " << part.column;
  }
}

// Tables g.kinds, g.more and g.nulls, each of one write by Java Paimon 1.4.2.
TEST(FileIndexWriterTest, WritesTheBytesOfJavaForEveryType) {
  const std::int64_t leap = MillisOf(2024, 2, 29, 12, 34, 56, 123);
  const std::int64_t year_2000 = MillisOf(2000, 1, 1);
  const std::int64_t day = 86'400'000;
  constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
  ExpectBytesOfJava(
      "file_index/java_kinds.index",
      MakeFields({{"d", DataType::Decimal(10, 2)}, {"ts", DataType::Timestamp(3)}, {"ts6", DataType::Timestamp(6)},
                  {"l", DataType::TimestampLtz(3)}, {"da", DataType::Date()}, {"ti", DataType::Time(3)}, {"y", DataType::TinyInt()},
                  {"h", DataType::SmallInt()}, {"f", DataType::Float()}, {"db", DataType::Double()}, {"bo", DataType::Boolean()},
                  {"s", DataType::String()}}),
      {{Digits("150"), Timestamp{leap, 0}, Timestamp{leap, 456000}, Timestamp{leap, 0}, 19782, 3723004, 1, 300, 1.5F, 1.5, true, "alpha"},
       {Digits("-9999999999"), Timestamp{-1, 0}, Timestamp{-1, 999000}, Timestamp{-1, 0}, -1, 0, -128, -32768, -0.0F, -0.0, false, ""},
       {Digits("0"), Timestamp{leap, 0}, Timestamp{leap, 457000}, Timestamp{leap + day, 0}, 19783, 86399999, 127, 32767, kFloatNan, kNan, true, "beta"},
       DatumList(12),
       {Digits("725"), Timestamp{year_2000, 0}, Timestamp{year_2000, 0}, Timestamp{year_2000, 0}, 10957, 43200000, 0, 0, 0.0F, 0.0, false, "gamma"},
       {Digits("726"), Timestamp{year_2000 + day, 0}, Timestamp{year_2000 + day, 0}, Timestamp{year_2000 + day, 0}, 10958, 43201000, 5, 5,
        -kFloatInfinity, kInfinity, false, "alphabet"}},
      {{"file-index.range-bitmap.columns", "d,ts,ts6,l,da,ti,y,h,f,db,bo,s"}, {"file-index.range-bitmap.s.chunk-size", "20 b"},
       {"file-index.range-bitmap.da.chunk-size", "8 b"}});
  ExpectBytesOfJava(
      "file_index/java_more.index",
      MakeFields({{"d", DataType::Decimal(10, 2)}, {"ts", DataType::Timestamp(9)}, {"da", DataType::Date()}, {"ti", DataType::Time(3)},
                  {"y", DataType::TinyInt()}, {"h", DataType::SmallInt()}, {"i", DataType::Int()}, {"bl", DataType::BigInt()},
                  {"by", DataType::Bytes()}, {"fl", DataType::Float()}, {"db", DataType::Double()}, {"te", DataType::Timestamp(3)}}),
      {{Digits("150"), Timestamp{leap, 456789}, 19782, 3723004, 1, 300, 7, Datum(std::int64_t{9000000000}), Bytes({0, 255}), 1.5F, 1.5, Timestamp{leap, 0}},
       {Digits("-9999999999"), Timestamp{-1, 999999}, -1, 0, -128, -32768, -7, Datum(std::int64_t{-9000000000}), "", -0.0F, kNan, Timestamp{-1, 0}},
       DatumList(12)},
      {{"file-index.bsi.columns", "d,ts,da,ti,y,h"}, {"file-index.bloom-filter.columns", "i,bl,by,fl,db,te"},
       {"file-index.bloom-filter.i.items", "50"}, {"file-index.bloom-filter.bl.items", "50"}, {"file-index.bloom-filter.by.items", "50"},
       {"file-index.bloom-filter.fl.items", "50"}, {"file-index.bloom-filter.db.items", "33"}, {"file-index.bloom-filter.db.fpp", "0.003"},
       {"file-index.bloom-filter.te.items", "1"}});
  ExpectBytesOfJava("file_index/java_nulls.index", MakeFields({{"r", DataType::Int()}, {"b", DataType::String()}, {"n", DataType::Int()}}),
                    {DatumList(3), DatumList(3)},
                    {{"file-index.range-bitmap.columns", "r"}, {"file-index.bitmap.columns", "b"}, {"file-index.bsi.columns", "n"}});
}

TEST(FileIndexWriterTest, IndexesTheValuesOfMapKeys) {
  const DataType text = DataType::String();
  const auto entry = [](const char* key, const char* value) { return Datum(DatumList{key, value}); };
  const std::vector<DatumList> rows = {{1, DatumList{entry("a", "x"), entry("b", "y")}}, {2, DatumList{entry("a", "z")}}, {3, Datum()}};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto index, IndexRows(MakeFields({{"id", DataType::Int()}, {"m", DataType::Map(text, text)}}), rows,
                                                         {{"file-index.bloom-filter.columns", "m[a],m[b]"},
                                                          {"file-index.bloom-filter.m.items", "1000"},
                                                          {"file-index.bloom-filter.m[a].items", "100"}}));
  EXPECT_THAT(index, Optional(TestFile("file_index/map_keys.index")));
}

TEST(FileIndexWriterTest, LeavesOutAnIndexThatCannotHoldAValue) {
  const std::vector<DataField> fields = MakeFields({{"l", DataType::BigInt()}, {"d", DataType::Decimal(38, 0)}});
  const Options::Map options = {{"file-index.bsi.columns", "l,d"}};
  const Datum least = std::numeric_limits<std::int64_t>::min();
  const Datum large = Decimal{Int128{1} << 64};
  EXPECT_THAT(IndexRows(fields, {{least, large}}, options), HasValue(std::nullopt));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto index, IndexRows(fields, {{1, large}}, options));
  EXPECT_THAT(ParseFileIndexParts(*index), HasValue(SizeIs(1)));
}

TEST(FileIndexWriterTest, RefusesOptionsThatItCannotFollow) {
  const std::vector<DataField> fields = MakeFields({{"n", DataType::Int()}, {"d", DataType::Decimal(30, 1)}, {"f", DataType::Float()}, {"s", DataType::String()}});
  struct Case {
    Options::Map options;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{{"file-index.btree.columns", "n"}}, "no such kind"},
      {{{"file-index.bitmap.columns", "gone"}}, "no column 'gone'"},
      {{{"file-index.bitmap.columns", "n[a]"}}, "'n' is no MAP"},
      {{{"file-index.bitmap.columns", "n,"}}, "no column ''"},
      {{{"file-index.bitmap.columns", "d"}}, "a bitmap index cannot be made of d DECIMAL(30, 1)"},
      {{{"file-index.range-bitmap.columns", "d"}}, "cannot be made of"},
      {{{"file-index.bsi.columns", "f"}}, "cannot be made of"},
      {{{"file-index.bloom-filter.columns", "n"}, {"file-index.bloom-filter.s.items", "3"}}, "'s' is not among the columns"},
      {{{"file-index.bloom-filter.columns", "n"}, {"file-index.bloom-filter.n.fpp", "1"}}, "for the bloom-filter index of column 'n'"},
      {{{"file-index.bloom-filter.columns", "n"}, {"file-index.bloom-filter.n.items", "1000000000"}}, "larger than 256 MB"},
      {{{"file-index.bitmap.columns", "n"}, {"file-index.bitmap.n.version", "3"}}, "'version' 1 or 2"},
      {{{"file-index.in-manifest-threshold", "much"}}, "file-index.in-manifest-threshold"},
  };
  for (const Case& c : cases) {
    const auto index = IndexRows(fields, {}, c.options);
    EXPECT_THAT(index, IsError(ErrorCode::kInvalidArgument)) << c.message;
    EXPECT_THAT(index, HasMessage(c.message));
  }
  EXPECT_THAT(IndexRows(fields, {}, {{"file-index.read.enabled", "false"}, {"file-index.some.thing", "1"}}), HasValue(std::nullopt));
}

}  // namespace
}  // namespace braid
