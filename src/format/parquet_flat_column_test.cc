#include "format/parquet_flat_column.h"

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/util/decimal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// What the Parquet library reads of a file is what our decoders must read, whatever its writer chose.

using Random = std::mt19937_64;

struct WriterChoice {
  bool has_dictionary = true;
  parquet::ParquetDataPageVersion pages = parquet::ParquetDataPageVersion::V1;
  std::int64_t page_bytes = 1024;
  parquet::Compression::type codec = parquet::Compression::SNAPPY;
};

std::shared_ptr<arrow::Array> Unwrap(arrow::Result<std::shared_ptr<arrow::Array>> result) { return result.ValueOrDie(); }

/// Values of each type that has a decoder; of some, few different ones, so that dictionaries and runs occur.
std::shared_ptr<arrow::Array> RandomColumn(const std::shared_ptr<arrow::DataType>& type, std::int64_t rows, double nulls,
                                           std::int64_t different, Random& random) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  EXPECT_TRUE(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder).ok());
  std::bernoulli_distribution is_null(nulls);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (is_null(random)) {
      EXPECT_TRUE(builder->AppendNull().ok());
      continue;
    }
    const auto number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(different)) * 7919 - different;
    arrow::Status appended;
    switch (type->id()) {
      case arrow::Type::BOOL: appended = static_cast<arrow::BooleanBuilder&>(*builder).Append(number % 2 == 0); break;
      case arrow::Type::INT8: appended = static_cast<arrow::Int8Builder&>(*builder).Append(static_cast<std::int8_t>(number)); break;
      case arrow::Type::INT16: appended = static_cast<arrow::Int16Builder&>(*builder).Append(static_cast<std::int16_t>(number)); break;
      case arrow::Type::INT32: appended = static_cast<arrow::Int32Builder&>(*builder).Append(static_cast<std::int32_t>(number)); break;
      case arrow::Type::DATE32: appended = static_cast<arrow::Date32Builder&>(*builder).Append(static_cast<std::int32_t>(number)); break;
      case arrow::Type::TIME32: appended = static_cast<arrow::Time32Builder&>(*builder).Append(static_cast<std::int32_t>(std::abs(number))); break;
      case arrow::Type::INT64: appended = static_cast<arrow::Int64Builder&>(*builder).Append(number); break;
      case arrow::Type::TIMESTAMP: appended = static_cast<arrow::TimestampBuilder&>(*builder).Append(number); break;
      case arrow::Type::TIME64: appended = static_cast<arrow::Time64Builder&>(*builder).Append(std::abs(number)); break;
      case arrow::Type::FLOAT: appended = static_cast<arrow::FloatBuilder&>(*builder).Append(static_cast<float>(number) / 3); break;
      case arrow::Type::DOUBLE: appended = static_cast<arrow::DoubleBuilder&>(*builder).Append(static_cast<double>(number) / 3); break;
      case arrow::Type::DECIMAL128: {
        // As many digits as the type has, of both signs.
        const int digits = static_cast<const arrow::Decimal128Type&>(*type).precision();
        const arrow::Decimal128 value = arrow::Decimal128(number % 100'000) * arrow::Decimal128::GetScaleMultiplier(digits - 5);
        appended = static_cast<arrow::Decimal128Builder&>(*builder).Append(value);
        break;
      }
      case arrow::Type::STRING:
      case arrow::Type::BINARY: {
        std::string text = std::to_string(number);
        text.resize(static_cast<std::size_t>(std::abs(number) % 90), 'x');  // empty ones, and longer than a chunk's copy
        appended = static_cast<arrow::BinaryBuilder&>(*builder).Append(text);
        break;
      }
      default: appended = arrow::Status::NotImplemented(type->ToString());
    }
    EXPECT_TRUE(appended.ok()) << appended.ToString();
  }
  return Unwrap(builder->Finish());
}

std::shared_ptr<arrow::Buffer> WriteFile(const std::shared_ptr<arrow::Array>& column, bool nullable, const WriterChoice& choice) {
  const auto schema = arrow::schema({arrow::field("c", column->type(), nullable)});
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  parquet::WriterProperties::Builder properties;
  properties.data_page_version(choice.pages)->data_pagesize(choice.page_bytes)->compression(choice.codec)->write_batch_size(64);
  properties.dictionary_pagesize_limit(4096);  // so that some pages behind it are plain
  if (!choice.has_dictionary) properties.disable_dictionary();
  EXPECT_TRUE(parquet::arrow::WriteTable(*arrow::Table::Make(schema, {column}), arrow::default_memory_pool(), sink,
                                         /*chunk_size=*/column->length(), properties.build(),
                                         parquet::ArrowWriterProperties::Builder().build())
                  .ok());
  return sink->Finish().ValueOrDie();
}

