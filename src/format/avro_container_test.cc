#include "format/avro_container.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "base/text.h"
#include "format/avro_cursor.h"
#include "io/memory_file_system.h"

namespace braid {
namespace {

// Written by hand from the Avro specification: codec null, schema "long", two blocks (1, 2) and (3).
std::string TwoBlocks() {
  const std::string sync = "0123456789abcdef";
  std::string file = "Obj\1";
  file += '\4';  // two pairs of metadata
  file +=
      "\x16"
      "avro.schema"
      "\x0c"
      "\"long\"";
  file +=
      "\x14"
      "avro.codec"
      "\x08"
      "null";
  file += std::string(1, '\0') + sync;
  file += "\x04\x04\x02\x04" + sync;
  file += "\x02\x02\x06" + sync;
  return file;
}

TEST(AvroContainerTest, FindsTheBlocksOfAFile) {
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer container, AvroContainer::Open(TwoBlocks()));
  EXPECT_EQ(container.header().schema_json, "\"long\"");
  EXPECT_EQ(container.header().codec, AvroCodec::kNull);
  ASSERT_EQ(container.blocks().size(), 2U);
  EXPECT_EQ(container.blocks()[0].record_count, 2);
  EXPECT_EQ(container.blocks()[0].bytes, "\x02\x04");
  EXPECT_EQ(container.blocks()[1].record_count, 1);
  EXPECT_EQ(container.blocks()[1].bytes, "\x06");
}

TEST(AvroContainerTest, RefusesEveryTruncationThatEndsWithinABlock) {
  const std::string file = TwoBlocks();
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroHeader header, ParseAvroHeader(file));
  std::size_t second_block = header.size_bytes;
  EXPECT_THAT(ParseAvroBlock(file, header.sync, second_block), IsOk());
  for (std::size_t size = 0; size < file.size(); ++size) {
    SCOPED_TRACE(size);
    const bool whole = size == header.size_bytes || size == second_block;
    const Result<AvroContainer> container = AvroContainer::Open(file.substr(0, size));
    EXPECT_EQ(container.has_value(), whole);
    if (!container) {
      EXPECT_THAT(container, IsError(ErrorCode::kCorruption));
      EXPECT_THAT(container, HasMessage("at byte"));
    }
  }
}

TEST(AvroContainerTest, RefusesAnotherMarkerBehindABlock) {
  std::string file = TwoBlocks();
  file.back() = 'x';
  EXPECT_THAT(AvroContainer::Open(file), HasMessage("marker"));
}

TEST(AvroContainerTest, RefusesCodecsByName) {
  std::string file = TwoBlocks();
  file.replace(file.find("\x08null"), 5,
               "\x0a"
               "bzip2");
  EXPECT_THAT(AvroContainer::Open(file), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(AvroContainer::Open(file), HasMessage("bzip2"));
  file.replace(file.find("bzip2"), 5, "bzip9");
  EXPECT_THAT(AvroContainer::Open(file), IsError(ErrorCode::kCorruption));
}

TEST(AvroContainerTest, WritesBlocksThatItReads) {
  for (const AvroCodec codec : {AvroCodec::kNull, AvroCodec::kDeflate, AvroCodec::kSnappy, AvroCodec::kZstandard}) {
    SCOPED_TRACE(AvroCodecName(codec));
    MemoryFileSystem fs;
    BRAID_ASSERT_OK_AND_ASSIGN(std::unique_ptr<OutputFile> output, fs.Create("/f"));
    AvroCompressor compressor;
    AvroContainerWriter writer(std::move(output), "\"string\"", {.codec = codec}, compressor);
    for (int i = 0; i < 1000; ++i) {
      AvroEncoder(writer.block()).Bytes(std::string(100, static_cast<char>('a' + i % 26)));
      ASSERT_THAT(writer.EndRecord(), IsOk());
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const std::int64_t size, writer.Finish());
    BRAID_ASSERT_OK_AND_ASSIGN(std::string bytes, fs.ReadAll("/f"));
    EXPECT_EQ(size, static_cast<std::int64_t>(bytes.size()));
    BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer container, AvroContainer::Open(std::move(bytes)));
    // 102 bytes a record, and a block ends with the record that reaches 64,000 bytes: the 628th.
    ASSERT_EQ(container.blocks().size(), 2U);
    EXPECT_EQ(container.blocks()[0].record_count, 628);
    EXPECT_EQ(container.blocks()[1].record_count, 372);
    AvroDecompressor decompressor;
    BRAID_ASSERT_OK_AND_ASSIGN(const std::string_view records,
                               decompressor.Decompress(codec, container.blocks()[1].bytes));
    AvroCursor cursor(records);
    EXPECT_EQ(cursor.Bytes(), std::string(100, static_cast<char>('a' + 628 % 26)));
  }
}

TEST(AvroContainerTest, WritesAnEmptyFileWithoutBlocks) {
  MemoryFileSystem fs;
  BRAID_ASSERT_OK_AND_ASSIGN(std::unique_ptr<OutputFile> output, fs.Create("/f"));
  AvroCompressor compressor;
  AvroContainerWriter writer(std::move(output), "\"string\"", {}, compressor);
  EXPECT_THAT(writer.Finish(), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(std::string bytes, fs.ReadAll("/f"));
  BRAID_ASSERT_OK_AND_ASSIGN(const AvroContainer container, AvroContainer::Open(std::move(bytes)));
  EXPECT_EQ(container.header().codec, AvroCodec::kZstandard);
  EXPECT_TRUE(container.blocks().empty());
}

}  // namespace
}  // namespace braid
