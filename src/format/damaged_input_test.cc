// Every reader of bytes of this folder that are ours to check ends in a value or an error, whatever the bytes.

#include <array>
#include <cstdint>
#include <functional>

#include <gtest/gtest.h>

#include "base/allocation_limit_testing.h"
#include "base/byte_mutator_testing.h"
#include "base/little_endian.h"
#include "base/text.h"
#include "format/avro_container.h"
#include "format/avro_cursor.h"
#include "format/deletion_vector.h"
#include "format/file_index_testing.h"
#include "format/golden_rows_testing.h"
#include "format/java_unions_testing.h"
#include "format/orc_proto.h"
#include "format/orc_tail.h"
#include "format/roaring_union.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // for inputs of a few kilobytes

/// Reads many damaged forms of the bytes; how many of them were read without an error.
int ReadDamaged(const std::string& good, int rounds, const std::function<bool(const std::string&)>& read) {
  EXPECT_TRUE(read(good));
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    ByteMutator mutator(static_cast<std::uint32_t>(round));
    const std::string damaged = mutator.Mutate(good);
    SCOPED_TRACE(round);
    const AllocationLimit limit(kMostBytes);
    EXPECT_NO_THROW(accepted += read(damaged) ? 1 : 0);
  }
  return accepted;
}

TEST(DamagedInputTest, FileIndexes) {
  const std::vector<DataField> fields = GoldenIndexFields();
  const auto leaf = [&](Predicate::Op op, const char* column, std::vector<Datum> literals) {
    return Predicate::Leaf(op, column, fields[*FindField(fields, column)].type, std::move(literals));
  };
  using Op = Predicate::Op;
  const std::vector<PredicatePtr> conditions = {
      leaf(Op::kEqual, "id", {7}),       leaf(Op::kIn, "s", {"s1", "x"}), leaf(Op::kNotEqual, "c", {"c1"}),
      leaf(Op::kIsNull, "b", {}),        leaf(Op::kGreater, "n", {3}),    leaf(Op::kLessOrEqual, "l", {-7}),
      leaf(Op::kNotBetween, "r", {2, 5}), leaf(Op::kLess, "rs", {"r2"})};
  const auto read = [&](const std::string& bytes) {
    const Result<FileIndex> index = FileIndex::Parse(bytes);
    if (!index) return false;
    bool all = true;
    for (const PredicatePtr& condition : conditions) {
      const auto rows = index->Select(*condition, 50);
      all = all && rows.has_value();
      EXPECT_TRUE(!rows || !*rows || (*rows)->row_count() <= 50);
    }
    return all;
  };
  for (const char* name : {"file_index/from_0.index", "file_index/from_100.index"}) ReadDamaged(TestFile(name), 4000, read);
  // Version 1 of bitmaps, which Java writes no more by default.
  Options::Map options = GoldenIndexOptions();
  options["file-index.bitmap.c.version"] = "1";
  BRAID_ASSERT_OK_AND_ASSIGN(const auto version_1, IndexRows(fields, GoldenIndexRows(0), options));
  ReadDamaged(*version_1, 4000, read);
}

TEST(DamagedInputTest, DeletionVectors) {
  std::vector<std::int64_t> positions;
  for (std::int64_t row = 0; row < 200'000; row += row < 70'000 ? 3 : 1) positions.push_back(row);
  const DeletionVector vector = DeletionVector().With(positions);
  for (const bool bitmap64 : {false, true}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const EncodedDeletionVector encoded, EncodeDeletionVector(vector, bitmap64));
    // Without size and checksum, which would hide everything else.
    const std::string body = encoded.bytes.substr(4, encoded.bytes.size() - 8);
    ReadDamaged(body, 3000, [&](const std::string& bytes) {
      const Result<DeletionVector> parsed = DeletionVector::Parse(bytes);
      if (!parsed) return false;
      EXPECT_GE(parsed->With(std::vector<std::int64_t>{5}).cardinality(), parsed->cardinality());
      return EncodeDeletionVector(*parsed, true).has_value();
    });
  }
}

