#include "format/avro_codec.h"

#include <string>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "base/text.h"

namespace braid {
namespace {

using testing::Eq;

constexpr AvroCodec kCodecs[] = {AvroCodec::kNull, AvroCodec::kDeflate, AvroCodec::kSnappy, AvroCodec::kZstandard};

std::string Compressed(AvroCodec codec, std::string_view records) {
  std::string out;
  EXPECT_THAT(AvroCompressor().Compress(codec, 1, records, out), IsOk());
  return out;
}

TEST(AvroCodecTest, GivesBackWhatEachCodecCompressed) {
  std::string large;
  for (int i = 0; i < 200'000; ++i) large += std::to_string(i * 7919);
  AvroDecompressor decompressor;
  for (const AvroCodec codec : kCodecs) {
    for (const std::string& records :
         {std::string(), std::string("a"), large, std::string(3'000'000, 'x'), std::string("b")}) {
      SCOPED_TRACE(AvroCodecName(codec));
      const std::string block = Compressed(codec, records);
      EXPECT_THAT(decompressor.Decompress(codec, block), HasValue(Eq(records)));
    }
  }
}

TEST(AvroCodecTest, ReadsWhatOthersWrote) {
  // Raw DEFLATE of "hello, hello" in one fixed-Huffman block; made with zlib.compressobj(9, DEFLATED, -15) of Python.
  const std::string deflate = FromHex("cb48cdc9c9d751c8005100").value();
  EXPECT_THAT(AvroDecompressor().Decompress(AvroCodec::kDeflate, deflate), HasValue(Eq("hello, hello")));
  // Snappy: length 5, a literal of 5 bytes, then the big-endian CRC-32 of "hello" (0x3610a686).
  EXPECT_THAT(AvroDecompressor().Decompress(AvroCodec::kSnappy, FromHex("051068656c6c6f3610a686").value()),
              HasValue(Eq("hello")));
}

TEST(AvroCodecTest, RefusesASnappyBlockWithAnotherChecksum) {
  EXPECT_THAT(AvroDecompressor().Decompress(AvroCodec::kSnappy, FromHex("051068656c6c6f3610a687").value()),
              HasMessage("checksum"));
}

TEST(AvroCodecTest, RefusesTruncatedAndForeignBlocks) {
  std::string records;
  for (int i = 0; i < 500; ++i) records += std::to_string(i);
  AvroDecompressor decompressor;
  for (const AvroCodec codec : {AvroCodec::kDeflate, AvroCodec::kSnappy, AvroCodec::kZstandard}) {
    SCOPED_TRACE(AvroCodecName(codec));
    const std::string block = Compressed(codec, records);
    EXPECT_THAT(decompressor.Decompress(codec, block.substr(0, block.size() / 2)), IsError(ErrorCode::kCorruption));
    EXPECT_THAT(decompressor.Decompress(codec, "no block at all"), IsError(ErrorCode::kCorruption));
    EXPECT_THAT(decompressor.Decompress(codec, block), HasValue(Eq(records)));
  }
}

TEST(AvroCodecTest, RefusesASnappyLengthThatItsBytesCannotHold) {
  // The length says 1 GiB - 1, the block has one literal byte.
  EXPECT_THAT(AvroDecompressor().Decompress(AvroCodec::kSnappy, FromHex("ffffffff030061e8b7be43").value()),
              HasMessage("length"));
}

TEST(AvroCodecTest, NamesCodecsThatItCannotRead) {
  EXPECT_THAT(ParseAvroCodec("zstandard"), HasValue(AvroCodec::kZstandard));
  EXPECT_THAT(ParseAvroCodec("bzip2"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(ParseAvroCodec("xz"), HasMessage("xz"));
  EXPECT_THAT(ParseAvroCodec("lz5"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