/// A file's only column, by the decoders.
struct FlatFile {
  explicit FlatFile(const std::shared_ptr<arrow::Buffer>& bytes)
      : reader(parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(bytes))) {}
  std::unique_ptr<ParquetColumnStream> Open(const std::shared_ptr<arrow::DataType>& type) {
    group = reader->RowGroup(0);
    return OpenFlatColumn("/file.parquet", *group, 0, type);
  }
  std::unique_ptr<parquet::ParquetFileReader> reader;
  std::shared_ptr<parquet::RowGroupReader> group;
};

/// Reads the column by random steps of reading, passing over and choosing; `column` is what it holds.
void ExpectReadsAs(ParquetColumnStream& stream, const arrow::Array& column, Random& random) {
  std::int64_t next = 0;
  while (next < column.length()) {
    const std::int64_t rows = std::min<std::int64_t>(1 + static_cast<std::int64_t>(random() % 700), column.length() - next);
    switch (random() % 3) {
      case 0: {
        BRAID_ASSERT_OK_AND_ASSIGN(const auto read, stream.Read(rows));
        ASSERT_TRUE(read->ValidateFull().ok());
        ASSERT_TRUE(read->Equals(column.Slice(next, rows))) << "rows from " << next << ": " << read->ToString();
        break;
      }
      case 1: ASSERT_THAT(stream.Skip(rows), IsOk()); break;
      default: {
        std::vector<std::int32_t> offsets;
        arrow::ArrayVector expected;
        const std::uint64_t every = 1 + random() % 40;
        for (std::int64_t row = 0; row < rows; ++row) {
          if (random() % every != 0) continue;
          offsets.push_back(static_cast<std::int32_t>(row));
          expected.push_back(column.Slice(next + row, 1));
        }
        BRAID_ASSERT_OK_AND_ASSIGN(const auto read, stream.ReadSome(offsets, rows));
        ASSERT_TRUE(read->ValidateFull().ok());
        ASSERT_EQ(read->length(), static_cast<std::int64_t>(offsets.size()));
        if (!expected.empty()) {
          ASSERT_TRUE(read->Equals(*Unwrap(arrow::Concatenate(expected)))) << "chosen from " << next;
        }
      }
    }
    next += rows;
  }
}

std::vector<std::shared_ptr<arrow::DataType>> TypesWithDecoders() {
  return {arrow::boolean(), arrow::int8(), arrow::int16(), arrow::int32(), arrow::date32(), arrow::int64(),
          arrow::time32(arrow::TimeUnit::MILLI), arrow::time64(arrow::TimeUnit::MICRO),
          arrow::timestamp(arrow::TimeUnit::MILLI), arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
          arrow::timestamp(arrow::TimeUnit::NANO), arrow::float32(), arrow::float64(), arrow::utf8(), arrow::binary(),
          arrow::decimal128(5, 2), arrow::decimal128(15, 3), arrow::decimal128(38, 10)};
}

TEST(ParquetFlatColumnTest, ReadsWhatTheLibraryReadsWhateverTheWriterChose) {
  Random random(20261201);
  for (int round = 0; round < 40; ++round) {
    for (const auto& type : TypesWithDecoders()) {
      const std::array<double, 4> shares_of_nulls = {0, 0.02, 0.5, 1};
      const double nulls = shares_of_nulls[random() % 4];
      const std::int64_t different = std::array<std::int64_t, 3>{1, 20, 5000}[random() % 3];
      WriterChoice choice;
      choice.has_dictionary = random() % 2 == 0;
      choice.pages = random() % 2 == 0 ? parquet::ParquetDataPageVersion::V1 : parquet::ParquetDataPageVersion::V2;
      choice.page_bytes = std::array<std::int64_t, 3>{200, 3000, 1 << 20}[random() % 3];
      choice.codec = random() % 2 == 0 ? parquet::Compression::UNCOMPRESSED : parquet::Compression::ZSTD;
      const bool nullable = nulls > 0 || random() % 2 == 0;
      SCOPED_TRACE(testing::Message() << type->ToString() << ", round " << round << ", nulls " << nulls << ", different " << different);
      const auto column = RandomColumn(type, 1 + static_cast<std::int64_t>(random() % 4000), nulls, different, random);
      FlatFile file(WriteFile(column, nullable, choice));
      const auto stream = file.Open(type);
      ASSERT_NE(stream, nullptr);
      ASSERT_NO_FATAL_FAILURE(ExpectReadsAs(*stream, *column, random));
    }
  }
}