// Written again, a vector has a bitmap for each upper half of a position up to its greatest: 1 GB for this one.
TEST(DamagedInputTest, DeletionVectorsOfRowsThatNoFileHas) {
  BRAID_ASSERT_OK_AND_ASSIGN(const EncodedDeletionVector encoded,
                             EncodeDeletionVector(DeletionVector().With(std::vector<std::int64_t>{2, 3}), true));
  std::string body = encoded.bytes.substr(4, encoded.bytes.size() - 8);
  body.replace(12, 4, "\xFF\xFF\xFF\x7F");
  EXPECT_THAT(DeletionVector::Parse(body), IsError(ErrorCode::kCorruption));
}

TEST(DamagedInputTest, DeletionVectorFiles) {
  BRAID_ASSERT_OK_AND_ASSIGN(const EncodedDeletionVector encoded,
                             EncodeDeletionVector(DeletionVector().With(std::vector<std::int64_t>{2, 3}), false));
  ReadDamaged("\1" + encoded.bytes, 1000, [](const std::string& bytes) {
    MemoryFileSystem fs;
    EXPECT_THAT(fs.Replace("/index", bytes), IsOk());
    return ReadDeletionVector(fs, "/index", 1).has_value();
  });
}

TEST(DamagedInputTest, Bitmaps64) {
  const AllocationLimit limit(kMostBytes);
  ExpectDamageFound("rbm64", UnionRoaring64Bitmaps);
}

TEST(DamagedInputTest, AvroContainers) {
  for (const char* name : {"version_1_0.avro", "types_limits.avro", "nested.avro"}) {
    ReadDamaged(TestFile(name), 1500, [](const std::string& bytes) { return AvroContainer::Open(bytes).has_value(); });
  }
}

// ---- ORC: what is ours to check of it. ----

std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

TEST(DamagedInputTest, OrcStripesThatCannotBe) {
  constexpr std::uint64_t kGreatest = INT64_MAX;
  struct Case {
    std::string name;
    std::array<std::uint64_t, 5> stripe;  // offset, bytes of index, data and footer, rows
    bool is_read = false;
  };
  for (const Case& c : std::vector<Case>{{"a stripe", {0, 1, 1, 1, 5}, true},
                                         {"behind the file", {1000, 1, 1, 1, 5}},
                                         {"before the file", {std::uint64_t{0} - 5, 1, 1, 1, 5}},
                                         {"a sum beyond 64 bits", {0, kGreatest, kGreatest, 1, 5}},
                                         {"a negative number of rows", {0, 1, 1, 1, std::uint64_t{0} - 5}}}) {
    SCOPED_TRACE(c.name);
    std::string stripe;
    for (std::size_t i = 0; i < c.stripe.size(); ++i) stripe += static_cast<char>((i + 1) << 3) + Varint(c.stripe[i]);
    const std::string footer = "\x1A" + Varint(stripe.size()) + stripe;
    const std::string postscript = "\x08" + Varint(footer.size());
    MemoryFileSystem fs;
    ASSERT_THAT(fs.Replace("/f.orc", "ORC" + footer + postscript + static_cast<char>(postscript.size())), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto file, fs.Open("/f.orc"));
    const Result<OrcTail> tail = ReadOrcTail(*file, "/f.orc");
    EXPECT_EQ(tail.has_value(), c.is_read);
    if (!c.is_read) {
      EXPECT_THAT(tail, IsError(ErrorCode::kCorruption));
    }
  }
}

