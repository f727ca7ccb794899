// Rows of many megabytes: what they take in memory besides themselves, and that they come back.

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>

#include "format/arrow_io.h"
#include "format/parquet_format.h"
#include "format/rows_testing.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// Bytes that do not get smaller by compression.
std::string RandomBytes(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(static_cast<std::size_t>(count), '\0');
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    const std::uint64_t word = random();
    std::memcpy(&bytes[at], &word, sizeof(word));
  }
  return bytes;
}

std::vector<DataField> LongFields() {
  return MakeFields({{"k", DataType::BigInt().NotNull()}, {"s", DataType::String()}, {"b", DataType::Bytes()}});
}

/// The number of row groups, or -1.
int RowGroups(const MemoryFileSystem& files, std::string_view path) {
  auto file = files.Open(path);
  if (!file) return -1;
  return parquet::ParquetFileReader::Open(MakeArrowInput(*std::move(file)))->metadata()->num_row_groups();
}

struct CodecCase {
  std::string compression;
  double copies;  // of a value that may be there besides it while it is written
};

TEST(ParquetLongRowsTest, AreWrittenWithOneCopyAtATime) {
  constexpr std::int64_t kBytes = 40 * kMiB;
  const std::vector<DataField> fields = LongFields();
  for (const CodecCase& c :
       std::vector<CodecCase>{{"zstd", 1.1}, {"none", 1.1}, {"gzip", 1.1}, {"lz4", 2.2}, {"snappy", 2.3}}) {
    SCOPED_TRACE(c.compression);
    MemoryFileSystem files;
    // Short rows first, for which the column gets a dictionary and bounds.
    const std::vector<DatumList> short_rows(50, {Datum(std::int64_t{1}), "same", "same"});
    const std::vector<DatumList> long_row = {{Datum(std::int64_t{2}), Datum(), RandomBytes(kBytes, 1)}};
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch first, MakeBatch(fields, short_rows));
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch second, MakeBatch(fields, long_row));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer,
                               ParquetFormat().OpenWriter(files, "/f.parquet", fields,
                                                          Options(Options::Map{{"file.compression", c.compression}})));
    ASSERT_THAT(writer->Write(first), IsOk());
    const BufferPeak peak;
    ASSERT_THAT(writer->Write(second), IsOk());
    EXPECT_LT(peak.bytes(), static_cast<std::int64_t>(c.copies * static_cast<double>(kBytes)));
    EXPECT_EQ(writer->buffered_bytes(), 0) << "a long row does not wait for others";
    ASSERT_THAT(writer->Write(first), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written, writer->Finish());
    EXPECT_EQ(written.row_count, 101);
    EXPECT_EQ(RowGroups(files, "/f.parquet"), 3);

    std::vector<DatumList> expected = short_rows;
    expected.push_back(long_row[0]);
    expected.insert(expected.end(), short_rows.begin(), short_rows.end());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFile(ParquetFormat(), files, "/f.parquet", fields));
    ExpectSameRows(rows, expected, fields);
  }
}

// Compressed and decompressed is what there is at once.
TEST(ParquetLongRowsTest, AreReadOneAtATimeAndWaitOutsideOfMemory) {
  constexpr std::int64_t kBytes = 40 * kMiB;
  const std::vector<DataField> fields = LongFields();
  MemoryFileSystem files;
  std::vector<DatumList> expected;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, ParquetFormat().OpenWriter(files, "/f.parquet", fields, {}));
  for (std::int64_t key = 0; key < 4; ++key) {
    expected.push_back({Datum(key), "x", RandomBytes(kBytes, static_cast<std::uint64_t>(key))});
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, std::span(&expected.back(), 1)));
    ASSERT_THAT(writer->Write(batch), IsOk());
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written, writer->Finish());
  EXPECT_GT(written.size_bytes, 4 * kBytes);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader,
                             ParquetFormat().OpenReader(files, "/f.parquet", {.columns = fields, .filter = nullptr}));
  const BufferPeak peak;
  std::vector<Batch> batches;
  for (std::size_t row = 0; row < expected.size(); ++row) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto batch, reader->Next());
    ASSERT_TRUE(batch.has_value());
    ASSERT_EQ(batch->row_count(), 1);
    EXPECT_EQ(DatumAt(*batch->rows->column(2), 0, fields[2].type), expected[row][2]);
    batches.push_back(*batch);
  }
  EXPECT_LT(peak.bytes(), 2 * kBytes + 8 * kMiB);
  const BufferPeak now;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto end, reader->Next());
  EXPECT_FALSE(end.has_value());
  EXPECT_LT(now.bytes(), kMiB);
}