TEST(ParquetFlatColumnTest, ReadsBeyondTheLastRowFail) {
  Random random(1);
  const auto column = RandomColumn(arrow::int64(), 1000, 0.1, 50, random);
  FlatFile file(WriteFile(column, true, {}));
  for (const std::int64_t passed : {std::int64_t{0}, std::int64_t{700}}) {
    const auto stream = file.Open(arrow::int64());
    ASSERT_THAT(stream->Skip(passed), IsOk());
    const auto read = stream->Read(1001 - passed);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), ErrorCode::kCorruption);
  }
}

TEST(ParquetFlatColumnTest, LeavesOtherTypesAndEncodingsToTheLibrary) {
  Random random(1);
  const auto column = RandomColumn(arrow::int32(), 100, 0, 50, random);
  FlatFile file(WriteFile(column, true, {}));
  EXPECT_EQ(file.Open(arrow::uint32()), nullptr);
  const auto schema = arrow::schema({arrow::field("c", arrow::int32())});
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto properties = parquet::WriterProperties::Builder().disable_dictionary()->encoding(parquet::Encoding::DELTA_BINARY_PACKED)->build();
  ASSERT_TRUE(parquet::arrow::WriteTable(*arrow::Table::Make(schema, {column}), arrow::default_memory_pool(), sink, 100, properties).ok());
  FlatFile delta(sink->Finish().ValueOrDie());
  EXPECT_EQ(delta.Open(arrow::int32()), nullptr);
}

TEST(ParquetFlatColumnTest, PagesWithoutWantedRowsAreNotDecompressed) {
  // Every page but the one that is read is overwritten, which no reader of it would survive.
  Random random(7);
  const auto column = RandomColumn(arrow::int64(), 4000, 0, 1'000'000'000, random);
  const WriterChoice choice{.has_dictionary = false, .page_bytes = 512, .codec = parquet::Compression::ZSTD};
  auto bytes = WriteFile(column, false, choice);
  std::string damaged = bytes->ToString();
  const std::string magic = "\x28\xB5\x2F\xFD";  // of zstd, at the start of each page's values
  std::size_t pages = 0;
  for (std::size_t at = damaged.find(magic); at != std::string::npos; at = damaged.find(magic, at + 1)) {
    if (pages++ > 0) damaged[at] = '\0';
  }
  ASSERT_GT(pages, 10U);
  FlatFile file(arrow::Buffer::FromString(damaged));
  {
    const auto stream = file.Open(arrow::int64());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto read, stream->ReadSome(std::vector<std::int32_t>{3, 5}, 4000));
    EXPECT_TRUE(read->Slice(0, 1)->Equals(column->Slice(3, 1)));
    EXPECT_TRUE(read->Slice(1, 1)->Equals(column->Slice(5, 1)));
  }
  const auto stream = file.Open(arrow::int64());
  EXPECT_THROW((void)stream->Read(4000), parquet::ParquetException);
}

TEST(ParquetFlatColumnTest, DamagedBytesNeverReadBeyondThem) {
  // Sanitizers see what this cannot: every byte is changed in turn, and each read ends, in rows or in an error.
  Random random(11);
  for (const auto& type : {arrow::utf8(), arrow::int32(), arrow::boolean(), arrow::decimal128(38, 10)}) {
    for (const bool has_dictionary : {true, false}) {
      const auto column = RandomColumn(type, 60, 0.2, 12, random);
      WriterChoice choice{.has_dictionary = has_dictionary, .page_bytes = 100, .codec = parquet::Compression::UNCOMPRESSED};
      const std::string bytes = WriteFile(column, true, choice)->ToString();
      std::uint32_t footer_bytes = 0;
      std::memcpy(&footer_bytes, bytes.data() + bytes.size() - 8, sizeof(footer_bytes));
      int failed = 0;
      for (std::size_t at = 4; at < bytes.size() - 8 - footer_bytes; ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(random());
        try {
          FlatFile file(arrow::Buffer::FromString(std::move(damaged)));
          const auto stream = file.Open(type);
          const auto read = stream->Read(60);
          if (!read) ++failed;
        } catch (const parquet::ParquetException&) {
          ++failed;  // of a page's header
        }
      }
      EXPECT_GT(failed, 0);
    }
  }
}

}  // namespace
}  // namespace braid