TEST(DamagedInputTest, OrcStripeFootersThatContradictTheirStripe) {
  using Streams = std::vector<std::array<std::uint64_t, 2>>;  // column and bytes
  struct Case {
    std::string name;
    Streams streams;
    std::vector<std::uint64_t> encodings;
    bool is_read = false;
  };
  for (const Case& c : std::vector<Case>{{"a stripe", {{0, 2}, {1, 8}}, {0, 2}, true},
                                         {"a stream longer than the stripe", {{1, 11}}, {0, 2}},
                                         {"streams longer than the stripe", {{0, 6}, {1, 6}}, {0, 2}},
                                         {"a negative length", {{1, std::uint64_t{0} - 1}}, {0, 2}},
                                         {"no such column", {{2, 5}}, {0, 2}},
                                         {"too few encodings", {{1, 5}}, {0}},
                                         {"too many encodings", {{1, 5}}, {0, 2, 2}},
                                         {"no such encoding", {{1, 5}}, {0, 4}}}) {
    SCOPED_TRACE(c.name);
    OrcMessageWriter footer;
    for (const auto& [column, bytes] : c.streams) {
      OrcMessageWriter stream;
      stream.AddNumber(1, 1);
      stream.AddNumber(2, column);
      stream.AddNumber(3, bytes);
      footer.AddBytes(1, stream.bytes());
    }
    for (const std::uint64_t kind : c.encodings) {
      OrcMessageWriter encoding;
      encoding.AddNumber(1, kind);
      footer.AddBytes(2, encoding.bytes());
    }
    MemoryFileSystem fs;
    ASSERT_THAT(fs.Replace("/f.orc", std::string(10, 'x') + footer.bytes() + std::string(20, 'y')), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto file, fs.Open("/f.orc"));
    OrcTail tail;
    tail.types.resize(2);
    const OrcTail::Stripe stripe{.offset = 0,
                                 .index_bytes = 2,
                                 .data_bytes = 8,
                                 .footer_bytes = static_cast<std::int64_t>(footer.bytes().size()),
                                 .row_count = 1};
    const Result<OrcStripeFooter> read = ReadOrcStripeFooter(*file, tail, stripe, "/f.orc");
    EXPECT_EQ(read.has_value(), c.is_read);
    if (!c.is_read) {
      EXPECT_THAT(read, IsError(ErrorCode::kCorruption));
    }
  }
}

// ---- Parquet: what the library would take on a damaged file's word. ----

Status ReadParquetFile(const FileSystem& fs, const std::vector<DataField>& fields) {
  BRAID_TRY_ASSIGN(const FileFormat* parquet, FindFileFormat("parquet"));
  BRAID_TRY_ASSIGN(const auto reader, parquet->OpenReader(fs, "/f.parquet", {.columns = fields, .filter = nullptr}));
  BRAID_TRY(ReadAllBatches(*reader));
  return Ok();
}

/// Reads all rows; fails the test if that asks for much memory at once.
Status ReadParquet(const std::string& bytes, const std::vector<DataField>& fields) {
  MemoryFileSystem fs;
  BRAID_TRY(fs.Replace("/f.parquet", bytes));
  const AllocationLimit limit(kMostBytes);
  const Status read = ReadParquetFile(fs, fields);
  EXPECT_FALSE(AllocationLimit::was_reached());
  return read;
}

// One column chunk of 20 values: "PAR1", a page whose header begins with its type (15 00) and its sizes before and
// after compression (15 … 15 …), zigzag varints.
TEST(DamagedInputTest, ParquetPagesThatAreMoreThanTheirChunk) {
  const std::vector<DataField> fields = MakeFields({{"n", DataType::BigInt().NotNull()}});
  std::vector<DatumList> rows;
  for (std::int64_t i = 0; i < 20; ++i) rows.push_back({Datum(i)});
  for (const std::string codec : {"none", "zstd"}) {
    SCOPED_TRACE(codec);
    MemoryFileSystem fs;
    const Options options(Options::Map{{"file.compression", codec}, {"parquet.enable.dictionary", "false"}});
    ASSERT_THAT(WriteFile(**FindFileFormat("parquet"), fs, "/f.parquet", fields, rows, options), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const std::string good, fs.ReadAll("/f.parquet"));
    EXPECT_THAT(ReadParquet(good, fields), IsOk());
    ASSERT_EQ(good.substr(0, 8), std::string("PAR1\x15\0\x15\xC0", 8)) << "160 bytes, zigzag";
    const BufferPeak peak;
    std::string damaged = good;
    // The size before compression takes two bytes, and so does the one after it if nothing is compressed: 1 GiB in five
    // bytes leaves no room, so that the page's header ends later and the page begins in the middle of itself.
    damaged.replace(7, 2, Varint(std::uint64_t{2} << 30));
    EXPECT_THAT(ReadParquet(damaged, fields), IsError(ErrorCode::kCorruption));
    damaged = good;
    damaged.replace(10, codec == "none" ? 2 : 1, Varint(std::uint64_t{2} << 30));
    EXPECT_THAT(ReadParquet(damaged, fields), IsError(ErrorCode::kCorruption));
    EXPECT_LT(peak.bytes(), 4 << 20);
  }
}

