#include "format/orc_stream_reader.h"

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "format/orc_stream_writer.h"
#include "format/orc_streams_testing.h"

namespace braid {
namespace {

/// A file in memory that notes what is read.
class NotingFile : public InputFile {
 public:
  explicit NotingFile(std::string content) : content_(std::move(content)) {}
  std::int64_t size_bytes() const override { return static_cast<std::int64_t>(content_.size()); }
  Status ReadAt(std::int64_t offset, std::span<std::byte> buffer) const override {
    reads_.emplace_back(offset, buffer.size());
    if (fails) return Error(ErrorCode::kIo, "the disk is gone");
    std::memcpy(buffer.data(), content_.data() + offset, buffer.size());
    return Ok();
  }
  const std::vector<std::pair<std::int64_t, std::size_t>>& reads() const { return reads_; }
  bool fails = false;

 private:
  std::string content_;
  mutable std::vector<std::pair<std::int64_t, std::size_t>> reads_;
};

/// Bytes that compress well, and others that do not.
std::string MixedBytes(std::size_t count) {
  std::mt19937_64 random(2);
  std::string bytes;
  while (bytes.size() < count) {
    bytes += std::string(random() % 700, 'a');
    for (std::uint64_t i = random() % 300; i > 0; --i) bytes += static_cast<char>(random());
  }
  bytes.resize(count);
  return bytes;
}

std::string ReadAll(OrcStreamReader& stream, std::size_t step) {
  std::string result;
  while (true) {
    const std::string_view bytes = stream.Peek(step);
    if (bytes.empty()) return result;
    const std::size_t used = std::min(step, bytes.size());
    result += bytes.substr(0, used);
    stream.Consume(used);
  }
}

struct Codec {
  const char* name;
  std::uint64_t kind;
};
constexpr std::array kCodecs = {Codec{"none", 0}, Codec{"zlib", 1}, Codec{"snappy", 2}, Codec{"lz4", 4},
                                Codec{"zstd", 5}};

TEST(OrcStreamReaderTest, ReadsBlocksOfEveryCodecFromRangesOfAnySize) {
  const std::string bytes = MixedBytes(60'000);
  for (const Codec& codec : kCodecs) {
    SCOPED_TRACE(codec.name);
    BRAID_ASSERT_OK_AND_ASSIGN(const OrcCompressor compressor, OrcCompressor::Make(codec.name, 1, 999));
    OrcStreamWriter writer(compressor);
    writer.Append(bytes);
    const std::string stored = Joined(writer.Finish());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto decompressor, OrcDecompressor::Make(codec.kind, 999, "/f.orc"));
    for (const std::size_t step : {1U, 7U, 4400U, 8192U}) {
      OrcStreamReader stream(stored, decompressor);
      EXPECT_EQ(ReadAll(stream, step), bytes);
      EXPECT_FALSE(stream.is_damaged());
    }
    const NotingFile file("head" + stored + "tail");
    const OrcExtent extent{.offset = 4, .byte_count = static_cast<std::int64_t>(stored.size())};
    for (const std::int64_t range_bytes : {1, 2, 100, 5000, 100'000}) {
      const auto source = std::make_shared<OrcStripeBytes>(
          file, std::vector{extent}, OrcStripeBytes::Reach{.hole_bytes = 0, .range_bytes = range_bytes});
      OrcStreamReader stream(source, extent, decompressor);
      std::string read(bytes.size(), '\0');
      ASSERT_TRUE(stream.Read(read.data(), read.size()));
      EXPECT_EQ(read, bytes);
      EXPECT_FALSE(stream.Read(read.data(), 1));
      EXPECT_FALSE(stream.is_damaged());
    }
  }
}

TEST(OrcStreamReaderTest, TellsWhyAStreamEnds) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto zstd, OrcDecompressor::Make(5, 1000, "/f.orc"));
  struct Case {
    std::string bytes;
    std::string message;
  };
  // A header is the length of the chunk behind it, doubled; one more if it is an original one.
  for (const Case& c :
       {Case{"", "/f.orc is damaged: column k breaks off"},
        Case{OrcBytes({0x0b, 0x00}), "/f.orc is damaged: a compressed chunk breaks off"},
        Case{OrcBytes({0x0b, 0x00, 0x00, 'a', 'b'}), "/f.orc is damaged: a compressed chunk breaks off"},
        Case{OrcBytes({0xff, 0xff, 0xff, 'a', 'b'}), "/f.orc is damaged: a compressed chunk breaks off"},
        Case{OrcBytes({0x04, 0x00, 0x00, 'a', 'b'}), "/f.orc is damaged: a compressed chunk cannot be read"}}) {
    SCOPED_TRACE(c.message);
    OrcStreamReader stream(c.bytes, zstd);
    EXPECT_TRUE(stream.Peek(1).empty());
    const Status status = stream.Failure("/f.orc", "column k breaks off");
    EXPECT_THAT(status, IsError(ErrorCode::kCorruption));
    EXPECT_THAT(status, HasMessage(c.message));
  }
  // A block that is longer than the file's blocks are.
  BRAID_ASSERT_OK_AND_ASSIGN(const OrcCompressor large, OrcCompressor::Make("zstd", 1, 5000));
  OrcStreamReader stream(large.Compress(std::string(1001, 'a')), zstd);
  EXPECT_TRUE(stream.Peek(1).empty());
  EXPECT_TRUE(stream.is_damaged());

