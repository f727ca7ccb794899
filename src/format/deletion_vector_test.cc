#include "format/deletion_vector.h"

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "base/text.h"
#include "io/memory_file_system.h"

namespace braid {
namespace {

// The two files of spec metadata.md §7.3, written by Java.
constexpr const char* kFile32 =
    "01000000185e43f2d03a300000010000000000010010000000040005"  // rows 4 and 5
    "00bba90e67";
constexpr const char* kFile64 =
    "0100000024d1d33964010000000000000000000000"  // rows 2 and 3
    "3a300000010000000000010010000000020003007a813847";

void Put(MemoryFileSystem& fs, const std::string& content) {
  ASSERT_THAT(fs.Replace("/t/index/index-0", content), IsOk());
}

TEST(DeletionVectorTest, ReadsBothEncodingsOfJava) {
  struct Case {
    const char* hex;
    std::int64_t first_deleted;
  };
  for (const Case& c : {Case{kFile32, 4}, Case{kFile64, 2}}) {
    MemoryFileSystem fs;
    Put(fs, *FromHex(c.hex));
    BRAID_ASSERT_OK_AND_ASSIGN(const DeletionVector vector, ReadDeletionVector(fs, "/t/index/index-0", 1));
    EXPECT_EQ(vector.cardinality(), 2);
    EXPECT_FALSE(vector.Contains(c.first_deleted - 1));
    EXPECT_TRUE(vector.Contains(c.first_deleted));
    EXPECT_TRUE(vector.Contains(c.first_deleted + 1));
    EXPECT_FALSE(vector.Contains(c.first_deleted + 2));
    EXPECT_FALSE(vector.Contains((std::int64_t{1} << 32) + c.first_deleted));
  }
}

TEST(DeletionVectorTest, WritesWhatJavaWrites) {
  BRAID_ASSERT_OK_AND_ASSIGN(const EncodedDeletionVector narrow,
                             EncodeDeletionVector(DeletionVector().With(std::vector<std::int64_t>{5, 4}), false));
  EXPECT_EQ(ToHex(narrow.bytes), std::string(kFile32).substr(2));
  EXPECT_EQ(narrow.length, 24);
  BRAID_ASSERT_OK_AND_ASSIGN(const EncodedDeletionVector wide,
                             EncodeDeletionVector(DeletionVector().With(std::vector<std::int64_t>{2, 3}), true));
  EXPECT_EQ(ToHex(wide.bytes), std::string(kFile64).substr(2));
  EXPECT_EQ(wide.length, 44) << "with size field and checksum";
}

TEST(DeletionVectorTest, KeepsPositionsBeyond32Bits) {
  const std::int64_t far = (std::int64_t{3} << 32) + 7;
  const DeletionVector vector =
      DeletionVector().With(std::vector<std::int64_t>{1}).With(std::vector<std::int64_t>{far, 1});
  EXPECT_EQ(vector.cardinality(), 2);
  EXPECT_THAT(EncodeDeletionVector(vector, false), HasMessage("2147483647th"));
  BRAID_ASSERT_OK_AND_ASSIGN(const EncodedDeletionVector encoded, EncodeDeletionVector(vector, true));
  BRAID_ASSERT_OK_AND_ASSIGN(
      const DeletionVector read,
      DeletionVector::Parse(std::string_view(encoded.bytes).substr(4, encoded.bytes.size() - 8)));
  EXPECT_EQ(read.cardinality(), 2);
  EXPECT_TRUE(read.Contains(1));
  EXPECT_TRUE(read.Contains(far));
}

TEST(DeletionVectorTest, ReportsEveryChangedOrMissingByte) {
  const std::string whole = *FromHex(kFile32);
  for (std::size_t i = 1; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    MemoryFileSystem fs;
    Put(fs, changed);
    EXPECT_THAT(ReadDeletionVector(fs, "/t/index/index-0", 1), IsError(ErrorCode::kCorruption)) << "byte " << i;
    MemoryFileSystem shorter;
    Put(shorter, whole.substr(0, i));
    EXPECT_THAT(ReadDeletionVector(shorter, "/t/index/index-0", 1), HasMessage("index-0")) << "cut at " << i;
  }
}

}  // namespace
}  // namespace braid