// The footer begins with its version (15 …) and the list of columns (19 and a byte with the number and the kind).
TEST(DamagedInputTest, ParquetFootersWithListsThatAreLongerThanThey) {
  const std::vector<DataField> fields = MakeFields({{"n", DataType::BigInt().NotNull()}});
  MemoryFileSystem fs;
  ASSERT_THAT(WriteFile(**FindFileFormat("parquet"), fs, "/f.parquet", fields, {{Datum(std::int64_t{1})}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string good, fs.ReadAll("/f.parquet"));
  const std::size_t trailer = good.size() - 8;
  const std::size_t footer = trailer - LittleEndianAt<std::uint32_t>(good, trailer);
  ASSERT_EQ(good.substr(footer, 4), "\x15\x02\x19\x2C") << "two elements: the root and its column";
  // The same list with its number in a byte string: as many as the library lets through.
  std::string longer = good.substr(footer, trailer - footer);
  longer.replace(3, 1, "\xFC" + Varint(999'999));
  std::string bytes = good.substr(0, footer) + longer;
  AppendLittleEndian(static_cast<std::uint32_t>(longer.size()), bytes);
  const Status read = ReadParquet(bytes + "PAR1", fields);
  EXPECT_THAT(read, IsError(ErrorCode::kCorruption));
}

TEST(DamagedInputTest, ParquetDataFiles) {
  const std::vector<DataField> fields = TypeFields();
  const BufferPeak peak;
  ReadDamaged(TestFile("types_limits.parquet"), 1500, [&](const std::string& bytes) {
    const Status read = ReadParquet(bytes, fields);
    EXPECT_TRUE(read || read.error().code() != ErrorCode::kUnavailable) << read.error().message();
    return read.has_value();
  });
  EXPECT_LT(peak.bytes(), kMostBytes);
}

// ---- Avro. ----

// Records without fields take no bytes, so a block of none could claim any number of them.
TEST(DamagedInputTest, AvroRecordsThatTakeNoBytes) {
  std::string bytes(kAvroMagic);
  AvroEncoder encoder(bytes);
  encoder.StartItems(1);
  encoder.Bytes("avro.schema");
  encoder.Bytes(R"({"type":"record","name":"r","fields":[]})");
  encoder.EndItems();
  const std::string sync(kAvroSyncBytes, 's');
  bytes += sync;
  encoder.Long(std::int64_t{1} << 60);
  encoder.Bytes("");
  bytes += sync;
  MemoryFileSystem fs;
  ASSERT_THAT(fs.Replace("/f.avro", bytes), IsOk());
  const Result<const FileFormat*> avro = FindFileFormat("avro");
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, (*avro)->OpenReader(fs, "/f.avro", {.columns = AvroTypeFields(), .filter = nullptr}));
  EXPECT_THAT(reader->Next(), IsError(ErrorCode::kCorruption));
}

TEST(DamagedInputTest, AvroDataFiles) {
  const Result<const FileFormat*> avro = FindFileFormat("avro");
  const std::vector<DataField> fields = AvroTypeFields();
  MemoryFileSystem plain;
  const auto read = [&](const std::string& bytes) {
    MemoryFileSystem fs;
    EXPECT_THAT(fs.Replace("/data.avro", bytes), IsOk());
    const auto reader = (*avro)->OpenReader(fs, "/data.avro", {.columns = fields, .filter = nullptr});
    return reader && ReadAllBatches(**reader).has_value();
  };
  ReadDamaged(TestFile("types_limits.avro"), 1500, read);
  // Uncompressed, so that damage reaches the records.
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(**avro, *WithTestFile("types_limits.avro"), "/types_limits.avro", fields));
  ASSERT_THAT(WriteFile(**avro, plain, "/plain.avro", fields, rows, Options(Options::Map{{"file.compression", "none"}})), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string bytes, plain.ReadAll("/plain.avro"));
  ReadDamaged(bytes, 3000, read);
}

}  // namespace
}  // namespace braid
