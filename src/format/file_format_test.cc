#include "format/file_format.h"

#include <gtest/gtest.h>

#include "base/result_matchers.h"

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

}  // namespace
}  // namespace braid