// A row takes 80 MiB to be read and 40 MiB to be written, of 128 MiB that there are for all.
TEST(ParquetLongRowsTest, OfManyReadersAndWritersAtOnceKeepWithinOneBound) {
  constexpr std::int64_t kBytes = 40 * kMiB;
  constexpr int kThreads = 4;
  const std::vector<DataField> fields = LongFields();
  MemoryFileSystem files;
  std::vector<DatumList> rows;
  for (int thread = 0; thread < kThreads; ++thread)
    rows.push_back({Datum(std::int64_t{thread}), "x", RandomBytes(kBytes, static_cast<std::uint64_t>(thread))});
  std::vector<Batch> batches;
  for (const DatumList& row : rows) {
    BRAID_ASSERT_OK_AND_ASSIGN(Batch batch, MakeBatch(fields, std::span(&row, 1)));
    batches.push_back(std::move(batch));
  }
  const auto path = [](int thread) { return "/f" + std::to_string(thread) + ".parquet"; };
  const auto at_once = [&](const std::function<void(int)>& work) {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back([&work, thread] { work(thread); });
  };
  {
    const BufferPeak peak;
    at_once([&](int thread) {
      BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, ParquetFormat().OpenWriter(files, path(thread), fields, {}));
      ASSERT_THAT(writer->Write(batches[static_cast<std::size_t>(thread)]), IsOk());
      ASSERT_THAT(writer->Finish(), IsOk());
    });
    EXPECT_LT(peak.bytes(), 128 * kMiB);
  }
  const BufferPeak peak;
  at_once([&](int thread) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto reader,
                               ParquetFormat().OpenReader(files, path(thread), {.columns = fields, .filter = nullptr}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto batch, reader->Next());
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(DatumAt(*batch->rows->column(2), 0, fields[2].type), rows[static_cast<std::size_t>(thread)][2]);
  });
  EXPECT_LT(peak.bytes(), 128 * kMiB);
}

TEST(ParquetLongRowsTest, HoldLongValuesInSeveralColumnsAndInNestedOnes) {
  const std::vector<DataField> fields =
      MakeFields({{"a", DataType::Array(DataType::Bytes())},
                  {"b", DataType::Bytes().NotNull()},
                  {"m", DataType::Map(DataType::String().NotNull(), DataType::String())},
                  {"t", DataType::Timestamp(9)},
                  {"n", DataType::Bytes()}});
  const Timestamp time{MillisOf(2024, 1, 2), 3};
  const std::string text(static_cast<std::size_t>(6 * kMiB), 'q');
  const std::vector<DatumList> rows = {
      {DatumList{Datum(RandomBytes(5 * kMiB, 1)), Datum(), Datum(""), Datum("z")}, RandomBytes(9 * kMiB, 2),
       DatumList{Datum(DatumList{Datum("k"), Datum(text)}), Datum(DatumList{Datum("l"), Datum()})}, time, Datum()},
      {Datum(), "short", DatumList{}, Datum(), Datum("n")},
      {DatumList{}, RandomBytes(17 * kMiB, 3), Datum(), time, RandomBytes(16 * kMiB, 4)}};
  for (const std::string version : {"v1", "v2"}) {
    SCOPED_TRACE(version);
    MemoryFileSystem files;
    const Options options(Options::Map{{"parquet.writer.version", version}});
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written,
                               WriteFile(ParquetFormat(), files, "/f.parquet", fields, rows, options));
    EXPECT_EQ(written.row_count, 3);
    EXPECT_EQ(RowGroups(files, "/f.parquet"), 3);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto read, ReadFile(ParquetFormat(), files, "/f.parquet", fields));
    ExpectSameRows(read, rows, fields);
  }
}

}  // namespace
}  // namespace braid
