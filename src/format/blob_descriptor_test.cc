#include "format/blob_descriptor.h"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// What Java Paimon 1.4.2 serializes for ("/a/b.bin", 3, 5).
std::string BytesOfJava() {
  std::string bytes("\x02", 1);
  bytes += "CSEDBOLB";
  bytes += std::string("\x08\0\0\0", 4) + "/a/b.bin" + std::string("\x03\0\0\0\0\0\0\0", 8) + std::string("\x05\0\0\0\0\0\0\0", 8);
  return bytes;
}

TEST(BlobDescriptorTest, HasTheBytesOfJava) {
  const BlobDescriptor descriptor{.uri = "/a/b.bin", .offset = 3, .length = 5};
  EXPECT_EQ(PrintBlobDescriptor(descriptor), BytesOfJava());
  EXPECT_THAT(ParseBlobDescriptor(BytesOfJava()), HasValue(descriptor));
  EXPECT_TRUE(IsBlobDescriptor(BytesOfJava()));
}

TEST(BlobDescriptorTest, ReadsTheVersionWithoutAMark) {
  const std::string bytes = "\x01" + BytesOfJava().substr(9);
  EXPECT_THAT(ParseBlobDescriptor(bytes), HasValue(BlobDescriptor{.uri = "/a/b.bin", .offset = 3, .length = 5}));
  EXPECT_FALSE(IsBlobDescriptor(bytes));
}

TEST(BlobDescriptorTest, PassesOverWhatFollows) {
  EXPECT_THAT(ParseBlobDescriptor(BytesOfJava() + "more"), HasValue(BlobDescriptor{.uri = "/a/b.bin", .offset = 3, .length = 5}));
}

TEST(BlobDescriptorTest, KnowsValuesFromDescriptors) {
  EXPECT_FALSE(IsBlobDescriptor(""));
  EXPECT_FALSE(IsBlobDescriptor("\x02" "CSEDBOL"));
  EXPECT_FALSE(IsBlobDescriptor("\x03" "CSEDBOLB"));
  EXPECT_FALSE(IsBlobDescriptor("\x02" "BLOBDESC"));
  EXPECT_TRUE(IsBlobDescriptor("\x02" "CSEDBOLB"));
}

TEST(BlobDescriptorTest, RefusesDamagedOnes) {
  struct Case {
    std::string name;
    std::string bytes;
    ErrorCode error = ErrorCode::kCorruption;
  };
  const auto with = [](std::size_t at, std::string_view bytes) { return BytesOfJava().replace(at, bytes.size(), bytes); };
  const std::string_view minus_two("\xfe\xff\xff\xff\xff\xff\xff\xff", 8);
  const std::vector<Case> cases = {
      {"nothing", ""},
      {"a later version", with(0, "\x03"), ErrorCode::kUnsupported},
      {"version 0", with(0, std::string_view("\0", 1))},
      {"a negative version", with(0, "\xff")},
      {"another mark", with(1, "X")},
      {"a path longer than the bytes", with(9, "\xff\xff\xff\x7f")},
      {"a path of negative length", with(9, "\xff\xff\xff\xff")},
      {"a negative offset", with(21, minus_two)},
      {"a negative length", with(29, minus_two)},
      // Java of this version would read the mark as a length.
      {"version 1 with a mark", with(0, "\x01")},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ParseBlobDescriptor(c.bytes), IsError(c.error));
  }
  for (std::size_t length = 0; length < BytesOfJava().size(); ++length) {
    EXPECT_THAT(ParseBlobDescriptor(BytesOfJava().substr(0, length)), IsError(ErrorCode::kCorruption)) << length;
  }
}

TEST(BlobDescriptorTest, NoBytesMakeItFail) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = BytesOfJava();
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random());
    const Result<BlobDescriptor> descriptor = ParseBlobDescriptor(bytes);
    if (!descriptor) continue;
    EXPECT_GE(descriptor->offset, 0);
    EXPECT_GE(descriptor->length, -1);
    EXPECT_THAT(ParseBlobDescriptor(PrintBlobDescriptor(*descriptor)), HasValue(*descriptor));
  }
}

}  // namespace
}  // namespace braid
