#include "format/blob_format.h"

#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"

namespace braid {
namespace {

using testing::ElementsAre;

constexpr std::string_view kPath = "/t/data-1.blob";

std::vector<DataField> OneColumn() {
  return {{.id = FieldId(2), .name = "b", .type = DataType::Blob(), .description = {}, .default_value = {}}};
}

std::string Bytes(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

/// The file that Java Paimon 1.4.2 wrote for the values 0x00ff and the empty one (golden case blob_columns).
std::string FileOfJava() {
  return Bytes("cf114e5800ff1200000000000000efc88a40cf114e581000000000000000537fdf0324030200000001");
}

void Put(FileSystem& files, const std::string& bytes) {
  auto file = files.Create(kPath);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Append(bytes));
  ASSERT_TRUE((*file)->Close());
}

Result<std::vector<Datum>> Read(const FileSystem& files, std::int64_t batch_rows = 8192) {
  BRAID_TRY_ASSIGN(const auto reader, BlobFormat().OpenReader(files, kPath, {.columns = OneColumn(), .filter = nullptr, .batch_rows = batch_rows}));
  std::vector<Datum> values;
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) return values;
    EXPECT_EQ(reader->first_row_of_last_batch(), static_cast<std::int64_t>(values.size()));
    for (std::int64_t row = 0; row < batch->row_count(); ++row) {
      values.push_back(DatumAt(*batch->rows->column(0), row, DataType::Blob()));
    }
  }
}

Result<std::string> Write(const std::vector<DatumList>& rows) {
  MemoryFileSystem files;
  BRAID_TRY_ASSIGN(const auto writer, BlobFormat().OpenWriter(files, kPath, OneColumn(), Options()));
  BRAID_TRY_ASSIGN(const Batch batch, MakeBatch(OneColumn(), rows));
  BRAID_TRY(writer->Write(batch));
  BRAID_TRY_ASSIGN(const WrittenFile written, writer->Finish());
  BRAID_TRY_ASSIGN(std::string bytes, files.ReadAll(kPath));
  EXPECT_EQ(written.size_bytes, static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(written.row_count, static_cast<std::int64_t>(rows.size()));
  return bytes;
}

TEST(BlobFormatTest, ReadsWhatJavaWrote) {
  MemoryFileSystem files;
  Put(files, FileOfJava());
  for (const std::int64_t batch_rows : {1, 2, 100}) {
    EXPECT_THAT(Read(files, batch_rows), HasValue(ElementsAre(Datum(Bytes("00ff")), Datum(std::string()))));
  }
}

TEST(BlobFormatTest, WritesTheBytesOfJava) {
  EXPECT_THAT(Write({{Bytes("00ff")}, {std::string()}}), HasValue(FileOfJava()));
}

TEST(BlobFormatTest, KeepsNullsApartFromEmptyValues) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string bytes, Write({{Datum()}, {std::string("x")}, {Datum()}, {std::string()}}));
  MemoryFileSystem files;
  Put(files, bytes);
  EXPECT_THAT(Read(files), HasValue(ElementsAre(Datum(), Datum(std::string("x")), Datum(), Datum(std::string()))));
}

TEST(BlobFormatTest, NamesDamage) {
  struct Case {
    std::string name;
    std::size_t at;
    char byte;
    ErrorCode error = ErrorCode::kCorruption;
  };
  const std::size_t size = FileOfJava().size();
  for (const Case& c : {Case{"magic number", 0, 'x'}, Case{"value", 4, 'x'}, Case{"length of a record", 6, 'x'},
                        Case{"index", size - 7, 'x'}, Case{"length of the index", size - 5, 'x'},
                        Case{"version", size - 1, 2}}) {
    SCOPED_TRACE(c.name);
    std::string bytes = FileOfJava();
    bytes[c.at] = c.byte;
    MemoryFileSystem files;
    Put(files, bytes);
    const auto read = Read(files);
    EXPECT_THAT(read, IsError(c.error));
    EXPECT_THAT(read, HasMessage(std::string(kPath)));
  }
}

// Lengths -2: index of the zigzag number 3, then its length and the version.
TEST(BlobFormatTest, RefusesValuesThatLieInOlderFiles) {
  MemoryFileSystem files;
  Put(files, Bytes("030100000001"));
  EXPECT_THAT(Read(files), IsError(ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace braid