  NotingFile file("content");
  file.fails = true;
  const OrcExtent extent{.offset = 0, .byte_count = 7};
  OrcStreamReader lost(std::make_shared<OrcStripeBytes>(file, std::vector{extent}, OrcStripeBytes::ReachOf(false)),
                       extent, nullptr);
  EXPECT_TRUE(lost.Peek(1).empty());
  EXPECT_THAT(Status(lost.Failure("/f.orc", "column k breaks off")), HasMessage("the disk is gone"));
}

TEST(OrcStreamReaderTest, NamesCodecsThatCannotBeRead) {
  EXPECT_THAT(OrcDecompressor::Make(3, 1000, "/f.orc"), HasMessage("/f.orc is compressed with lzo"));
  EXPECT_THAT(OrcDecompressor::Make(9, 1000, "/f.orc"), HasMessage("an unknown codec"));
}

TEST(OrcStripeBytesTest, ReadsNeighboursTogetherAndLongStreamsInParts) {
  const NotingFile file(MixedBytes(1000));
  // Neighbours, a hole of 20, a hole of 11, and a long one.
  const std::vector<OrcExtent> wanted = {{300, 250}, {10, 20}, {0, 10}, {50, 9}, {70, 30}};
  OrcStripeBytes bytes(file, wanted, {.hole_bytes = 11, .range_bytes = 100});
  const auto take_all = [&](OrcExtent extent) {
    while (extent.byte_count > 0) {
      const auto piece = bytes.Take(extent.offset, extent.byte_count).value();
      extent.offset += static_cast<std::int64_t>(piece.bytes.size());
      extent.byte_count -= static_cast<std::int64_t>(piece.bytes.size());
    }
  };
  take_all({10, 20});
  EXPECT_THAT(file.reads(), testing::ElementsAre(testing::Pair(0, 30)));
  take_all({70, 30});
  take_all({50, 9});
  take_all({0, 10});
  EXPECT_THAT(file.reads(), testing::ElementsAre(testing::Pair(0, 30), testing::Pair(50, 50)));
  take_all({300, 250});
  EXPECT_THAT(std::vector(file.reads().begin() + 2, file.reads().end()),
              testing::ElementsAre(testing::Pair(300, 100), testing::Pair(400, 100), testing::Pair(500, 50)));
}

TEST(OrcStripeBytesTest, KeepsARangeNoLongerThanItIsUsed) {
  const NotingFile file(std::string(100, 'x'));
  OrcStripeBytes bytes(file, {{0, 40}, {40, 60}}, {.hole_bytes = 0, .range_bytes = 100});
  BRAID_ASSERT_OK_AND_ASSIGN(OrcStripeBytes::Piece first, bytes.Take(0, 40));
  const std::weak_ptr<const arrow::Buffer> range = first.range;
  first.range.reset();
  EXPECT_FALSE(range.expired());  // the other stream's bytes are in it
  BRAID_ASSERT_OK_AND_ASSIGN(OrcStripeBytes::Piece second, bytes.Take(40, 60));
  second.range.reset();
  EXPECT_TRUE(range.expired());
}

}  // namespace
}  // namespace braid
