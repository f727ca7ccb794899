#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/golden_rows_testing.h"
#include "format/orc_format.h"
#include "format/orc_proto.h"
#include "format/orc_streams_testing.h"
#include "format/orc_tail.h"
#include "format/rows_testing.h"

namespace braid {
namespace {

using Random = std::mt19937_64;

/// A value, or NULL for one in eight, as a writer may be given it. Timestamps keep out of the last second before 1970.
Datum RandomDatum(const DataType& type, Random& random) {
  if (type.nullable() && random() % 8 == 0) return Datum();
  const auto number = [&random] { return static_cast<std::int64_t>(random()) >> (random() % 64); };
  const auto within = [&](std::int64_t limit) { return number() % limit; };
  const auto list = [&](auto element) {
    DatumList elements;
    for (std::uint64_t i = random() % 4; i > 0; --i) elements.push_back(element());
    return Datum(std::move(elements));
  };
  switch (type.kind()) {
    case TypeKind::kBoolean: return random() % 2 == 0;
    case TypeKind::kTinyInt: return within(128);
    case TypeKind::kSmallInt: return within(32768);
    case TypeKind::kInt: return within(std::int64_t{1} << 31);
    case TypeKind::kDate: return within(2'900'000);
    case TypeKind::kTime: return std::abs(within(86'400'000));
    case TypeKind::kBigInt: return number();
    case TypeKind::kFloat: {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value;  // Arrow changes other NaNs
    }
    case TypeKind::kDouble: return random() % 4 == 0 ? Datum(-0.0) : Datum(std::bit_cast<double>(random()));
    case TypeKind::kDecimal: {
      Int128 digits = 0;
      for (int i = static_cast<int>(random() % static_cast<unsigned>(type.precision())); i >= 0; --i)
        digits = digits * 10 + static_cast<int>(random() % 10);
      return Decimal{random() % 2 == 0 ? digits : -digits};
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: {
      const std::int64_t millis = within(253'402'300'800'000);
      const auto nanos = static_cast<std::int32_t>(random() % 1'000'000);
      if (millis < 0 && millis >= -1000) return Timestamp{};
      return Timestamp{millis, type.precision() <= 3 ? 0 : (type.precision() <= 6 ? nanos / 1000 * 1000 : nanos)};
    }
    case TypeKind::kArray: return list([&] { return RandomDatum(type.element(), random); });
    case TypeKind::kMap:
      return list([&] {
        return Datum(DatumList{RandomDatum(type.key().NotNull(), random), RandomDatum(type.element(), random)});
      });
    case TypeKind::kRow: {
      DatumList values;
      for (const DataField& field : type.fields()) values.push_back(RandomDatum(field.type, random));
      return values;
    }
    default: {
      const std::uint64_t word = random() % 3;
      return std::string(word == 0 ? random() % 300 : word, static_cast<char>('a' + random() % 26));
    }
  }
}

std::vector<DatumList> RandomRows(const std::vector<DataField>& fields, std::size_t count, Random& random) {
  std::vector<DatumList> rows(count);
  for (DatumList& row : rows) {
    for (const DataField& field : fields) row.push_back(RandomDatum(field.type, random));
  }
  return rows;
}

std::vector<DataField> RandomFields() {
  const auto field = [](int id, std::string name, DataType type) {
    return DataField{FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
  };
  const DataType row = DataType::Row({field(100, "x", DataType::Int()), field(101, "y", DataType::String()),
                                      field(102, "z", DataType::Array(DataType::Double()))});
  return MakeFields({{"id", DataType::BigInt().NotNull()},
                     {"b", DataType::Boolean()},
                     {"i8", DataType::TinyInt()},
                     {"i16", DataType::SmallInt()},
                     {"i32", DataType::Int()},
                     {"i64", DataType::BigInt()},
                     {"f", DataType::Float()},
                     {"d", DataType::Double()},
                     {"d12", DataType::Decimal(12, 2)},
                     {"d38", DataType::Decimal(38, 10)},
                     {"s", DataType::String()},
                     {"v", DataType::VarChar(400)},
                     {"x", DataType::Bytes()},
                     {"dt", DataType::Date()},
                     {"t", DataType::Time(3)},
                     {"ts3", DataType::Timestamp(3)},
                     {"tz6", DataType::TimestampLtz(6)},
                     {"ts9", DataType::Timestamp(9)},
                     {"a", DataType::Array(DataType::BigInt())},
                     {"aa", DataType::Array(DataType::Array(DataType::String()))},
                     {"m", DataType::Map(DataType::String(), DataType::Decimal(20, 3))},
                     {"r", row},
                     {"ar", DataType::Array(row)}});
}

TEST(OrcWriterTest, ReadsBackRandomRowsOfManyStripesAndRowGroups) {
  const std::vector<DataField> fields = RandomFields();
  std::uint64_t seed = 0;
  for (const char* codec : {"none", "zstd", "zlib"}) {
    for (const char* stride : {"0", "100", "1000"}) {
      SCOPED_TRACE(std::string(codec) + ", " + stride);
      Random random(++seed);
      const std::vector<DatumList> rows = RandomRows(fields, 3000, random);
      MemoryFileSystem files;
      const Options options(Options::Map{{"file.compression", codec},
                                         {"orc.row.index.stride", stride},
                                         {"orc.stripe.size", "200 kb"},
                                         {"orc.compress.size", "4 kb"}});
      BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written,
                                 WriteFile(OrcFormat(), files, "/f.orc", fields, rows, options));
      EXPECT_EQ(written.row_count, 3000);
      BRAID_ASSERT_OK_AND_ASSIGN(const auto file, files.Open("/f.orc"));
      BRAID_ASSERT_OK_AND_ASSIGN(const OrcTail tail, ReadOrcTail(*file, "/f.orc"));
      EXPECT_GE(tail.stripes.size(), std::string_view(stride) == "0" ? 1U : 2U);
      BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(OrcFormat(), files, "/f.orc", fields, 700));
      ExpectSameRows(read, rows, fields);
    }
  }
}

TEST(OrcWriterTest, ReadsBackColumnsOfNullsAndSlices) {
  const std::vector<DataField> fields = RandomFields();
  std::vector<DatumList> rows;
  for (int i = 0; i < 2500; ++i) {
    rows.emplace_back(fields.size());
    rows.back()[0] = i;
  }
  Random random(5);
  for (DatumList& row : RandomRows(fields, 10, random)) rows.push_back(std::move(row));
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  MemoryFileSystem files;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, OrcFormat().OpenWriter(files, "/f.orc", fields, {}));
  for (std::int64_t start = 0; start < batch.rows->num_rows(); start += 251) {
    ASSERT_THAT(writer->Write({batch.rows->Slice(start, 251), nullptr}), IsOk());
  }
  ASSERT_THAT(writer->Finish(), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(OrcFormat(), files, "/f.orc", fields));
  ExpectSameRows(read, rows, fields);
}

/// The row index of a column in a file's first stripe, as a reader has it.
struct RowGroup {
  std::vector<std::uint64_t> positions;
  std::string statistics;
};
std::vector<RowGroup> RowGroupsOf(const InputFile& file, const OrcTail& tail, const OrcStripeFooter& footer,
                                  std::uint32_t column) {
  std::vector<RowGroup> groups;
  const OrcStripeFooter::Stream* stream = footer.Find(column, OrcStreamKind::kRowIndex);
  if (stream == nullptr) return groups;
  const std::string bytes = ReadOrcBytes(file, tail, stream->offset, stream->bytes, "/f.orc").value();
  OrcMessageReader index(bytes);
  while (const auto entry = index.Next()) {
    RowGroup& group = groups.emplace_back();
    OrcMessageReader parts(entry->bytes);
    while (const auto part = parts.Next()) {
      if (part->number == 2) group.statistics = std::string(part->bytes);
      if (part->number != 1) continue;
      OrcMessageReader positions(part->bytes);
      while (!positions.empty()) group.positions.push_back(positions.Varint());
    }
    EXPECT_FALSE(parts.broken());
  }
  return groups;
}

/// The footer of the only stripe of a file.
OrcStripeFooter OnlyFooter(const InputFile& file, const OrcTail& tail) {
  EXPECT_EQ(tail.stripes.size(), 1U);
  return ReadOrcStripeFooter(file, tail, tail.stripes.at(0), "/f.orc").value();
}

/// Numbers of the fields of a message of statistics within another, zigzag or not.
std::vector<std::int64_t> NumbersOf(const std::string& statistics, unsigned field, bool is_signed) {
  std::vector<std::int64_t> numbers;
  OrcMessageReader outer(statistics);
  while (const auto part = outer.Next()) {
    if (part->number != field) continue;
    OrcMessageReader inner(part->bytes);
    while (const auto number = inner.Next())
      numbers.push_back(is_signed ? ZigZagDecode(number->value) : static_cast<std::int64_t>(number->value));
  }
  return numbers;
}

TEST(OrcWriterTest, RowIndexesLeadToTheirRowsAndBoundThem) {
  const std::vector<DataField> fields =
      MakeFields({{"k", DataType::BigInt()}, {"n", DataType::Int()}, {"s", DataType::String()}});
  Random random(3);
  std::vector<DatumList> rows;
  for (int i = 0; i < 2350; ++i) {
    const auto n = static_cast<std::int64_t>(random() % 1000);
    rows.push_back({i / 7, i % 5 == 0 ? Datum() : Datum(n), "text " + std::to_string(random() % 40)});
  }
  MemoryFileSystem files;
  const Options options(Options::Map{{"file.compression", "none"}, {"orc.row.index.stride", "500"}});
  ASSERT_THAT(WriteFile(OrcFormat(), files, "/f.orc", fields, rows, options), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto file, files.Open("/f.orc"));
  BRAID_ASSERT_OK_AND_ASSIGN(const OrcTail tail, ReadOrcTail(*file, "/f.orc"));
  const OrcStripeFooter footer = OnlyFooter(*file, tail);
  EXPECT_EQ(footer.writer_zone, "UTC");
  EXPECT_THAT(footer.encodings, testing::ElementsAre(0, 2, 2, 3));
  const auto stream = [&](std::uint32_t column, OrcStreamKind kind) {
    const OrcStripeFooter::Stream* found = footer.Find(column, kind);
    return found == nullptr ? std::string() : ReadOrcBytes(*file, tail, found->offset, found->bytes, "/f.orc").value();
  };
  using Kind = OrcStreamKind;
  EXPECT_EQ(footer.Find(1, Kind::kPresent), nullptr);  // no NULL, no stream
  const std::vector<RowGroup> keys = RowGroupsOf(*file, tail, footer, 1);
  const std::vector<RowGroup> numbers = RowGroupsOf(*file, tail, footer, 2);
  const std::vector<RowGroup> texts = RowGroupsOf(*file, tail, footer, 3);
  ASSERT_EQ(keys.size(), 5U);
  ASSERT_EQ(numbers.size(), 5U);
  ASSERT_EQ(texts.size(), 5U);
  for (std::size_t group = 0; group < 5; ++group) {
    SCOPED_TRACE(group);
    const std::size_t first = group * 500;
    const std::size_t end = std::min<std::size_t>(first + 500, rows.size());
    // Without NULL: the place of a run and how many of its values come before.
    ASSERT_EQ(keys[group].positions.size(), 2U);
    OrcIntegers key(stream(1, Kind::kData).substr(keys[group].positions[0]), true, true);
    for (std::uint64_t i = 0; i < keys[group].positions[1]; ++i) key.Next();
    EXPECT_EQ(key.Next(), rows[first][0].as_int());
    EXPECT_THAT(NumbersOf(keys[group].statistics, 2, true),
                testing::ElementsAre(rows[first][0].as_int(), rows[end - 1][0].as_int(), testing::_));
    // With NULL: first the place of a run of bytes, how many of those come before, and how many bits of the next.
    const auto& at = numbers[group].positions;
    ASSERT_EQ(at.size(), 5U);
    OrcBooleans present(stream(2, Kind::kPresent).substr(at[0]));
    for (std::uint64_t i = 0; i < at[1] * 8 + at[2]; ++i) present.Next();
    OrcIntegers number(stream(2, Kind::kData).substr(at[3]), true, true);
    for (std::uint64_t i = 0; i < at[4]; ++i) number.Next();
    std::int64_t min = 1000;
    std::int64_t max = 0;
    for (std::size_t row = first; row < end; ++row) {
      ASSERT_EQ(present.Next(), !rows[row][1].is_null());
      if (rows[row][1].is_null()) continue;
      ASSERT_EQ(number.Next(), rows[row][1].as_int());
      min = std::min(min, rows[row][1].as_int());
      max = std::max(max, rows[row][1].as_int());
    }
    EXPECT_THAT(NumbersOf(numbers[group].statistics, 2, true), testing::ElementsAre(min, max, testing::_));
    // Numbers of a dictionary of 40.
    ASSERT_EQ(texts[group].positions.size(), 2U);
    OrcIntegers text(stream(3, Kind::kData).substr(texts[group].positions[0]), true, false);
    for (std::uint64_t i = 0; i < texts[group].positions[1]; ++i) text.Next();
    std::string dictionary = stream(3, Kind::kDictionaryData);
    OrcIntegers lengths(stream(3, Kind::kLength), true, false);
    std::vector<std::string> entries;
    while (const auto length = lengths.Next()) {
      entries.push_back(dictionary.substr(0, static_cast<std::size_t>(*length)));
      dictionary.erase(0, static_cast<std::size_t>(*length));
    }
    EXPECT_TRUE(std::ranges::is_sorted(entries));
    for (std::size_t row = first; row < end; ++row)
      ASSERT_EQ(entries.at(static_cast<std::size_t>(text.Next().value())), rows[row][2].as_string());
  }
}

TEST(OrcWriterTest, LeavesTheDictionaryWhereTextsHardlyRepeat) {
  const std::vector<DataField> fields = MakeFields({{"s", DataType::String()}});
  std::vector<DatumList> rows;
  for (int i = 0; i < 10'000; ++i) rows.push_back({"t" + std::to_string(i < 1000 ? i % 10 : i)});
  const Options options(Options::Map{{"orc.row.index.stride", "1000"}});
  struct Case {
    std::ptrdiff_t row_count;
    std::uint64_t encoding;  // 3 with a dictionary, 2 without
    std::size_t
        position_count;  // of one stream, or of the bytes' and the lengths' with how many of the run come before
  };
  // 10 texts among 1000, 10 + 2000 among 3000 and 10 + 9000 among 10000: more than 0.8 at last.
  for (const auto& [row_count, encoding, position_count] : {Case{1000, 3, 3}, Case{3000, 3, 3}, Case{10'000, 2, 5}}) {
    SCOPED_TRACE(row_count);
    const std::vector<DatumList> written(rows.begin(), rows.begin() + row_count);
    MemoryFileSystem files;
    ASSERT_THAT(WriteFile(OrcFormat(), files, "/f.orc", fields, written, options), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto file, files.Open("/f.orc"));
    BRAID_ASSERT_OK_AND_ASSIGN(const OrcTail tail, ReadOrcTail(*file, "/f.orc"));
    const OrcStripeFooter footer = OnlyFooter(*file, tail);
    EXPECT_EQ(footer.encodings[1], encoding);
    const std::vector<RowGroup> groups = RowGroupsOf(*file, tail, footer, 1);
    EXPECT_EQ(groups.size(), static_cast<std::size_t>(row_count / 1000));
    for (const RowGroup& group : groups) EXPECT_EQ(group.positions.size(), position_count);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(OrcFormat(), files, "/f.orc", fields));
    ExpectSameRows(read, written, fields);
  }
}

TEST(OrcWriterTest, KeepsAStripeInMemoryAndTellsSo) {
  const std::vector<DataField> fields = MakeFields({{"bytes", DataType::Bytes()}});
  MemoryFileSystem files;
  const Options options(Options::Map{{"orc.stripe.size", "4 mb"}, {"file.compression", "none"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, OrcFormat().OpenWriter(files, "/f.orc", fields, options));
  EXPECT_EQ(writer->buffered_bytes(), 0);
  Random random(1);
  std::vector<DatumList> rows;
  for (int i = 0; i < 16; ++i) {
    std::string text(64 * 1024, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 26);
    rows.push_back({text});
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, rows));
  ASSERT_THAT(writer->Write(batch), IsOk());
  EXPECT_GT(writer->buffered_bytes(), std::int64_t{1} << 20);
  EXPECT_GT(writer->estimated_bytes(), std::int64_t{500} << 10);
  for (int i = 0; i < 30; ++i) {
    ASSERT_THAT(writer->Write(batch), IsOk());
    EXPECT_LT(writer->buffered_bytes(), std::int64_t{5} << 20);
    EXPECT_NEAR(static_cast<double>(writer->estimated_bytes()), (i + 2) * double{1 << 20}, double{1 << 20});
  }
  ASSERT_THAT(writer->Flush(), IsOk());
  EXPECT_EQ(writer->buffered_bytes(), 0);
  ASSERT_THAT(writer->Finish(), IsOk());
}

}  // namespace
}  // namespace braid
