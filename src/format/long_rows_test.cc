// Rows of many megabytes in ORC and Avro files: what they take in memory besides themselves, and that they come back.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "base/result_matchers.h"
#include "format/file_format.h"
#include "format/rows_testing.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kBytes = 40 * kMiB;

std::vector<DataField> LongFields() {
  return MakeFields({{"k", DataType::BigInt().NotNull()}, {"s", DataType::String()}, {"b", DataType::Bytes()}});
}

/// A text that compression makes little smaller.
std::string LongText(std::int64_t bytes, std::uint64_t seed) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::uint64_t state = seed * 2 + 1;
  for (char& c : text) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    c = static_cast<char>(' ' + 1 + (state >> 58));
  }
  return text;
}

/// Bytes that malloc has given out; 0 under sanitizers, which have their own.
std::int64_t AllocatedBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// Where files are written to nowhere: looks at the memory with each piece of theirs.
class WatchingFiles : public MemoryFileSystem {
 public:
  Result<std::unique_ptr<OutputFile>> Create(std::string_view /*path*/) override {
    return std::unique_ptr<OutputFile>(new File(*this));
  }
  void StartWatch() {
    before_ = AllocatedBytes();
    peak_ = 0;
  }
  std::int64_t peak_bytes() const { return peak_; }

 private:
  class File : public OutputFile {
   public:
    explicit File(WatchingFiles& files) : files_(files) {}
    Status Append(std::string_view bytes) override {
      position_ += static_cast<std::int64_t>(bytes.size());
      files_.peak_ = std::max(files_.peak_, AllocatedBytes() - files_.before_);
      return Ok();
    }
    std::int64_t position() const override { return position_; }
    Status CloseSynced() override { return Ok(); }
    Status Close() override { return Ok(); }

   private:
    WatchingFiles& files_;
    std::int64_t position_ = 0;
  };

  std::int64_t before_ = 0;
  std::int64_t peak_ = 0;
};

class LongRowsOfFormatTest : public testing::TestWithParam<const char*> {
 protected:
  const FileFormat& format() const { return **FindFileFormat(GetParam()); }
};

TEST_P(LongRowsOfFormatTest, AreWrittenWithOneCopyAndNothingIsKept) {
  const std::vector<DataField> fields = LongFields();
  for (const char* compression : {"zstd", "none"}) {
    SCOPED_TRACE(compression);
    WatchingFiles files;
    const std::vector<DatumList> short_rows(50, {Datum(std::int64_t{1}), "same", "same"});
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch first, MakeBatch(fields, short_rows));
    const Options options(Options::Map{{"file.compression", compression}});
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, format().OpenWriter(files, "/f", fields, options));
    ASSERT_THAT(writer->Write(first), IsOk());
    for (std::uint64_t row = 0; row < 3; ++row) {
      const std::vector<DatumList> long_row = {
          {Datum(std::int64_t{2}), LongText(kBytes / 2, row), LongText(kBytes / 2, row + 9)}};
      BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(fields, long_row));
      files.StartWatch();
      ASSERT_THAT(writer->Write(batch), IsOk());
      EXPECT_LT(files.peak_bytes(), kBytes + 4 * kMiB);
      files.StartWatch();
      ASSERT_THAT(writer->Write(first), IsOk());
      EXPECT_LT(files.peak_bytes(), kMiB);
      EXPECT_LT(writer->buffered_bytes(), 2 * kMiB) << "a long row does not wait for others";
    }
    const std::int64_t before = AllocatedBytes();
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written, writer->Finish());
    EXPECT_LT(AllocatedBytes() - before, kMiB);
    EXPECT_EQ(written.row_count, 4 * 50 + 3);
  }
}

TEST_P(LongRowsOfFormatTest, AreReadOneAtATimeAndWaitOutsideOfMemory) {
  const std::vector<DataField> fields = LongFields();
  for (const char* compression : {"zstd", "none"}) {
    SCOPED_TRACE(compression);
    MemoryFileSystem files;
    std::vector<DatumList> rows;
    for (std::int64_t key = 0; key < 4; ++key) {
      const bool is_text = key % 2 == 0;
      const std::string text = LongText(kBytes, static_cast<std::uint64_t>(key));
      rows.push_back({Datum(key), is_text ? Datum(text) : Datum(), is_text ? Datum() : Datum(text)});
      rows.push_back({Datum(key), "short", "short"});
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const WrittenFile written,
                               WriteFile(format(), files, "/f", fields, rows,
                                         Options(Options::Map{{"file.compression", compression}})));
    EXPECT_EQ(written.row_count, 8);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto reader,
                               format().OpenReader(files, "/f", {.columns = fields, .filter = nullptr}));
    const BufferPeak peak;
    const std::int64_t before = AllocatedBytes();
    std::vector<Batch> batches;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      BRAID_ASSERT_OK_AND_ASSIGN(const auto batch, reader->Next());
      ASSERT_TRUE(batch.has_value());
      ASSERT_EQ(batch->row_count(), 1);
      for (std::size_t i = 0; i < fields.size(); ++i) {
        EXPECT_TRUE(DatumAt(*batch->rows->column(static_cast<int>(i)), 0, fields[i].type) == rows[row][i]);
      }
      batches.push_back(*batch);
      EXPECT_LT(AllocatedBytes() - before, 2 * kMiB) << "what a long row took is given back";
    }
    EXPECT_LT(peak.bytes(), kBytes + 8 * kMiB);
    const BufferPeak now;
    BRAID_ASSERT_OK_AND_ASSIGN(const auto end, reader->Next());
    EXPECT_FALSE(end.has_value());
    EXPECT_LT(now.bytes(), kMiB);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, LongRowsOfFormatTest, testing::Values("orc", "avro"));

}  // namespace
}  // namespace braid
