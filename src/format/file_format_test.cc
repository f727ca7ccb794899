#include "format/file_format.h"

#include <random>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "format/rows_testing.h"
#include "types/batch_bytes.h"

namespace braid {
namespace {

TEST(FileFormatTest, FindsFormatsInAnyCase) {
  BRAID_ASSERT_OK_AND_ASSIGN(const FileFormat* format, FindFileFormat("Parquet"));
  EXPECT_EQ(format->identifier(), "parquet");
}

TEST(FileFormatTest, NamesTheKnownFormatsWhenOneIsUnknown) {
  const auto format = FindFileFormat("lance");
  EXPECT_THAT(format, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(format, HasMessage("'lance'"));
  EXPECT_THAT(format, HasMessage("parquet"));
}

TEST(FileFormatTest, TellsTheFormatFromTheName) {
  for (const char* name : {"data-1.parquet", "data-1.zstd.parquet", "data-1.parquet.gz",
                           "compacted-changelog-x$0-9.cc-parquet", "data--u-user.name-s-1-w-2-0.parquet"}) {
    SCOPED_TRACE(name);
    BRAID_ASSERT_OK_AND_ASSIGN(const FileFormat* format, FormatOfFileName(name));
    EXPECT_EQ(format->identifier(), "parquet");
  }
  EXPECT_THAT(FormatOfFileName("data-1"), HasMessage("data-1"));
  EXPECT_THAT(FormatOfFileName("data-1.lance"), HasMessage("data-1.lance"));
  BRAID_ASSERT_OK_AND_ASSIGN(const FileFormat* blob, FormatOfFileName("data-1.blob"));
  EXPECT_EQ(blob->identifier(), "blob");
}

// Such files stand beside those of a table's own format.
TEST(FileFormatTest, OffersNoTableFilesOfBlobs) {
  EXPECT_THAT(FindFileFormat("blob"), IsError(ErrorCode::kUnsupported));
}

TEST(FileFormatTest, ReadsLongRowsFewAtATime) {
  const std::vector<DataField> fields = MakeFields({{"k", DataType::Int()}, {"text", DataType::String()}});
  constexpr std::size_t kTextBytes = 256 * 1024;
  std::mt19937_64 random(7);
  std::vector<DatumList> rows;
  for (int i = 0; i < 64; ++i) {
    std::string text(kTextBytes, '\0');
    for (char& letter : text) letter = static_cast<char>(' ' + random() % 94);
    rows.push_back({i, std::move(text)});
  }
  for (const char* name : {"avro", "orc", "parquet"}) {
    SCOPED_TRACE(name);
    BRAID_ASSERT_OK_AND_ASSIGN(const FileFormat* format, FindFileFormat(name));
    MemoryFileSystem files;
    ASSERT_THAT(WriteFile(*format, files, "/f", fields, rows), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, format->OpenReader(files, "/f", {.columns = fields, .filter = nullptr}));
    std::int64_t read = 0;
    while (true) {
      BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Batch> batch, reader->Next());
      if (!batch) break;
      EXPECT_LE(BytesOf(*batch->rows).used, 2 * kMaxBatchBytes);  // ORC only knows compressed sizes
      for (std::int64_t row = 0; row < batch->row_count(); ++row, ++read) {
        EXPECT_TRUE(SameDatum(DatumAt(*batch->rows->column(1), row, fields[1].type), rows[static_cast<std::size_t>(read)][1]));
      }
    }
    EXPECT_EQ(read, 64);
  }
}

}  // namespace
}  // namespace braid
